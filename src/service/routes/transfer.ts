/** Contract: Import and Export. Export v4 is not in the contract. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import * as z from 'zod'
import {
  type DownloadOption,
  downloadOptionSchema,
  exportResultSchema,
  exportV3QuerySchema,
  exportV4QuerySchema,
  exportV4ResultSchema,
  type FileFormat,
  fileFormatSchema,
  importOptionSchema,
  importQuerySchema,
  importResultSchema,
} from '../../api/schemas.ts'
import { textsDigest } from '../../shared/hash.ts'
import { groupBy } from '../../shared/split.ts'
import type { ServiceContext } from '../context.ts'
import { type Call, endpoint, readCondition } from '../endpoint.ts'
import { badRequest, customerNotFound, languageNotFound } from '../http-error.ts'
import { checkNamespace, ImportFile, isSingleLanguage } from '../import-file.ts'
import { type GzipFile, JsonFiles } from '../json-file.ts'
import { LIMITS } from '../limits.ts'
import { readUpload } from '../request.ts'
import { ConcurrencyLimit } from '../scheduling.ts'
import { inBatches } from '../store/driver.ts'
import { defaultLanguageOf, LATEST, type ProjectRecord } from '../store/projects.ts'
import type { ServiceStore, Store } from '../store/store.ts'
import { type ImportTexts, keysOf } from '../store/translations.ts'
import { composeTexts, readRepeatedKeys, type TextObject } from '../text-files.ts'

/** The client accepts any format and option names. The service accepts only these. */
const importSchema = importQuerySchema.extend({
  uploadFormat: fileFormatSchema,
  importOptions: z.array(importOptionSchema).default([]),
})
const v3Schema = exportV3QuerySchema.extend({
  downloadFormat: fileFormatSchema,
  exportOptions: z.array(downloadOptionSchema).default([]),
})
const v4Schema = exportV4QuerySchema.extend({
  downloadFormat: fileFormatSchema,
  downloadOptions: z.array(downloadOptionSchema).default([]),
})

/** The number of large imports at a time. More would not be faster, because one thread parses all imports. */
const LARGE_IMPORTS = 1
/**
 * An import above either limit is large. The number of values matters too, because many short values need more memory
 * than one long value.
 */
const LARGE_BYTES = 2 ** 24
const LARGE_VALUES = LIMITS.bodyValues

const COUNTED = 20_000

export function transferEndpoints(context: ServiceContext) {
  const { store } = context
  const importFile = createImport(context)

  return [
    endpoint('POST /api/v2/import', 'Import', {
      query: importSchema,
      body: 'upload',
      data: importResultSchema,
      bare: true,
      conditions: true,
      async handle(call) {
        const { project } = call
        const texts = await importFile(call)
        let unique = 0
        for (const some of inBatches(keysOf(texts), COUNTED)) {
          unique += some.length
          await nextTurn()
        }
        const languages = await store.projects.languages(project.id)
        const names = new Map(languages.map(({ key, name }) => [key, name]))
        return {
          numberOfKeysFound: [...texts.values()].reduce((sum, { size }) => sum + size, 0),
          numberOfUniqueKeysFound: unique,
          foundLanguages: [...texts.keys()].map((key) => ({ key, name: names.get(key) ?? key })),
        }
      },
    }),
    endpoint('GET /api/v3/export', 'Export v3 (deprecated)', {
      query: v3Schema,
      data: exportResultSchema,
      async handle({ project, query: { downloadFormat: format, exportOptions, languageKey, customerId: customer } }) {
        const languages = languageKey === undefined ? undefined : [languageKey]
        await checkNames(store, project, customer, languages)
        const options = new Set(exportOptions)
        return { url: await exportV3(context, project.id, { format, options, languages, customer }) }
      },
    }),
    endpoint('GET /api/v4/export', 'Export v4', {
      // `sort` is accepted and ignored: texts are always sorted by namespace and key.
      query: v4Schema,
      data: exportV4ResultSchema,
      feature: 'exportV4',
      async handle({
        project,
        query: { downloadFormat: format, downloadOptions, languageKeys = [], tags, customerId },
      }) {
        await checkNames(store, project, customerId, languageKeys)
        const languages = languageKeys.length > 0 ? languageKeys : undefined
        const request = { format, options: new Set(downloadOptions), languages, tags, customer: customerId }
        return { files: await exportV4(context, project.id, request) }
      },
    }),
  ]
}

/** Languages and customers are never removed, so a successful check remains valid. */
async function checkNames(
  { projects }: Store,
  { id }: ProjectRecord,
  customer: string | undefined,
  languages: readonly string[] = [],
) {
  for (const key of languages) if (!(await projects.hasLanguage(id, key))) throw languageNotFound(key)
  if (customer !== undefined && !(await projects.hasCustomer(id, customer))) throw customerNotFound(customer)
}

