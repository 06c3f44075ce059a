/** `localization generate`: the virtual modules as real files. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { displayPath } from '../../files/patterns.ts'
import type { Generated } from '../../generate/generate.ts'
import { count } from '../../shared/figures.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import { type Paint, toTerminal } from '../text.ts'

export const generateResult = z.object({
  dryRun: z.boolean(),
  /** The folder of the modules, relative to the root. */
  out: z.string(),
  languages: z.array(z.string()),
  namespaces: z.array(z.string()),
  customers: z.array(z.string()),
  /** The number of all files. The paths below are relative to `out`. */
  files: z.number().int(),
  written: z.array(z.string()),
  removed: z.array(z.string()),
  /** Files that somebody had edited: they are written again, or removed. */
  edited: z.array(z.string()),
})
type Result = z.infer<typeof generateResult>

interface GenerateCommandOptions {
  watch?: boolean
  out?: string
  dryRun?: boolean
}

export const addGenerate: AddCommand = (program, act) => {
  program
    .command('generate')
    .summary('write the modules of virtual:translations as files, for tools that take no plugins')
    .description(
      'Write the modules of virtual:translations as JavaScript files with their types, for tools that take no ' +
        'plugins: Turbopack, Metro, Parcel, Node, Deno and others. The texts are those of a build.',
    )
    .option('--watch', 'keep running like a dev server: sync, and write modules after each edit; Ctrl-C stops it')
    .option('--out <folder>', 'folder of the modules, relative to the root; default: .localization/modules')
    .option('--dry-run', 'only show what would be written')
    .addHelpText('after', examples('generate', 'generate --watch', 'generate --out src/translations'))
    .action(act(generate))
}

async function generate(context: CommandContext, { watch = false, out, dryRun = false }: GenerateCommandOptions) {
  if (watch && dryRun) throw new UsageError('--watch writes: leave out --dry-run')
  const { globals, io, signal } = context
  const config = await context.config()
  const { startGenerate } = await import('../../generate/generate.ts')
  const { root, mode } = { ...globals, root: config.root }
  const resultOf = (done: Generated) => toResult(done, dryRun)
  const print = (done: Generated) => {
    const text = globals.json ? JSON.stringify(resultOf(done)) : formatChanges(resultOf(done), context.out.paint)
    io.out(toTerminal(`${text}\n`))
  }
  // Like a dev server, the command logs what it syncs.
  const logger = watch ? { ...context.out.logger, info: context.out.say } : context.out.logger
  const settings = { root, config, mode, watch, out, dryRun, signal, logger, onWrite: print }
  const generation = await startGenerate(settings)
  try {
    const data = resultOf(generation.first)
    const lines = data.written.length === data.files ? await importsLines(root, data) : []
    if (!watch) return { data, text: (paint: Paint) => [formatChanges(data, paint), ...lines].join('\n') }
    print(generation.first)
    for (const line of lines) context.out.say(line)
    context.out.say('watching the texts; Ctrl-C stops it')
    if (!signal.aborted) await once(signal, 'abort')
    return undefined
  } finally {
    await generation.close()
  }
}

function toResult(done: Generated, dryRun: boolean): Result {
  const { root, out, languages, namespaces, customers, files, written, removed, edited } = done
  return {
    dryRun,
    out: displayPath(root, out),
    languages: [...languages],
    namespaces: [...namespaces],
    customers: [...customers],
    files,
    written: [...written],
    removed: [...removed],
    edited: [...edited],
  }
}

const SHOWN = 3

function formatChanges({ dryRun, out, languages, namespaces, files, written, removed }: Result, paint: Paint): string {
  const figures = `${count(languages.length, 'language')}, ${count(namespaces.length, 'namespace')}`
  if (written.length + removed.length === 0) return `${out}: current, ${count(files, 'file')}; ${figures}`
  const modules = written.filter((path) => !path.endsWith('.d.ts'))
  const named = modules.length > 0 ? modules : written
  const names = named.length > 0 && named.length <= SHOWN ? ` (${named.join(', ')})` : ''
  const gone = removed.length > 0 ? `, ${dryRun ? 'would remove' : 'removed'} ${removed.length}` : ''
  const verb = dryRun ? 'would write' : paint('green', 'wrote')
  return `${out}: ${verb} ${written.length} of ${count(files, 'file')}${names}${gone}; ${figures}`
}

/** The lines to add to package.json. Empty if they are there. */
async function importsLines(root: string, { out }: Result): Promise<readonly string[]> {
  const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => undefined)
  if (text === undefined || out.startsWith('..')) return []
  const missing = [
    ...(text.includes('"#translations"')
      ? []
      : [`"imports": { "#translations": "./${out}/index.js", "#translations/*": "./${out}/*.js" }`]),
    // Parcel reads `imports` only with this.
    ...(text.includes('"parcel"') && !text.includes('"packageExports"')
      ? ['"@parcel/resolver-default": { "packageExports": true }']
      : []),
  ]
  return missing.length === 0 ? [] : ['To import them, add to package.json:', ...missing.map((line) => `  ${line}`)]
}
