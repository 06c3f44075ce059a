/** `localization release <folder>` puts new texts into a finished build. */
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { modifiedAt, ServiceChanges } from '../../api/changes.ts'
import type { Client } from '../../api/client.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { messageOf } from '../../errors.ts'
import { silentLogger } from '../../logger.ts'
import type { Released } from '../../release/release.ts'
import { count } from '../../shared/figures.ts'
import { displayPath } from '../../shared/paths.ts'
import { readFileInputs } from '../../sources/files.ts'
import { type CommandContext, defineCommand, type Frozen, flag, UsageError, value, wholeNumber } from '../command.ts'
import { printResult } from '../run.ts'
import type { Paint } from '../text.ts'
import { changeLines, changeResult, changeSummary } from './publish.ts'

export const releaseResult = z.object({
  dryRun: z.boolean(),
  /** One entry for each build output that has its own table. Paths are relative to the root. */
  outputs: z.array(
    z.object({
      folder: z.string(),
      build: z.string(),
      /** The version that was live; `null` if the table was damaged. */
      from: z.string().nullable(),
      version: z.string(),
      changes: z.array(changeResult.omit({ customer: true })),
      written: z.array(z.string()),
      removed: z.array(z.string()),
    }),
  ),
  /** The files to upload, in this order. */
  upload: z.array(z.string()),
})
type Result = Frozen<z.infer<typeof releaseResult>>

const CHECK_INTERVAL_MS = 1000
const LONGEST_WAIT_MS = 60_000
const SHORTEST_WAIT_MS = 200

export const command = defineCommand({
  description:
    "Put the current texts into a build with delivery: 'live': new message files, and then the table of their names. " +
    'Nothing else changes, and no bundler runs.',
  examples: ['release dist', 'release dist --dry-run', 'release dist --previous', 'release dist --list'],
  options: {
    previous: flag('go back to the version before the live one'),
    check: flag('change nothing; exit with 1 if the texts differ from the live ones'),
    dryRun: flag('only show what would change'),
    list: flag('change nothing; print the files to upload, in this order: the table comes last'),
    watch: flag('keep running, and release every change; press Ctrl-C to stop'),
    keep: value('<number>', 'number of versions whose files are kept', wholeNumber, 10),
    allowOlder: flag('release texts that are older than those of the last release'),
    allowMissing: flag('release without texts that the build uses'),
  },
  result: releaseResult,
  async work(context, options, given) {
    const { previous, check, dryRun, list, watch } = options
    const alone = Object.entries({ previous, check, list, watch }).flatMap(([name, isGiven]) =>
      isGiven ? [`--${name}`] : [],
    )
    if (alone.length > 1) throw new UsageError(`${alone.join(' and ')} cannot be used together`)
    if (watch && dryRun) throw new UsageError('--watch and --dry-run cannot be used together')
    if (options.keep < 1) throw new UsageError('--keep must be at least 1')
    const { globals, out } = context
    const folder = resolve(globals.pathsFrom, given as string)
    const { listUploads, release } = await import('../../release/release.ts')
    const relative = (path: string) => displayPath(globals.root, path)
    if (list) {
      const upload = (await listUploads(folder)).map(relative)
      return { data: { dryRun: true, outputs: [], upload }, isList: true }
    }
    const once = async (logger = out.logger) => {
      const released = await release({
        ...options,
        folder,
        config: await context.config(),
        mode: globals.mode,
        dryRun: dryRun || check,
        logger,
        signal: context.signal,
        now: () => new Date(),
      })
      return toResult(released, dryRun || check, relative)
    }
    if (!watch) {
      const data = await once()
      return { data, isList: false, failed: check && data.outputs.some(isChanged) }
    }
    await watchTexts(context, once)
    return undefined
  },
  text: ({ data, isList }, paint) => (isList ? data.upload.join('\n') : describe(data, paint)),
})