/** Returns a function that reads and stores an upload. All its calls share the limit for large imports. */
function createImport(context: ServiceContext) {
  const { store, maxUploadBytes } = context
  const largeImports = new ConcurrencyLimit(LARGE_IMPORTS)
  return async ({ project, query, c, authorizeAgain }: Call<z.output<typeof importSchema>, unknown>) => {
    const { uploadFormat: format, namespace = '', customerId, tags = [], languageKey: language } = query
    const options = new Set(query.importOptions)
    checkNamespace(namespace)
    await checkNames(store, project, customerId)
    const condition = readCondition(context, c)
    if (condition && !isSingleLanguage(format, options)) {
      throw badRequest(
        'A condition requires a single-language file: set uploadFormat to single-language-json, and also set languageKey.',
      )
    }
    const file = new ImportFile(format, language, options)
    let turn: ReturnType<typeof largeImports.enter> | undefined
    try {
      await readUpload(c.env.incoming, maxUploadBytes, (bytes, received) => {
        file.push(bytes)
        if (turn || (received <= LARGE_BYTES && file.values <= LARGE_VALUES)) return undefined
        turn = largeImports.enter()
        return turn
      })
      const request: ImportTexts = {
        namespace,
        customer: customerId ?? '',
        tags,
        replace: options.has('REPLACE_TRANSLATION_IF_FOUND'),
        texts: file.end(),
        check: condition && ((present) => condition({ digest: textsDigest(present), isEmpty: present.length === 0 })),
      }
      await store.importTexts(project.id, request, authorizeAgain)
      // The import has succeeded. A running publish must not turn it into an error.
      if (options.has('PUBLISH_AFTER_IMPORT')) await context.publisher.publishWhenFree(project, LATEST)
      return request.texts
    } finally {
      // If the upload failed while it was waiting for its turn, the turn ends as soon as it comes.
      void turn?.then((leave) => leave())
    }
  }
}

/** Favors speed, because each file is downloaded only once or twice. */
const LEVEL = 1

interface ExportRequest {
  readonly format: FileFormat
  readonly options: ReadonlySet<DownloadOption>
  /** Default: all languages. */
  readonly languages?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
  readonly customer?: string | undefined
}

/** Version 3: one file in which all namespaces are merged. `single-language-json` exports one language. */
async function exportV3(context: ServiceContext, projectId: number, request: ExportRequest): Promise<string> {
  for (const option of ['SPLIT_BY_LANGUAGES', 'SPLIT_BY_NAMESPACES', 'SPLIT_BY_CUSTOMERS'] as const) {
    if (request.options.has(option))
      throw badRequest(`${option} creates several files, but version 3 returns only one.`)
  }
  const isSingle = request.format === 'single-language-json'
  const files = new JsonFiles(LEVEL)
  const { objects: found, languages: all, wanted } = await readTexts(context.store, projectId, request, files, isSingle)
  const byLanguage = new Map(found.map(({ language, object }) => [language, object]))
  const languages = wanted ?? all.map(({ key }) => key)
  const objects = languages.map((language) => [language, byLanguage.get(language) ?? files.createObject()] as const)
  const [[, first] = []] = objects
  const file = isSingle && first ? await first.toFile() : await files.join(objects)
  const [url = ''] = await keep(context, [file])
  return url
}

/**
 * Version 4, which is not in the contract: one or more files. Omits the language, namespace or customer of a file that
 * contains several.
 */
async function exportV4(context: ServiceContext, projectId: number, request: ExportRequest) {
  const { options } = request
  const isSingle = request.format === 'single-language-json'
  const splitsLanguages = isSingle || options.has('SPLIT_BY_LANGUAGES')
  const splitsNamespaces = options.has('SPLIT_BY_NAMESPACES')
  const splitsCustomers = options.has('SPLIT_BY_CUSTOMERS')

  const files = new JsonFiles(LEVEL)
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
  const urls = await keep(context, await Promise.all(made))
  return groups.map(([first], at) => {
    const { language = '', namespace = '', customer = '' } = first ?? {}
    return {
      url: urls[at] ?? '',
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
) {
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
      const merged = byNamespace ? undefined : (await readRepeatedKeys(keys, projectId)).repeated
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

/** Stores all files or none, and returns their URLs. */
async function keep({ store, fileUrl, fileLifetimeMs }: ServiceContext, files: readonly GzipFile[]): Promise<string[]> {
  await store.addContents(files)
  const tokens = await store.transaction(({ exportedFiles }) => exportedFiles.add(files, fileLifetimeMs))
  return tokens.map((token) => fileUrl(`files/${token}`))
}
