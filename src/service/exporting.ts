/** Export v3 and v4: texts to files. */
import type { DownloadOption, FileFormat } from '../api/schemas.ts'
import { groupBy, groupsByKey } from '../shared/split.ts'
import { collectParts, joinJson, mergeNamespaces, type Part, textsToJson } from './compose.ts'
import type { FileStore } from './files.ts'
import { badRequest } from './http-error.ts'
import { defaultLanguageOf, type LanguageRecord } from './store/projects.ts'
import type { Store } from './store/store.ts'

export interface ExportRequest {
  readonly format: FileFormat
  readonly options: ReadonlySet<DownloadOption>
  /** `undefined`: every language. */
  readonly languages?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
  readonly customer?: string | undefined
}

/** One exported file below the file host. A field is absent where the file spans several. */
export interface ExportedFile {
  readonly path: string
  readonly language?: string
  readonly namespace?: string
  readonly customer?: string
}

/** Version 3: one file. Namespaces are merged, see `mergeNamespaces`. `single-language-json` takes one language. */
export async function exportV3(
  store: Store,
  files: FileStore,
  projectId: number,
  request: ExportRequest,
): Promise<string> {
  for (const option of ['SPLIT_BY_LANGUAGES', 'SPLIT_BY_NAMESPACES', 'SPLIT_BY_CUSTOMERS'] as const) {
    if (request.options.has(option)) throw badRequest(`${option} makes several files, and version 3 answers one.`)
  }
  const { parts, languages: all } = await readParts(store, projectId, request)
  const byLanguage = groupsByKey(parts, ({ language }) => language)
  const nested = request.options.has('WRITE_NESTED')
  const write = (language: string) => textsToJson(mergeNamespaces(byLanguage.get(language) ?? []), nested)
  if (request.format === 'single-language-json') {
    return files.add(write(request.languages?.[0] ?? defaultLanguageOf(all)))
  }
  const languages = request.languages ?? all.map(({ key }) => key)
  return files.add(joinJson(languages.map((language) => [language, write(language)])))
}

/** Version 4 (facts beyond the contract): one or several files. */
export async function exportV4(
  store: Store,
  files: FileStore,
  projectId: number,
  request: ExportRequest,
): Promise<ExportedFile[]> {
  const { options } = request
  const isSingle = request.format === 'single-language-json'
  const splitsLanguages = isSingle || options.has('SPLIT_BY_LANGUAGES')
  const splitsNamespaces = options.has('SPLIT_BY_NAMESPACES')
  const splitsCustomers = options.has('SPLIT_BY_CUSTOMERS')
  const nested = options.has('WRITE_NESTED')
  const write = (parts: readonly Part[]) => textsToJson(mergeNamespaces(parts), nested)

  const { parts, languages } = await readParts(store, projectId, request)
  const order = new Map(languages.map(({ key, order }) => [key, order]))
  parts.sort((a, b) => (order.get(a.language) ?? 0) - (order.get(b.language) ?? 0))
  const groups = groupBy(parts, ({ language, namespace, customer }) =>
    JSON.stringify([splitsLanguages && language, splitsNamespaces && namespace, splitsCustomers && customer]),
  )
  const written = groups.map((group): ExportedFile => {
    const { language = '', namespace = '', customer = '' } = group[0] ?? {}
    const byLanguage = [...groupsByKey(group, (part) => part.language)]
    const content = isSingle ? write(group) : joinJson(byLanguage.map(([key, own]) => [key, write(own)]))
    return {
      path: files.add(content),
      ...(splitsNamespaces && { namespace }),
      ...(splitsLanguages && { language }),
      ...(splitsCustomers && customer !== '' && { customer }),
    }
  })
  // A project without texts, not split: still one file, an empty one.
  if (written.length === 0 && !splitsLanguages && !splitsNamespaces) return [{ path: files.add('{}') }]
  return written
}

/** The texts, and all languages of the project. */
async function readParts(
  store: Store,
  projectId: number,
  { options, languages, tags, customer }: ExportRequest,
): Promise<{ parts: Part[]; languages: LanguageRecord[] }> {
  for (const option of ['ZIP_FILES', 'INCLUDE_DESCRIPTIONS'] as const) {
    if (options.has(option)) throw badRequest(`${option} is not available here: files are plain JSON.`)
  }
  const onlyEmpty = options.has('ONLY_NOT_TRANSLATED')
  const onlyTranslated = options.has('ONLY_TRANSLATED')
  if (onlyEmpty && onlyTranslated) throw badRequest('ONLY_NOT_TRANSLATED and ONLY_TRANSLATED exclude each other.')
  const everyCustomer = options.has('SPLIT_BY_CUSTOMERS') && customer === undefined
  const transform = (text: string) => {
    if (onlyEmpty ? text !== '' : onlyTranslated && text === '') return undefined
    let escaped = text
    if (options.has('ESCAPE_NEW_LINES')) escaped = escaped.replaceAll('\r', '\\r').replaceAll('\n', '\\n')
    return options.has('ESCAPE_SINGLE_QUOTES') ? escaped.replaceAll("'", "\\'") : escaped
  }
  const filter = { languages, tags, customer: everyCustomer ? undefined : (customer ?? ''), missing: onlyEmpty }
  return store.snapshot(async ({ translations, projects }) => ({
    parts: await collectParts(translations.rows(projectId, filter), transform),
    languages: await projects.languages(projectId),
  }))
}
