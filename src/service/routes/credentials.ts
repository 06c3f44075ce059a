/**
 * Lists, adds, revokes and rotates personal tokens and API keys. Outside the contract, and under a separate path that a
 * proxy can block. A secret appears only in the response that creates it.
 */
import * as z from 'zod'
import {
  addCredentialRequestSchema,
  credentialSchema,
  madeCredentialSchema,
  rotateCredentialRequestSchema,
} from '../../api/schemas.ts'
import type { ServiceContext, ServiceRequest } from '../context.ts'
import { endpoint } from '../endpoint.ts'
import { HttpError } from '../http-error.ts'
import { ACCOUNT, type CredentialRecord, digestOf } from '../store/credentials.ts'
import type { ProjectRecord } from '../store/projects.ts'
import type { Store } from '../store/store.ts'

/** `undefined` means the account, which owns the personal tokens. */
type Owner = ProjectRecord | undefined

export function credentialEndpoints({ store, now }: ServiceContext) {
  const after = (ms: number) => new Date(Date.parse(now()) + ms).toISOString()

  const add = async (tx: Store, owner: Owner, name: string, expiresInMs: number | undefined) =>
    tx.credentials.add(idOf(owner), name, expiresInMs === undefined ? null : after(expiresInMs))

  const revoke = async (tx: Store, owner: Owner, id: string) => {
    const { found, all } = await find(tx, owner, id)
    if (isMain(found, owner)) {
      throw refused('The project list shows this API key, so it cannot be revoked. Rotate it instead.')
    }
    const lasting = all.filter(({ expiresAt, hash }) => expiresAt === null && hash !== found.hash)
    if (!owner && lasting.length === 0)
      throw refused('This is the last personal token that never expires. Add another one first.')
    await tx.credentials.remove(found)
    return describe(found, owner)
  }

  const rotate = async (tx: Store, owner: Owner, id: string, overlapMs: number) => {
    const { found } = await find(tx, owner, id)
    const made = await tx.credentials.add(idOf(owner), found.name, found.expiresAt)
    const end = after(overlapMs)
    await tx.credentials.setExpiry(found, found.expiresAt !== null && found.expiresAt < end ? found.expiresAt : end)
    if (!owner || !isMain(found, owner)) return { ...describe(made, owner), secret: made.secret }
    await tx.projects.setApiKey(owner.id, made.secret)
    return { ...describe(made, owner), isMain: true, secret: made.secret }
  }

  const change = <T>(work: (tx: Store) => Promise<T>) =>
    store.transaction(async (tx) => {
      await tx.credentials.lock()
      return work(tx)
    })

  const both = [
    { path: '/_service/personal-tokens', what: 'personal token', ownerOf: async () => undefined },
    { path: '/_service/projects/{projectToken}/api-keys', what: 'API key', ownerOf: projectOf },
  ] as const
  return both.flatMap(({ path, what, ownerOf }) => [
    endpoint(`GET ${path}`, `List ${what}s`, {
      token: 'personal',
      data: z.array(credentialSchema),
      handle: ({ c }) =>
        store.snapshot(async (read) => {
          const owner = await ownerOf(read, c)
          return (await read.credentials.list(idOf(owner))).map((record) => describe(record, owner))
        }),
    }),
    endpoint(`POST ${path}`, `Add ${what}`, {
      token: 'personal',
      body: addCredentialRequestSchema,
      data: madeCredentialSchema,
      handle: ({ c, body }) =>
        change(async (tx) => {
          const owner = await ownerOf(tx, c)
          const made = await add(tx, owner, body.name, body.expiresInMs)
          return { ...describe(made, owner), secret: made.secret }
        }),
    }),
    endpoint(`DELETE ${path}/{id}`, `Revoke ${what}`, {
      token: 'personal',
      data: credentialSchema,
      handle: ({ c }) => change(async (tx) => revoke(tx, await ownerOf(tx, c), c.req.param('id') ?? '')),
    }),
    endpoint(`POST ${path}/{id}/rotate`, `Rotate ${what}`, {
      token: 'personal',
      body: rotateCredentialRequestSchema,
      data: madeCredentialSchema,
      handle: ({ c, body }) =>
        change(async (tx) => rotate(tx, await ownerOf(tx, c), c.req.param('id') ?? '', body.overlapMs)),
    }),
  ])
}

async function projectOf({ projects }: Store, c: ServiceRequest): Promise<ProjectRecord> {
  const project = await projects.byProjectToken(c.req.param('projectToken') ?? '')
  if (!project) throw new HttpError(404, 'NOT_FOUND', 'There is no project with this project token.')
  return project
}

async function find({ credentials }: Store, owner: Owner, id: string) {
  const all = await credentials.list(idOf(owner))
  const found = all.find((record) => record.id === id)
  if (found) return { found, all }
  throw new HttpError(404, 'NOT_FOUND', `There is no valid ${owner ? 'API key' : 'personal token'} with this ID.`)
}

function idOf(owner: Owner): number {
  return owner?.id ?? ACCOUNT
}

function isMain({ hash }: CredentialRecord, owner: Owner): boolean {
  return owner !== undefined && hash === digestOf(owner.apiKey)
}

function describe(record: CredentialRecord, owner: Owner) {
  const { id, name, createdAt, expiresAt } = record
  return { id, name, createdAt, expiresAt, isMain: isMain(record, owner) }
}

function refused(message: string): HttpError {
  return new HttpError(400, 'CREDENTIAL_NEEDED', message)
}
