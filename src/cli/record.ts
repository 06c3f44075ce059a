/** Merges recordings into the file that is committed, for `localization record`. */
import { join } from 'node:path'
import * as z from 'zod'
import { LocalizationError } from '../errors.ts'
import { writeIfChanged } from '../shared/atomic-write.ts'
import { count } from '../shared/figures.ts'
import { printable } from '../shared/printable.ts'
import { mergeRecordings } from '../usage/recorded/merge.ts'
import { printRecordedKeys, type RecordedKey, readRecordedKeys } from '../usage/recorded/recorded-keys.ts'
import { readRecordings, removeRecordings, takeRecordings } from '../usage/recorded/recordings.ts'
import { loadChecked } from './check/load.ts'
import type { CommandContext, CommandResult } from './command.ts'
import { type Paint, quoted } from './text.ts'

const name = z.object({ namespace: z.string(), key: z.string() })

export const recordResult = z.object({
  file: z.string(),
  dryRun: z.boolean(),
  /** Keys in the file now. */
  keys: z.number().int(),
  added: z.array(name),
  /** Keys that the file no longer has: no language has them, or `--replace` and no recording has them. */
  removed: z.array(name),
  /** Keys that the app used and no language has. */
  missing: z.array(name),
  /** Namespaces of which every key was used: probably the app copies the messages. */
  whole: z.array(z.string()),
})

export interface RecordOptions {
  readonly dryRun?: boolean
  readonly replace?: boolean
  readonly service?: boolean
}

export async function record(context: CommandContext, options: RecordOptions): Promise<CommandResult> {
  const { dryRun = false, replace: isReplaced = false, service = false } = options
  const config = { ...(await context.config()), languages: undefined }
  const { root, keySeparator, pluralSeparator, usage } = config
  const before = await readRecordedKeys(config)
  if (!dryRun) await takeRecordings(root)
  const { requests, files } = await readRecordings(root)
  if (files.length === 0)
    throw new LocalizationError('nothing was recorded', {
      code: 'RECORDING_MISSING',
      hint: 'Run the dev server or the tests with the variable LOCALIZATION_RECORD=1 first: see docs/testing.md.',
    })
  const { catalog } = await loadChecked(context, config, { reporter: 'text', syntax: 'auto', service })
  const merged = mergeRecordings({ before, requests, catalog, keySeparator, pluralSeparator, isReplaced })
  if (!dryRun) {
    await writeIfChanged(join(root, usage.recorded), printRecordedKeys(merged.keys))
    await removeRecordings(root, files)
  }
  const names = (keys: readonly RecordedKey[]) => keys.map(({ namespace, key }) => ({ namespace, key }))
  const data = {
    file: usage.recorded,
    dryRun,
    keys: merged.keys.used.length,
    added: names(merged.added),
    removed: names(merged.removed),
    missing: names(merged.keys.missing),
    whole: [...merged.whole],
  } satisfies z.infer<typeof recordResult>
  return { data, text: (paint) => format(data, paint, context.globals.verbose === true) }
}

const SHOWN = 10

function format(data: z.infer<typeof recordResult>, paint: Paint, all: boolean): string {
  const { file, dryRun, keys, added, removed, missing, whole } = data
  const list = (title: string, names: readonly RecordedKey[]) => {
    if (names.length === 0) return []
    const shown = all ? names : names.slice(0, SHOWN)
    const rest = names.length - shown.length
    return [
      `${title}:`,
      ...shown.map(({ namespace, key }) => `  ${printable(namespace)} ${quoted(key, 100)}`),
      ...(rest > 0 ? [`  and ${count(rest, 'more key', 'more keys')} (--verbose shows all)`] : []),
    ]
  }
  const copied = whole.map((namespace) => {
    const why = 'code that copies all messages uses every key: see "Recorded use" in docs/testing.md'
    return paint('yellow', `every key of ${printable(namespace)} was used; ${why}`)
  })
  return [
    ...list('new', added),
    ...list('removed', removed),
    ...list('used, and in no language', missing),
    ...copied,
    `${dryRun ? 'would write ' : ''}${file}: ${count(keys, 'key')}, ${added.length} new, ${removed.length} removed`,
  ].join('\n')
}
