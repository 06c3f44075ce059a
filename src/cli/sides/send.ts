/** Texts to the service: a v2 PATCH each where they are few, an import for each part where they are many. */

import type { Client } from '../../api/client.ts'
import { isApiError } from '../../api/errors.ts'
import { serviceLanguage, serviceNamespace } from '../../catalog/names.ts'
import { type PartRef, partId, type TextRef, textOrGap } from '../../catalog/text-id.ts'
import { LocalizationError, messageOf } from '../../errors.ts'
import { count } from '../../shared/figures.ts'
import type { CommandContext } from '../command.ts'
import { duration } from '../text.ts'
import type { Sides, TextSides } from './load.ts'

export type Via = 'patch' | 'import'

export interface SendPlan {
  readonly via: Via
  readonly requests: number
}

export interface SendOutcome {
  readonly sent: readonly TextSides[]
  readonly refused: readonly { readonly text: TextSides; readonly reason: string }[]
  /** Somebody changed them on the service since they were compared. */
  readonly overtaken: readonly TextSides[]
  /** Not tried, because the command was stopped or the service failed. */
  readonly left: number
  readonly failure: unknown
}

/** Texts in one import. Few enough that a stop or a failure costs little. */
const IMPORT_TEXTS = 2000
/** So few are sent one by one, whatever it costs: a text that is refused does not take others with it. */
const FEW = 50
/** A comparison older than this is looked at again before it is acted on. */
const FRESH_MS = 30_000
const PATCHES_AT_ONCE = 8

/** Which way takes fewer requests. */
export function planSending(texts: readonly TextSides[], given: Via | 'auto', newKeys: number): SendPlan {
  const imports = chunks(texts).length
  const patches = texts.length + newKeys
  const via = given === 'auto' ? (texts.length <= FEW || patches <= imports ? 'patch' : 'import') : given
  return { via, requests: via === 'patch' ? patches : imports }
}

/** Keys that the service does not have in any language. */
export function countNewKeys(sides: Sides, texts: readonly TextSides[]): number {
  const known = knownKeys(sides)
  return new Set(texts.map(({ ref }) => keyName(ref)).filter((name) => !known.has(name))).size
}

export async function sendTexts(
  context: CommandContext,
  sides: Sides,
  texts: readonly TextSides[],
  { via, requests }: SendPlan,
): Promise<SendOutcome> {
  if (texts.length === 0) return { sent: [], refused: [], overtaken: [], left: 0, failure: undefined }
  const { out } = context
  const how = via === 'patch' ? 'by v2 PATCH' : `in ${count(requests, 'import')}`
  out.say(`sending ${count(texts.length, 'text')} ${how}`)
  const limitedMs = timeUnderLimit(sides, requests)
  const startedAt = performance.now()
  if (limitedMs > 0)
    out.say(`at ${sides.config.service.requestsPerMinute} requests a minute this takes about ${duration(limitedMs)}`)
  const bar = out.bar({
    label: 'push',
    total: texts.length,
    unit: 'texts',
    // A limit of our own is known beforehand; what the service imposes shows in the speed so far.
    leftMs: () => (limitedMs > 0 ? Math.max(0, limitedMs - (performance.now() - startedAt)) : undefined),
  })
  try {
    return via === 'patch'
      ? await sendEach(context, sides, texts, (done) => bar.update(done))
      : await sendImports(context, sides, texts, (done) => bar.update(done))
  } finally {
    bar.end()
    await sides.save()
  }
}

/** How long so many requests take under `service.requestsPerMinute`, those for reading counted; 0: it does not matter. */
function timeUnderLimit({ config, requestCount }: Sides, requests: number): number {
  const perMinute = config.service.requestsPerMinute
  return perMinute === undefined ? 0 : Math.floor((requestCount + requests - 1) / perMinute) * 60_000
}

async function sendEach(
  { signal }: CommandContext,
  sides: Sides,
  texts: readonly TextSides[],
  onDone: (done: number) => void,
): Promise<SendOutcome> {
  const known = knownKeys(sides)
  const sent: TextSides[] = []
  const refused: { text: TextSides; reason: string }[] = []
  const overtaken: TextSides[] = []
  let failure: unknown
  let done = 0
  // Texts of one new key go one after the other: the first makes the key.
  const byKey = new Map<string, TextSides[]>()
  for (const text of texts) byKey.set(keyName(text.ref), [...(byKey.get(keyName(text.ref)) ?? []), text])
  const queue = byKey.values()
  const work = async () => {
    for (const group of queue) {
      for (const text of group) {
        if (failure !== undefined || signal.aborted) return
        const { ref, ours = '' } = text
        try {
          if (performance.now() - sides.readAt > FRESH_MS && !(await isFresh(sides, [text], signal)).has(text.id)) {
            overtaken.push(text)
          } else {
            await sides.remote.send(
              { ref, text: ours, reviewStatus: undefined, keyExists: known.has(keyName(ref)) },
              signal,
            )
            known.add(keyName(ref))
            sides.agree(text.id, ours)
            sent.push(text)
          }
        } catch (error) {
          if (!isRefusal(error)) {
            failure ??= error
            return
          }
          refused.push({ text, reason: messageOf(error) })
        }
        onDone(++done)
      }
    }
  }
  await Promise.all(Array.from({ length: PATCHES_AT_ONCE }, work))
  return { sent, refused, overtaken, left: texts.length - done, failure }
}

