/** Contract: Translations, Translation keys. */
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
  reviewStatusSchema,
  setTranslationRequestSchema,
  translationQuerySchema,
  translationSchema,
  updateTranslationsQuerySchema,
  updateTranslationsRequestSchema,
  updateTranslationsResultSchema,
} from '../../api/schemas.ts'
import type { ServiceContext } from '../context.ts'
import { endpoint, envelope, inBulk, readCondition, sendJson } from '../endpoint.ts'
import { HttpError, keyNotFound, keyText } from '../http-error.ts'
import { checkNamespace } from '../import-file.ts'
import { LIMITS } from '../limits.ts'
import { entryOf, setText, updateTranslations } from '../set-text.ts'
import type { ProjectRecord } from '../store/projects.ts'
import type { Store } from '../store/store.ts'

const TEXTS = '/api/v2/translations'
const KEYS = '/api/v1/translation-keys'

const querySchema = translationQuerySchema.extend({
  reviewStatus: reviewStatusSchema.optional(),
  sortOrder: z.enum(['asc', 'desc', 'ASC', 'DESC']).optional(),
})

export function translationEndpoints(context: ServiceContext) {
  const { store, texts, features } = context

  const queryPage = async (project: ProjectRecord, query: z.output<typeof querySchema>) => {
    const { page = 0, size = LIMITS.defaultPageSize, customerId: customer, sortBy, sortOrder, ...filter } = query
    const direction = sortOrder?.toLowerCase() === 'desc' ? 'modified-descending' : 'modified-ascending'
    const { json, total } = await store.query.page(
      project,
      { ...filter, reviewStatus: query.reviewsStatus ?? query.reviewStatus, customer, sort: sortBy && direction },
      page,
      size,
    )
    const totalPages = Math.ceil(total / size)
    const isLast = page + 1 >= totalPages
    const pageDetails = {
      totalElements: total,
      totalPages,
      currentPage: page,
      hasNext: !isLast,
      first: page === 0,
      last: isLast,
    }
    return { json, pageDetails }
  }

  return [
    endpoint(`PATCH ${TEXTS}`, 'Add or set translation', {
      body: setTranslationRequestSchema,
      conditions: true,
      async handle({ project, body, c }) {
        const condition = readCondition(context, c)
        const modifiedAt = await texts.set(project.id, { entry: entryOf(body), condition })
        const { key, namespace = '', language, text, reviewStatus = 'NOT_REVIEWED', customerId = '' } = body
        const written = { key, namespace, language, text, reviewStatus, lastModifiedAt: modifiedAt }
        return { ...written, ...(customerId !== '' && { customerId }) }
      },
    }),
    endpoint(`GET ${TEXTS}`, 'Query translations', {
      query: querySchema,
      data: z.array(translationSchema),
      async handle({ project, query, c }) {
        const { json, pageDetails } = await queryPage(project, query)
        const [start = '', end = ''] = JSON.stringify(
          envelope([], features.pageDetails ? { pageDetails } : undefined),
        ).split('[]')
        const body = Buffer.concat([Buffer.from(`${start}[`), json, Buffer.from(`]${end}`)])
        return sendJson(c, body)
      },
    }),
    endpoint(`PATCH ${TEXTS}/bulk`, 'Add or set translations in bulk', {
      body: z.looseObject({ translations: z.array(setTranslationRequestSchema) }),
      entries: 'translations',
      data: bulkResultSchema,
      feature: 'bulk',
      handle: ({ project, body }) =>
        inBulk(store, project.id, body.translations, setTranslationRequestSchema, (tx, entry) =>
          setText(tx, project.id, entry),
        ),
    }),
    endpoint('PATCH /api/v1/translations', 'Update translations (older version)', {
      query: updateTranslationsQuerySchema,
      body: updateTranslationsRequestSchema,
      entries: 'content',
      anyText: true,
      data: updateTranslationsResultSchema,
      handle({ project, query, body }) {
        const createsKeys = query.updateOptions?.includes('CREATE_KEY_IF_NOT_FOUND') ?? false
        return updateTranslations(store, project.id, body.content, createsKeys)
      },
    }),
  ]
}

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
    endpoint(`POST ${KEYS}`, 'Create key', {
      body: createKeyRequestSchema,
      handle: ({ project, body }) => store.transaction((tx) => create(tx, project.id, body), { isBeside: true }),
    }),
    endpoint(`GET ${KEYS}`, 'Get key', {
      query: keyQuerySchema,
      data: keyInfoSchema,
      feature: 'keyInfo',
      async handle({ project, query: { key, namespace = '' } }) {
        const record = await store.keys.record(project.id, namespace, key)
        if (!record) throw keyNotFound(key, namespace)
        return record
      },
    }),
    endpoint(`DELETE ${KEYS}`, 'Delete key', {
      query: keyQuerySchema,
      handle: ({ project, query }) => store.transaction((tx) => remove(tx, project.id, query), { isBeside: true }),
    }),
    endpoint(`DELETE ${KEYS}/bulk`, 'Bulk delete keys', {
      body: deleteKeysRequestSchema,
      data: bulkResultSchema,
      handle: ({ project, body }) =>
        inBulk(store, project.id, body.translationKeys, keyReferenceSchema, (tx, entry) =>
          remove(tx, project.id, entry),
        ),
    }),
    endpoint(`POST ${KEYS}/bulk`, 'Bulk create keys', {
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
