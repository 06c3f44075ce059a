/** Contract: Import and Export. Export v4 is not in the contract. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as z from 'zod'
import {
  downloadOptionSchema,
  exportResultSchema,
  exportV3QuerySchema,
  exportV4QuerySchema,
  exportV4ResultSchema,
  fileFormatSchema,
  importOptionSchema,
  importQuerySchema,
  importResultSchema,
} from '../../api/schemas.ts'
import { textsDigest } from '../../shared/hash.ts'
import { readCondition } from '../conditional-writes.ts'
import type { ServiceContext } from '../context.ts'
import { type Call, endpoint } from '../endpoint.ts'
import { exportV3, exportV4 } from '../export.ts'
import { badRequest, customerNotFound, languageNotFound } from '../http-error.ts'
import { checkNamespace, ImportFile, isSingleLanguage } from '../import-file.ts'
import { LIMITS } from '../limits.ts'
import { ConcurrencyLimit } from '../scheduling.ts'
import { LATEST, type ProjectRecord } from '../store/projects.ts'
import { inBatches } from '../store/sql.ts'
import { type ImportTexts, keysOf } from '../store/translations.ts'
import { readUpload } from '../upload.ts'

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
  const { store, fileUrl } = context

  // Languages and customers are never removed, so a successful check remains valid.
  const checkNames = async ({ id }: ProjectRecord, customer: string | undefined, languages: readonly string[] = []) => {
    for (const key of languages) if (!(await store.projects.hasLanguage(id, key))) throw languageNotFound(key)
    if (customer !== undefined && !(await store.projects.hasCustomer(id, customer))) throw customerNotFound(customer)
  }

  const importFile = createImport(context, checkNames)

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
        await checkNames(project, customer, languages)
        const options = new Set(exportOptions)
        return { url: fileUrl(await exportV3(context, project.id, { format, options, languages, customer })) }
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
        await checkNames(project, customerId, languageKeys)
        const languages = languageKeys.length > 0 ? languageKeys : undefined
        const request = { format, options: new Set(downloadOptions), languages, tags, customer: customerId }
        const exported = await exportV4(context, project.id, request)
        return { files: exported.map(({ path, ...file }) => ({ url: fileUrl(path), ...file })) }
      },
    }),
  ]
}

type ImportCall = Call<z.output<typeof importSchema>, unknown>
type CheckNames = (project: ProjectRecord, customer: string | undefined) => Promise<void>

/** Returns a function that reads and stores an upload. All its calls share the limit for large imports. */
function createImport(context: ServiceContext, checkNames: CheckNames) {
  const { store, maxUploadBytes } = context
  const largeImports = new ConcurrencyLimit(LARGE_IMPORTS)
  return async ({ project, query, c, authorizeAgain }: ImportCall) => {
    const { uploadFormat: format, namespace = '', customerId, tags = [], languageKey: language } = query
    const options = new Set(query.importOptions)
    checkNamespace(namespace)
    await checkNames(project, customerId)
    const condition = readCondition(context, c)
    if (condition && !isSingleLanguage({ format, options })) {
      throw badRequest(
        'A condition requires a single-language file: set uploadFormat to single-language-json, and also set languageKey.',
      )
    }
    const storeTexts = async (texts: ImportTexts['texts']) => {
      await store.importTexts(
        project.id,
        {
          namespace,
          customer: customerId ?? '',
          tags,
          replace: options.has('REPLACE_TRANSLATION_IF_FOUND'),
          texts,
          check: condition && ((present) => condition({ digest: textsDigest(present), isEmpty: present.length === 0 })),
        },
        authorizeAgain,
      )
      // The import has succeeded. A running publish must not turn it into an error.
      if (options.has('PUBLISH_AFTER_IMPORT')) await context.publisher.publishWhenFree(project, LATEST)
      return texts
    }
    const file = new ImportFile({ format, language, options })
    let isOver = false
    let leave = () => {}
    const onLarge = async () => {
      const entered = await largeImports.enter()
      if (isOver) entered()
      else leave = entered
    }
    try {
      const isLarge = (bytes: number) => bytes > LARGE_BYTES || file.values > LARGE_VALUES
      await readUpload(c.env.incoming, maxUploadBytes, (bytes) => file.push(bytes), { isLarge, onLarge })
      return await storeTexts(file.end())
    } finally {
      isOver = true
      leave()
    }
  }
}
