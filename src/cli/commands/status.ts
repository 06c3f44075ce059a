/** `localization status` shows the state of each language and namespace. */
import * as z from 'zod'
import { expectedIn } from '../../catalog/coverage.ts'
import { fillGaps } from '../../catalog/merge.ts'
import type { TextRef } from '../../catalog/text-id.ts'
import { createTranslations } from '../../catalog/translations.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { searchedPlaces } from '../../files/patterns.ts'
import { count, grouped, percent } from '../../shared/figures.ts'
import { groupsByKey } from '../../shared/split.ts'
import { loadFromFiles } from '../../sources/files.ts'
import { ACTIONS } from '../../sync/decide.ts'
import { type CommandContext, defineCommand, flag } from '../command.ts'
import { checkFilters, FILTERS, type FilterOptions, type Scope, scopeOf, withCustomers } from '../filters.ts'
import { openProject, reportFindings, serviceCatalog } from '../project.ts'
import { readStale, staleLines, staleOf, staleResult } from '../stale.ts'
import { byName } from '../summary.ts'
import { type Column, type Paint, type Tone, table } from '../text.ts'

const figures = {
  /** Non-empty texts in the language itself, without fallbacks. */
  texts: z.number().int(),
  /** The default language's texts. In the default language's own row, also texts that only other languages have. */
  expected: z.number().int(),
  /** The texts among `expected` that the language itself has. */
  translated: z.number().int(),
  /** The texts among `expected` that the language or its fallbacks have. */
  covered: z.number().int(),
  /** The translations whose source text has changed since they were made, according to this folder's records. */
  stale: z.number().int(),
  /** The texts reviewed on the service. With `--offline`, this figure and those below are `null`. */
  reviewed: z.number().int().nullable(),
  differing: z.number().int().nullable(),
  conflicts: z.number().int().nullable(),
  held: z.number().int().nullable(),
}
const rowResult = z.object({ language: z.string(), namespace: z.string(), ...figures })
export const statusResult = z.object({
  defaultLanguage: z.string(),
  parts: z.array(rowResult),
  languages: z.array(z.object({ language: z.string(), ...figures })),
  /** Only with `--stale`. */
  stale: z.array(staleResult).optional(),
  skippedFiles: z.array(z.string()),
})
type Row = z.infer<typeof rowResult>
type Figures = Omit<Row, 'language' | 'namespace'>
type RowName = Pick<Row, 'language' | 'namespace'>

export const command = defineCommand({
  description:
    'Show the state of each language and namespace: translated, covered with fallback, stale, reviewed, differing, ' +
    'held.',
  examples: ['status', 'status --by-language', 'status --stale', 'status --offline --json'],
  options: {
    byLanguage: flag('one line for each language'),
    stale: flag('also list the stale translations, with what changed in the default language'),
    offline: flag('use only the files, not the service'),
    ...FILTERS,
  },
  result: statusResult,
  async work(context, options) {
    const config = withCustomers(await context.config(), options)
    const scope = scopeOf(options)
    const offline = options.offline || config.service.baseUrl === undefined
    if (offline && !options.offline) context.out.say('no service is configured: showing the files only')
    const picture = offline ? await readFiles(context, config, options) : await readBoth(context, options)
    const { parts, defaultLanguage } = measure(picture, scope)
    const stale = picture.stale.filter(({ ref }) => scope.has(ref)).toSorted(({ ref: a }, { ref: b }) => byName(a, b))
    const data = {
      defaultLanguage,
      parts,
      languages: [...new Set(parts.map(({ language }) => language))].map((language) => ({
        language,
        ...sum(parts.filter((part) => part.language === language)),
      })),
      ...(options.stale && { stale: stale.map(staleOf) }),
      skippedFiles: picture.skippedFiles,
    }
    // An empty project on the service may be new. Offline, an empty result means that the files were not found.
    const failed = data.skippedFiles.length > 0 || (offline && parts.length === 0)
    const places = searchedPlaces(config)
    const empty = offline
      ? `no texts found: the files are expected at ${places}. Use --root, or run localization init.`
      : 'no texts'
    return { data, failed, empty, byLanguage: options.byLanguage, stale: options.stale ? stale : [] }
  },
  text({ data, empty, byLanguage, stale }, paint) {
    const { parts, languages, defaultLanguage } = data
    if (parts.length === 0) return empty
    const total = sum(parts)
    const differing = total.differing
      ? `, ${count(total.differing, 'text')} ${total.differing === 1 ? 'differs' : 'differ'} from the service`
      : ''
    const rows = byLanguage ? languages.map((row) => ({ namespace: '', ...row })) : parts
    return [
      table(rows, columnsOf(rows, byLanguage, defaultLanguage, paint), paint),
      '',
      `${count(languages.length, 'language')}, ${count(total.texts, 'text')}${differing}. * default language`,
      ...stale.flatMap((text) => ['', ...staleLines(text, defaultLanguage, paint)]),
    ].join('\n')
  },
})

