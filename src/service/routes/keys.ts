/** Contract: Translation keys. */
import * as z from 'zod'
import {
  bulkResultSchema,
  type CreateKeyRequest,
  createKeyRequestSchema,
  deleteKeyQuerySchema,
  deleteKeysRequestSchema,
  type KeyReference,
  keyReferenceSchema,
} from '../../api/schemas.ts'
import type { ServiceContext } from '../context.ts'
import { endpoint, refusedEntries } from '../endpoint.ts'
import { HttpError, keyNotFound, keyText } from '../http-error.ts'
import { checkNamespace } from '../import-file.ts'

const PATH = '/api/v1/translation-keys'

export function keyEndpoints({ store }: ServiceContext) {
  const create = (projectId: number, request: CreateKeyRequest) => {
    const { key, namespace = '', description = '', tags = [], codeDescription = '', charactersLimit = -1 } = request
    checkNamespace(namespace)
    const record = { key, namespace, description, tags, codeDescription, charactersLimit }
    if (store.keys.create(projectId, record)) return record
    throw new HttpError(409, 'KEY_EXISTS', `Translation key ${keyText(key, namespace)} exists already.`)
  }
  const remove = (projectId: number, { key, namespace = '' }: KeyReference) => {
    if (!store.keys.remove(projectId, namespace, key)) throw keyNotFound(key, namespace)
    return { key, namespace }
  }

  return [
    endpoint(`POST ${PATH}`, 'Create key', {
      body: createKeyRequestSchema,
      handle: ({ project, body }) => create(project.id, body),
    }),
    endpoint(`DELETE ${PATH}`, 'Delete key', {
      query: deleteKeyQuerySchema,
      handle: ({ project, query }) => remove(project.id, query),
    }),
    endpoint(`DELETE ${PATH}/bulk`, 'Bulk delete keys', {
      body: deleteKeysRequestSchema,
      data: bulkResultSchema,
      handle: ({ project, body }) =>
        store.database.transaction(() => ({
          failures: refusedEntries(body.translationKeys, keyReferenceSchema, (entry) => remove(project.id, entry)),
        })),
    }),
    endpoint(`POST ${PATH}/bulk`, 'Bulk create keys', {
      body: z.looseObject({ translationKeys: z.array(createKeyRequestSchema) }),
      entries: 'translationKeys',
      data: bulkResultSchema,
      feature: 'bulk',
      handle: ({ project, body }) =>
        store.database.transaction(() => ({
          failures: refusedEntries(body.translationKeys, createKeyRequestSchema, (entry) => create(project.id, entry)),
        })),
    }),
  ]
}
