/** Tools that find, show, check and write texts, in the project or on the running dev server. */
import * as z from 'zod'
import { LIMITS } from '../../api/schemas.ts'
import { expectedIn } from '../../catalog/coverage.ts'
import type { Catalog } from '../../catalog/model.ts'
import { parsePluralKey } from '../../catalog/plurals.ts'
import { showText } from '../../catalog/text-id.ts'
import { assertKnown, assertPrefix, createTranslations } from '../../catalog/translations.ts'
import { LocalizationError } from '../../errors.ts'
import { applyEdits, type TextEdit } from '../../files/edit.ts'
import { FileIndex } from '../../files/file-index.ts'
import { textCheckSettings } from '../../files/text-check-settings.ts'
import { findInspector } from '../../inspector/running.ts'
import { traceTexts } from '../../inspector/trace.ts'
import { displayPath } from '../../shared/paths.ts'
import { createLocator } from '../../sources/locate.ts'
import { findUsedKeys } from '../../usage/sources/find.ts'
import { readSourcesUsage } from '../../usage/sources/read.ts'
import { type Checked, judge } from '../check/report.ts'
import { checkEdits, findInTexts, loadChecked } from '../check/texts.ts'
import { type CommandContext, UsageError } from '../command.ts'
import { OUTCOMES } from '../extract/run.ts'
import { type FilterOptions, scopeOf } from '../filters.ts'
import { readStale, staleOf } from '../stale.ts'
import { positionText } from '../text.ts'

type Filters = Pick<FilterOptions, 'language' | 'namespace'>

/** Reads the same texts as `localization check`: from the files, or if there are none, from the service. */
async function openTexts(context: CommandContext, filters: Filters = {}) {
  const { language, namespace } = filters
  const checked = await loadChecked(context, await context.config(), filters)
  const translations = assertPrefix(createTranslations(checked.catalog, checked.config))
  const { languages, namespaces } = translations
  for (const name of language ?? []) if (isName(name)) assertKnown('language', name, keysOf(languages))
  for (const name of namespace ?? []) if (isName(name)) assertKnown('namespace', name, namespaces)
  return { ...checked, translations, scope: scopeOf(filters) }
}

export async function findShown(context: CommandContext, texts: readonly string[], language: string | undefined) {
  const request = { texts: [...texts], language, loaded: [] }
  const server = await openDevServer(context)
  const search = async () => traceTexts((await openTexts(context)).translations, request)
  const found = server ? await server.call('trace', request) : await search()
  const matches = texts.map((text, at) => ({ text, matches: found[at] ?? [] }))
  return { data: { searched: server ? 'dev server' : 'project', texts: matches } }
}

export async function findKeys(context: CommandContext, search: string, filters: Filters, limit: number) {
  const { catalog, translations, scope } = await openTexts(context, filters)
  const words = search.toLowerCase()
  const hasWords = (text: string) => text.toLowerCase().includes(words)
  const found = new Map<string, { namespace: string; key: string; text: string; foundIn: string[] }>()
  for (const part of catalog.parts.filter(scope.has)) {
    const { namespace, language, messages } = part
    for (const [key, text] of messages) {
      if (!hasWords(key) && !hasWords(text)) continue
      const id = JSON.stringify([namespace, key])
      const own = catalog.messages(translations.defaultLanguage, namespace)?.get(key) ?? ''
      const match = found.get(id) ?? { namespace, key, text: own, foundIn: [] }
      if (!match.foundIn.includes(language)) match.foundIn.push(language)
      found.set(id, match)
    }
  }
  return { data: { total: found.size, keys: [...found.values()].slice(0, limit) } }
}

export async function listMissing(context: CommandContext, filters: Filters, limit: number) {
  const { catalog, config, translations, scope } = await openTexts(context, filters)
  const { defaultLanguage } = translations
  const expected = expectedIn(catalog, { ...config, defaultLanguage })
  const languages = keysOf(translations.languages).filter((key) => key !== defaultLanguage && scope.language(key))
  const sourceOf = (namespace: string, key: string) => catalog.messages(defaultLanguage, namespace)?.get(key) ?? ''
  const missing = languages.flatMap((language) =>
    [...expected(language)]
      .filter(({ namespace, isTranslated }) => !isTranslated && scope.namespace(namespace))
      .map(({ namespace, key }) => ({ language, namespace, key, source: sourceOf(namespace, key) })),
  )
  return { data: { defaultLanguage, total: missing.length, missing: missing.slice(0, limit) } }
}

