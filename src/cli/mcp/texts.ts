/** Tools that find and show texts. */
import { createExpectedKeys } from '../../catalog/expected-keys.ts'
import { assertKnown, assertPrefix, createTranslations } from '../../catalog/translations.ts'
import { LocalizationError } from '../../errors.ts'
import { textCheckSettings } from '../../files/text-check-settings.ts'
import { Tracer } from '../../inspector/trace.ts'
import { createLocator } from '../../sources/locate.ts'
import { readSourcesUsage } from '../../usage/sources/read.ts'
import { judge } from '../check/judged.ts'
import { findUsedKeys } from '../check/keys.ts'
import { loadChecked } from '../check/load.ts'
import type { Checked } from '../check/report.ts'
import { findInTexts } from '../check/texts.ts'
import type { CommandContext, CommandResult } from '../command.ts'
import { type FilterOptions, scopeOf } from '../filters.ts'
import { readStale, staleOf } from '../stale.ts'
import { openDevServer } from './dev-server.ts'
import { result } from './result.ts'

export interface FindInput {
  readonly language?: readonly string[] | undefined
  readonly namespace?: readonly string[] | undefined
  readonly limit: number
}

export const CHECKS = { reporter: 'text', syntax: 'auto' } as const

/** The texts as `localization check` reads them: the files', or the service's where there are no files. */
async function openTexts(context: CommandContext, { language, namespace }: Partial<FindInput> = {}) {
  const filters: FilterOptions = { ...(language && { language }), ...(namespace && { namespace }) }
  const checked = await loadChecked(context, await context.config(), { ...CHECKS, ...filters })
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
  return result({
    searched: server ? 'dev server' : 'project',
    texts: texts.map((text, at) => ({ text, matches: found[at] ?? [] })),
  })
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
  return result({ total: found.size, keys: [...found.values()].slice(0, limit) })
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
  return result({ defaultLanguage, total: missing.length, missing: missing.slice(0, limit) })
}

export async function showKey(
  context: CommandContext,
  { key, ...given }: { readonly namespace?: string | undefined; readonly key: string },
): Promise<CommandResult> {
  const open = await openTexts(context)
  const { catalog, config, translations, files } = open
  const namespace = given.namespace ?? translations.defaultNamespace
  assertKnown('namespace', namespace, translations.namespaces)
  const isThis = (place: { readonly namespace?: string | undefined; readonly key?: string | undefined }) =>
    place.namespace === namespace && place.key === key
  const locate = createLocator(config, files)
  const findings = findInTexts(open, CHECKS, await textCheckSettings(config)).filter(({ place }) => isThis(place))
  const stale = (await readStale(config, catalog, context)).filter(({ ref }) => isThis(ref))
  const texts = await Promise.all(
    keysOf(translations.languages).map(async (language) => {
      const place = { language, namespace, key }
      const at = (await locate({ rule: 'file', severity: 'warning', message: '', place })).place
      const own = stale.find(({ ref }) => ref.language === language)
      return {
        language,
        text: catalog.messages(language, namespace)?.get(key) ?? null,
        at: at.file === undefined ? null : [at.file, at.line, at.column].filter((each) => each).join(':'),
        findings: findings.filter((finding) => finding.place.language === language).map(({ message }) => message),
        stale: own ? staleOf(own) : null,
      }
    }),
  )
  const { defaultLanguage } = translations
  return result({ namespace, key, defaultLanguage, texts, ...(await usesOf(context, open, namespace, key)) })
}

/** The same judgement as that of `localization check --unused`, with every place. */
async function usesOf(context: CommandContext, checked: Checked, namespace: string, key: string): Promise<object> {
  const { catalog, config } = checked
  const given = { namespaces: catalog.namespaces, literals: false, names: true }
  const sources = await readSourcesUsage(config, given, context.signal).catch((error: unknown) => {
    // The texts are worth showing without a source, too.
    if (error instanceof LocalizationError) return error
    throw error
  })
  if (sources instanceof LocalizationError) return { usedAt: [], judgement: null, problem: sources.message }
  const used = findUsedKeys(checked, sources, {})
  const reason = used.reasonOf(namespace, key)
  const { judgement, by, at } = judge({ namespace, key }, reason === undefined, reason)
  const usedAt = used.placesOf(namespace, key).map(({ file, line, column }) => `${file}:${line}:${column}`)
  return { usedAt: [...new Set(usedAt)], judgement, by, byAt: at }
}

export function keysOf(languages: readonly { readonly key: string }[]): string[] {
  return languages.map(({ key }) => key)
}

function isName(filter: string): boolean {
  return !/[*?[\]{}!]/.test(filter)
}
