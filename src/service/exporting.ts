/** Export v3 and v4: texts to files. */
import { downloadOptionSchema, type FileFormat } from '../api/schemas.ts'
import { collectParts, joinJson, mergeNamespaces, type Part, textsToJson } from './compose.ts'
import type { FileStore } from './files.ts'
import { badRequest } from './http-error.ts'
import type { Store } from './store/store.ts'

export interface ExportRequest {
  readonly format: FileFormat
  readonly options: ReadonlySet<string>
  /** `undefined`: every language. */
  readonly languages?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
  readonly customer?: string | undefined
}

/** One exported file and what it holds; a field is absent where the file spans several. */
export interface ExportedFile {
  readonly url: string
  readonly language?: string
  readonly namespace?: string
  readonly customer?: string
}

/** Every option the facts paper names. */
export const EXPORT_OPTIONS = downloadOptionSchema.options

/** Those that one plain JSON file, or several, cannot carry. */
const UNAVAILABLE = ['ZIP_FILES', 'INCLUDE_DESCRIPTIONS']

/** Those that ask for several files. */
const SPLITTING = ['SPLIT_BY_LANGUAGES', 'SPLIT_BY_NAMESPACES', 'SPLIT_BY_CUSTOMERS']

/** Version 3: one file. Namespaces are merged, see `mergeNamespaces`. `single-language-json` takes one language. */
export function exportV3(store: Store, files: FileStore, projectId: number, request: ExportRequest): string {
  for (const option of SPLITTING) {
    if (request.options.has(option)) throw badRequest(`${option} makes several files, and version 3 answers one.`)
  }
  const parts = readParts(store, projectId, request)
  const nested = request.options.has('WRITE_NESTED')
  const languages = request.languages ?? store.projects.languages(projectId).map(({ key }) => key)
  const perLanguage = groupBy(parts, (part) => part.language)
  const write = (language: string) => textsToJson(mergeNamespaces(perLanguage.get(language) ?? []), nested)
  if (request.format === 'multi-language-json') {
    return files.add(joinJson(languages.map((language) => [language, write(language)])))
  }
  return files.add(write(request.languages?.[0] ?? store.projects.defaultLanguage(projectId)))
}

/** Version 4 (facts beyond the contract): one or several files. */
export function exportV4(
  store: Store,
  files: FileStore,
  projectId: number,
  request: ExportRequest,
): (Omit<ExportedFile, 'url'> & { path: string })[] {
  const { options } = request
  const nested = options.has('WRITE_NESTED')
  const order = new Map(store.projects.languages(projectId).map(({ key, order }) => [key, order]))
  const parts = readParts(store, projectId, request).sort(
    (a, b) => (order.get(a.language) ?? 0) - (order.get(b.language) ?? 0),
  )
  const single = request.format === 'single-language-json'
  const splitLanguages = single || options.has('SPLIT_BY_LANGUAGES')
  const splitNamespaces = options.has('SPLIT_BY_NAMESPACES')
  const splitCustomers = options.has('SPLIT_BY_CUSTOMERS')
  const groups = groupBy(parts, (part) =>
    JSON.stringify([
      splitLanguages ? part.language : null,
      splitNamespaces ? part.namespace : null,
      splitCustomers ? part.customer : null,
    ]),
  )
  const written = [...groups.values()].map((group) => {
    const [first] = group as [Part]
    const body = single
      ? textsToJson(mergeNamespaces(group), nested)
      : joinJson(
          [...groupBy(group, (part) => part.language)].map(([language, own]) => [
            language,
            textsToJson(mergeNamespaces(own), nested),
          ]),
        )
    return {
      path: files.add(body),
      ...(splitNamespaces && { namespace: first.namespace }),
      ...(splitLanguages && { language: first.language }),
      ...(splitCustomers && first.customer !== '' && { customer: first.customer }),
    }
  })
  // A project without texts, unsplit: still one file, an empty one.
  if (written.length === 0 && !splitLanguages && !splitNamespaces) return [{ path: files.add('{}') }]
  return written
}

function readParts(store: Store, projectId: number, { options, languages, tags, customer }: ExportRequest): Part[] {
  for (const option of UNAVAILABLE) {
    if (options.has(option)) throw badRequest(`${option} is not available here: files are plain JSON.`)
  }
  const onlyEmpty = options.has('ONLY_NOT_TRANSLATED')
  const onlyTranslated = options.has('ONLY_TRANSLATED')
  if (onlyEmpty && onlyTranslated) throw badRequest('ONLY_NOT_TRANSLATED and ONLY_TRANSLATED exclude each other.')
  const rows = store.translations.rows(projectId, {
    languages,
    tags,
    customer: options.has('SPLIT_BY_CUSTOMERS') && customer === undefined ? undefined : (customer ?? ''),
    missing: onlyEmpty,
  })
  return collectParts(rows, (text) => {
    if (onlyEmpty ? text !== '' : onlyTranslated && text === '') return undefined
    let escaped = text
    if (options.has('ESCAPE_NEW_LINES')) escaped = escaped.replaceAll('\r', '\\r').replaceAll('\n', '\\n')
    if (options.has('ESCAPE_SINGLE_QUOTES')) escaped = escaped.replaceAll("'", "\\'")
    return escaped
  })
}

function groupBy<T>(items: Iterable<T>, idOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const id = idOf(item)
    const group = groups.get(id)
    if (group) group.push(item)
    else groups.set(id, [item])
  }
  return groups
}
