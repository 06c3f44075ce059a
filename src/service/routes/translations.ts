/** Contract: Translations. */
import * as z from 'zod'
import {
  bulkResultSchema,
  reviewStatusSchema,
  setTranslationRequestSchema,
  translationQuerySchema,
  translationSchema,
  updateTranslationsQuerySchema,
  updateTranslationsRequestSchema,
  updateTranslationsResultSchema,
} from '../../api/schemas.ts'
import { readCondition } from '../conditional-writes.ts'
import type { ServiceContext } from '../context.ts'
import { endpoint, inBulk } from '../endpoint.ts'
import { LIMITS } from '../limits.ts'
import { envelope, sendJson } from '../response.ts'
import { entryOf, setText, updateTranslations } from '../set-text.ts'
import type { ProjectRecord } from '../store/projects.ts'

const PATH = '/api/v2/translations'

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
    endpoint(`PATCH ${PATH}`, 'Add or set translation', {
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
    endpoint(`GET ${PATH}`, 'Query translations', {
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
    endpoint(`PATCH ${PATH}/bulk`, 'Add or set translations in bulk', {
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
