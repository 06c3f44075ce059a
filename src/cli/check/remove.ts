/** `localization check --remove` removes unused keys from the files. */
import { readFile } from 'node:fs/promises'
import { LocalizationError } from '../../errors.ts'
import { readTranslationFile } from '../../files/read.ts'
import { updateTranslationText } from '../../files/update.ts'
import { writeFileAtomic } from '../../shared/atomic-write.ts'
import { count, grouped } from '../../shared/figures.ts'
import { displayPath } from '../../shared/paths.ts'
import { printable } from '../../shared/printable.ts'
import { PRUNE_LIMIT } from '../../sync/prune.ts'
import type { KeyName } from '../../usage/unused.ts'
import { type CommandContext, confirm } from '../command.ts'
import { coloredDiff, unifiedDiff } from '../line-diff.ts'
import { listOf, quoted } from '../text.ts'
import type { Checked } from './report.ts'
import type { CheckOptions } from './texts.ts'

interface Removed {
  readonly keys: readonly KeyName[]
  /** The files that were changed, or would be with `--dry-run`. */
  readonly files: readonly string[]
}

export const NOTHING: Removed = { keys: [], files: [] }

interface RemovalInput {
  readonly checked: Checked
  readonly options: CheckOptions
  /** The total number of keys. */
  readonly total: number
}

/** @param unused keys that the code neither uses nor mentions */
export async function removeKeys(
  context: CommandContext,
  unused: readonly KeyName[],
  { checked, options, total }: RemovalInput,
): Promise<Removed> {
  const broken = checked.files.diagnostics.filter(({ severity }) => severity === 'error').length
  if (broken > 0)
    throw new LocalizationError(`nothing removed: ${count(broken, 'finding')} in the files must be fixed first`, {
      code: 'FILE_VALUE',
      hint: 'Run localization check to list them.',
    })
  if (unused.length === 0) return NOTHING
  listKeys(context, unused, options.dryRun)
  const changes = await changesOf(checked, unused)
  showDiff(context, changes)
  if (unused.length > total * PRUNE_LIMIT && !options.force) {
    const share = `${count(unused.length, 'key')} of ${grouped(total)} would be removed, more than half`
    throw new LocalizationError(`nothing removed: ${share}`, {
      code: 'DELETION_LIMIT',
      hint: 'Check "usage.files" and --function, or remove them anyway with --force.',
    })
  }
  const yes = options.yes || options.dryRun
  const isWanted = await confirm(context, `Remove ${count(unused.length, 'key')} from the files?`, { yes })
  if (!isWanted) return NOTHING
  if (!options.dryRun)
    for (const { path, before, after } of changes)
      await writeFileAtomic(path, after, { confirm: () => assertSame(path, before) })
  return { keys: unused, files: changes.map(({ name }) => name) }
}

function listKeys({ out, globals }: CommandContext, keys: readonly KeyName[], dryRun: boolean): void {
  out.say(`${dryRun ? 'would remove' : 'to remove'}, in every language:`)
  const line = ({ namespace, key }: KeyName) => `  ${printable(namespace)} ${quoted(key, 100)}`
  const rest = (number: number) => `  and ${count(number, 'more key')} (--verbose shows all)`
  for (const each of listOf(keys, globals.verbose ? keys.length : 30, line, rest)) out.say(each)
}

interface FileChange {
  readonly path: string
  /** The path relative to the root. */
  readonly name: string
  readonly before: string
  readonly after: string
}

async function changesOf(
  { files, config: { root, keySeparator } }: Checked,
  keys: readonly KeyName[],
): Promise<FileChange[]> {
  const changes: FileChange[] = []
  for (const { path } of files.list) {
    const part = files.patterns.match(path)
    const name = displayPath(root, path)
    const options = { keySeparator, file: name, wrappers: part?.wrappers }
    const content = part && (await readTranslationFile(path, options))
    if (!content?.ok || !part) continue
    const going = keys.filter(({ namespace, key }) => namespace === part.namespace && content.entries.has(key))
    if (going.length === 0) continue
    const before = Buffer.from(content.bytes).toString('utf8')
    const after = updateTranslationText(before, new Map(going.map(({ key }) => [key, undefined])), options)
    changes.push({ path, name, before, after })
  }
  return changes
}

const SHOWN_LINES = 60
const SHOWN_LENGTH = 200

function showDiff({ out, globals }: CommandContext, changes: readonly FileChange[]): void {
  const lines = changes.flatMap(({ name, before, after }) => [
    out.talk('bold', `--- ${printable(name)}`),
    ...coloredDiff(unifiedDiff(before, after, 0), out.talk, SHOWN_LENGTH),
  ])
  const rest = (number: number) => `and ${count(number, 'more line')} (--verbose shows all)`
  for (const line of listOf(lines, globals.verbose ? lines.length : SHOWN_LINES, String, rest)) out.say(line)
}

/** Throws if the file was edited while the command was waiting for an answer. */
async function assertSame(path: string, before: string): Promise<void> {
  if ((await readFile(path, 'utf8')) === before) return
  throw new LocalizationError('changed in the meantime: nothing was removed from it', {
    code: 'FILE_WRITE',
    place: { file: path },
    hint: 'Run the command again.',
  })
}
