/** Export v3 and v4. */
import type { DownloadOption, FileFormat } from '../api/schemas.ts'
import { groupBy } from '../shared/split.ts'
import type { ServiceContext } from './context.ts'
import { badRequest } from './http-error.ts'
import { type GzipFile, JsonFiles } from './json-file.ts'
import { defaultLanguageOf, type LanguageRecord } from './store/projects.ts'
import type { ServiceStore } from './store/store.ts'
import { composeTexts, RepeatedKeys, type TextObject } from './text-files.ts'

/** Favors speed, because each file is downloaded only once or twice. */
const LEVEL = 1

export interface ExportRequest {
  readonly format: FileFormat
  readonly options: ReadonlySet<DownloadOption>
  /** Default: all languages. */
  readonly languages?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
  readonly customer?: string | undefined
}

type ExportContext = Pick<ServiceContext, 'store' | 'fileLifetimeMs'>

/** An exported file. A field is absent if the file contains several languages or namespaces. */
export interface ExportedFile {
  readonly path: string
  readonly language?: string
  readonly namespace?: string
  readonly customer?: string
}

/** Version 3: one file in which all namespaces are merged. `single-language-json` exports one language. */
export async function exportV3(context: ExportContext, projectId: number, request: ExportRequest): Promise<string> {
  for (const option of ['SPLIT_BY_LANGUAGES', 'SPLIT_BY_NAMESPACES', 'SPLIT_BY_CUSTOMERS'] as const) {
    if (request.options.has(option))
      throw badRequest(`${option} creates several files, but version 3 returns only one.`)
  }
  const isSingle = request.format === 'single-language-json'
  const files = new JsonFiles({ level: LEVEL })
  const { objects: found, languages: all, wanted } = await readTexts(context.store, projectId, request, files, isSingle)
  const byLanguage = new Map(found.map(({ language, object }) => [language, object]))
  const languages = wanted ?? all.map(({ key }) => key)
  const objects = languages.map((language) => [language, byLanguage.get(language) ?? files.createObject()] as const)
  const [[, first] = []] = objects
  const file = isSingle && first ? await first.toFile() : await files.join(objects)
  const [path = ''] = await keep(context, [file])
  return path
}

/** Version 4, which is not in the contract: one or more files. */
export async function exportV4(
  context: ExportContext,
  projectId: number,
  request: ExportRequest,
): Promise<ExportedFile[]> {
  const { options } = request
  const isSingle = request.format === 'single-language-json'
  const splitsLanguages = isSingle || options.has('SPLIT_BY_LANGUAGES')
  const splitsNamespaces = options.has('SPLIT_BY_NAMESPACES')
  const splitsCustomers = options.has('SPLIT_BY_CUSTOMERS')

  const files = new JsonFiles({ level: LEVEL })
  const { objects, languages } = await readTexts(context.store, projectId, request, files)
  const order = new Map(languages.map(({ key, order }) => [key, order]))
  objects.sort((a, b) => (order.get(a.language) ?? 0) - (order.get(b.language) ?? 0))
  const groups = groupBy(objects, ({ language, namespace, customer }) =>
    JSON.stringify([splitsLanguages && language, splitsNamespaces && namespace, splitsCustomers && customer]),
  )
  // If a project has no texts, an export that is not split still returns one empty file.
  if (groups.length === 0 && !splitsLanguages && !splitsNamespaces) groups.push([])
  const made = groups.map((group) => {
    const [only] = group
    return isSingle && only ? only.object.toFile() : files.join(group.map(({ language, object }) => [language, object]))
  })
  const paths = await keep(context, await Promise.all(made))
  return groups.map(([first], at): ExportedFile => {
    const { language = '', namespace = '', customer = '' } = first ?? {}
    return {
      path: paths[at] ?? '',
      ...(splitsNamespaces && { namespace }),
      ...(splitsLanguages && { language }),
      ...(splitsCustomers && customer !== '' && { customer }),
    }
  })
}

/**
 * Reads the texts, the project's languages, and the requested languages if there are any. If `isOneLanguage` is set,
 * the default language is exported unless the request names another.
 */
async function readTexts(
  store: ServiceStore,
  projectId: number,
  request: ExportRequest,
  files: JsonFiles,
  isOneLanguage = false,
): Promise<{ objects: TextObject[]; languages: LanguageRecord[]; wanted?: readonly string[] | undefined }> {
  const { options, tags, customer } = request
  const onlyEmpty = options.has('ONLY_NOT_TRANSLATED')
  const transform = transformOf(options)
  const byNamespace = options.has('SPLIT_BY_NAMESPACES')
  const everyCustomer = options.has('SPLIT_BY_CUSTOMERS') && customer === undefined
  const read = await store.snapshot(
    async ({ translations, keys, projects }) => {
      const languages = await projects.languages(projectId)
      const wanted = request.languages ?? (isOneLanguage ? [defaultLanguageOf(languages)] : undefined)
      const filter = {
        languages: wanted,
        tags,
        customer: everyCustomer ? undefined : (customer ?? ''),
        missing: onlyEmpty,
      }
      const merged = byNamespace ? undefined : await RepeatedKeys.read(keys, projectId)
      const rows = translations.rows(projectId, filter)
      return { languages, wanted, objects: await composeTexts(rows, { files, merged, byNamespace, transform }) }
    },
    { isLong: true },
  )
  if (!options.has('WRITE_NESTED')) return read
  const objects: TextObject[] = []
  for (const { object, ...text } of read.objects) {
    objects.push({ ...text, object: await object.nested() })
    await files.makeRoom()
  }
  return { ...read, objects }
}

function transformOf(options: ExportRequest['options']): (text: string) => string | undefined {
  for (const option of ['ZIP_FILES', 'INCLUDE_DESCRIPTIONS'] as const) {
    if (options.has(option)) throw badRequest(`${option} is not available here: files are plain JSON.`)
  }
  const onlyEmpty = options.has('ONLY_NOT_TRANSLATED')
  const onlyTranslated = options.has('ONLY_TRANSLATED')
  if (onlyEmpty && onlyTranslated) throw badRequest('ONLY_NOT_TRANSLATED and ONLY_TRANSLATED cannot be combined.')
  return (text) => {
    if (onlyEmpty ? text !== '' : onlyTranslated && text === '') return undefined
    let escaped = text
    if (options.has('ESCAPE_NEW_LINES')) escaped = escaped.replaceAll('\r', '\\r').replaceAll('\n', '\\n')
    return options.has('ESCAPE_SINGLE_QUOTES') ? escaped.replaceAll("'", "\\'") : escaped
  }
}

/** Stores all files or none, and returns their paths on the file host. */
async function keep({ store, fileLifetimeMs }: ExportContext, files: readonly GzipFile[]): Promise<string[]> {
  await store.addContents(files)
  const tokens = await store.transaction(({ exportedFiles }) => exportedFiles.add(files, fileLifetimeMs))
  return tokens.map((token) => `files/${token}`)
}
