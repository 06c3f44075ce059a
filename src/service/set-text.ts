/** Checks and writes texts: a single text, a group from concurrent requests, or the items of a v1 PATCH. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SetTranslationRequest, UpdateTranslationsResult } from '../api/schemas.ts'
import { textDigest } from '../shared/hash.ts'
import { badRequest, customerNotFound, type HttpError, isRefusal, keyNotFound, languageNotFound } from './http-error.ts'
import { checkNamespace } from './import-file.ts'
import { LIMITS, withinLimit } from './limits.ts'
import { isStorable, namespacesOf } from './request.ts'
import type { KeyHandle } from './store/keys.ts'
import type { ServiceStore, Store } from './store/store.ts'
import { type NewText, overLimit, type TextTarget, type TextWrite } from './store/translations.ts'

/**
 * Throws a 412 if the texts that a write would replace do not meet the condition. `isEmpty` is true if there are no
 * texts, or only empty ones. Must be called in the transaction of the write.
 */
export type WriteCondition = (present: { readonly digest: string; readonly isEmpty: boolean }) => void

/**
 * Sets a text. If the key is missing, creates it if `createsKey` is set, and throws `KEY_NOT_FOUND` otherwise. Must be
 * called in a transaction.
 */
export async function setText(store: Store, projectId: number, request: SetTranslationRequest, createsKey = false) {
  const entry = entryOf(request)
  await store.projects.lock(projectId, [entry.namespace])
  const [target] = (await store.translations.targets(projectId, [entry])) as [TextTarget]
  if (!target.key && !createsKey) throw keyNotFound(entry.key, entry.namespace)
  checkPlace(entry, target)
  const handle = target.key ?? (await createKey(store, projectId, entry.key, entry.namespace))
  checkText(entry, target, handle)
  return store.translations.set(projectId, handle.id, entry, target.text)
}

/** One text in a group that is written in a single transaction. */
export interface WantedText {
  readonly entry: NewText
  readonly condition: WriteCondition | undefined
}

/**
 * Writes texts for different keys, languages or customers. A refused text does not prevent the others from being
 * written. Returns each text's refusal or `undefined`, in the order of the texts, and the modification time of the
 * written texts. Must be the last step of a transaction.
 */
async function setTexts(store: Store, projectId: number, wanted: readonly WantedText[]) {
  const entries = wanted.map(({ entry }) => entry)
  // Sends both statements together. They run in this order.
  const [, targets] = await Promise.all([
    store.projects.lock(
      projectId,
      entries.map(({ namespace }) => namespace),
    ),
    store.translations.targets(projectId, entries),
  ])
  const writes: TextWrite[] = []
  const refusals = wanted.map(({ entry, condition }, n) => {
    try {
      const target = targets[n] as TextTarget
      if (!target.key) throw keyNotFound(entry.key, entry.namespace)
      checkPlace(entry, target)
      checkText(entry, target, target.key, condition)
      writes.push({ keyId: target.key.id, entry, before: target.text })
      return undefined
    } catch (error) {
      if (!isRefusal(error)) throw error
      return error
    }
  })
  return { refusals, modifiedAt: await store.translations.setAll(projectId, writes) }
}

export function entryOf(request: SetTranslationRequest): NewText {
  const { key, namespace = '', language, text, customerId: customer = '', reviewStatus = 'NOT_REVIEWED' } = request
  return { namespace, key, language, customer, text, reviewStatus }
}

function checkPlace({ language, customer }: NewText, { hasLanguage, hasCustomer }: TextTarget): void {
  if (!hasLanguage) throw languageNotFound(language)
  if (!hasCustomer) throw customerNotFound(customer)
}

function checkText(
  { key, language, text }: NewText,
  { text: present = '' }: TextTarget,
  { charactersLimit }: KeyHandle,
  condition?: WriteCondition,
): void {
  if (!withinLimit(text, charactersLimit)) throw overLimit(key, charactersLimit, language)
  condition?.({ digest: textDigest(present), isEmpty: present === '' })
}

async function createKey(store: Store, projectId: number, key: string, namespace: string) {
  if (key.length > LIMITS.keyLength) throw badRequest(`A key can have at most ${LIMITS.keyLength} characters.`)
  checkNamespace(namespace)
  const created = await store.keys.create(projectId, { key, namespace })
  if (!created) throw keyNotFound(key, namespace)
  return created
}

