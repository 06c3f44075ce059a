/** Checks texts against the project, then writes them. */
import type { SetTranslationRequest } from '../api/schemas.ts'
import { textDigest } from '../shared/text-digest.ts'
import { badRequest, customerNotFound, isRefusal, keyNotFound, languageNotFound } from './http-error.ts'
import { checkNamespace } from './import-file.ts'
import { LIMITS, withinLimit } from './limits.ts'
import type { KeyHandle } from './store/keys.ts'
import type { Store } from './store/store.ts'
import { type NewText, overLimit, type TextTarget, type TextWrite } from './store/translations.ts'

/** The texts that a write would replace. */
interface PresentTexts {
  readonly digest: string
  /** True if there is no text, or only empty ones. */
  readonly isEmpty: boolean
}

/** Throws the 412 when the condition does not hold. Call it in the transaction of the write. */
export type WriteCondition = (present: PresentTexts) => void

export interface SetTextOptions {
  /** Creates a missing key. Default: `KEY_NOT_FOUND`. */
  readonly createsKey?: boolean
  readonly condition?: WriteCondition | undefined
}

/** Call it in a transaction. */
export async function setText(
  store: Store,
  projectId: number,
  request: SetTranslationRequest,
  { createsKey = false, condition }: SetTextOptions = {},
) {
  const entry = entryOf(request)
  await store.projects.lock(projectId)
  const [target] = (await store.translations.targets(projectId, [entry])) as [TextTarget]
  checkPlace(entry, target, createsKey)
  const handle = target.key ?? (await createKey(store, projectId, entry.key, entry.namespace))
  checkText(entry, target, handle, condition)
  return store.translations.set(projectId, handle.id, entry, target.text)
}

/** One of the texts that share a transaction. */
export interface WantedText {
  readonly entry: NewText
  readonly condition: WriteCondition | undefined
}

/**
 * Sets different texts, except refused ones. Returns the refusals in order, and the modification time of the others. As
 * the last step of a transaction.
 */
export async function setTexts(store: Store, projectId: number, wanted: readonly WantedText[]) {
  const entries = wanted.map(({ entry }) => entry)
  // Sent together, and run in this order.
  const [, targets] = await Promise.all([
    store.projects.lock(projectId),
    store.translations.targets(projectId, entries),
  ])
  const writes: TextWrite[] = []
  const refusals = wanted.map(({ entry, condition }, n) => {
    try {
      const target = targets[n] as TextTarget
      const handle = checkPlace(entry, target)
      checkText(entry, target, handle, condition)
      writes.push({ keyId: handle.id, entry, before: target.text })
      return undefined
    } catch (error) {
      if (!isRefusal(error)) throw error
      return error
    }
  })
  return { refusals, modifiedAt: store.translations.setAll(projectId, writes) }
}

export function entryOf(request: SetTranslationRequest): NewText {
  const { key, namespace = '', language, text, customerId: customer = '', reviewStatus = 'NOT_REVIEWED' } = request
  return { namespace, key, language, customer, text, reviewStatus }
}

function checkPlace(entry: NewText, target: TextTarget): KeyHandle
function checkPlace(entry: NewText, target: TextTarget, createsKey: boolean): void
function checkPlace(
  { key, namespace, language, customer }: NewText,
  { key: handle, hasLanguage, hasCustomer }: TextTarget,
  createsKey = false,
): KeyHandle | undefined {
  if (!handle && !createsKey) throw keyNotFound(key, namespace)
  if (!hasLanguage) throw languageNotFound(language)
  if (!hasCustomer) throw customerNotFound(customer)
  return handle
}

function checkText(
  { key, language, text }: NewText,
  { text: present = '' }: TextTarget,
  { charactersLimit }: KeyHandle,
  condition: WriteCondition | undefined,
): void {
  if (!withinLimit(text, charactersLimit)) throw overLimit(key, charactersLimit, language)
  condition?.({ digest: textDigest(present), isEmpty: present === '' })
}

async function createKey(store: Store, projectId: number, key: string, namespace: string) {
  if (key.length > LIMITS.keyLength) throw badRequest(`A key has at most ${LIMITS.keyLength} characters.`)
  checkNamespace(namespace)
  const created = await store.keys.create(projectId, { key, namespace })
  if (!created) throw keyNotFound(key, namespace)
  return created
}
