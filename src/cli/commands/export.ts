/** `localization export`: the service's own export, as files. */

import { Option } from 'commander'
import * as z from 'zod'
import type { Client } from '../../api/client.ts'
import type { DownloadOption, ExportFile, FileFormat } from '../../api/schemas.ts'
import { appLanguage, appNamespace, isLiteral, serviceLanguage } from '../../catalog/names.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError } from '../../errors.ts'
import { displayPath } from '../../files/patterns.ts'
import { count, grouped } from '../../shared/figures.ts'
import { encodeSegment, foldName } from '../../shared/paths.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import { addFilters, type FilterOptions, scopeOf } from '../filters.ts'
import { collect } from '../options.ts'
import { type Paint, table } from '../text.ts'

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
      /** Its content differs from what was there. With `--dry-run`: it would be written. */
      written: z.boolean(),
    }),
  ),
})
type Exported = z.infer<typeof exportResult>['files'][number]

interface ExportOptions extends FilterOptions {
  output: string
  format: FileFormat
  nested?: boolean
  tag?: readonly string[]
  option?: readonly string[]
  dryRun?: boolean
}

export const addExport: AddCommand = (program, act) => {
  addFilters(
    program
      .command('export')
      .summary("download the service's export")
      .description("Download the service's export into a folder. For the app's own files there is pull.")
      .option('--output <folder>', 'folder to write to', 'localization-export')
      .addOption(
        new Option('--format <format>', 'one file per language and namespace, or one with all languages')
          .choices(['single-language-json', 'multi-language-json'])
          .default('single-language-json'),
      )
      .option('--nested', 'nested objects instead of dotted keys')
      .option('--tag <tag>', 'only keys with this tag (repeatable)', collect)
      .option(
        '--option <NAME>',
        "another option of the service's export, such as ONLY_TRANSLATED (repeatable)",
        collect,
      )
      .option('--dry-run', 'only say what would be written'),
  )
    .addHelpText('after', examples('export --output build/texts --language pl', 'export --format multi-language-json'))
    .action(act(exportFiles))
}

interface Download extends Pick<ExportFile, 'url'> {
  readonly language: string | null
  readonly namespace: string | null
  readonly customer: string | null
}

/** Before anything is written. A disk that ignores case or normal form keeps one of two. */
function checkNames(names: readonly string[]): void {
  const known = new Map<string, string>()
  for (const name of names) {
    const other = known.get(foldName(name))
    if (other !== undefined) {
      const message =
        other === name
          ? `two exported files would both be ${name}`
          : `the exported files ${other} and ${name} differ only in upper and lower case or in Unicode normal form: not every disk can tell them apart`
      throw new LocalizationError(message, { code: 'FILE_NAME_COLLISION' })
    }
    known.set(foldName(name), name)
  }
}

async function exportFiles(context: CommandContext, options: ExportOptions) {
  const [config, client] = await Promise.all([context.config(), context.client()])
  const { resolve, join } = await import('node:path')
  const { readFile } = await import('node:fs/promises')
  const { writeFileAtomic } = await import('../../shared/atomic-write.ts')
  const scope = scopeOf(options)
  const { version, downloads } = await request(client, config, options)
  const wanted = downloads.filter(
    ({ language, namespace }) =>
      (language === null || scope.language(language)) && (namespace === null || scope.namespace(namespace)),
  )
  const folder = resolve(config.root, options.output)
  checkNames(wanted.map(fileName))
  const files: Exported[] = []
  for (const download of wanted) {
    const name = fileName(download)
    // Parsed, so that an error page is never saved as texts.
    const value = await client.exports.downloadJson(download.url)
    const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
    const path = join(folder, name)
    const before = await readFile(path).catch(() => undefined)
    const written = !before?.equals(bytes)
    if (written && !options.dryRun) await writeFileAtomic(path, bytes)
    const { language, namespace, customer } = download
    files.push({ file: displayPath(config.root, path), language, namespace, customer, bytes: bytes.length, written })
  }
  const dryRun = options.dryRun === true
  const changed = files.filter(({ written }) => written).length
  return {
    data: { dryRun, version, files } satisfies z.infer<typeof exportResult>,
    text: (paint: Paint) =>
      files.length === 0
        ? 'nothing to export'
        : [
            table(
              files,
              [
                { title: 'file', value: ({ file }) => file },
                { title: 'bytes', align: 'right', value: ({ bytes }) => grouped(bytes) },
                {
                  title: '',
                  value: ({ written }) => (written ? (dryRun ? 'would be written' : 'written') : 'unchanged'),
                },
              ],
              paint,
            ),
            `${count(files.length, 'file')}, ${changed} ${dryRun ? 'would be written' : 'written'}`,
          ].join('\n'),
  }
}

async function request(client: Client, config: ResolvedConfig, options: ExportOptions) {
  const { format, language, customer, tag } = options
  if (customer && customer.length > 1) throw new UsageError('--customer can be given once here')
  const literal = language?.every(isLiteral) ? language.map((name) => serviceLanguage(name, config)) : undefined
  const single = format === 'single-language-json'
  const v4 = await client.exports.v4({
    downloadFormat: format,
    downloadOptions: [
      ...(single ? (['SPLIT_BY_LANGUAGES', 'SPLIT_BY_NAMESPACES'] as const) : []),
      ...(options.nested ? (['WRITE_NESTED'] as const) : []),
      ...((options.option ?? []) as DownloadOption[]),
    ],
    ...(literal && { languageKeys: literal }),
    ...(tag && { tags: tag }),
    ...(customer?.[0] !== undefined && { customerId: customer[0] }),
  })
  if (v4) {
    const downloads = v4.files.map(
      ({ url, language, namespace, customer: own }): Download => ({
        url,
        language: language ? appLanguage(language, config) : null,
        namespace: namespace === undefined || namespace === null ? null : appNamespace(namespace, config),
        customer: own ?? customer?.[0] ?? null,
      }),
    )
    return { version: 'v4' as const, downloads }
  }
  if (options.namespace) throw new UsageError('this service exports without namespaces (v3): leave out --namespace')
  if (single && !literal)
    throw new UsageError(
      'this service has export v3 only: name the languages with --language, or take --format multi-language-json',
    )
  const downloads: Download[] = []
  for (const languageKey of single && literal ? literal : [undefined]) {
    const { url } = await client.exports.v3({
      downloadFormat: format,
      ...(languageKey !== undefined && { languageKey }),
      ...(customer?.[0] !== undefined && { customerId: customer[0] }),
      ...(options.option && { exportOptions: options.option }),
    })
    const name = languageKey === undefined ? null : appLanguage(languageKey, config)
    downloads.push({ url, language: name, namespace: null, customer: customer?.[0] ?? null })
  }
  return { version: 'v3' as const, downloads }
}

function fileName({ language, namespace, customer }: Download): string {
  const first = language === null ? 'translations' : encodeSegment(language)
  const path = [
    ...(customer === null ? [] : [encodeSegment(customer)]),
    first,
    ...(namespace === null ? [] : namespace.split('/').map((segment) => encodeSegment(segment))),
  ]
  return `${path.join('/')}.json`
}
