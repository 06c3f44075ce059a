/** `localization import <file...>` imports files into the service. All files are checked before anything is sent. */
import { stat } from 'node:fs/promises'
import { basename, parse, resolve } from 'node:path'
import * as z from 'zod'
import type { Client } from '../../api/client.ts'
import type { FileFormat, ImportOption } from '../../api/schemas.ts'
import { appLanguage, serviceLanguage, serviceNamespace } from '../../catalog/names.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError, type Place } from '../../errors.ts'
import { createFilePatterns, patternNames } from '../../files/patterns.ts'
import { readTranslationFile } from '../../files/read.ts'
import { count } from '../../shared/figures.ts'
import { fileEnding } from '../../shared/file-pattern.ts'
import { displayPath } from '../../shared/paths.ts'
import { groupBy } from '../../shared/split.ts'
import {
  type CommandContext,
  choice,
  defineCommand,
  type Frozen,
  flag,
  type Given,
  list,
  UsageError,
  value,
} from '../command.ts'
import { MAX_ROWS } from '../summary.ts'
import { type Column, table } from '../text.ts'

export const importResult = z.object({
  dryRun: z.boolean(),
  files: z.array(
    z.object({
      file: z.string(),
      /** `null` if the file has several languages. */
      language: z.string().nullable(),
      namespace: z.string(),
      customer: z.string().nullable(),
      /** The number of keys that the service found, or that would be sent with `--dry-run`. */
      keys: z.number().int(),
      languages: z.array(z.string()),
    }),
  ),
  /** Files that were not sent because the command was stopped. */
  left: z.array(z.string()),
})
type Imported = z.infer<typeof importResult>['files'][number]

const options = {
  format: choice('<format>', 'file format', ['single-language-json', 'multi-language-json']),
  language: value('<name>', "the file's language, or the only language to import from a multi-language file"),
  namespace: value('<name>', 'namespace; default: from the path, else the default namespace'),
  customer: value('<key>', 'import as texts of this customer'),
  replace: flag('replace existing texts'),
  publish: flag('publish to _latest afterwards'),
  tag: list('<tag>', 'tag to add to the keys (repeatable)'),
  raw: flag('send the file unchanged and unchecked'),
  dryRun: flag('only check the files and show what would be sent'),
}
type ImportOptions = Given<typeof options>

interface Upload extends Imported {
  readonly format: FileFormat
  readonly content: string | { path: string }
}

export const command = defineCommand({
  description:
    'Import files into the service. Language and namespace come from the path if it matches the option ' +
    '"files". Existing texts are kept, except with --replace.',
  examples: [
    'import locales/pl/common.json',
    'import locales/*/*.json --replace',
    'import all.json --format multi-language-json',
  ],
  options,
  result: importResult,
  async work(context, given, ...files) {
    const config = await context.config()
    const uploads = await prepareAll(context, config, given, files)
    const { dryRun } = given
    const done = dryRun ? uploads : await send(context, config, given, uploads)
    const sent = new Set(done.map(({ file }) => file))
    const left = uploads.flatMap(({ file }) => (sent.has(file) ? [] : [file]))
    const imported = done.map(({ format: _format, content: _content, ...file }) => file)
    return { data: { dryRun, files: imported, left }, failed: left.length > 0 }
  },
  text({ data: { files, left, dryRun } }, paint) {
    const isShort = files.length > MAX_ROWS
    const columns: Column<Row>[] = [
      ['language', languageOf],
      isShort ? ['files', ({ files = 1 }) => files] : ['namespace', ({ namespace }) => namespace],
      ['keys', ({ keys }) => keys],
    ]
    if (!isShort) columns.unshift(['file', ({ file }) => file])
    const lines = [
      table(isShort ? sumByLanguage(files) : files, columns, paint),
      `${dryRun ? 'would import' : 'imported'} ${count(files.length, 'file')}`,
    ]
    if (left.length > 0) lines.push(`stopped: ${count(left.length, 'file')} not imported`)
    return lines.join('\n')
  },
})

