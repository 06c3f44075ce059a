/** The older update (v1 PATCH): item by item, problems counted instead of refused. Contract: Update translations (older version). */
import { HttpError } from './http-error.ts'
import { checkNamespace } from './import-file.ts'
import { LIMITS, withinLimit } from './limits.ts'
import { isStorable } from './request.ts'
import type { Store } from './store/store.ts'

export interface UpdateResult {
  numberOfUpdates: number
  numberOfFailures: number
  /** Texts of keys that had none in that language. */
  numberOfInserts: number
  failures: string[]
}

/** All items in one transaction; with `create`, keys that are absent are made. */
export function updateTranslations(
  store: Store,
  projectId: number,
  items: readonly unknown[],
  create: boolean,
): UpdateResult {
  const updateOne = (item: unknown): 'update' | 'insert' | { failure: string } => {
    const read = readItem(item)
    if ('failure' in read) return read
    const { key, language, namespace, customerId: customer, text } = read
    const name = JSON.stringify(key)
    if (language === '') return { failure: `Language is empty for key ${name}.` }
    if (!store.projects.hasLanguage(projectId, language)) {
      return { failure: `Language ${JSON.stringify(language)} does not exist in the project (key ${name}).` }
    }
    if (customer !== '' && !store.projects.hasCustomer(projectId, customer)) {
      return { failure: `Customer ${JSON.stringify(customer)} does not exist in the project (key ${name}).` }
    }
    let found = store.keys.find(projectId, namespace, key)
    if (!found) {
      if (!create) return { failure: `Translation key ${name} does not exist in the project.` }
      if (key.length > LIMITS.keyLength) return { failure: `A key has at most ${LIMITS.keyLength} characters.` }
      try {
        checkNamespace(namespace)
      } catch (error) {
        if (error instanceof HttpError) return { failure: error.message }
        throw error
      }
      store.keys.create(projectId, { key, namespace })
      found = store.keys.find(projectId, namespace, key)
    }
    if (!found) return { failure: `Translation key ${name} does not exist in the project.` }
    if (!withinLimit(text, found.charactersLimit)) {
      return { failure: `The text of key ${name} has more than ${found.charactersLimit} characters.` }
    }
    const { inserted } = store.translations.set(projectId, found.id, {
      language,
      customer,
      text,
      reviewStatus: 'NOT_REVIEWED',
    })
    return inserted ? 'insert' : 'update'
  }

  return store.database.transaction(() => {
    const result: UpdateResult = { numberOfUpdates: 0, numberOfFailures: 0, numberOfInserts: 0, failures: [] }
    for (const item of items) {
      const outcome = updateOne(item)
      if (outcome === 'update') result.numberOfUpdates++
      else if (outcome === 'insert') result.numberOfInserts++
      else {
        result.numberOfFailures++
        result.failures.push(outcome.failure)
      }
    }
    return result
  })
}

interface UpdateItem {
  readonly key: string
  readonly language: string
  readonly namespace: string
  readonly customerId: string
  readonly text: string
}

const FIELDS = ['key', 'language', 'namespace', 'customerId', 'text'] as const

/** One item with its fields in order; a field that is left out is empty, but for the text, which must be there. */
function readItem(value: unknown): UpdateItem | { failure: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { failure: 'An item is not an object.' }
  const given = value as Readonly<Record<string, unknown>>
  const ofKey = typeof given.key === 'string' && given.key !== '' ? ` of key ${JSON.stringify(given.key)}` : ''
  const item: Record<string, string> = {}
  for (const field of FIELDS) {
    const content = given[field] ?? (field === 'text' ? undefined : '')
    if (field === 'key' && content === '') return { failure: 'Translation key is empty.' }
    if (content === undefined) return { failure: `The text${ofKey} is missing.` }
    if (typeof content !== 'string') return { failure: `Field ${field}${ofKey} is not a string.` }
    if (!isStorable(content)) return { failure: `Field ${field}${ofKey} holds NUL or half of a surrogate pair.` }
    item[field] = content
  }
  if ((item.text?.length ?? 0) > LIMITS.textLength) {
    return { failure: `The text${ofKey} has more than ${LIMITS.textLength} characters.` }
  }
  return item as unknown as UpdateItem
}
