/**
 * The wire: every request and answer of the service's contract as a zod schema, shared by the client and the local
 * service. Unknown extra fields pass (`looseObject`); a missing required field is an error that names it. Section names
 * in the docstrings are those of the contract.
 */
import * as z from 'zod'
import { customerSchema, languageSchema, resourceSchema, reviewStatusSchema, translationSchema } from './resources.ts'

export * from './resources.ts'
export * from './resources.ts'

// Requests

/** Longest values, per `service-facts`: Keys, translations, jobs. */
export const LIMITS = {
  keyLength: 500,
  namespaceLength: 128,
  descriptionLength: 500,
  textLength: 65_535,
  tags: 5,
  pageSize: 500,
  defaultPageSize: 100,
  bulkItems: 100,
} as const

/** Of numbers without a limit of their own: every database holds it. */
const MAX_INTEGER = 2_147_483_647

/** Create project. */
export const createProjectRequestSchema = z.looseObject({ name: z.string().min(1) })
export type CreateProjectRequest = z.infer<typeof createProjectRequestSchema>

export const jobOptionSchema = z.enum(['USE_TRANSLATION_KEYS', 'FORCE_REPLACE', 'AUTO_PUBLISH'])
export type JobOption = z.infer<typeof jobOptionSchema>

/** Start job: every body field. */
export const startJobRequestSchema = z.looseObject({
  translationProvider: z.enum(['PROVIDER_A', 'PROVIDER_B']),
  targetProjectLanguage: z.string().min(1),
  targetLanguage: z.string().min(1),
  sourceProjectLanguage: z.string().optional(),
  sourceLanguage: z.string().optional(),
  options: z.array(jobOptionSchema).readonly().optional(),
  providerBGlossaryId: z.string().optional(),
  providerBApiKey: z.string().optional(),
  providerBFormality: z.enum(['default', 'more', 'less']).optional(),
})
export type StartJobRequest = z.infer<typeof startJobRequestSchema>

/** Create key. `key` is the one required field; `charactersLimit` -1 or absent means none. */
export const createKeyRequestSchema = z.looseObject({
  key: z.string().min(1).max(LIMITS.keyLength),
  namespace: z.string().max(LIMITS.namespaceLength).optional(),
  description: z.string().max(LIMITS.descriptionLength).optional(),
  tags: z.array(z.string()).max(LIMITS.tags).readonly().optional(),
  codeDescription: z.string().optional(),
  charactersLimit: z.number().int().min(-1).max(MAX_INTEGER).optional(),
})
export type CreateKeyRequest = z.infer<typeof createKeyRequestSchema>

/** One key, as both delete endpoints name it; an omitted namespace is the empty string. */
export const keyReferenceSchema = z.looseObject({ key: z.string().min(1), namespace: z.string().optional() })
export type KeyReference = z.infer<typeof keyReferenceSchema>

/** Bulk delete keys. */
export const deleteKeysRequestSchema = z.looseObject({ translationKeys: z.array(keyReferenceSchema) })

/** Add or set translation (v2 PATCH). Without `reviewStatus` the status becomes `NOT_REVIEWED`. */
export const setTranslationRequestSchema = z.looseObject({
  key: z.string().min(1),
  namespace: z.string().optional(),
  language: z.string().min(1),
  text: z.string().max(LIMITS.textLength),
  customerId: z.string().optional(),
  reviewStatus: reviewStatusSchema.optional(),
})
export type SetTranslationRequest = z.infer<typeof setTranslationRequestSchema>

/** Query translations: every filter. `reviewsStatus` is the contract's spelling. */
export const translationQuerySchema = z.object({
  text: z.string().optional(),
  textStatus: z.enum(['EMPTY', 'NOT_EMPTY']).optional(),
  reviewsStatus: reviewStatusSchema.optional(),
  key: z.string().optional(),
  namespace: z.string().optional(),
  language: z.string().optional(),
  customerId: z.string().optional(),
  /** First page 0. */
  page: z.number().int().min(0).max(MAX_INTEGER).optional(),
  /** Default 100, maximum 500. */
  size: z.number().int().min(1).max(LIMITS.pageSize).optional(),
  /** Beyond the contract (facts: Errors, limits, paging): a service may take no notice of it. */
  sortBy: z.enum(['lastModifiedAt']).optional(),
  sortOrder: z.enum(['asc', 'desc']).optional(),
})
export type TranslationQuery = z.infer<typeof translationQuerySchema>

