/** Contract: Translation keys. */
import * as z from 'zod'
import {
  bulkResultSchema,
  type CreateKeyRequest,
  createKeyRequestSchema,
  deleteKeysRequestSchema,
  type KeyReference,
  keyInfoSchema,
  keyQuerySchema,
  keyReferenceSchema,
} from '../../api/schemas.ts'
import type { ServiceContext } from '../context.ts'
import { endpoint, inBulk } from '../endpoint.ts'
import { HttpError, keyNotFound, keyText } from '../http-error.ts'
import { checkNamespace } from '../import-file.ts'
import type { Store } from '../store/store.ts'

const PATH = '/api/v1/translation-keys'

export function keyEndpoints({ store }: ServiceContext) {
  const create = async (tx: Store, projectId: number, request: CreateKeyRequest) => {
    const { key, namespace = '', description = '', tags = [], codeDescription = '', charactersLimit = -1 } = request
    checkNamespace(namespace)
    const record = { key, namespace, description, tags, codeDescription, charactersLimit }
    if (await tx.keys.create(projectId, record)) return record
    throw new HttpError(409, 'KEY_EXISTS', `Translation key ${keyText(key, namespace)} already exists.`)
  }
  const remove = async (tx: Store, projectId: number, { key, namespace = '' }: KeyReference) => {
    if (!(await tx.keys.remove(projectId, namespace, key))) throw keyNotFound(key, namespace)
    return { key, namespace }
  }

  return [
    endpoint(`POST ${PATH}`, 'Create key', {
      body: createKeyRequestSchema,
      handle: ({ project, body }) => store.transaction((tx) => create(tx, project.id, body), { isBeside: true }),
    }),
    endpoint(`GET ${PATH}`, 'Get key', {
      query: keyQuerySchema,
      data: keyInfoSchema,
      feature: 'keyInfo',
      async handle({ project, query: { key, namespace = '' } }) {
        const record = await store.keys.record(project.id, namespace, key)
        if (!record) throw keyNotFound(key, namespace)
        return record
      },
    }),
    endpoint(`DELETE ${PATH}`, 'Delete key', {
      query: keyQuerySchema,
      handle: ({ project, query }) => store.transaction((tx) => remove(tx, project.id, query), { isBeside: true }),
    }),
    endpoint(`DELETE ${PATH}/bulk`, 'Bulk delete keys', {
      body: deleteKeysRequestSchema,
      data: bulkResultSchema,
      handle: ({ project, body }) =>
        inBulk(store, project.id, body.translationKeys, keyReferenceSchema, (tx, entry) =>
          remove(tx, project.id, entry),
        ),
    }),
    endpoint(`POST ${PATH}/bulk`, 'Bulk create keys', {
      body: z.looseObject({ translationKeys: z.array(createKeyRequestSchema) }),
      entries: 'translationKeys',
      data: bulkResultSchema,
      feature: 'bulk',
      handle: ({ project, body }) =>
        inBulk(store, project.id, body.translationKeys, createKeyRequestSchema, (tx, entry) =>
          create(tx, project.id, entry),
        ),
    }),
  ]
}
