/**
 * The validator of the editor's texts, which `export` and `query` download: the newest texts and their number, of no
 * customer and of each customer, and the project's languages. It needs `sortBy` and `totalElements`, which are beyond
 * the contract: without them, nothing is proven.
 *
 * A text that is set, added or reviewed becomes the newest; a removed text is missing from the total. A change without
 * a new time is seen a day later at the latest.
 */
import type { TranslationPage } from '../api/pages.ts'
import type { ProjectInfo, Translation } from '../api/schemas.ts'
import type { Messages } from '../catalog/model.ts'
import type { SourceContext } from './source.ts'
import { AnswerTime, parseServiceTime, stateHash, type Validator } from './validator.ts'

export interface EditorState {
  /** `undefined`: the service does not have the project's information, which is beyond the contract. */
  readonly project: Promise<ProjectInfo | undefined>
  /** From before the download. `undefined`: the service cannot prove that nothing changes. */
  readonly validator: Validator | undefined
  /**
   * The validator, if the next build can rely on it.
   *
   * @param textCount the number of downloaded texts of no customer: a service that counts fewer stops counting at some
   * limit
   */
  confirm(): Promise<(textCount: number) => Validator | undefined>
}

/** Enough texts to see whether they are sorted. */
const NEWEST = 20
const TIMEOUT_MS = 10_000
const DAY_MS = 24 * 60 * 60 * 1000

export async function askEditorState(context: SourceContext): Promise<EditorState> {
  const { client, config, signal } = context
  const time = new AnswerTime()
  const asked = client.project.info({ signal, onHeaders: time.onHeaders }).then(
    (info) => ({ info }),
    () => undefined,
  )
  const project = asked.then((answer) => answer?.info)
  const unproven: EditorState = { project, validator: undefined, confirm: async () => () => undefined }
  if (!context.revalidate) return unproven

  const page = (sortOrder: 'asc' | 'desc', customerId?: string): Promise<TranslationPage> =>
    client.translations.query(
      { ...(customerId !== undefined && { customerId }), sortBy: 'lastModifiedAt', sortOrder, size: NEWEST },
      { signal, retries: 0, timeoutMs: TIMEOUT_MS, onHeaders: time.onHeaders },
    )
  try {
    const layers = await Promise.all([undefined, ...config.customers].map((customer) => page('desc', customer)))
    const answer = await asked
    const answeredAt = time.earliest
    if (!answer || answeredAt === undefined || !layers.every(isNewestFirst)) return unproven
    const validator: Validator = {
      state: stateHash([layers.map(layerOf), answer.info ? projectOf(answer.info) : null]),
      answeredAt,
      changedAt: Math.max(...layers.flatMap(({ translations }) => timesOf(translations)), Number.NEGATIVE_INFINITY),
      maxAgeMs: DAY_MS,
    }
    const [general] = layers as [TranslationPage]
    return {
      project,
      validator,
      async confirm() {
        const oldest = await page('asc').catch(() => undefined)
        const isSorting = oldest !== undefined && differsInOrder(general, oldest)
        const total = general.pageDetails?.totalElements ?? 0
        return (textCount) => (isSorting && total >= textCount ? validator : undefined)
      },
    }
  } catch {
    // The download meets the same error and reports it.
    return unproven
  }
}

/** The number of texts of no customer, empty ones excluded. */
export function countTexts(
  parts: Iterable<{ readonly customer?: string | undefined; readonly messages: Messages }>,
): number {
  let count = 0
  for (const { customer, messages } of parts) {
    if (customer === undefined) for (const text of messages.values()) if (text !== '') count++
  }
  return count
}

/** Whether the page is as long as the total says, and every text has a time. */
function isNewestFirst(page: TranslationPage): boolean {
  const total = page.pageDetails?.totalElements
  const times = timesOf(page.translations)
  return total !== undefined && times.length === Math.min(total, NEWEST) && isFalling(times)
}

/** A service that ignores `sortBy` gives both orders alike. */
function differsInOrder(newest: TranslationPage, oldest: TranslationPage): boolean {
  const [falling, rising] = [timesOf(newest.translations), timesOf(oldest.translations)]
  const [first, last] = [falling[0], rising[0]]
  return first !== undefined && last !== undefined && first > last && isFalling(rising.reverse())
}

export function isFalling(times: readonly number[]): boolean {
  return times.every((time, i) => !Number.isNaN(time) && (i === 0 || time <= (times[i - 1] as number)))
}

export function timesOf(translations: readonly Translation[]): number[] {
  return translations.map(({ lastModifiedAt }) => parseServiceTime(lastModifiedAt))
}

function layerOf({ translations, pageDetails }: TranslationPage): readonly unknown[] {
  return [pageDetails?.totalElements, translations.map(rowOf)]
}

function projectOf({ languages = [], namespaces = [] }: ProjectInfo): readonly unknown[] {
  return [languages.map(({ key, name, isDefault }) => [key, name, isDefault]), namespaces]
}

/** Only the contract's fields: another field, such as a count of readers, may change on every request. */
export function rowOf(row: Translation): readonly unknown[] {
  const { key, namespace, language, text, reviewStatus, lastModifiedAt, customerId } = row
  return [key, namespace, language, text, reviewStatus, lastModifiedAt, customerId ?? null]
}
