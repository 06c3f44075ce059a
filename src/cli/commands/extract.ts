/** `localization extract` finds keys in the code that no file contains, and adds them to the files. */
import { once } from 'node:events'
import { watch } from 'chokidar'
import { messageOf } from '../../errors.ts'
import { LookTimer } from '../../files/watch.ts'
import { systemClock } from '../../shared/clock.ts'
import { count } from '../../shared/figures.ts'
import { groupBy } from '../../shared/split.ts'
import { createPathFilter } from '../../usage/sources/list.ts'
import { type CommandContext, defineCommand, type Frozen } from '../command.ts'
import {
  EXTRACT_OPTIONS,
  type ExtractData,
  type ExtractOptions,
  type ExtractProject,
  extractOnce,
  extractResult,
  openExtractProject,
} from '../extract/run.ts'
import { printResult } from '../run.ts'
import { findingLines, listOf, type Paint, positionText, quoted } from '../text.ts'

export { extractResult } from '../extract/run.ts'

export const command = defineCommand({
  description:
    "Find keys that the code uses but the default language's files lack, and write them with the default texts " +
    'in the calls. Removes nothing and changes no text. Exits with 1 on errors.',
  examples: ['extract --dry-run', 'extract --namespace shop', 'extract --watch'],
  options: EXTRACT_OPTIONS,
  result: extractResult,
  async work(context, options) {
    const project = openExtractProject(await context.config())
    const data = await extractOnce(context, project, options)
    if (options.watch) {
      print(context, data)
      await follow(context, project, options, data)
      return undefined
    }
    const failed = data.findings.some(({ severity }) => severity === 'error')
    return { data, failed, all: context.globals.verbose === true }
  },
  text: ({ data, all }, paint) => format(data, paint, all),
})

function print(context: CommandContext, data: ExtractData): void {
  printResult(context, { data, text: (paint) => format(data, paint, context.globals.verbose === true) })
}

/** The number of keys listed per file, and of findings per rule, unless `--verbose` is set. */
const LISTED = 20

function format(data: Frozen<ExtractData>, paint: Paint, all: boolean): string {
  const { dryRun, keys, files, findings, sources } = data
  const most = all ? Number.POSITIVE_INFINITY : LISTED
  const lines = groupBy(keys, ({ file }) => file).flatMap((group) => [
    group[0]?.file ?? '',
    ...listOf(
      group,
      most,
      ({ key, text, calls: [call] }) =>
        `  ${paint('green', '+')} ${quoted(key)}: ${quoted(text)}  ${call ? paint('dim', positionText(call)) : ''}`,
      (rest) => paint('dim', `  and ${count(rest, 'more key')} (--verbose shows all)`),
    ),
  ])
  for (const group of groupBy(findings, ({ rule }) => rule)) lines.push(...findingLines(group, most, paint))
  const figures = `${count(keys.length, 'key')} to ${count(files.length, 'file')}`
  if (keys.length > 0) lines.push(`${dryRun ? 'would add' : 'added'} ${figures}`)
  else if (findings.length > 0) lines.push('nothing added')
  else lines.push(`nothing to extract: every key of ${count(sources, 'source file')} has a text`)
  return lines.join('\n')
}

/** Extracts after each change. Resolves after the command is stopped and the last round has finished. */
async function follow(context: CommandContext, project: ExtractProject, options: ExtractOptions, first: ExtractData) {
  const { out, signal } = context
  const { root, usage } = project.config
  // Each dry run finds the same keys again, so they are printed only if they have changed.
  const seen = ({ dryRun, keys, findings }: ExtractData) => JSON.stringify([dryRun ? keys : [], findings])
  let shown = seen(first)
  out.say('watching the sources; press Ctrl-C to stop')
  const onChange = async () => {
    try {
      const data = await extractOnce(context, project, options)
      if ((data.keys.length > 0 && !data.dryRun) || seen(data) !== shown) print(context, data)
      shown = seen(data)
    } catch (error) {
      // The next change may fix the error.
      if (!signal.aborted) out.logger.error(messageOf(error))
    }
  }
  const { bases, mayHold, globsOf } = createPathFilter(root, options.source ?? usage.files)
  const isSource = (path: string) => globsOf(path).length > 0
  let running = Promise.resolve()
  const timer = new LookTimer(systemClock, async () => {
    // Rounds never run concurrently.
    running = running.then(() => (signal.aborted ? undefined : onChange()))
    await running
  })
  const watcher = watch([...bases], {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path, stats) => !mayHold(path) || (stats?.isFile() === true && !isSource(path)),
  })
  watcher.on('all', (_, path) => {
    if (isSource(path)) timer.soon()
  })
  watcher.on('error', (error) => out.warn(`the sources can no longer be watched: ${messageOf(error)}`))
  // A file may have changed between the first round and the start of the watch.
  watcher.once('ready', () => timer.soon())
  if (!signal.aborted) await once(signal, 'abort')
  timer.cancel()
  await watcher.close()
  await running
}
