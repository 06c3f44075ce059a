/** `localization export` saves the service's own export as files. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import * as z from 'zod'
import type { Client } from '../../api/client.ts'
import type { DownloadOption } from '../../api/schemas.ts'
import { appLanguage, appNamespace, isLiteral, serviceLanguage } from '../../catalog/names.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError } from '../../errors.ts'
import { writeFileAtomic } from '../../shared/atomic-write.ts'
import { count } from '../../shared/figures.ts'
import { displayPath, encodeSegment, foldName } from '../../shared/paths.ts'
import { choice, defineCommand, flag, type Given, list, UsageError, value } from '../command.ts'
import { checkFilters, FILTERS, projectLanguages, scopeOf } from '../filters.ts'
import { table } from '../text.ts'

export const exportResult = z.object({
  dryRun: z.boolean(),
  version: z.enum(['v4', 'v3']),
  files: z.array(
    z.object({
      file: z.string(),
      language: z.string().nullable(),
      namespace: z.string().nullable(),
      customer: z.string().nullable(),
      bytes: z.number().int(),
      /** True if the file was written because its content differed, or would be written with `--dry-run`. */
      written: z.boolean(),
    }),
  ),
})
type Exported = z.infer<typeof exportResult>['files'][number]

const options = {
  output: value('<folder>', 'folder to write to', String, 'localization-export'),
  format: choice(
    '<format>',
    'one file per language and namespace, or one file with all languages',
    ['single-language-json', 'multi-language-json'],
    'single-language-json',
  ),
  nested: flag('nested objects instead of dotted keys'),
  tag: list('<tag>', 'only keys with this tag (repeatable)'),
  option: list('<NAME>', "another option of the service's export, such as ONLY_TRANSLATED (repeatable)"),
  dryRun: flag('only show what would be written'),
  ...FILTERS,
}

export const command = defineCommand({
  description: "Download the service's export into a folder. To update the app's own files, use pull.",
  examples: ['export --output build/texts --language pl', 'export --format multi-language-json'],
  options,
  result: exportResult,
  async work(context, given) {
    const [config, client] = await Promise.all([context.config(), context.client()])
    const { dryRun, output } = given
    const scope = scopeOf(given)
    const { language } = given
    // The service answers an unknown language as if it had no export v4.
    const known = language && (await projectLanguages(client, config))
    if (known) await checkFilters({ language }, known.languages, [])
    const { version, downloads } = await requestExport(client, config, given)
    const wanted = downloads.filter(
      ({ language, namespace }) =>
        (language === null || scope.language(language)) && (namespace === null || scope.namespace(namespace)),
    )
    checkNames(wanted.map(fileName))
    const files: Exported[] = []
    for (const { url, ...part } of wanted) {
      const path = resolve(config.root, output, fileName(part))
      // Parsing the content ensures that an error page is never saved.
      const value = await client.exports.downloadJson(url)
      const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
      const before = await readFile(path).catch(() => undefined)
      const written = !before?.equals(bytes)
      if (written && !dryRun) await writeFileAtomic(path, bytes)
      files.push({ file: displayPath(config.root, path), ...part, bytes: bytes.length, written })
    }
    return { data: { dryRun, version, files } }
  },
  text({ data: { dryRun, files } }, paint) {
    if (files.length === 0) return 'nothing to export'
    const verb = dryRun ? 'would be written' : 'written'
    const rows = table(
      files,
      [
        ['file', ({ file }) => file],
        ['bytes', ({ bytes }) => bytes],
        ['', ({ written }) => (written ? verb : 'unchanged')],
      ],
      paint,
    )
    const changed = files.filter(({ written }) => written).length
    return `${rows}\n${count(files.length, 'file')}, ${changed} ${verb}`
  },
})

type Part = Pick<Exported, 'language' | 'namespace' | 'customer'>
type Download = Part & { readonly url: string }

/** Requests export v4, or v3 if the service lacks v4. V3 has no namespaces. */
async function requestExport(client: Client, config: ResolvedConfig, given: Given<typeof options>) {
  const { format: downloadFormat, language, tag: tags, customer: [customerId, ...others] = [] } = given
  if (others.length > 0) throw new UsageError('export accepts --customer only once')
  const languageKeys = language?.every(isLiteral) ? language.map((name) => serviceLanguage(name, config)) : undefined
  const isSingle = downloadFormat === 'single-language-json'
  const downloadOptions = [
    ...(isSingle ? ['SPLIT_BY_LANGUAGES', 'SPLIT_BY_NAMESPACES'] : []),
    ...(given.nested ? ['WRITE_NESTED'] : []),
    ...(given.option ?? []),
  ] as DownloadOption[]
  const v4 = await client.exports.v4({ downloadFormat, downloadOptions, languageKeys, tags, customerId })
  if (v4) {
    const downloads = v4.files.map(
      ({ url, language: key, namespace, customer }): Download => ({
        url,
        language: key ? appLanguage(key, config) : null,
        namespace: typeof namespace === 'string' ? appNamespace(namespace, config) : null,
        customer: customer ?? customerId ?? null,
      }),
    )
    return { version: 'v4' as const, downloads }
  }
  if (given.namespace) throw new UsageError('this service exports without namespaces (v3): leave out --namespace')
  if (isSingle && !languageKeys)
    throw new UsageError(
      'this service has export v3 only: name the languages with --language, or use --format multi-language-json',
    )
  const downloads: Download[] = []
  for (const languageKey of isSingle && languageKeys ? languageKeys : [undefined]) {
    const { url } = await client.exports.v3({ downloadFormat, languageKey, customerId, exportOptions: given.option })
    const name = languageKey === undefined ? null : appLanguage(languageKey, config)
    downloads.push({ url, language: name, namespace: null, customer: customerId ?? null })
  }
  return { version: 'v3' as const, downloads }
}

function fileName({ language, namespace, customer }: Part): string {
  const segments = [
    ...(customer === null ? [] : [customer]),
    language ?? 'translations',
    ...(namespace === null ? [] : namespace.split('/')),
  ]
  return `${segments.map((segment) => encodeSegment(segment)).join('/')}.json`
}

/** Throws if two names differ only in case or normal form, because some file systems would keep only one file. */
function checkNames(names: readonly string[]): void {
  const known = new Map<string, string>()
  for (const name of names) {
    const other = known.get(foldName(name))
    known.set(foldName(name), name)
    if (other === undefined) continue
    const difference = 'letter case or in Unicode normalization: not every file system distinguishes them'
    throw new LocalizationError(
      other === name
        ? `two exported files would both be ${name}`
        : `the exported files ${other} and ${name} differ only in ${difference}`,
      { code: 'FILE_NAME_COLLISION' },
    )
  }
}
