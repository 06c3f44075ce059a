/**
 * The wire format: every request and response in the service's contract, as zod schemas that the client and the local
 * service share. Unknown fields are allowed (`looseObject`). The error for a missing required field contains its name.
 * Docstrings use the section names of the contract.
 */
import * as z from 'zod'
import { customerSchema, languageSchema, resourceSchema, reviewStatusSchema, translationSchema } from './resources.ts'

export * from './resources.ts'

/** Maximum lengths (facts: Keys, translations, jobs). */
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

/** The maximum for numbers that the contract does not limit. Every database supports numbers up to this one. */
const MAX_INTEGER = 2_147_483_647

export const createProjectRequestSchema = z.looseObject({ name: z.string().min(1) })
export type CreateProjectRequest = z.infer<typeof createProjectRequestSchema>

export const jobOptionSchema = z.enum(['USE_TRANSLATION_KEYS', 'FORCE_REPLACE', 'AUTO_PUBLISH'])
export type JobOption = z.infer<typeof jobOptionSchema>

/** The body of the Start job request. */
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

/** Create key. Only `key` is required. A `charactersLimit` of -1, or none, means that there is no limit. */
export const createKeyRequestSchema = z.looseObject({
  key: z.string().min(1).max(LIMITS.keyLength),
  namespace: z.string().max(LIMITS.namespaceLength).optional(),
  description: z.string().max(LIMITS.descriptionLength).optional(),
  tags: z.array(z.string()).max(LIMITS.tags).readonly().optional(),
  codeDescription: z.string().optional(),
  charactersLimit: z.number().int().min(-1).max(MAX_INTEGER).optional(),
})
export type CreateKeyRequest = z.infer<typeof createKeyRequestSchema>

/** A key in the requests of both delete endpoints. An omitted namespace means the empty string. */
export const keyReferenceSchema = z.looseObject({ key: z.string().min(1), namespace: z.string().optional() })
export type KeyReference = z.infer<typeof keyReferenceSchema>

export const deleteKeysRequestSchema = z.looseObject({ translationKeys: z.array(keyReferenceSchema) })

/** Add or set translation (v2 PATCH). Without a `reviewStatus`, the status becomes `NOT_REVIEWED`. */
export const setTranslationRequestSchema = z.looseObject({
  key: z.string().min(1),
  namespace: z.string().optional(),
  language: z.string().min(1),
  text: z.string().max(LIMITS.textLength),
  customerId: z.string().optional(),
  reviewStatus: reviewStatusSchema.optional(),
})
export type SetTranslationRequest = z.infer<typeof setTranslationRequestSchema>

/** The filters of Query translations. `reviewsStatus` is the contract's spelling. */
export const translationQuerySchema = z.object({
  text: z.string().optional(),
  textStatus: z.enum(['EMPTY', 'NOT_EMPTY']).optional(),
  reviewsStatus: reviewStatusSchema.optional(),
  key: z.string().optional(),
  namespace: z.string().optional(),
  language: z.string().optional(),
  customerId: z.string().optional(),
  /** Pages are counted from 0. */
  page: z.number().int().min(0).max(MAX_INTEGER).optional(),
  /** Default 100, maximum 500. */
  size: z.number().int().min(1).max(LIMITS.pageSize).optional(),
  /** Not in the contract (facts: Errors, limits, paging): services may ignore it. */
  sortBy: z.enum(['lastModifiedAt']).optional(),
  sortOrder: z.enum(['asc', 'desc']).optional(),
})
export type TranslationQuery = z.infer<typeof translationQuerySchema>

/** An item in the older update (v1 PATCH). The service validates each item separately. */
export const updateTranslationItemSchema = z.looseObject({
  key: z.string(),
  language: z.string(),
  text: z.string(),
  namespace: z.string().optional(),
  customerId: z.string().optional(),
})
export type UpdateTranslationItem = z.infer<typeof updateTranslationItemSchema>

export const updateTranslationsRequestSchema = z.looseObject({ content: z.array(updateTranslationItemSchema) })

export const updateOptionSchema = z.enum(['CREATE_KEY_IF_NOT_FOUND'])
export type UpdateOption = z.infer<typeof updateOptionSchema>

/** The query of the older update. */
export const updateTranslationsQuerySchema = z.object({ updateOptions: z.array(updateOptionSchema).optional() })