export async function showKey(context: CommandContext, key: string, wanted: string | undefined) {
  const open = await openTexts(context)
  const { catalog, config, translations, files } = open
  const namespace = wanted ?? translations.defaultNamespace
  assertKnown('namespace', namespace, translations.namespaces)
  const isSameKey = (place: { readonly namespace?: string | undefined; readonly key?: string | undefined }) =>
    place.namespace === namespace && place.key === key
  const locate = createLocator(config, files)
  const findings = findInTexts(open, {}, await textCheckSettings(config)).filter(({ place }) => isSameKey(place))
  const stale = (await readStale(config, catalog, context)).filter(({ ref }) => isSameKey(ref))
  const texts = await Promise.all(
    keysOf(translations.languages).map(async (language) => {
      const place = { language, namespace, key }
      const at = (await locate({ rule: 'file', severity: 'warning', message: '', place })).place
      const own = stale.find(({ ref }) => ref.language === language)
      return {
        language,
        text: catalog.messages(language, namespace)?.get(key) ?? null,
        at: at.file === undefined ? null : positionText(at),
        findings: findings.filter((finding) => finding.place.language === language).map(({ message }) => message),
        stale: own ? staleOf(own) : null,
      }
    }),
  )
  const { defaultLanguage } = translations
  const uses = await usesOf(context, open, namespace, key)
  return { data: { namespace, key, defaultLanguage, texts, ...uses } }
}

/** Works like `localization check --unused`, but also returns all places that use the key. */
async function usesOf(context: CommandContext, checked: Checked, namespace: string, key: string): Promise<object> {
  const { catalog, config } = checked
  const given = { namespaces: catalog.namespaces, literals: false, names: true }
  const sources = await readSourcesUsage(config, given, context.signal).catch((error: unknown) => {
    // If the sources cannot be read, the texts are still useful.
    if (error instanceof LocalizationError) return error
    throw error
  })
  if (sources instanceof LocalizationError) return { usedAt: [], judgement: null, problem: sources.message }
  const used = findUsedKeys(checked, sources.modules)
  const reason = used.reasonOf(namespace, key)
  const { judgement, by, at } = judge({ namespace, key }, reason === undefined, reason)
  const usedAt = used.placesOf(namespace, key).map(positionText)
  return { usedAt: [...new Set(usedAt)], judgement, by, byAt: at }
}

function keysOf(languages: readonly { readonly key: string }[]): string[] {
  return languages.map(({ key }) => key)
}

function isName(filter: string): boolean {
  return !/[*?[\]{}!]/.test(filter)
}

async function openDevServer(context: CommandContext) {
  return findInspector((await context.config()).root, context.signal)
}

export async function showDevServer(context: CommandContext, limit: number) {
  const server = await openDevServer(context)
  if (!server) return { data: { isRunning: false } }
  const [overview, lists, log] = await Promise.all([
    server.call('overview', {}),
    server.call('sync', {}),
    server.call('log', {}),
  ])
  const { sync, counts, stale, findings } = overview
  const first = <Item>({ total, items }: { readonly total: number; readonly items: readonly Item[] }) => {
    return { total, items: items.slice(0, limit) }
  }
  const data = {
    isRunning: true,
    pid: server.pid,
    inspector: server.address,
    sync,
    counts,
    stale,
    conflicts: first(lists.conflicts),
    held: first(lists.holds),
    waiting: first(lists.waiting),
    findings: findings.slice(0, limit),
    log: log.slice(-limit).map(({ at, level, message }) => ({ at: new Date(at).toISOString(), level, message })),
  }
  return { data }
}