/** The figures for one file, or their sums for several files. */
type Row = Frozen<Imported> & { readonly files?: number }

function languageOf({ language, languages }: Row): string {
  return language ?? languages.join(', ')
}

function sumByLanguage(files: readonly Row[]): Row[] {
  return groupBy(files, languageOf).map((group) => {
    const keys = group.reduce((sum, file) => sum + file.keys, 0)
    return { ...(group[0] as Row), keys, files: group.length }
  })
}

/** Uploads are concurrent because the service processes one while others are being sent. */
const MAX_UPLOADS = 4

/** Returns the sent files in order, with the keys and languages that the service found in them. */
async function send(
  context: CommandContext,
  config: ResolvedConfig,
  options: ImportOptions,
  uploads: readonly Upload[],
): Promise<Upload[]> {
  const client = await context.client()
  const total = uploads.length
  const bar = total > 1 ? context.out.bar({ label: 'import', total, unit: 'files' }) : undefined
  const done = new Map<Upload, Upload>()
  let failure: { readonly error: unknown; readonly file: string } | undefined
  const sendNext = async (upload: Upload, isLast: boolean) => {
    if (failure) return
    try {
      done.set(upload, await sendOne(client, config, options, upload, isLast))
      bar?.update(done.size)
    } catch (error) {
      failure ??= { error, file: upload.file }
    }
  }
  // Files for the same namespace may contain the same key, so they are sent one after another.
  const groups = groupBy(uploads.slice(0, -1), ({ namespace }) => namespace).values()
  const sendGroups = async () => {
    for (const group of groups) for (const upload of group) await sendNext(upload, false)
  }
  await Promise.all(Array.from({ length: MAX_UPLOADS }, sendGroups))
  // The last file waits for all others, because it may publish them.
  for (const upload of uploads.slice(-1)) await sendNext(upload, true)
  bar?.end()
  const sent = uploads.flatMap((upload) => done.get(upload) ?? [])
  if (!failure || (context.signal.aborted && sent.length > 0)) return sent
  const { error, file } = failure
  if (sent.length > 0) context.out.warn(`imported before the error: ${sent.map((each) => each.file).join(', ')}`)
  if (!(error instanceof LocalizationError) || total === 1) throw error
  throw new LocalizationError(error.message, { code: error.code, place: { file }, cause: error })
}

async function sendOne(
  client: Client,
  config: ResolvedConfig,
  { replace, publish, tag: tags }: ImportOptions,
  upload: Upload,
  isLast: boolean,
): Promise<Upload> {
  const { language, namespace, customer, format: uploadFormat } = upload
  const importOptions: ImportOption[] = replace ? ['REPLACE_TRANSLATION_IF_FOUND'] : []
  if (publish && isLast) importOptions.push('PUBLISH_AFTER_IMPORT')
  const { foundLanguages, numberOfUniqueKeysFound: keys } = await client.imports.upload({
    file: upload.content,
    // String content is always JSON.
    fileName: typeof upload.content === 'string' ? `${parse(upload.file).name}.json` : basename(upload.file),
    uploadFormat,
    languageKey: language === null ? undefined : serviceLanguage(language, config),
    namespace: serviceNamespace(namespace, config),
    customerId: customer ?? undefined,
    tags,
    importOptions,
  })
  return { ...upload, keys, languages: foundLanguages.map(({ key }) => appLanguage(key, config)) }
}

async function prepareAll(
  { out, globals }: CommandContext,
  config: ResolvedConfig,
  options: ImportOptions,
  files: readonly string[],
) {
  const bar = out.bar({ label: 'checking the files', total: files.length, unit: 'files', isPassing: true })
  const uploads: Upload[] = []
  try {
    for (const file of files) {
      uploads.push(await prepare(config, options, resolve(globals.pathsFrom, file)))
      bar.update(uploads.length)
    }
  } finally {
    bar.end()
  }
  return uploads
}

