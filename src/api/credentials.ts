import * as z from 'zod'
import { pathSegment } from './address.ts'
import type { Caller, CallOptions } from './call.ts'
import {
  type AddCredentialRequest,
  type Credential,
  credentialSchema,
  type MadeCredential,
  madeCredentialSchema,
  type RotateCredentialRequest,
} from './schemas.ts'

/** Whose credentials: the API keys of the project with this project token; without one, the personal tokens. */
export interface CredentialOwner {
  readonly projectToken?: string | undefined
}

/** Personal tokens, and API keys of projects. Personal token. Extension of the local service, not in the contract. */
export interface CredentialsApi {
  /** The valid ones, the oldest first, without their secrets. */
  list(owner: CredentialOwner, options?: CallOptions): Promise<Credential[]>
  /** Makes one. The answer holds its secret, which is shown once: do not print it where others read. */
  add(owner: CredentialOwner, request: AddCredentialRequest, options?: CallOptions): Promise<MadeCredential>
  /**
   * Ends it at once.
   * @throws ApiError `API_VALIDATION` for a project's main key and for the last personal token without an end.
   */
  revoke(owner: CredentialOwner, id: string, options?: CallOptions): Promise<Credential>
  /** Makes a new one in place of another one, which stays valid for `overlapMs`. */
  rotate(
    owner: CredentialOwner,
    id: string,
    request: RotateCredentialRequest,
    options?: CallOptions,
  ): Promise<MadeCredential>
}

export function createCredentials(caller: Caller): CredentialsApi {
  const pathOf = ({ projectToken }: CredentialOwner, id?: string) => {
    const owned =
      projectToken === undefined
        ? '_service/personal-tokens'
        : `_service/projects/${pathSegment(projectToken, 'a project token')}/api-keys`
    return id === undefined ? owned : `${owned}/${pathSegment(id, 'the id of a credential')}`
  }
  const personal = { credential: 'personal', lookAt: '`credentials.list()`' } as const
  return {
    list: (owner, options) =>
      caller.data({ method: 'GET', path: pathOf(owner), ...personal, ...options }, z.array(credentialSchema)),
    add: (owner, json, options) =>
      caller.data({ method: 'POST', path: pathOf(owner), json, ...personal, ...options }, madeCredentialSchema),
    revoke: (owner, id, options) =>
      caller.data({ method: 'DELETE', path: pathOf(owner, id), ...personal, ...options }, credentialSchema),
    rotate: (owner, id, json, options) =>
      caller.data(
        { method: 'POST', path: `${pathOf(owner, id)}/rotate`, json, ...personal, ...options },
        madeCredentialSchema,
      ),
  }
}