/** Leaves out empty columns, so that the table usually fits into 80 characters. `--json` prints all figures. */
function columnsOf(rows: readonly Row[], byLanguage: boolean, defaultLanguage: string, paint: Paint): Column<Row>[] {
  const share = (part: number, whole: number) => percent(whole === 0 ? 1 : part / whole)
  const green = (text: string) => (text === '100%' ? paint('green', text) : text)
  const figure = (title: string, of: (row: Row) => number | null, tone?: Tone): Column<Row>[] => {
    const toned = (value: number | null) => (value && tone ? paint(tone, grouped(value)) : value)
    return rows.some((row) => of(row)) ? [[title, (row) => toned(of(row)), 'right']] : []
  }
  const isFilled = rows.some(({ translated, covered }) => covered !== translated)
  return [
    ['language', ({ language }) => (language === defaultLanguage ? `${language} *` : language)],
    ...(byLanguage ? [] : [['namespace', ({ namespace }) => namespace] satisfies Column<Row>]),
    ['translated', ({ translated, expected }) => `${grouped(translated)}/${grouped(expected)}`, 'right'],
    ['coverage', ({ translated, expected }) => green(share(translated, expected)), 'right'],
    ...(isFilled
      ? [['with fallback', ({ covered, expected }) => share(covered, expected), 'right'] satisfies Column<Row>]
      : []),
    ...figure('stale', ({ stale }) => stale, 'yellow'),
    ...figure('reviewed', ({ reviewed }) => reviewed),
    ...figure('differing', ({ differing }) => differing, 'yellow'),
    ...figure('conflicts', ({ conflicts }) => conflicts, 'red'),
    ...figure('held', ({ held }) => held),
  ]
}

async function readFiles(context: CommandContext, config: ResolvedConfig, filters: FilterOptions) {
  const { catalog, diagnostics } = await loadFromFiles(config)
  const skippedFiles = reportFindings(diagnostics, context)
  const languages = catalog.languages.map(({ key }) => key)
  await checkFilters(filters, languages, catalog.namespaces)
  const stale = await readStale(config, catalog, context)
  return { config, catalog, service: undefined, held: new Set<string>(), stale, skippedFiles }
}

/** The texts of a build: the service's, with gaps filled from the files. */
async function readBoth(context: CommandContext, filters: FilterOptions) {
  const open = await openProject(context, filters, false, true)
  await open.close()
  const { config, files, service, brokenFiles } = open
  const catalog = await serviceCatalog(service.texts, await context.client(), config)
  return {
    config,
    catalog: fillGaps(catalog, files.seen.catalog, config.keySeparator),
    service: { texts: service.texts, differences: open.differences() },
    held: open.project.store.held,
    stale: open.project.stale.texts(createTranslations(catalog, config).defaultLanguage),
    skippedFiles: brokenFiles,
  }
}

type Picture = Awaited<ReturnType<typeof readFiles>> | Awaited<ReturnType<typeof readBoth>>

function measure({ config, catalog, service, held, stale }: Picture, scope: Scope) {
  const translations = createTranslations(catalog, config)
  const { defaultLanguage } = translations
  const differing = service?.differences.filter(({ state }) => ACTIONS[state] !== 'keep')
  const reviewedIn = countByRow(
    service?.texts.filter(({ reviewStatus }) => reviewStatus === 'REVIEWED'),
    scope,
  )
  const differingIn = countByRow(differing, scope)
  const conflicts = differing?.filter(({ state }) => state === 'conflict')
  const conflictsIn = countByRow(conflicts, scope)
  const heldIn = countByRow(
    differing?.filter(({ id }) => held.has(id)),
    scope,
  )
  const staleIn = countByRow(stale, scope)
  const expectedTexts = expectedIn(catalog, { ...config, defaultLanguage })
  const rows: Row[] = []
  for (const { key: language } of translations.languages.filter(({ key }) => scope.language(key))) {
    const general = [...expectedTexts(language)].filter(({ customer }) => customer === undefined)
    const byNamespace = groupsByKey(general, ({ namespace }) => namespace)
    for (const namespace of translations.namespaces.filter(scope.namespace)) {
      const expected = byNamespace.get(namespace) ?? []
      const own = catalog.messages(language, namespace)
      const shown = translations.messages(language, namespace)
      const row = { language, namespace }
      rows.push({
        ...row,
        texts: [...(own?.values() ?? [])].filter((text) => text !== '').length,
        expected: expected.length,
        translated: expected.filter(({ isTranslated }) => isTranslated).length,
        covered: expected.filter(({ key }) => shown.has(key)).length,
        stale: staleIn(row) ?? 0,
        reviewed: reviewedIn(row),
        differing: differingIn(row),
        conflicts: conflictsIn(row),
        held: heldIn(row),
      })
    }
  }
  return { parts: rows, defaultLanguage }
}

/** Returns a function that counts a row's texts. It returns `null` if `texts` is `undefined`. */
function countByRow(texts: readonly { readonly ref: TextRef }[] | undefined, scope: Scope) {
  const rowKey = ({ language, namespace }: RowName) => JSON.stringify([language, namespace])
  const counts = new Map<string, number>()
  for (const { ref } of texts ?? []) {
    const row = rowKey(ref)
    if (scope.customer(ref.customer)) counts.set(row, (counts.get(row) ?? 0) + 1)
  }
  return (row: RowName) => (texts ? (counts.get(rowKey(row)) ?? 0) : null)
}

/** A sum is `null` if any row's figure is `null`. */
function sum(rows: readonly Row[]): Figures {
  const add = (total: number | null, more: number | null) => (total === null || more === null ? null : total + more)
  const names = Object.keys(figures) as (keyof Figures)[]
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name]).reduce(add, 0)])) as Figures
}
