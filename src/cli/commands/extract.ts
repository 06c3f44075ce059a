/** `localization extract`: keys that the code uses and no file has, into the default language's files. */

import { messageOf } from '../../errors.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { type ExtractData, formatExtract } from '../extract/report.ts'
import type { ExtractOptions, ExtractProject } from '../extract/run.ts'
import { collect } from '../options.ts'
import { toTerminal } from '../text.ts'

export { extractResult } from '../extract/report.ts'

export const addExtract: AddCommand = (program, act) => {
  program
    .command('extract')
    .summary("write keys that the code uses into the default language's files")
    .description(
      "Find keys that the code uses and the default language's files do not have, and write them with the default " +
        'texts that calls give. It removes nothing and changes no text. Exits with 1 for an error.',
    )
    .option('--namespace <name>', 'only this namespace; a name or a glob (repeatable)', collect)
    .option('--dry-run', 'only show what would be written')
    .option('--watch', 'keep running, and extract again after each change of a source; Ctrl-C stops it')
    .option('--source <glob>', 'sources to read instead of the option usage.files; "!" excludes (repeatable)', collect)
    .option('--function <name>', 'a translation function of your own, or a hook that returns one (repeatable)', collect)
    .addHelpText('after', examples('extract --dry-run', 'extract --namespace shop', 'extract --watch'))
    .action(act(extract))
}

async function extract(context: CommandContext, options: ExtractOptions) {
  const config = await context.config()
  const { extractOnce, openExtractProject } = await import('../extract/run.ts')
  const project = openExtractProject(config)
  const data = await extractOnce(context, project, options)
  const isFailed = data.findings.some(({ severity }) => severity === 'error')
  const all = context.globals.verbose === true
  if (!options.watch)
    return { data, failed: isFailed, text: (paint: typeof context.out.paint) => formatExtract(data, paint, all) }
  print(context, data)
  await follow(context, project, options, data)
  return undefined
}

/** Extracts after each change until the process receives a signal to end. */
async function follow(context: CommandContext, project: ExtractProject, options: ExtractOptions, first: ExtractData) {
  const { out, signal } = context
  const { root, usage } = project.config
  const [{ watchSources }, { extractOnce }] = await Promise.all([
    import('../extract/watch.ts'),
    import('../extract/run.ts'),
  ])
  // With --dry-run, the same keys come again each time.
  const seen = ({ dryRun, keys, findings }: ExtractData) => JSON.stringify([dryRun ? keys : [], findings])
  let shown = seen(first)
  out.say('watching the sources; Ctrl-C stops it')
  await watchSources({
    root,
    patterns: options.source ?? usage.files,
    signal,
    onChange: async () => {
      try {
        const data = await extractOnce(context, project, options)
        if ((data.keys.length > 0 && !data.dryRun) || seen(data) !== shown) print(context, data)
        shown = seen(data)
      } catch (error) {
        // The next change may fix the error.
        if (!signal.aborted) out.logger.error(messageOf(error))
      }
    },
    onTrouble: (error) => out.warn(`the sources can no longer be watched: ${messageOf(error)}`),
  })
}

function print({ io, out, globals }: CommandContext, data: ExtractData): void {
  const text = globals.json ? JSON.stringify(data) : formatExtract(data, out.paint, globals.verbose === true)
  io.out(toTerminal(`${text}\n`))
}