export const updateTranslationsResultSchema = z.looseObject({
  numberOfUpdates: z.number().int(),
  numberOfFailures: z.number().int(),
  numberOfInserts: z.number().int(),
  failures: z.array(z.string()),
})
export type UpdateTranslationsResult = z.infer<typeof updateTranslationsResultSchema>

/** The formats that the contract lists. Services may support others. */
export const fileFormatSchema = z.enum(['multi-language-json', 'single-language-json'])
export type FileFormat = z.infer<typeof fileFormatSchema>

/** A format name: one of those above, which editors suggest, or another one that the service supports. */
export type FileFormatName = FileFormat | (string & {})
const fileFormatNameSchema: z.ZodType<FileFormatName, FileFormatName> = z.string()

/** The query for deleting a key and, beyond the contract, for reading one. */
export const keyQuerySchema = z.object({ key: z.string().min(1), namespace: z.string().optional() })

/** Export v3. The contract does not list the values of `exportOptions`. */
export const exportV3QuerySchema = z.object({
  downloadFormat: fileFormatNameSchema,
  exportOptions: z.array(z.string()).readonly().optional(),
  languageKey: z.string().optional(),
  customerId: z.string().optional(),
})
export type ExportV3Query = z.infer<typeof exportV3QuerySchema>

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

/** Export v4, which is not in the contract. */
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

/** Import. `namespace`, `customerId` and `tags` are not in the contract. */
export const importQuerySchema = z.object({
  uploadFormat: fileFormatNameSchema,
  languageKey: z.string().optional(),
  importOptions: z.array(importOptionNameSchema).readonly().optional(),
  namespace: z.string().max(LIMITS.namespaceLength).optional(),
  customerId: z.string().optional(),
  tags: z.array(z.string()).max(LIMITS.tags).readonly().optional(),
})
export type ImportQuery = z.infer<typeof importQuerySchema>

/** Import result, without an envelope. */
export const importResultSchema = z.looseObject({
  numberOfKeysFound: z.number().int(),
  numberOfUniqueKeysFound: z.number().int(),
  foundLanguages: z.array(z.looseObject({ key: z.string(), name: z.string() })),
})
export type ImportResult = z.infer<typeof importResultSchema>

interface Envelope<T> {
  readonly msg?: string | undefined
  readonly status?: number | undefined
  readonly data: T
  readonly [name: string]: unknown
}

/** The response envelope around `data`. */
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

/** The paging details in the responses of newer services. */
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

/** An entry that a bulk endpoint rejected (facts: Keys, translations, jobs). */
export const bulkResultSchema = z.looseObject({
  failures: z.array(z.looseObject({ entry: z.unknown(), message: z.string() })).optional(),
})
export type BulkResult = z.infer<typeof bulkResultSchema>

/** The published `_languages` file. */
export const hostingLanguagesSchema = z.array(languageSchema)
/** The published `_customers` file. */
export const hostingCustomersSchema = z.array(customerSchema)

/**
 * The project that an API key belongs to (facts: Keys, translations, jobs). It is not in the contract, so no field is
 * required, and a field with another type counts as absent.
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

/**
 * A key's information for translators. The contract has no endpoint that returns it, so a field with another type
 * counts as absent.
 */
export const keyInfoSchema = z.looseObject({
  description: z.string().optional().catch(undefined),
  codeDescription: z.string().optional().catch(undefined),
  tags: z.array(z.string()).optional().catch(undefined),
  /** The maximum number of characters in a text. If it is -1 or absent, there is no limit. */
  charactersLimit: z.number().int().optional().catch(undefined),
})
export type KeyInfo = z.infer<typeof keyInfoSchema>

/**
 * Validates an external value. A Standard Schema (standardschema.dev), which other libraries accept too.
 * @example
 * const job = jobSchema.parse(JSON.parse(body))
 */
export interface Schema<Output> {
  /** @throws an `Error` with `issues` if the value is invalid */
  parse(value: unknown): Output
  safeParse(value: unknown): SchemaSuccess<Output> | SchemaFailure
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

interface SchemaSuccess<Output> {
  success: true
  data: Output
  error?: never
}

interface SchemaFailure {
  success: false
  data?: never
  error: Error & { issues: readonly SchemaIssue[] }
}

interface SchemaIssue {
  readonly message: string
  readonly path: readonly PropertyKey[]
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
      }[]
    }