/** The v1 PATCH: handles all items in one transaction. If `createsKeys` is set, missing keys are created. */
export function updateTranslations(
  store: ServiceStore,
  projectId: number,
  items: readonly unknown[],
  createsKeys: boolean,
): Promise<UpdateTranslationsResult> {
  const work = async (tx: Store) => {
    await tx.projects.lock(projectId, namespacesOf(items))
    const result = { numberOfUpdates: 0, numberOfFailures: 0, numberOfInserts: 0, failures: [] as string[] }
    for (const item of items) {
      try {
        const { inserted } = await setText(tx, projectId, parseItem(item), createsKeys)
        if (inserted) result.numberOfInserts++
        else result.numberOfUpdates++
      } catch (error) {
        if (!isRefusal(error)) throw error
        result.numberOfFailures++
        result.failures.push(failureText(error, item))
      }
    }
    return result
  }
  return store.transaction(work, { isBeside: true })
}

const FIELDS = ['key', 'language', 'namespace', 'customerId', 'text'] as const

/** The text is required. Other missing fields are empty. */
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
    if (!isStorable(content)) throw badRequest(`Field ${field}${ofKey} contains NUL or an unpaired surrogate.`)
    item[field] = content
  }
  if (item.language === '') throw badRequest(`Language is empty for key ${JSON.stringify(item.key)}.`)
  if (item.text.length > LIMITS.textLength) {
    throw badRequest(`The text${ofKey} has more than ${LIMITS.textLength} characters.`)
  }
  return item
}

/** The message for a failed item. The response has no positions, so the message must contain the item's key. */
function failureText({ code, message }: HttpError, item: unknown): string {
  if (code !== 'LANGUAGE_NOT_FOUND' && code !== 'CUSTOMER_NOT_FOUND') return message
  return `${message} (key ${JSON.stringify((item as { key: string }).key)})`
}

interface Member extends WantedText {
  readonly finish: (refusal: HttpError | undefined, modifiedAt: string) => void
  readonly fail: (error: unknown) => void
}

/** The maximum number of texts per transaction. */
const MAX_GROUP = 64

/**
 * Groups texts from requests that each set one text. A write locks its project until it is on disk, so concurrent texts
 * for the same project share a transaction.
 */
export class TextGroups {
  /** Texts waiting to be written, by project. A project has an entry while one of its groups is being written. */
  private readonly waiting = new Map<number, Member[]>()

  constructor(private readonly store: ServiceStore) {}

  /** Resolves to the modification time when the text is on disk. */
  set(projectId: number, wanted: WantedText): Promise<string> {
    return new Promise((resolve, reject) => {
      const finish: Member['finish'] = (refusal, modifiedAt) => (refusal ? reject(refusal) : resolve(modifiedAt))
      const member = { ...wanted, finish, fail: reject }
      const waiting = this.waiting.get(projectId)
      if (waiting) waiting.push(member)
      else void this.write(projectId, [member])
    })
  }

  private async write(projectId: number, waiting: Member[]): Promise<void> {
    this.waiting.set(projectId, waiting)
    while (waiting.length > 0) {
      // Lets requests that arrived in the meantime join the group.
      await nextTurn()
      await this.writeGroup(projectId, takeGroup(waiting))
    }
    this.waiting.delete(projectId)
  }

  private async writeGroup(projectId: number, group: readonly Member[]): Promise<void> {
    const write = (tx: Store) => setTexts(tx, projectId, group)
    try {
      const { refusals, modifiedAt } = await this.store.transaction(write, { isBeside: true })
      for (const [n, { finish }] of group.entries()) finish(refusals[n], modifiedAt)
    } catch (error) {
      for (const { fail } of group) fail(error)
    }
  }
}

/** Takes the first texts, but no text twice, because the next group must see the result of this one. */
function takeGroup(waiting: Member[]): Member[] {
  const names = new Set<string>()
  const group: Member[] = []
  const rest: Member[] = []
  for (const member of waiting.splice(0)) {
    const { namespace, key, language, customer } = member.entry
    const name = JSON.stringify([namespace, key, language, customer])
    const isNext = group.length < MAX_GROUP && !names.has(name)
    names.add(name)
    if (isNext) group.push(member)
    else rest.push(member)
  }
  waiting.push(...rest)
  return group
}
