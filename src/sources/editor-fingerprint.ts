/**
 * The fingerprint of sources `export` and `query`: the project, and one page of texts, the newest first, for no
 * customer and for each customer.
 *
 * If the page holds all texts, the texts are hashed. If there are more, the hash is of the newest texts with their
 * times, and of the number of all texts: a changed text becomes the newest one, and a deleted one changes the number.
 * This needs `sortBy` and `totalElements`, which are beyond the contract.
 */
import type { TranslationPage } from '../api/pages.ts'
import { LIMITS, type Translation } from '../api/schemas.ts'
import { LocalizationError } from '../errors.ts'
import { isFalling, rowOf, timesOf } from './editor-validator.ts'
import type { FingerprintContext, ServiceFingerprint } from './service-fingerprint.ts'
import { AnswerTime, SETTLED_MS, stateHash } from './validator.ts'

const SIZE = LIMITS.pageSize

export async function fingerprintEditor(context: FingerprintContext): Promise<ServiceFingerprint> {
  const { client, config, signal } = context
  const isReviewed = config.source === 'query' && config.reviewed
  const time = new AnswerTime()
  const page = (customerId: string | undefined): Promise<TranslationPage> =>
    client.translations.query(
      {
        ...(customerId !== undefined && { customerId }),
        ...(isReviewed && { reviewsStatus: 'REVIEWED' }),
        sortBy: 'lastModifiedAt',
        sortOrder: 'desc',
        size: SIZE,
      },
      { signal, onHeaders: time.onHeaders },
    )
  const [info, ...pages] = await Promise.all([
    client.project.info({ signal }),
    ...[undefined, ...config.customers].map(page),
  ])
  const languages = (info?.languages ?? []).map(({ key, name, isDefault }) => [key, name, isDefault])
  const layers = pages.map((layer) => {
    if (isWhole(layer)) return layer.translations.map(textOf).sort()
    // A review may keep a text's time, and the number of reviewed texts.
    if (isReviewed) throw unknown('two requests cannot show which texts are reviewed', 'Leave out reviewed: true.')
    return newestOf(layer, time)
  })
  return { languages: stateHash(languages), texts: stateHash(layers) }
}

function isWhole({ translations, pageDetails }: TranslationPage): boolean {
  const total = pageDetails?.totalElements
  if (total !== undefined) return translations.length === total
  return translations.length < SIZE && pageDetails?.hasNext !== true
}

function textOf({ namespace, key, language, customerId, text }: Translation): string {
  return JSON.stringify([namespace, key, language, customerId ?? null, text])
}

/** Throws if a change could go unnoticed. */
function newestOf({ translations, pageDetails }: TranslationPage, { earliest }: AnswerTime): readonly unknown[] {
  const total = pageDetails?.totalElements
  if (total === undefined) throw unknown('the service does not say how many texts it has')
  const times = timesOf(translations)
  const [newest = Number.NaN, oldest = Number.NaN] = [times[0], times.at(-1)]
  // A service that ignores `sortBy` may answer texts of one time.
  if (!isFalling(times) || !(newest > oldest)) {
    throw unknown(`the service does not sort its texts by time, or the newest ${translations.length} have one time`)
  }
  if (earliest === undefined) throw unknown("the service's answers have no Date")
  // Such a page does not have all texts of that time, and one of the others may still change in the same tick.
  if (earliest - oldest < SETTLED_MS) {
    throw unknown(
      `more than ${translations.length} texts changed within ten seconds`,
      `Run again in ${SETTLED_MS / 1000} seconds.`,
    )
  }
  return [total, translations.map(rowOf)]
}

const HOSTING_HINT = "Publish, and use source: 'hosting'."

function unknown(message: string, hint = HOSTING_HINT): LocalizationError {
  return new LocalizationError(message, { code: 'FINGERPRINT_UNKNOWN', hint })
}
