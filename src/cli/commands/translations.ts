/** `localization translations list` lists the service's texts, with every filter that the service offers. */
import * as z from 'zod'
import type { Client } from '../../api/client.ts'
import type { Translation, TranslationQuery } from '../../api/schemas.ts'
import { appLanguage, appNamespace, serviceLanguage, serviceNamespace } from '../../catalog/names.ts'
import { count } from '../../shared/figures.ts'
import { choice, defineCommand, defineGroup, flag, UsageError, value, wholeNumber } from '../command.ts'
import { quoted, table } from '../text.ts'

export const translationsListResult = z.object({
  translations: z.array(
    z.object({
      language: z.string(),
      namespace: z.string(),
      key: z.string(),
      text: z.string(),
      customer: z.string().nullable(),
      reviewStatus: z.string().nullable(),
      lastModifiedAt: z.string().nullable(),
    }),
  ),
  /** The page that is shown; `null` with `--all`. */
  page: z.number().int().nullable(),
  /** The number of texts that match the filters; `null` if the service does not send it. */
  total: z.number().int().nullable(),
  more: z.boolean(),
})

const list = defineCommand({
  description: "List the service's texts, by default one page of 100.",
  examples: ['translations list --language pl --text-status empty', 'translations list --text "sign in" --all --json'],
  options: {
    language: value('<name>', 'only this language'),
    namespace: value('<name>', 'only this namespace'),
    key: value('<key>', 'only this key'),
    text: value('<part>', 'only texts that contain this, ignoring case; at least three characters'),
    textStatus: choice('<status>', 'only empty or only non-empty texts', ['empty', 'not-empty']),
    reviewStatus: choice('<status>', 'only reviewed or only unreviewed texts', ['reviewed', 'not-reviewed']),
    customer: value('<key>', 'only texts of this customer'),
    page: value('<number>', 'page number, from 0', wholeNumber, 0),
    size: value('<number>', 'texts per page, 500 at most', wholeNumber, 100),
    all: flag('list all pages'),
  },
  result: translationsListResult,
  async work(context, { size, all, ...options }) {
    if (size < 1 || size > 500) throw new UsageError('--size must be a number from 1 to 500')
    if (options.text !== undefined && [...options.text].length < 3)
      throw new UsageError('--text needs at least three characters')
    const [config, client] = await Promise.all([context.config(), context.client()])
    const { key, text, textStatus, reviewStatus, customer: customerId } = options
    const page = all ? null : options.page
    const { translations, total, more } = await query(client, page, size, {
      language: options.language && serviceLanguage(options.language, config),
      namespace: options.namespace && serviceNamespace(options.namespace, config),
      key,
      text,
      textStatus: textStatus && (textStatus === 'empty' ? 'EMPTY' : 'NOT_EMPTY'),
      reviewsStatus: reviewStatus && (reviewStatus === 'reviewed' ? 'REVIEWED' : 'NOT_REVIEWED'),
      customerId,
    })
    const rest = total === null ? 'there are more' : `${count(total, 'text')} in total`
    if (more) context.out.say(`${rest}: --page ${options.page + 1}, or --all`)
    const { outTty, columns = 100 } = context.io
    const data = {
      translations: translations.map((each) => ({
        language: appLanguage(each.language, config),
        namespace: appNamespace(each.namespace, config),
        key: each.key,
        text: each.text,
        customer: each.customerId ?? customerId ?? null,
        reviewStatus: each.reviewStatus ?? null,
        lastModifiedAt: each.lastModifiedAt ?? null,
      })),
      page,
      total,
      more,
    }
    return { data, width: outTty ? Math.max(20, Math.floor(columns / 2)) : 10_000 }
  },
  text({ data: { translations }, width }, paint) {
    if (translations.length === 0) return 'no texts'
    return table(
      translations,
      [
        ['language', ({ language }) => language],
        ['namespace', ({ namespace }) => namespace],
        ['key', ({ key }) => quoted(key, Math.floor(width / 2)).slice(1, -1)],
        ['review', ({ reviewStatus }) => (reviewStatus === 'REVIEWED' ? 'yes' : 'no')],
        ['text', ({ text }) => quoted(text, width)],
      ],
      paint,
    )
  },
})

export const command = defineGroup("List the service's texts.", { list })

/** @param page `null` for all pages */
async function query(client: Client, page: number | null, size: number, filters: TranslationQuery) {
  if (page === null) {
    const translations: Translation[] = []
    for await (const translation of client.translations.queryAll(filters)) translations.push(translation)
    return { translations, total: translations.length, more: false }
  }
  const { translations, pageDetails } = await client.translations.query({ ...filters, page, size })
  const more = pageDetails?.hasNext ?? translations.length >= size
  return { translations, total: pageDetails?.totalElements ?? null, more }
}
