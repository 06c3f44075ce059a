/** One text of a key: checked against the project, then written. */
import type { SetTranslationRequest } from '../api/schemas.ts'
import { textDigest } from '../shared/text-digest.ts'
import type { WriteCondition } from './conditions.ts'
import { badRequest, customerNotFound, keyNotFound, languageNotFound } from './http-error.ts'
import { checkNamespace } from './import-file.ts'
import { LIMITS, withinLimit } from './limits.ts'
import type { Store } from './store/store.ts'
import { overLimit } from './store/translations.ts'

export interface SetTextOptions {
  /** Creates the key where it is absent. Default: `KEY_NOT_FOUND`. */
  readonly createsKey?: boolean
  readonly condition?: WriteCondition | undefined
}

/** In a transaction. */
export async function setText(
  store: Store,
  projectId: number,
  request: SetTranslationRequest,
  { createsKey = false, condition }: SetTextOptions = {},
) {
  const { key, namespace = '', language, text, customerId: customer = '', reviewStatus = 'NOT_REVIEWED' } = request
  await store.projects.lock(projectId)
  const target = await store.translations.target(projectId, { namespace, key, language, customer })
  if (!target.key && !createsKey) throw keyNotFound(key, namespace)
  if (!target.hasLanguage) throw languageNotFound(language)
  if (!target.hasCustomer) throw customerNotFound(customer)
  const handle = target.key ?? (await createKey(store, projectId, key, namespace))
  if (!withinLimit(text, handle.charactersLimit)) throw overLimit(key, handle.charactersLimit, language)
  const present = target.text ?? ''
  condition?.({ digest: textDigest(present), isEmpty: present === '' })
  const entry = { namespace, key, language, customer, text, reviewStatus }
  return store.translations.set(projectId, handle.id, entry, target.text)
}

async function createKey(store: Store, projectId: number, key: string, namespace: string) {
  if (key.length > LIMITS.keyLength) throw badRequest(`A key has at most ${LIMITS.keyLength} characters.`)
  checkNamespace(namespace)
  const created = await store.keys.create(projectId, { key, namespace })
  if (!created) throw keyNotFound(key, namespace)
  return created
}
