/** `localization status`: where each language and namespace stands. */

import * as z from 'zod'
import { fillGaps } from '../../catalog/merge.ts'
import type { Catalog } from '../../catalog/model.ts'
import { type TextRef, textId } from '../../catalog/text-id.ts'
import { createTranslations } from '../../catalog/translations.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { formatFinding } from '../../errors.ts'
import { count, grouped, percent } from '../../shared/figures.ts'
import { printable } from '../../shared/printable.ts'
import { loadFromFiles } from '../../sources/files.ts'
import type { RemoteText } from '../../sync/remote.ts'
import { readSyncState } from '../../sync/state-file.ts'
import type { TextRecord } from '../../sync/text-record.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { addFilters, checkFilters, type FilterOptions, type Scope, scopeOf, withCustomers } from '../filters.ts'
import { openProject } from '../project.ts'
import { serviceCatalog } from '../service-texts.ts'
import { type Column, type Paint, table } from '../text.ts'

const figures = {
  /** Texts it has itself, empty ones not counted. */
  texts: z.number().int(),
  /** Texts the default language has. */
  expected: z.number().int(),
  /** Of those, the ones it has itself. */
  translated: z.number().int(),
  /** Of those, the ones the app shows something for, fallbacks included. */
  covered: z.number().int(),
  /** Texts the service calls reviewed; `null` with `--offline`, as everything below. */
  reviewed: z.number().int().nullable(),
  /** Texts that are not the same on both sides. */
  differing: z.number().int().nullable(),
  conflicts: z.number().int().nullable(),
  /** Texts a dev server holds back. */
  held: z.number().int().nullable(),
}
const rowResult = z.object({ language: z.string(), namespace: z.string(), ...figures })
export const statusResult = z.object({
  defaultLanguage: z.string(),
  /** One for each language and namespace. */
  parts: z.array(rowResult),
  languages: z.array(z.object({ language: z.string(), ...figures })),
  skippedFiles: z.array(z.string()),
})
type Row = z.infer<typeof rowResult>
type Figures = Omit<Row, 'language' | 'namespace'>

interface StatusOptions extends FilterOptions {
  offline?: boolean
  byLanguage?: boolean
}

interface Picture {
  readonly config: ResolvedConfig
  readonly catalog: Catalog
  /** `undefined`: the service was not asked. */
  readonly service: { readonly texts: readonly RemoteText[]; readonly differences: readonly TextRecord[] } | undefined
  readonly held: ReadonlySet<string>
  readonly skippedFiles: readonly string[]
}

export const addStatus: AddCommand = (program, act) => {
  addFilters(
    program
      .command('status')
      .summary('show where each language and namespace stands')
      .description(
        'Show each language and namespace: translated, covered after fallback, reviewed, differing from the service, held back.',
      )
      .option('--by-language', 'one line for each language')
      .option('--offline', 'files only, the service is not asked'),
  )
    .addHelpText('after', examples('status', 'status --by-language', 'status --offline --json'))
    .action(act(status))
}

async function status(context: CommandContext, options: StatusOptions) {
  const config = withCustomers(await context.config(), options)
  const scope = scopeOf(options)
  const offline = options.offline === true || config.service.baseUrl === undefined
  if (offline && !options.offline) context.out.say('no service is configured: this is what the files hold')
  const picture = offline ? await readFiles(context, config, options) : await readBoth(context, options)
  const { parts, defaultLanguage } = measure(picture, scope)
  const data: z.infer<typeof statusResult> = {
    defaultLanguage,
    parts,
    languages: [...new Set(parts.map(({ language }) => language))].map((language) => ({
      language,
      ...sum(parts.filter((part) => part.language === language)),
    })),
    skippedFiles: [...picture.skippedFiles],
  }
  return {
    data,
    // A project of the service may be new; files that are not there are looked for in the wrong place.
    failed: data.skippedFiles.length > 0 || (offline && parts.length === 0),
    text: (paint: Paint) => {
      if (parts.length === 0) return offline ? nothingHere(config) : 'no texts'
      return show(data, options.byLanguage === true, paint)
    },
  }
}

async function readFiles({ out }: CommandContext, config: ResolvedConfig, filters: FilterOptions): Promise<Picture> {
  const { catalog, diagnostics } = await loadFromFiles(config)
  const broken = diagnostics.filter(({ severity }) => severity === 'error')
  for (const diagnostic of diagnostics)
    out.logger[diagnostic.severity === 'error' ? 'error' : 'warn'](formatFinding(diagnostic))
  const languages = catalog.languages.map(({ key }) => key)
  await checkFilters(filters, { languages, namespaces: catalog.namespaces, more: async () => [] })
  const skippedFiles = [...new Set(broken.flatMap(({ place }) => place?.file ?? []))]
  return { config, catalog, service: undefined, held: new Set(), skippedFiles }
}

/** What a build would use: the service's texts, files filling the gaps. */
async function readBoth(context: CommandContext, filters: FilterOptions): Promise<Picture> {
  // The whole project is read: fallbacks reach over the filters.
  const open = await openProject(context, { filters, change: false, keepTexts: true, wholeProject: true })
  await open.close()
  const { config, files, service, brokenFiles } = open
  const catalog = await serviceCatalog(service.texts, await context.client(), config)
  const state = await readSyncState(config)
  return {
    config,
    catalog: fillGaps(catalog, files.catalog()),
    service: { texts: service.texts, differences: open.differences() },
    held: new Set((state?.holds ?? []).map((hold) => textId(hold))),
    skippedFiles: brokenFiles,
  }
}

