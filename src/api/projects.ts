import * as z from 'zod'
import { pathSegment } from './address.ts'
import type { Caller, CallOptions } from './call.ts'
import { ifFound } from './errors.ts'
import {
  type AddCredentialRequest,
  type CreateProjectRequest,
  type Credential,
  credentialSchema,
  type MadeCredential,
  madeCredentialSchema,
  type Project,
  type ProjectInfo,
  projectInfoSchema,
  projectSchema,
  type RotateCredentialRequest,
} from './schemas.ts'

/** The contract's "Projects" section. Requires a personal token. */
export interface ProjectsApi {
  /**
   * Creates a project with one language. The request is not retried if its response is lost, because names are not
   * unique: the error is then `uncertain`, and `list()` shows whether the project exists.
   */
  create(request: CreateProjectRequest, options?: CallOptions): Promise<Project>
  /** All of the account's projects, with their customers. The response contains API keys: do not print it. */
  list(options?: CallOptions): Promise<Project[]>
}

export function createProjects(caller: Caller): ProjectsApi {
  const request = { path: 'api/v2/projects', credential: 'personal' } as const
  return {
    create: (json, options) =>
      caller.data({ method: 'POST', ...request, json, lookAt: '`projects.list()`', ...options }, projectSchema),
    list: (options) => caller.data({ method: 'GET', ...request, ...options }, z.array(projectSchema)),
  }
}

/**
 * The project that the API key belongs to. The contract does not have this endpoint, so a service may lack it: do not
 * depend on it.
 */
export interface ProjectApi {
  /** The service's information about the project; `undefined` if the service has no such endpoint. */
  info(options?: CallOptions): Promise<ProjectInfo | undefined>
}

export function createProject(caller: Caller): ProjectApi {
  return {
    info: (options) => ifFound(caller.data({ method: 'GET', path: 'api/v2/project', ...options }, projectInfoSchema)),
  }
}

/**
 * The owner of credentials. If `projectToken` is set, the owner is that project, and the credentials are API keys.
 * Otherwise, the owner is the service, and the credentials are personal tokens.
 */
export interface CredentialOwner {
  readonly projectToken?: string | undefined
}

/**
 * Personal tokens, and the projects' API keys. Requires a personal token. This is an extension of the local service,
 * not part of the contract.
 */
export interface CredentialsApi {
  /** The valid credentials without their secrets, oldest first. */
  list(owner: CredentialOwner, options?: CallOptions): Promise<Credential[]>
  /** Creates a credential. Only this response contains the secret: do not print it where others can read it. */
  add(owner: CredentialOwner, request: AddCredentialRequest, options?: CallOptions): Promise<MadeCredential>
  /**
   * Revokes a credential immediately.
   * @throws ApiError `API_VALIDATION` for a project's main key, and for the last personal token without an expiry.
   */
  revoke(owner: CredentialOwner, id: string, options?: CallOptions): Promise<Credential>
  /** Creates a credential that replaces an existing one. The old one remains valid for `overlapMs`. */
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
    return id === undefined ? owned : `${owned}/${pathSegment(id, 'a credential ID')}`
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