async function watchTexts(context: CommandContext, once: (logger?: typeof silentLogger) => Promise<Result>) {
  const { out, signal } = context
  const config = await context.config()
  const { baseUrl, apiKey } = config.service
  let failures = 0
  let isFirst = true
  // Findings are printed only in the first round, because later rounds would repeat them.
  const release = () => once(isFirst ? out.logger : silentLogger)
  // Reviewing a text does not change its time. Sources not listed here report changes themselves.
  const canFollow = ['export', 'query'].includes(config.source) && !config.reviewed
  const hasClient = apiKey !== undefined && baseUrl !== 'local'
  const round = hasClient && canFollow ? onlyIfChanged(release, config, await context.client(), signal) : release
  for (; !signal.aborted; isFirst = false) {
    const startedAt = performance.now()
    try {
      const data = await round()
      failures = 0
      if (data && (isFirst || data.outputs.some(isChanged)))
        printResult(context, { data, text: (paint) => describe(data, paint) })
      if (isFirst) out.say('watching the texts; press Ctrl-C to stop')
    } catch (error) {
      if (signal.aborted) break
      if (isFirst) throw error
      if (failures++ === 0) out.logger.error(messageOf(error))
    }
    const between = Math.min(CHECK_INTERVAL_MS * 2 ** failures, LONGEST_WAIT_MS)
    const tookMs = performance.now() - startedAt
    await sleep(Math.max(between - tookMs, SHORTEST_WAIT_MS), undefined, { signal }).catch(() => {})
  }
}

function toResult(released: readonly Released[], dryRun: boolean, relative: (path: string) => string): Result {
  return {
    dryRun,
    outputs: released.map(({ folder, build, from, version, changes, written, removed }) => ({
      folder: relative(folder),
      build,
      from: from ?? null,
      version,
      changes: changes.map(({ before = null, after = null, ...place }) => ({ ...place, before, after })),
      written: written.map(relative),
      removed: removed.map(relative),
    })),
    upload: released.flatMap(({ upload }) => upload.map(relative)),
  }
}

type Output = Result['outputs'][number]

const isChanged = ({ written }: Output) => written.length > 0

function describe({ dryRun, outputs }: Result, paint: Paint): string {
  return outputs.flatMap((output) => linesOf(output, dryRun, paint)).join('\n')
}

function linesOf(output: Output, dryRun: boolean, paint: Paint): string[] {
  const { folder, from, version, changes, written } = output
  if (!isChanged(output)) return [`${folder}: current, version ${version}`]
  const verb = dryRun ? 'would release' : paint('green', 'released')
  const since = from === null ? 'the table was damaged' : from === version ? 'files were missing' : `was ${from}`
  return [
    ...changeLines(changes, paint),
    `${folder}: ${verb} version ${version} (${since}): ${changeSummary(changes)}, ${count(written.length, 'file')}`,
  ]
}

/** Every 20th round reads everything, because the list of changes may miss a deletion. */
const WHOLE_EVERY = 20

/** Returns a function that runs `release` if something has changed since its last successful run. */
function onlyIfChanged<T>(release: () => Promise<T>, config: ResolvedConfig, client: Client, signal: AbortSignal) {
  let changes: ServiceChanges | undefined
  let files = ''
  let rounds = 0
  return async (): Promise<T | undefined> => {
    const filesNow = JSON.stringify([...(await readFileInputs(config))])
    const isDue = rounds++ % WHOLE_EVERY === 0 || filesNow !== files
    const found = isDue ? undefined : await changes?.read(signal)
    if (found && [...found.values()].every((rows) => rows.length === 0)) return undefined
    // Starts before the release, so that the next round notices changes made during the release.
    const next = found ? changes : await followChanges(client, config.customers, signal)
    changes = undefined
    const released = await release()
    files = filesNow
    changes = next
    return released
  }
}

/** Starts to follow changes. Resolves to `undefined` if the service does not report times. */
async function followChanges(client: Client, customers: readonly string[], signal: AbortSignal) {
  const layers = [undefined, ...customers]
  const changes = new ServiceChanges(client, layers)
  for (const customerId of layers) {
    const order = { sortBy: 'lastModifiedAt', sortOrder: 'desc', page: 0, size: 1 } as const
    const query = { ...order, ...(customerId !== undefined && { customerId }) }
    const { translations } = await client.translations.query(query, { signal })
    const time = translations[0] && modifiedAt(translations[0])
    if (time === undefined) return undefined
    changes.noteAllRead(customerId, time)
  }
  return changes
}