/** One item of the older update (v1 PATCH). Checked per item by the service, not as a whole. */
export const updateTranslationItemSchema = z.looseObject({
  key: z.string(),
  language: z.string(),
  text: z.string(),
  namespace: z.string().optional(),
  customerId: z.string().optional(),
})
export type UpdateTranslationItem = z.infer<typeof updateTranslationItemSchema>

/** Update translations (older version). */
export const updateTranslationsRequestSchema = z.looseObject({ content: z.array(updateTranslationItemSchema) })

export const updateOptionSchema = z.enum(['CREATE_KEY_IF_NOT_FOUND'])
export type UpdateOption = z.infer<typeof updateOptionSchema>

/** Update translations (older version): its query. */
export const updateTranslationsQuerySchema = z.object({ updateOptions: z.array(updateOptionSchema).optional() })

export const updateTranslationsResultSchema = z.looseObject({
  numberOfUpdates: z.number().int(),
  numberOfFailures: z.number().int(),
  numberOfInserts: z.number().int(),
  failures: z.array(z.string()),
})
export type UpdateTranslationsResult = z.infer<typeof updateTranslationsResultSchema>

/** The formats the contract shows; it lists no others. */
export const fileFormatSchema = z.enum(['multi-language-json', 'single-language-json'])
export type FileFormat = z.infer<typeof fileFormatSchema>

/** A format by name: those above, completed by editors, and any other that a service takes. */
export type FileFormatName = FileFormat | (string & {})
const fileFormatNameSchema: z.ZodType<FileFormatName, FileFormatName> = z.string()

/** Delete key, and beyond the contract get key: the query. */
export const keyQuerySchema = z.object({ key: z.string().min(1), namespace: z.string().optional() })

/** Export v3. `exportOptions` values are not listed by the contract. */
export const exportV3QuerySchema = z.object({
  downloadFormat: fileFormatNameSchema,
  exportOptions: z.array(z.string()).readonly().optional(),
  languageKey: z.string().optional(),
  customerId: z.string().optional(),
})
export type ExportV3Query = z.infer<typeof exportV3QuerySchema>

/** Export v3 result. */
export const exportResultSchema = z.looseObject({ url: z.string() })
export type ExportResult = z.infer<typeof exportResultSchema>

export const downloadOptionSchema = z.enum([
  'SPLIT_BY_LANGUAGES',
  'SPLIT_BY_NAMESPACES',
  'SPLIT_BY_CUSTOMERS',
  'INCLUDE_DESCRIPTIONS',
  'ONLY_NOT_TRANSLATED',
  'ONLY_TRANSLATED',
  'WRITE_NESTED',
  'ESCAPE_NEW_LINES',
  'ESCAPE_SINGLE_QUOTES',
  'ZIP_FILES',
])
export type DownloadOption = z.infer<typeof downloadOptionSchema>
export type DownloadOptionName = DownloadOption | (string & {})
const downloadOptionNameSchema: z.ZodType<DownloadOptionName, DownloadOptionName> = z.string()

/** Export v4 (facts beyond the contract). */
export const exportV4QuerySchema = z.object({
  downloadFormat: fileFormatNameSchema,
  downloadOptions: z.array(downloadOptionNameSchema).readonly().optional(),
  languageKeys: z.array(z.string()).readonly().optional(),
  tags: z.array(z.string()).readonly().optional(),
  customerId: z.string().optional(),
  sort: z.string().optional(),
})
export type ExportV4Query = z.infer<typeof exportV4QuerySchema>

export const exportFileSchema = z.looseObject({
  url: z.string(),
  namespace: z.string().nullish(),
  language: z.string().nullish(),
  customer: z.string().nullish(),
})
export const exportV4ResultSchema = z.looseObject({ files: z.array(exportFileSchema) })
export type ExportFile = z.infer<typeof exportFileSchema>
export type ExportV4Result = z.infer<typeof exportV4ResultSchema>

export const importOptionSchema = z.enum([
  'REPLACE_TRANSLATION_IF_FOUND',
  'PUBLISH_AFTER_IMPORT',
  'TRIM_LEADING_TRAILING_SPACES',
  'UNESCAPE_NEW_LINES',
  'UNESCAPE_SINGLE_QUOTES',
  'MULTI_LANGUAGE',
  'LANGUAGES_NESTED',
])
export type ImportOption = z.infer<typeof importOptionSchema>
export type ImportOptionName = ImportOption | (string & {})
const importOptionNameSchema: z.ZodType<ImportOptionName, ImportOptionName> = z.string()

