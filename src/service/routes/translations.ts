/** Contract: Translations. */
import * as z from 'zod'
import { setTranslationRequestSchema } from '../../api/schemas.ts'
import { textDigest } from '../../shared/text-digest.ts'
import { requireApiKey } from '../auth.ts'
import { readCondition, type WriteCondition } from '../conditions.ts'
import { envelope, type ServiceApp, type ServiceContext } from '../context.ts'
import { HttpError } from '../http-error.ts'
import { LIMITS, withinLimit } from '../limits.ts'
import { Query, readJson } from '../request.ts'
import { overLimit } from '../store/translations.ts'
import { updateTranslations } from '../update-translations.ts'
import { checkBulk, issueMessage, keyNotFound } from './keys.ts'

export function addTranslationRoutes(app: ServiceApp, context: ServiceContext): void {
  const { store, features, maxBodyBytes } = context
  const apiKey = requireApiKey(context)

  const setOne = (
    projectId: number,
    request: z.infer<typeof setTranslationRequestSchema>,
    condition?: WriteCondition,
  ) => {
    const { key, namespace = '', language, text, customerId = '', reviewStatus = 'NOT_REVIEWED' } = request
    const found = store.keys.find(projectId, namespace, key)
    if (!found) throw keyNotFound({ key, namespace })
    if (!store.projects.hasLanguage(projectId, language)) throw languageNotFound(language)
    if (customerId !== '' && !store.projects.hasCustomer(projectId, customerId)) throw customerNotFound(customerId)
    if (!withinLimit(text, found.charactersLimit)) throw overLimit(key, found.charactersLimit, language)
    const { modifiedAt } = store.translations.set(
      projectId,
      found.id,
      { language, customer: customerId, text, reviewStatus },
      condition && ((present) => condition({ digest: textDigest(present), isEmpty: present === '' })),
    )
    return {
      key,
      namespace,
      language,
      text,
      reviewStatus,
      lastModifiedAt: modifiedAt,
      ...(customerId !== '' && { customerId }),
    }
  }

  app.patch('/api/v2/translations', apiKey, async (c) => {
    const request = await readJson(c.env.incoming, setTranslationRequestSchema, maxBodyBytes)
    return c.json(envelope(setOne(c.get('project').id, request, readCondition(context, c))))
  })

  app.get('/api/v2/translations', apiKey, (c) => {
    const project = c.get('project')
    const query = new Query(new URL(c.req.url).searchParams)
    const page = query.integer('page', 0, 0, 999_999_999)
    const size = query.integer('size', LIMITS.defaultPageSize, 1, LIMITS.pageSize)
    const customerId = query.filled('customerId')
    const sortOrder = query.oneOf('sortOrder', ['asc', 'desc', 'ASC', 'DESC'])?.toLowerCase()
    const sortBy = query.oneOf('sortBy', ['lastModifiedAt'])
    const { rows, total } = store.query(
      project.id,
      {
        text: query.filled('text'),
        textStatus: query.oneOf('textStatus', ['EMPTY', 'NOT_EMPTY']),
        reviewStatus:
          query.oneOf('reviewsStatus', ['REVIEWED', 'NOT_REVIEWED']) ??
          query.oneOf('reviewStatus', ['REVIEWED', 'NOT_REVIEWED']),
        key: query.filled('key'),
        // The empty string is a namespace: the default one.
        namespace: query.text('namespace'),
        language: query.filled('language'),
        customer: customerId,
        sort: sortBy && (sortOrder === 'desc' ? 'modified-descending' : 'modified-ascending'),
      },
      page,
      size,
    )
    const totalPages = Math.ceil(total / size)
    const pageDetails = {
      totalElements: total,
      totalPages,
      currentPage: page,
      hasNext: page + 1 < totalPages,
      first: page === 0,
      last: page + 1 >= totalPages,
    }
    const data = customerId === undefined ? rows : rows.map((row) => ({ ...row, customerId }))
    return c.json(envelope(data, features.pageDetails ? { pageDetails } : undefined))
  })

  app.patch('/api/v1/translations', apiKey, async (c) => {
    const options = new Query(new URL(c.req.url).searchParams).options('updateOptions', ['CREATE_KEY_IF_NOT_FOUND'])
    const { content } = await readJson(c.env.incoming, updateRequestSchema, maxBodyBytes, { anyText: true })
    const create = options.has('CREATE_KEY_IF_NOT_FOUND')
    return c.json(envelope(updateTranslations(store, c.get('project').id, content, create)))
  })

  if (!features.bulk) return
  // Facts beyond the contract.
  app.patch('/api/v2/translations/bulk', apiKey, async (c) => {
    const { translations } = await readJson(c.env.incoming, bulkSchema, maxBodyBytes)
    checkBulk(translations, 'translations')
    const failures = store.database.transaction(() =>
      translations.flatMap((entry) => {
        const parsed = setTranslationRequestSchema.safeParse(entry)
        if (!parsed.success) return [{ entry, message: issueMessage(parsed.error) }]
        try {
          setOne(c.get('project').id, parsed.data)
          return []
        } catch (error) {
          if (error instanceof HttpError) return [{ entry, message: error.message }]
          throw error
        }
      }),
    )
    return c.json(envelope({ failures }))
  })
}

const bulkSchema = z.looseObject({ translations: z.array(z.unknown()) })

/** Looser than the client's: what is wrong with an item is that item's failure, not the request's. */
const updateRequestSchema = z.looseObject({ content: z.array(z.unknown()) })

export function languageNotFound(language: string): HttpError {
  const name = JSON.stringify(language)
  return new HttpError(404, 'LANGUAGE_NOT_FOUND', `Language ${name} does not exist in the project.`)
}

export function customerNotFound(customer: string): HttpError {
  const name = JSON.stringify(customer)
  return new HttpError(404, 'CUSTOMER_NOT_FOUND', `Customer ${name} does not exist in the project.`)
}
