/** The service's resources and their fields: the part of the wire format that responses contain. */
import * as z from 'zod'

export const languageSchema = z.looseObject({
  key: z.string(),
  name: z.string(),
  isDefault: z.boolean(),
  order: z.number().int().optional(),
})
export type WireLanguage = z.infer<typeof languageSchema>

export const customerSchema = z.looseObject({ key: z.string(), description: z.string().optional() })
export type WireCustomer = z.infer<typeof customerSchema>

/** Project. Only the list response contains `customers`. */
export const projectSchema = z.looseObject({
  name: z.string(),
  languages: z.array(languageSchema),
  customers: z.array(customerSchema).optional(),
  projectToken: z.string(),
  apiKey: z.string(),
  keys: z.number().int(),
  unpublishedChanges: z.number().int(),
  translatedPercentage: z.number(),
  translatedKeysByLanguage: z.record(z.string(), z.number().int()),
})
export type Project = z.infer<typeof projectSchema>

/** A job's metadata. It is empty when the job has just started. */
export const jobMetadataSchema = z.looseObject({
  targetProjectLanguage: z.string().optional(),
  targetLanguage: z.string().optional(),
  sourceType: z.string().optional(),
  options: z.string().optional(),
  translationProvider: z.string().optional(),
  sourceProjectLanguage: z.string().nullish(),
  sourceLanguage: z.string().nullish(),
})

/** An auto-translate job. `state` may be any string, because the contract has no complete list. */
export const jobSchema = z.looseObject({
  jobId: z.string(),
  progress: z.number(),
  state: z.string(),
  started: z.string(),
  message: z.string().nullish(),
  metadata: jobMetadataSchema.optional(),
})
export type Job = z.infer<typeof jobSchema>

/** A resource in an environment. The index resource has only `link` and `size`. */
export const resourceSchema = z.looseObject({
  link: z.string(),
  size: z.number().int(),
  language: z.string().optional(),
  namespace: z.string().optional(),
  customer: z.string().optional(),
})
export type Resource = z.infer<typeof resourceSchema>

export const environmentStatusSchema = z.looseObject({
  numberOfKeys: z.number().int(),
  numberOfLanguages: z.number().int(),
  numberOfNonEmptyTranslations: z.number().int(),
  createdAt: z.string(),
  resources: z.array(resourceSchema),
})
export type EnvironmentStatus = z.infer<typeof environmentStatusSchema>

export const reviewStatusSchema = z.enum(['REVIEWED', 'NOT_REVIEWED'])
export type ReviewStatus = z.infer<typeof reviewStatusSchema>

/** A translation in a query's response. */
export const translationSchema = z.looseObject({
  key: z.string(),
  namespace: z
    .string()
    .nullish()
    .transform((namespace) => namespace ?? ''),
  language: z.string(),
  text: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
  reviewStatus: z.string().optional(),
  lastModifiedAt: z.string().optional(),
  customerId: z.string().nullish(),
})
export type Translation = z.infer<typeof translationSchema>

const YEAR_MS = 365 * 86_400_000

/** A credential without its secret, which is only in the response that created it. */
export const credentialSchema = z.looseObject({
  id: z.string(),
  /** Empty if the credential was created together with the service or a project. */
  name: z.string(),
  createdAt: z.string(),
  /** When the credential expires; `null` if it is valid until it is revoked. */
  expiresAt: z.string().nullable(),
  /** True for the API key that the list of projects contains. */
  isMain: z.boolean(),
})
export type Credential = z.infer<typeof credentialSchema>

export const madeCredentialSchema = credentialSchema.extend({ secret: z.string() })
export type MadeCredential = z.infer<typeof madeCredentialSchema>

export const addCredentialRequestSchema = z.looseObject({
  name: z.string().min(1).max(100),
  /** Default: it does not expire. */
  expiresInMs: z.number().int().min(1).max(YEAR_MS).optional(),
})
export type AddCredentialRequest = z.infer<typeof addCredentialRequestSchema>

export const rotateCredentialRequestSchema = z.looseObject({
  /** The time for which the old credential remains valid, in milliseconds. */
  overlapMs: z.number().int().min(0).max(YEAR_MS),
})
export type RotateCredentialRequest = z.infer<typeof rotateCredentialRequestSchema>