/** Import. `namespace`, `customerId` and `tags` are facts beyond the contract. */
export const importQuerySchema = z.object({
  uploadFormat: fileFormatNameSchema,
  languageKey: z.string().optional(),
  importOptions: z.array(importOptionNameSchema).readonly().optional(),
  namespace: z.string().max(LIMITS.namespaceLength).optional(),
  customerId: z.string().optional(),
  tags: z.array(z.string()).max(LIMITS.tags).readonly().optional(),
})
export type ImportQuery = z.infer<typeof importQuerySchema>

/** Import result: not wrapped in the envelope. */
export const importResultSchema = z.looseObject({
  numberOfKeysFound: z.number().int(),
  numberOfUniqueKeysFound: z.number().int(),
  foundLanguages: z.array(z.looseObject({ key: z.string(), name: z.string() })),
})
export type ImportResult = z.infer<typeof importResultSchema>

// Envelope and errors

interface Envelope<T> {
  readonly msg?: string | undefined
  readonly status?: number | undefined
  readonly data: T
  readonly [name: string]: unknown
}

/** Response envelope around `data`. */
export function envelopeSchema<T>(data: z.ZodType<T>): z.ZodType<Envelope<T>> {
  return z.looseObject({ msg: z.string().optional(), status: z.number().int().optional(), data })
}

/** Error body (facts: Errors, limits, paging). */
export const errorBodySchema = z.looseObject({
  status: z.union([z.number(), z.string()]).optional(),
  title: z.string().optional(),
  msg: z.string().optional(),
  message: z.string().optional(),
  code: z.union([z.string(), z.number()]).optional(),
  errors: z.array(z.unknown()).optional(),
  traceId: z.string().optional(),
})
export type ErrorBody = z.infer<typeof errorBodySchema>

/** Paging details newer answers of the query add. */
export const pageDetailsSchema = z.looseObject({
  totalElements: z.number().int().optional(),
  totalPages: z.number().int().optional(),
  currentPage: z.number().int().optional(),
  hasNext: z.boolean().optional(),
})
export type PageDetails = z.infer<typeof pageDetailsSchema>

export const translationPageSchema = z.looseObject({
  msg: z.string().optional(),
  status: z.number().int().optional(),
  data: z.array(translationSchema),
  pageDetails: pageDetailsSchema.nullish(),
})

/** One refused entry of the bulk endpoints (facts: Keys, translations, jobs). */
export const bulkResultSchema = z.looseObject({
  failures: z.array(z.looseObject({ entry: z.unknown(), message: z.string() })).optional(),
})
export type BulkResult = z.infer<typeof bulkResultSchema>

/** Hosting `_languages`. */
export const hostingLanguagesSchema = z.array(languageSchema)
/** Hosting `_customers`. */
export const hostingCustomersSchema = z.array(customerSchema)

/**
 * The project of an API key (facts: Keys, translations, jobs). Not in the contract, so nothing of it is required and a
 * field of another shape counts as absent.
 */
export const projectInfoSchema = z.looseObject({
  name: z.string().optional().catch(undefined),
  projectToken: z.string().optional().catch(undefined),
  languages: z.array(languageSchema).optional().catch(undefined),
  namespaces: z
    .array(z.union([z.string(), z.looseObject({ name: z.string() }).transform(({ name }) => name)]))
    .optional()
    .catch(undefined),
  environments: z
    .array(z.union([z.string(), z.looseObject({ key: z.string() }).transform(({ key }) => key)]))
    .optional()
    .catch(undefined),
  hostingResources: z.array(resourceSchema).optional().catch(undefined),
})
export type ProjectInfo = z.infer<typeof projectInfoSchema>

/** What translators are told of a key. The contract only writes it, so a field of another shape counts as absent. */
export const keyInfoSchema = z.looseObject({
  description: z.string().optional().catch(undefined),
  codeDescription: z.string().optional().catch(undefined),
  tags: z.array(z.string()).optional().catch(undefined),
  /** Characters of a text at most; -1 or absent: any number. */
  charactersLimit: z.number().int().optional().catch(undefined),
})
export type KeyInfo = z.infer<typeof keyInfoSchema>