export const proposedTexts = z.object({
  texts: z
    .array(
      z.object({
        language: z.string(),
        namespace: z.string().optional().describe('Default: the default namespace.'),
        key: z.string().min(1).max(500),
        text: z.string().min(1).max(LIMITS.textLength),
        expected: z
          .string()
          .optional()
          .describe('The text that you saw in the file. If the file has a different text now, it is not replaced.'),
      }),
    )
    .min(1)
    .max(1000),
})
type ProposedText = z.output<typeof proposedTexts>['texts'][number]

export async function proposeTexts(context: CommandContext, texts: readonly ProposedText[]) {
  const { report, isWritable } = await prepare(context, texts)
  return { data: { ok: isWritable, ...report }, failed: !isWritable }
}

export async function writeTexts(context: CommandContext, texts: readonly ProposedText[]) {
  const { files, edits, report, isWritable } = await prepare(context, texts)
  if (!isWritable) return { data: { ok: false, written: 0, ...report }, failed: true }
  const { outcomes } = await applyEdits(files, edits, { signal: context.signal })
  const problems = edits.flatMap(({ ref }, at) => {
    const outcome = outcomes[at]
    if (outcome === 'written') return []
    return [`${showText(ref)}: ${outcome ? OUTCOMES[outcome] : 'not written, because the server was stopped'}`]
  })
  const ok = problems.length === 0
  return { data: { ok, written: edits.length - problems.length, problems, ...report }, failed: !ok }
}

async function prepare(context: CommandContext, texts: readonly ProposedText[]) {
  const config = await context.config()
  const index = new FileIndex(config)
  const seen = await index.scan({ everything: true })
  const { catalog } = seen
  const translations = assertPrefix(createTranslations(catalog, config))
  const edits = texts.map(({ language, namespace = translations.defaultNamespace, key, text, expected }): TextEdit => {
    assertKnown('language', language, keysOf(translations.languages))
    assertKnown('namespace', namespace, translations.namespaces)
    const ref = { language, namespace, key }
    if (seen.isUnknown(ref))
      throw new LocalizationError(`the file of ${language}/${namespace} has an error: ${index.pathOf(ref)}`, {
        code: 'FILE_SYNTAX',
        hint: 'Fix the file first: `localization check` shows the place.',
      })
    const current = seen.text(ref)
    if (expected !== undefined && expected !== (current ?? ''))
      throw new UsageError(`${showText(ref)} has a different text than expected: ${JSON.stringify(current ?? '')}`)
    return { ref, text, expected: current }
  })
  if (new Set(edits.map(({ ref }) => showText(ref))).size < edits.length)
    throw new UsageError('a text is proposed twice')
  const { findings: found, after } = await checkEdits(catalog, config, edits)
  const report = {
    texts: edits.map(({ ref, text, expected = null }) => {
      const path = index.pathOf(ref)
      return { ...ref, before: expected, after: text, file: path ? displayPath(config.root, path) : null }
    }),
    findings: found.map(({ severity, message, rule, place }) => ({
      severity,
      rule,
      language: place.language,
      namespace: place.namespace,
      key: place.key,
      message,
    })),
    /** For each key, the languages that would still have no text. */
    without: withoutText(after, keysOf(translations.languages), edits, config.pluralSeparator),
  }
  const isWritable = found.every(({ severity }) => severity !== 'error') && report.texts.every(({ file }) => file)
  return { files: { index, seen }, edits, report, isWritable }
}

/** Ignores plural forms, because they differ by language. The checks cover them. */
function withoutText(catalog: Catalog, languages: readonly string[], edits: readonly TextEdit[], separator: string) {
  const names = edits.map(({ ref: { namespace, key } }) => ({ namespace, key }))
  const others = names.filter(({ key }) => parsePluralKey(key, separator) === undefined)
  const keys = new Map(others.map((name) => [JSON.stringify(name), name]))
  return [...keys.values()].flatMap(({ namespace, key }) => {
    const open = languages.filter((language) => !catalog.messages(language, namespace)?.get(key))
    return open.length === 0 ? [] : [{ namespace, key, languages: open }]
  })
}