async function sendImports(
  context: CommandContext,
  sides: Sides,
  texts: readonly TextSides[],
  onDone: (done: number) => void,
): Promise<SendOutcome> {
  const client = await context.client()
  const { signal } = context
  const sent: TextSides[] = []
  const refused: { text: TextSides; reason: string }[] = []
  const overtaken: TextSides[] = []
  const verified = new Set<string>()
  let failure: unknown
  let done = 0
  for (const { part, texts: group } of chunks(texts)) {
    if (signal.aborted) break
    try {
      const fresh = performance.now() - sides.readAt > FRESH_MS ? await isFresh(sides, group, signal) : undefined
      const current = fresh ? group.filter(({ id }) => fresh.has(id)) : group
      overtaken.push(...group.filter((text) => !current.includes(text)))
      if (current.length > 0) {
        await importPart(client, sides, part, current)
        if (part.namespace !== sides.config.defaultNamespace && !verified.has(part.namespace)) {
          await verifyNamespace(sides, part, current, signal)
          verified.add(part.namespace)
        }
        for (const { id, ours } of current) sides.agree(id, ours)
        sent.push(...current)
        await sides.save()
      }
    } catch (error) {
      if (!isRefusal(error)) {
        failure = error
        break
      }
      refused.push(...group.map((text) => ({ text, reason: messageOf(error) })))
    }
    done += group.length
    onDone(done)
  }
  return { sent, refused, overtaken, left: texts.length - done, failure }
}

async function importPart(
  client: Client,
  { config }: Sides,
  part: PartRef,
  texts: readonly TextSides[],
): Promise<void> {
  const members = texts.map(({ ref, ours = '' }) => `${JSON.stringify(ref.key)}:${JSON.stringify(ours)}`)
  await client.imports.upload({
    file: `{${members.join(',')}}`,
    fileName: 'texts.json',
    uploadFormat: 'single-language-json',
    languageKey: serviceLanguage(part.language, config),
    namespace: serviceNamespace(part.namespace, config),
    ...(part.customer !== undefined && { customerId: part.customer }),
    importOptions: ['REPLACE_TRANSLATION_IF_FOUND'],
  })
}

/** The import's namespace is beyond the contract: a service that does not know it would put the texts elsewhere. */
async function verifyNamespace(
  sides: Sides,
  part: PartRef,
  texts: readonly TextSides[],
  signal: AbortSignal,
): Promise<void> {
  const [first] = texts
  if (!first) return
  const found = await sides.remote.lookUp(
    { namespace: part.namespace, customer: part.customer, refs: [first.ref], sizeOf: () => Number.POSITIVE_INFINITY },
    signal,
  )
  if (found.get(first.id)?.text === first.ours) return
  throw new LocalizationError(
    `the texts of ${part.namespace} did not arrive there: this service does not take namespaces on import`,
    { code: 'API_UNEXPECTED_ANSWER', hint: 'Use push --via patch.' },
  )
}

/** Which of these texts are on the service as they were when they were compared. */
async function isFresh(sides: Sides, texts: readonly TextSides[], signal: AbortSignal): Promise<ReadonlySet<string>> {
  const [first] = texts
  if (!first) return new Set()
  const { namespace, customer } = first.ref
  const sizes = new Map<string, number>()
  for (const { ref } of sides.serviceTexts.values()) sizes.set(partId(ref), (sizes.get(partId(ref)) ?? 0) + 1)
  const found = await sides.remote.lookUp(
    { namespace, customer, refs: texts.map(({ ref }) => ref), sizeOf: (part) => sizes.get(partId(part)) ?? 0 },
    signal,
  )
  return new Set(
    texts
      .filter(({ id, ours, theirs }) => {
        const now = textOrGap(found.get(id)?.text)
        return now === theirs || now === ours
      })
      .map(({ id }) => id),
  )
}

/** Imports of one part each, in the texts' order. */
function chunks(texts: readonly TextSides[]): { part: PartRef; texts: TextSides[] }[] {
  const open = new Map<string, { part: PartRef; texts: TextSides[] }>()
  const all: { part: PartRef; texts: TextSides[] }[] = []
  for (const text of texts) {
    const { key: _key, ...part } = text.ref
    let chunk = open.get(partId(part))
    if (!chunk || chunk.texts.length >= IMPORT_TEXTS) {
      chunk = { part, texts: [] }
      open.set(partId(part), chunk)
      all.push(chunk)
    }
    chunk.texts.push(text)
  }
  return all
}

function knownKeys({ serviceTexts }: Sides): Set<string> {
  return new Set([...serviceTexts.values()].map(({ ref }) => keyName(ref)))
}

function keyName({ namespace, key }: TextRef): string {
  return JSON.stringify([namespace, key])
}

/** The service said no to this text; the next one may be taken. */
function isRefusal(error: unknown): boolean {
  return isApiError(error, 'API_VALIDATION', 'API_NOT_FOUND', 'API_CONFLICT', 'API_TOO_LARGE')
}
