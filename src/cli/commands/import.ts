/** `localization import <file...>`: files into the service, checked before anything is sent. */

import { stat } from 'node:fs/promises'
import { Option } from 'commander'
import * as z from 'zod'
import type { FileFormat, ImportOption } from '../../api/schemas.ts'
import { appLanguage, serviceLanguage, serviceNamespace } from '../../catalog/names.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError } from '../../errors.ts'
import { createFilePatterns, displayPath } from '../../files/patterns.ts'
import { readTranslationFile } from '../../files/read.ts'
import { count, grouped } from '../../shared/figures.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import { collect } from '../options.ts'
import { type Paint, table } from '../text.ts'

export const importResult = z.object({
  dryRun: z.boolean(),
  files: z.array(
    z.object({
      file: z.string(),
      /** `null`: the file names its languages itself. */
      language: z.string().nullable(),
      namespace: z.string(),
      customer: z.string().nullable(),
      /** What the service found, with `--dry-run` what would be sent. */
      keys: z.number().int(),
      languages: z.array(z.string()),
    }),
  ),
  /** Files that were not sent, because the command was stopped. */
  left: z.array(z.string()),
})
type Imported = z.infer<typeof importResult>['files'][number]

interface ImportOptions {
  format?: FileFormat
  language?: string
  namespace?: string
  customer?: string
  replace?: boolean
  publish?: boolean
  tag?: readonly string[]
  raw?: boolean
  dryRun?: boolean
}

interface Upload {
  readonly path: string
  readonly file: string
  readonly format: FileFormat
  readonly language: string | undefined
  readonly namespace: string
  readonly customer: string | undefined
  readonly content: string | { path: string }
  readonly keys: number
  readonly languages: readonly string[]
}

export const addImport: AddCommand = (program, act) => {
  program
    .command('import <file...>')
    .summary('import files into the service')
    .description(
      'Import files into the service. Language and namespace are read off the path where it matches the option files. Texts that are there stay unless --replace.',
    )
    .addOption(new Option('--format <format>', 'file format').choices(['single-language-json', 'multi-language-json']))
    .option('--language <name>', 'language of the file, or the one language to take of a multi-language file')
    .option('--namespace <name>', 'namespace; otherwise that of the path, or the default one')
    .option('--customer <key>', "import as this customer's own texts")
    .option('--replace', 'replace texts that are there')
    .option('--publish', 'publish to _latest afterwards')
    .option('--tag <tag>', 'tag for the keys (repeatable)', collect)
    .option('--raw', 'send the file as it is, unchecked')
    .option('--dry-run', 'only check the files and say what would be sent')
    .addHelpText(
      'after',
      examples(
        'import locales/pl/common.json',
        'import locales/*/*.json --replace',
        'import all.json --format multi-language-json',
      ),
    )
    .action(act(importFiles))
}

async function importFiles(context: CommandContext, options: ImportOptions, files: string[]) {
  const config = await context.config()
  const uploads: Upload[] = []
  // All of them are checked before the first one is sent.
  for (const file of files) uploads.push(await prepare(config, options, file))
  const dryRun = options.dryRun === true
  const done: Imported[] = []
  if (dryRun) done.push(...uploads.map((upload) => resultOf(upload, upload.keys, upload.languages)))
  else await send(context, config, options, uploads, done)
  const left = uploads.slice(done.length).map(({ file }) => file)
  const data: z.infer<typeof importResult> = { dryRun, files: done, left }
  return {
    data,
    failed: left.length > 0,
    text: (paint: Paint) =>
      [
        table(
          done,
          [
            { title: 'file', value: ({ file }) => file },
            { title: 'language', value: ({ language, languages }) => language ?? languages.join(', ') },
            { title: 'namespace', value: ({ namespace }) => namespace },
            { title: 'keys', align: 'right', value: ({ keys }) => grouped(keys) },
          ],
          paint,
        ),
        ...(dryRun ? [`would import ${count(done.length, 'file')}`] : []),
        ...(left.length > 0 ? [`stopped: ${count(left.length, 'file')} not imported`] : []),
      ].join('\n'),
  }
}

