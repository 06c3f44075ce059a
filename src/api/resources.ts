/** The resources of the service and their fields: the part of the wire that answers hold. */
import * as z from 'zod'

/** Language. */
export const languageSchema = z.looseObject({
  key: z.string(),
  name: z.string(),
  isDefault: z.boolean(),
  order: z.number().int().optional(),
})
export type WireLanguage = z.infer<typeof languageSchema>

/** Customer. */
export const customerSchema = z.looseObject({ key: z.string(), description: z.string().optional() })
export type WireCustomer = z.infer<typeof customerSchema>

/** Project. `customers` is present in the list answer only. */
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

/** Job metadata: filled in list and status answers, empty just after the start. */
export const jobMetadataSchema = z.looseObject({
  targetProjectLanguage: z.string().optional(),
  targetLanguage: z.string().optional(),
  sourceType: z.string().optional(),
  options: z.string().optional(),
  translationProvider: z.string().optional(),
  sourceProjectLanguage: z.string().nullish(),
  sourceLanguage: z.string().nullish(),
})

/** Job (auto-translate). `state` is open: the contract shows no complete list. */
export const jobSchema = z.looseObject({
  jobId: z.string(),
  progress: z.number(),
  state: z.string(),
  started: z.string(),
  message: z.string().nullish(),
  metadata: jobMetadataSchema.optional(),
})
export type Job = z.infer<typeof jobSchema>

/** Resource of an environment; the index resource carries only `link` and `size`. */
export const resourceSchema = z.looseObject({
  link: z.string(),
  size: z.number().int(),
  language: z.string().optional(),
  namespace: z.string().optional(),
  customer: z.string().optional(),
})
export type Resource = z.infer<typeof resourceSchema>

/** Environment status. */
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

/** Translation, as the query answers it. */
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
