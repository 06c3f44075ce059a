/** Contract: Translation keys. */
import * as z from 'zod'
import { createKeyRequestSchema, deleteKeysRequestSchema } from '../../api/schemas.ts'
import { requireApiKey } from '../auth.ts'
import { envelope, type ServiceApp, type ServiceContext } from '../context.ts'
import { badRequest, HttpError } from '../http-error.ts'
import { checkNamespace } from '../import-file.ts'
import { LIMITS } from '../limits.ts'
import { Query, readJson } from '../request.ts'
import type { KeyRecord } from '../store/keys.ts'

export function addKeyRoutes(app: ServiceApp, context: ServiceContext): void {
  const { store, features, maxBodyBytes } = context
  const apiKey = requireApiKey(context)

  app.post('/api/v1/translation-keys', apiKey, async (c) => {
    const record = toRecord(await readJson(c.env.incoming, createKeyRequestSchema, maxBodyBytes))
    if (!store.keys.create(c.get('project').id, record)) throw keyExists(record)
    return c.json(envelope(record))
  })

  app.delete('/api/v1/translation-keys', apiKey, (c) => {
    const query = new Query(new URL(c.req.url).searchParams)
    const reference = { key: query.required('key'), namespace: query.text('namespace') ?? '' }
    if (!store.keys.remove(c.get('project').id, reference.namespace, reference.key)) throw keyNotFound(reference)
    return c.json(envelope(reference))
  })

  app.delete('/api/v1/translation-keys/bulk', apiKey, async (c) => {
    const { translationKeys } = await readJson(c.env.incoming, deleteKeysRequestSchema, maxBodyBytes)
    checkBulk(translationKeys, 'translationKeys')
    const failures = store.database.transaction(() =>
      translationKeys.flatMap(({ key, namespace = '' }) =>
        store.keys.remove(c.get('project').id, namespace, key)
          ? []
          : [{ entry: { key, namespace }, message: keyNotFound({ key, namespace }).message }],
      ),
    )
    return c.json(envelope({ failures }))
  })

  if (!features.bulk) return
  // Facts beyond the contract: each entry is checked by itself.
  const bulk = z.looseObject({ translationKeys: z.array(z.unknown()) })
  app.post('/api/v1/translation-keys/bulk', apiKey, async (c) => {
    const { translationKeys } = await readJson(c.env.incoming, bulk, maxBodyBytes)
    checkBulk(translationKeys, 'translationKeys')
    const failures = store.database.transaction(() =>
      translationKeys.flatMap((entry) => {
        const parsed = createKeyRequestSchema.safeParse(entry)
        if (!parsed.success) return [{ entry, message: issueMessage(parsed.error) }]
        try {
          const record = toRecord(parsed.data)
          return store.keys.create(c.get('project').id, record) ? [] : [{ entry, message: keyExists(record).message }]
        } catch (error) {
          if (error instanceof HttpError) return [{ entry, message: error.message }]
          throw error
        }
      }),
    )
    return c.json(envelope({ failures }))
  })
}

function toRecord(request: z.infer<typeof createKeyRequestSchema>): KeyRecord {
  const namespace = request.namespace ?? ''
  checkNamespace(namespace)
  return {
    key: request.key,
    namespace,
    description: request.description ?? '',
    tags: request.tags ?? [],
    codeDescription: request.codeDescription ?? '',
    charactersLimit: request.charactersLimit ?? -1,
  }
}

export function checkBulk(entries: readonly unknown[], name: string): void {
  if (entries.length > LIMITS.bulkItems) throw badRequest(`${name} holds at most ${LIMITS.bulkItems} entries.`)
}

export function issueMessage(error: z.ZodError): string {
  const [issue] = error.issues
  return issue ? `${issue.path.join('.') || 'entry'}: ${issue.message}` : 'The entry is not valid.'
}

interface Reference {
  readonly key: string
  readonly namespace: string
}

export function keyNotFound(reference: Reference): HttpError {
  return new HttpError(404, 'KEY_NOT_FOUND', `Translation key ${nameOf(reference)} does not exist in the project.`)
}

function keyExists(reference: Reference): HttpError {
  return new HttpError(409, 'KEY_EXISTS', `Translation key ${nameOf(reference)} exists already.`)
}

function nameOf({ key, namespace }: Reference): string {
  return namespace === '' ? JSON.stringify(key) : `${JSON.stringify(key)} in namespace ${JSON.stringify(namespace)}`
}