async function send(
  context: CommandContext,
  config: ResolvedConfig,
  options: ImportOptions,
  uploads: readonly Upload[],
  done: Imported[],
): Promise<void> {
  const client = await context.client()
  const importOptions: ImportOption[] = options.replace ? ['REPLACE_TRANSLATION_IF_FOUND'] : []
  const bar =
    uploads.length > 1 ? context.out.bar({ label: 'import', total: uploads.length, unit: 'files' }) : undefined
  try {
    for (const upload of uploads) {
      const last = upload === uploads.at(-1)
      const answer = await client.imports.upload({
        file: upload.content,
        fileName: upload.file.split('/').at(-1),
        uploadFormat: upload.format,
        ...(upload.language !== undefined && { languageKey: serviceLanguage(upload.language, config) }),
        namespace: serviceNamespace(upload.namespace, config),
        ...(upload.customer !== undefined && { customerId: upload.customer }),
        ...(options.tag && { tags: options.tag }),
        importOptions: options.publish && last ? [...importOptions, 'PUBLISH_AFTER_IMPORT'] : importOptions,
      })
      const languages = answer.foundLanguages.map(({ key }) => appLanguage(key, config))
      done.push(resultOf(upload, answer.numberOfUniqueKeysFound, languages))
      bar?.update(done.length)
    }
  } catch (error) {
    if (!context.signal.aborted || done.length === 0) throw error
  } finally {
    bar?.end()
  }
}

async function prepare(config: ResolvedConfig, options: ImportOptions, given: string): Promise<Upload> {
  const { root, files: patterns, defaultNamespace, keySeparator } = config
  const { resolve } = await import('node:path')
  const path = resolve(root, given)
  const file = displayPath(root, path)
  const isThere = await stat(path).then(
    (known) => known.isFile(),
    () => false,
  )
  if (!isThere) throw new LocalizationError('there is no such file', { code: 'FILE_READ', place: { file } })
  const matched = createFilePatterns({ root, patterns, defaultNamespace }).match(path)
  const language = options.language ?? (options.format === 'multi-language-json' ? undefined : matched?.language)
  const format = options.format ?? 'single-language-json'
  if (format === 'single-language-json' && language === undefined) {
    throw new UsageError(
      `${file}: its path does not match the option files (${patterns.join(', ')}): give --language, or --format multi-language-json where the file holds {language: {key: text}}`,
    )
  }
  const base = {
    path,
    file,
    format,
    language,
    namespace: options.namespace ?? matched?.namespace ?? defaultNamespace,
    customer: options.customer ?? matched?.customer,
  }
  if (options.raw) return { ...base, content: { path }, keys: 0, languages: [] }
  // A separator that no key holds keeps the first level apart in a file of several languages.
  const separator = format === 'multi-language-json' ? '\u0000' : keySeparator
  const content = await readTranslationFile(path, { keySeparator: separator, file })
  if (!content) throw new LocalizationError('there is no such file', { code: 'FILE_READ', place: { file } })
  const [fault] = content.diagnostics
  if (fault) throw new LocalizationError(fault.message, { ...fault })
  if (format === 'single-language-json') {
    return { ...base, content: toJson(content.entries), keys: content.entries.size, languages: [language as string] }
  }
  const byLanguage = new Map<string, Map<string, string>>()
  for (const [key, text] of content.entries) {
    const [name = '', ...path] = key.split('\u0000')
    if (path.length === 0)
      throw new LocalizationError(`${JSON.stringify(name)} is a text, not a language's object of texts`, {
        code: 'FILE_VALUE',
        place: { file, ...content.positionOf(key) },
        hint: 'A multi-language file is {language: {key: text}}.',
      })
    if (language !== undefined && name !== serviceLanguage(language, config)) continue
    const texts = byLanguage.get(name) ?? new Map<string, string>()
    byLanguage.set(name, texts)
    texts.set(path.join(keySeparator), text)
  }
  const body = [...byLanguage].map(([name, texts]) => `${JSON.stringify(name)}:${toJson(texts)}`)
  const keys = new Set([...byLanguage.values()].flatMap((texts) => [...texts.keys()])).size
  return { ...base, content: `{${body.join(',')}}`, keys, languages: [...byLanguage.keys()] }
}

/** Flat, and whatever the key: `__proto__` too. */
export function toJson(texts: ReadonlyMap<string, string>): string {
  return `{${[...texts].map(([key, text]) => `${JSON.stringify(key)}:${JSON.stringify(text)}`).join(',')}}`
}

function resultOf(
  { file, language, namespace, customer }: Upload,
  keys: number,
  languages: readonly string[],
): Imported {
  return { file, language: language ?? null, namespace, customer: customer ?? null, keys, languages: [...languages] }
}