async function prepare(config: ResolvedConfig, options: ImportOptions, path: string): Promise<Upload> {
  const { root, files: patterns, keySeparator } = config
  const file = displayPath(root, path)
  const matched = createFilePatterns(config).match(path)
  const format = options.format ?? 'single-language-json'
  const isSingle = format === 'single-language-json'
  const language = options.language ?? (isSingle ? matched?.language : undefined) ?? null
  const isThere = (await stat(path).catch(() => undefined))?.isFile()
  const missing = new LocalizationError('no such file', { code: 'FILE_READ', place: { file } })
  if (!isThere) throw missing
  if (isSingle && language === null)
    throw new UsageError(
      `${file}: its path does not match the option "files" (${patternNames(patterns)}): use --language, or ` +
        '--format multi-language-json if the file contains {language: {key: text}}',
    )
  const part = {
    file,
    format,
    language,
    namespace: options.namespace ?? matched?.namespace ?? config.defaultNamespace,
    customer: options.customer ?? matched?.customer ?? null,
  }
  if (options.raw && (fileEnding(path) ?? '.json') !== '.json')
    throw new UsageError(`${file}: the service accepts only JSON; leave out --raw to convert the file`)
  if (options.raw) return { ...part, content: { path }, keys: 0, languages: [] }
  // In multi-language files, NUL separates the language from the key, because no key contains NUL.
  const content = await readTranslationFile(
    path,
    isSingle ? { keySeparator, file, wrappers: matched?.wrappers } : { keySeparator: '\u0000', file },
  )
  if (!content) throw missing
  const { entries, diagnostics } = content
  const [fault] = diagnostics
  if (fault) throw new LocalizationError(fault.message, { ...fault })
  if (isSingle)
    return { ...part, content: toJson(entries), keys: entries.size, languages: language === null ? [] : [language] }
  const byLanguage = splitLanguages(entries, keySeparator, (key) => ({ file, ...content.positionOf(key) }))
  const wanted = [...byLanguage].filter(([name]) => language === null || name === serviceLanguage(language, config))
  const body = wanted.map(([name, texts]) => `${JSON.stringify(name)}:${toJson(texts)}`)
  const keys = new Set(wanted.flatMap(([, texts]) => [...texts.keys()])).size
  return { ...part, content: `{${body.join(',')}}`, keys, languages: wanted.map(([name]) => name) }
}

/** The texts of a multi-language file, by language. */
function splitLanguages(
  entries: ReadonlyMap<string, string>,
  keySeparator: string,
  placeOf: (key: string) => Place,
): Map<string, Map<string, string>> {
  const byLanguage = new Map<string, Map<string, string>>()
  for (const [key, text] of entries) {
    const [language = '', ...path] = key.split('\u0000')
    if (path.length === 0)
      throw new LocalizationError(
        `${JSON.stringify(language)} is a string; expected an object with the texts of one language`,
        { code: 'FILE_VALUE', place: placeOf(key), hint: 'A multi-language file is {language: {key: text}}.' },
      )
    const texts = byLanguage.get(language) ?? new Map<string, string>()
    const joined = path.join(keySeparator)
    if (texts.has(joined))
      throw new LocalizationError(`${language}: two keys become ${JSON.stringify(joined)}`, {
        code: 'FILE_KEY_COLLISION',
        place: placeOf(key),
        hint: 'Set the option "keySeparator" to a string that is in no key.',
      })
    byLanguage.set(language, texts.set(joined, text))
  }
  return byLanguage
}

/** Flat JSON, built as a string because an object would lose the key `__proto__`. */
function toJson(texts: ReadonlyMap<string, string>): string {
  return `{${[...texts].map(([key, text]) => `${JSON.stringify(key)}:${JSON.stringify(text)}`).join(',')}}`
}
