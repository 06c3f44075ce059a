/** Tools that find and show texts, in the project or on the running dev server. */
import { createExpectedKeys } from '../../catalog/coverage.ts'
import { assertKnown, assertPrefix, createTranslations } from '../../catalog/translations.ts'
import { LocalizationError } from '../../errors.ts'
import { textCheckSettings } from '../../files/text-check-settings.ts'
import { findInspector, type RunningInspector } from '../../inspector/running.ts'
import { Tracer } from '../../inspector/trace.ts'
import { createLocator } from '../../sources/locate.ts'
import { findUsedKeys } from '../../usage/sources/find.ts'
import { readSourcesUsage } from '../../usage/sources/read.ts'
import { type Checked, judge } from '../check/report.ts'
import { findInTexts, loadChecked } from '../check/texts.ts'
import type { CommandContext, CommandResult } from '../command.ts'
import { scopeOf } from '../filters.ts'
import { positionText } from '../findings.ts'
import { readStale, staleOf } from '../stale.ts'

export interface FindInput {
  readonly language?: readonly string[] | undefined
  readonly namespace?: readonly string[] | undefined
  readonly limit: number
}

/** Reads the same texts as `localization check`: from the files, or if there are none, from the service. */
async function openTexts(context: CommandContext, { language, namespace }: Partial<FindInput> = {}) {
  const filters = { language, namespace }
  const checked = await loadChecked(context, await context.config(), filters)
  const translations = assertPrefix(createTranslations(checked.catalog, checked.config))
  const { languages, namespaces } = translations
  for (const name of language ?? []) if (isName(name)) assertKnown('language', name, keysOf(languages))
  for (const name of namespace ?? []) if (isName(name)) assertKnown('namespace', name, namespaces)
  return { ...checked, translations, scope: scopeOf(filters) }
}

export async function findShown(
  context: CommandContext,
  { texts, language }: { readonly texts: readonly string[]; readonly language?: string | undefined },
): Promise<CommandResult> {
  const request = { texts: [...texts], language, loaded: [] }
  const server = await openDevServer(context)
  const search = async () => new Tracer().trace((await openTexts(context)).translations, request)
  const found = server ? await server.call('trace', request) : await search()
  const matches = texts.map((text, at) => ({ text, matches: found[at] ?? [] }))
  return { data: { searched: server ? 'dev server' : 'project', texts: matches } }
}

export async function findKeys(
  context: CommandContext,
  { search, limit, ...filters }: FindInput & { readonly search: string },
): Promise<CommandResult> {
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

export async function listMissing(context: CommandContext, { limit, ...filters }: FindInput): Promise<CommandResult> {
  const { catalog, config, translations, scope } = await openTexts(context, filters)
  const { defaultLanguage } = translations
  const expected = createExpectedKeys(defaultLanguage, config.pluralSeparator)
  const namespaces = translations.namespaces.filter(scope.namespace).map((namespace) => {
    const sources = catalog.messages(defaultLanguage, namespace)
    return { namespace, sources, expectedIn: expected.of(sources) }
  })
  const languages = keysOf(translations.languages).filter((key) => key !== defaultLanguage && scope.language(key))
  const missing = languages.flatMap((language) =>
    namespaces.flatMap(({ namespace, sources, expectedIn }) => {
      const own = catalog.messages(language, namespace)
      return expectedIn(language)
        .filter((key) => !own?.get(key))
        .map((key) => ({ language, namespace, key, source: sources?.get(key) ?? '' }))
    }),
  )
  return { data: { defaultLanguage, total: missing.length, missing: missing.slice(0, limit) } }
}

export async function showKey(
  context: CommandContext,
  { key, ...given }: { readonly namespace?: string | undefined; readonly key: string },
): Promise<CommandResult> {
  const open = await openTexts(context)
  const { catalog, config, translations, files } = open
  const namespace = given.namespace ?? translations.defaultNamespace
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

export function keysOf(languages: readonly { readonly key: string }[]): string[] {
  return languages.map(({ key }) => key)
}

function isName(filter: string): boolean {
  return !/[*?[\]{}!]/.test(filter)
}

async function openDevServer(context: CommandContext): Promise<RunningInspector | undefined> {
  const { root } = await context.config()
  return findInspector(root, context.signal)
}

export async function showDevServer(
  context: CommandContext,
  { limit }: { readonly limit: number },
): Promise<CommandResult> {
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
