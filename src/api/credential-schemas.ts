/** Personal tokens and API keys of the local service. Extension, not in the contract. */
import * as z from 'zod'

const YEAR_MS = 365 * 86_400_000

/** Without its secret, which only the answer that makes it holds. */
export const credentialSchema = z.looseObject({
  id: z.string(),
  /** Empty: made by a start of the service, or with the project. */
  name: z.string(),
  createdAt: z.string(),
  /** `null`: valid until it is revoked. */
  expiresAt: z.string().nullable(),
  /** The API key that the list of projects shows. */
  isMain: z.boolean(),
})
export type Credential = z.infer<typeof credentialSchema>

export const madeCredentialSchema = credentialSchema.extend({ secret: z.string() })
export type MadeCredential = z.infer<typeof madeCredentialSchema>

export const addCredentialRequestSchema = z.looseObject({
  name: z.string().min(1).max(100),
  /** Default: without an end. */
  expiresInMs: z.number().int().min(1).max(YEAR_MS).optional(),
})
export type AddCredentialRequest = z.infer<typeof addCredentialRequestSchema>

export const rotateCredentialRequestSchema = z.looseObject({
  /** How long the old one stays valid. */
  overlapMs: z.number().int().min(0).max(YEAR_MS),
})
export type RotateCredentialRequest = z.infer<typeof rotateCredentialRequestSchema>
