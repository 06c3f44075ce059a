/** The older update (v1 PATCH): item by item, problems counted instead of refused. Contract: Update translations (older version). */
import { HttpError } from './http-error.ts'
import { checkNamespace } from './import-file.ts'
import { LIMITS, withinLimit } from './limits.ts'
import type { Store } from './store/store.ts'

export interface UpdateItem {
  readonly key?: string | null | undefined
  readonly language?: string | null | undefined
  readonly text: string
  readonly namespace?: string | null | undefined
  readonly customerId?: string | null | undefined
}

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
  items: readonly UpdateItem[],
  create: boolean,
): UpdateResult {
  const updateOne = (item: UpdateItem): 'update' | 'insert' | { failure: string } => {
    const { text } = item
    const [key, language, namespace, customer] = [item.key, item.language, item.namespace, item.customerId].map(
      (value) => value ?? '',
    ) as [string, string, string, string]
    if (key === '') return { failure: 'Translation key is empty.' }
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
