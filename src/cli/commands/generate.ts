/** `localization generate` writes the virtual modules as real files. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Generated } from '../../generate/generate.ts'
import { count } from '../../shared/figures.ts'
import { displayPath } from '../../shared/paths.ts'
import { defineCommand, type Frozen, flag, UsageError, value } from '../command.ts'
import { printResult } from '../run.ts'
import type { Paint } from '../text.ts'

export const generateResult = z.object({
  dryRun: z.boolean(),
  /** The output folder, relative to the root. */
  out: z.string(),
  languages: z.array(z.string()),
  namespaces: z.array(z.string()),
  customers: z.array(z.string()),
  /** The number of files, written or unchanged. The paths below are relative to `out`. */
  files: z.number().int(),
  written: z.array(z.string()),
  removed: z.array(z.string()),
  /** Manually edited files that were overwritten or removed. */
  edited: z.array(z.string()),
})
type Result = Frozen<z.infer<typeof generateResult>>

export const command = defineCommand({
  description:
    'Write the modules of virtual:translations as JavaScript files with type declarations, for tools that ' +
    'cannot use the plugin: Turbopack, Metro, Parcel, Node, Deno and others. Uses the same texts as a build.',
  examples: ['generate', 'generate --watch', 'generate --out src/translations'],
  options: {
    watch: flag('keep running like a dev server: sync, and write modules after each edit; press Ctrl-C to stop'),
    out: value('<folder>', 'output folder for the modules, relative to the root; default: .localization/modules'),
    public: value(
      '<folder>',
      "with delivery: 'live': folder that the host serves, relative to the root; default: public",
    ),
    base: value('<url>', "with delivery: 'live': URL of that folder; default: /"),
    dryRun: flag('only show what would be written'),
  },
  result: generateResult,
  async work(context, { watch, out, dryRun, base, public: folder }) {
    if (watch && dryRun) throw new UsageError('--watch and --dry-run cannot be used together')
    const { globals, signal } = context
    const config = await context.config()
    const { startGenerate } = await import('../../generate/generate.ts')
    const { root } = config
    const onWrite = (done: Generated) => {
      const data = toResult(done, dryRun)
      printResult(context, { data, text: (paint) => formatChanges(data, paint) })
    }
    // With --watch, the command logs what it syncs, like a dev server.
    const logger = watch ? { ...context.out.logger, info: context.out.say } : context.out.logger
    const generation = await startGenerate({
      root,
      config,
      mode: globals.mode,
      watch,
      out,
      served: { folder, base },
      dryRun,
      signal,
      logger,
      onWrite,
    })
    try {
      const data = toResult(generation.first, dryRun)
      const imports = data.written.length === data.files ? await importsLines(root, data) : []
      if (!watch) return { data, imports }
      onWrite(generation.first)
      for (const line of imports) context.out.say(line)
      context.out.say('watching the texts; press Ctrl-C to stop')
      if (!signal.aborted) await once(signal, 'abort')
      return undefined
    } finally {
      await generation.close()
    }
  },
  text: ({ data, imports }, paint) => [formatChanges(data, paint), ...imports].join('\n'),
})

function toResult({ root, out, ...done }: Generated, dryRun: boolean): Result {
  const { languages, namespaces, customers, files, written, removed, edited } = done
  return { dryRun, out: displayPath(root, out), languages, namespaces, customers, files, written, removed, edited }
}

const SHOWN = 3

function formatChanges(data: Result, paint: Paint): string {
  const { dryRun, out, languages, namespaces, files, written, removed } = data
  const figures = `${count(languages.length, 'language')}, ${count(namespaces.length, 'namespace')}`
  if (written.length + removed.length === 0) return `${out}: current, ${count(files, 'file')}; ${figures}`
  const modules = written.filter((path) => !path.endsWith('.d.ts'))
  const named = modules.length > 0 ? modules : written
  const names = named.length > 0 && named.length <= SHOWN ? ` (${named.join(', ')})` : ''
  const gone = removed.length > 0 ? `, ${dryRun ? 'would remove' : 'removed'} ${removed.length}` : ''
  const verb = dryRun ? 'would write' : paint('green', 'wrote')
  return `${out}: ${verb} ${written.length} of ${count(files, 'file')}${names}${gone}; ${figures}`
}

/** The lines that the user must add to package.json. */
async function importsLines(root: string, { out }: Result): Promise<readonly string[]> {
  const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => undefined)
  if (text === undefined || out.startsWith('..')) return []
  const missing = [
    ...(text.includes('"#translations"')
      ? []
      : [`"imports": { "#translations": "./${out}/index.js", "#translations/*": "./${out}/*.js" }`]),
    // Parcel ignores `imports` unless this is set.
    ...(text.includes('"parcel"') && !text.includes('"packageExports"')
      ? ['"@parcel/resolver-default": { "packageExports": true }']
      : []),
  ]
  return missing.length === 0 ? [] : ['To import them, add to package.json:', ...missing.map((line) => `  ${line}`)]
}