function measure({ config, catalog, service, held }: Picture, scope: Scope): { parts: Row[]; defaultLanguage: string } {
  const translations = createTranslations(catalog, config)
  const { defaultLanguage } = translations
  const rows: Row[] = []
  const reviewed = groupByRow(service?.texts.filter(({ reviewStatus }) => reviewStatus === 'REVIEWED') ?? [], scope)
  const differences = groupByRow(
    service?.differences.filter(({ state }) => state !== 'deleted-here' && state !== 'deleted-there') ?? [],
    scope,
  )
  for (const { key: language } of translations.languages) {
    for (const namespace of translations.namespaces) {
      if (!scope.language(language) || !scope.namespace(namespace)) continue
      const expected = [...(catalog.messages(defaultLanguage, namespace) ?? [])].flatMap(([key, text]) =>
        text === '' ? [] : [key],
      )
      const own = catalog.messages(language, namespace)
      const shown = translations.messages(language, namespace)
      const row = rowKey({ language, namespace })
      const differing = differences.get(row) ?? []
      const of = (figure: number) => (service ? figure : null)
      rows.push({
        language,
        namespace,
        texts: [...(own?.values() ?? [])].filter((text) => text !== '').length,
        expected: expected.length,
        translated: expected.filter((key) => own?.get(key)).length,
        covered: expected.filter((key) => shown.has(key)).length,
        reviewed: of(reviewed.get(row)?.length ?? 0),
        differing: of(differing.length),
        conflicts: of(differing.filter(({ state }) => state === 'conflict').length),
        held: of(differing.filter(({ id }) => held.has(id)).length),
      })
    }
  }
  return { parts: rows, defaultLanguage }
}

function groupByRow<T extends { readonly ref: TextRef }>(texts: readonly T[], scope: Scope): ReadonlyMap<string, T[]> {
  const rows = new Map<string, T[]>()
  for (const text of texts) {
    if (!scope.customer(text.ref.customer)) continue
    const row = rows.get(rowKey(text.ref))
    if (row) row.push(text)
    else rows.set(rowKey(text.ref), [text])
  }
  return rows
}

function rowKey({ language, namespace }: { readonly language: string; readonly namespace: string }): string {
  return JSON.stringify([language, namespace])
}

function sum(rows: readonly Row[]): Figures {
  const add = (name: keyof Figures) => rows.reduce((total, row) => total + (row[name] ?? 0), 0)
  const known = (name: keyof Figures) => (rows.some((row) => row[name] === null) ? null : add(name))
  return {
    texts: add('texts'),
    expected: add('expected'),
    translated: add('translated'),
    covered: add('covered'),
    reviewed: known('reviewed'),
    differing: known('differing'),
    conflicts: known('conflicts'),
    held: known('held'),
  }
}

function show(
  { parts, languages, defaultLanguage }: z.infer<typeof statusResult>,
  byLanguage: boolean,
  paint: Paint,
): string {
  const rows = byLanguage ? languages.map((row) => ({ namespace: '', ...row })) : parts
  const figure = (value: number | null) => (value === null ? '' : grouped(value))
  const right = (title: string, value: (row: Row) => string): Column<Row> => ({ title, align: 'right', value })
  const share = (part: number, whole: number) => percent(whole === 0 ? 1 : part / whole)
  const columns: Column<Row>[] = [
    { title: 'language', value: ({ language }) => (language === defaultLanguage ? `${language} *` : language) },
    ...(byLanguage ? [] : [{ title: 'namespace', value: ({ namespace }: Row) => printable(namespace) }]),
    right('texts', ({ texts }) => figure(texts)),
    right('translated', ({ translated, expected }) => `${figure(translated)}/${figure(expected)}`),
    right('coverage', ({ translated, expected }) => coloured(share(translated, expected), paint)),
    right('with fallback', ({ covered, expected }) => share(covered, expected)),
  ]
  if (rows.some(({ reviewed }) => reviewed !== null)) {
    columns.push(
      right('reviewed', ({ reviewed }) => figure(reviewed)),
      right('differing', ({ differing }) => (differing ? paint('yellow', figure(differing)) : figure(differing))),
      right('conflicts', ({ conflicts }) => (conflicts ? paint('red', figure(conflicts)) : figure(conflicts))),
      right('held', ({ held }) => figure(held)),
    )
  }
  const total = sum(parts)
  const differing = total.differing
    ? `, ${count(total.differing, 'text')} ${total.differing === 1 ? 'differs' : 'differ'} from the service`
    : ''
  return [
    table(rows, columns, paint),
    '',
    `${count(languages.length, 'language')}, ${count(total.texts, 'text')}${differing}. * default language`,
  ].join('\n')
}

function nothingHere({ root, files }: ResolvedConfig): string {
  return `there is nothing here: no text matches, and files are looked for as ${files.join(', ')} in ${root}. Give the project's folder with --root, or write a configuration with localization init.`
}

function coloured(share: string, paint: Paint): string {
  return share === '100%' ? paint('green', share) : share
}
