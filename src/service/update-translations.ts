/** The v1 PATCH: item by item, with failures counted. Contract: Update translations (older version). */
import type { UpdateTranslationsResult } from '../api/schemas.ts'
import { badRequest, type HttpError, isRefusal } from './http-error.ts'
import { LIMITS } from './limits.ts'
import { isStorable } from './request.ts'
import { setText } from './set-text.ts'
import type { Store } from './store/store.ts'

/** Handles all items in one transaction. With `createsKeys`, missing keys are created. */
export function updateTranslations(
  store: Store,
  projectId: number,
  items: readonly unknown[],
  createsKeys: boolean,
): Promise<UpdateTranslationsResult> {
  return store.transaction(async (tx) => {
    const result = { numberOfUpdates: 0, numberOfFailures: 0, numberOfInserts: 0, failures: [] as string[] }
    for (const item of items) {
      try {
        const { inserted } = await setText(tx, projectId, parseItem(item), { createsKey: createsKeys })
        if (inserted) result.numberOfInserts++
        else result.numberOfUpdates++
      } catch (error) {
        if (!isRefusal(error)) throw error
        result.numberOfFailures++
        result.failures.push(failureText(error, item))
      }
    }
    return result
  })
}

const FIELDS = ['key', 'language', 'namespace', 'customerId', 'text'] as const

/** Missing fields are empty, except the text, which is required. */
function parseItem(value: unknown): Record<(typeof FIELDS)[number], string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest('An item is not an object.')
  const given = value as Readonly<Record<string, unknown>>
  const ofKey = given.key && typeof given.key === 'string' ? ` of key ${JSON.stringify(given.key)}` : ''
  const item = { key: '', language: '', namespace: '', customerId: '', text: '' }
  for (const field of FIELDS) {
    const content = given[field] ?? (field === 'text' ? undefined : '')
    if (field === 'key' && content === '') throw badRequest('Translation key is empty.')
    if (content === undefined) throw badRequest(`The text${ofKey} is missing.`)
    if (typeof content !== 'string') throw badRequest(`Field ${field}${ofKey} is not a string.`)
    if (!isStorable(content)) throw badRequest(`Field ${field}${ofKey} contains NUL or half of a surrogate pair.`)
    item[field] = content
  }
  if (item.language === '') throw badRequest(`Language is empty for key ${JSON.stringify(item.key)}.`)
  if (item.text.length > LIMITS.textLength) {
    throw badRequest(`The text${ofKey} has more than ${LIMITS.textLength} characters.`)
  }
  return item
}

/** The response lists failures without a position, so each one names its key. */
function failureText({ code, message }: HttpError, item: unknown): string {
  if (code !== 'LANGUAGE_NOT_FOUND' && code !== 'CUSTOMER_NOT_FOUND') return message
  return `${message} (key ${JSON.stringify((item as { key: string }).key)})`
}
