/**
 * Whether anything changed in the editor, whose texts `export` and `query` give: the newest texts and how many there are, of everybody and of
 * each customer, and the project's languages. Needs what is beyond the contract (facts: `sortBy`, `totalElements`); a service without
 * it proves nothing.
 *
 * A text that is set, added or reviewed anew is the newest; one that is gone is missing from the total. A renamed key is another key with
 * other texts, by the contract. What a service may change without giving a text a new time is seen a day later at the latest.
 */
import type { TranslationPage } from '../api/pages.ts'
import type { ProjectInfo, Translation } from '../api/schemas.ts'
import type { Messages } from '../catalog/model.ts'
import { createServiceTime, type Evidence, parseServiceTime, stateOf } from './evidence.ts'
import type { SourceContext } from './source.ts'

export interface EditorState {
  /** `undefined` where the service has none, or refuses it: it is beyond the contract, and costs the languages their names only. */
  readonly project: Promise<ProjectInfo | undefined>
  /** As it was before anything else is asked; `undefined`: the service cannot prove that nothing changes. */
  readonly evidence: Evidence | undefined
  /**
   * The evidence, where it can be relied on next time.
   *
   * @param textCount how many texts of no customer were downloaded: a service that counts fewer counts up to some limit
   */
  confirm(): Promise<(textCount: number) => Evidence | undefined>
}

/** Enough to see whether they are in order. */
const NEWEST = 20
const PATIENCE_MS = 10_000
const DAY_MS = 24 * 60 * 60 * 1000

export async function askEditorState(context: SourceContext): Promise<EditorState> {
  const { client, config, signal } = context
  const time = createServiceTime()
  const asked = client.project.info({ signal, onHeaders: time.onHeaders }).then(
    (info) => ({ info }),
    () => undefined,
  )
  const project = asked.then((answer) => answer?.info)
  const unproven: EditorState = { project, evidence: undefined, confirm: async () => () => undefined }
  if (!context.unchanged) return unproven

  const page = (sortOrder: 'asc' | 'desc', customer?: string): Promise<TranslationPage> =>
    client.translations.query(
      { ...(customer !== undefined && { customerId: customer }), sortBy: 'lastModifiedAt', sortOrder, size: NEWEST },
      { signal, retries: 0, timeoutMs: PATIENCE_MS, onHeaders: time.onHeaders },
    )
  try {
    const layers = await Promise.all([undefined, ...config.customers].map((customer) => page('desc', customer)))
    const answer = await asked
    const toldAt = time.toldAt()
    if (!answer || toldAt === undefined || !layers.every(isNewestFirst)) return unproven
    const evidence: Evidence = {
      state: stateOf([layers.map(layerOf), answer.info ? projectOf(answer.info) : null]),
      toldAt,
      changedAt: Math.max(...layers.flatMap(timesOf), Number.NEGATIVE_INFINITY),
      validMs: DAY_MS,
    }
    const [everybody] = layers as [TranslationPage]
    return {
      project,
      evidence,
      async confirm() {
        const oldest = await page('asc').catch(() => undefined)
        const isSorting = oldest !== undefined && differsInOrder(everybody, oldest)
        const total = everybody.pageDetails?.totalElements ?? 0
        return (textCount) => (isSorting && total >= textCount ? evidence : undefined)
      },
    }
  } catch {
    // Whatever it is: the load itself meets it, and says so.
    return unproven
  }
}

/** Of no customer, gaps not counted. */
export function countTexts(
  parts: Iterable<{ readonly customer?: string | undefined; readonly messages: Messages }>,
): number {
  let count = 0
  for (const { customer, messages } of parts) {
    if (customer === undefined) for (const text of messages.values()) if (text !== '') count++
  }
  return count
}

/** The page is as long as the total says, and every text has a time. */
function isNewestFirst(page: TranslationPage): boolean {
  const total = page.pageDetails?.totalElements
  const times = timesOf(page)
  return total !== undefined && times.length === Math.min(total, NEWEST) && isFalling(times)
}

/** A service that takes no notice of `sortBy` answers both orders alike. */
function differsInOrder(newest: TranslationPage, oldest: TranslationPage): boolean {
  const [falling, rising] = [timesOf(newest), timesOf(oldest)]
  const [first, last] = [falling[0], rising[0]]
  return first !== undefined && last !== undefined && first > last && isFalling(rising.reverse())
}

function isFalling(times: readonly number[]): boolean {
  return times.every((time, i) => !Number.isNaN(time) && (i === 0 || time <= (times[i - 1] as number)))
}

function timesOf({ translations }: TranslationPage): number[] {
  return translations.map(({ lastModifiedAt }) => parseServiceTime(lastModifiedAt))
}

function layerOf({ translations, pageDetails }: TranslationPage): readonly unknown[] {
  return [pageDetails?.totalElements, translations.map(rowOf)]
}

function projectOf({ languages = [], namespaces = [] }: ProjectInfo): readonly unknown[] {
  return [languages.map(({ key, name, isDefault }) => [key, name, isDefault]), namespaces]
}

/** The contract's fields, and no others: a service may count its readers. */
function rowOf(row: Translation): readonly unknown[] {
  const { key, namespace, language, text, reviewStatus, lastModifiedAt, customerId } = row
  return [key, namespace, language, text, reviewStatus, lastModifiedAt, customerId ?? null]
}
