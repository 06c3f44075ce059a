/** `localization translations list`: the query with all its filters. */

import { Option } from 'commander'
import * as z from 'zod'
import type { Translation, TranslationQuery } from '../../api/schemas.ts'
import { appLanguage, appNamespace, serviceLanguage, serviceNamespace } from '../../catalog/names.ts'
import { count } from '../../shared/figures.ts'
import { printable } from '../../shared/printable.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import { wholeNumber } from '../options.ts'
import { type Paint, quoted, table } from '../text.ts'

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
  /** The page shown; `null` with `--all`. */
  page: z.number().int().nullable(),
  /** All that fit the filters, where the service tells. */
  total: z.number().int().nullable(),
  more: z.boolean(),
})

interface ListOptions {
  language?: string
  namespace?: string
  key?: string
  text?: string
  textStatus?: 'empty' | 'not-empty'
  reviewStatus?: 'reviewed' | 'not-reviewed'
  customer?: string
  page: number
  size: number
  all?: boolean
}

export const addTranslations: AddCommand = (program, act) => {
  program
    .command('translations')
    .summary("list the service's texts")
    .description("The service's texts.")
    .command('list')
    .description('List texts of the service, a page of 100 unless told otherwise.')
    .option('--language <name>', 'in this language')
    .option('--namespace <name>', 'in this namespace')
    .option('--key <key>', 'of this key')
    .option('--text <part>', 'whose text holds this, in upper or lower case; at least three characters')
    .addOption(new Option('--text-status <status>', 'with or without a text').choices(['empty', 'not-empty']))
    .addOption(new Option('--review-status <status>', 'reviewed or not').choices(['reviewed', 'not-reviewed']))
    .option('--customer <key>', "this customer's own texts")
    .option('--page <number>', 'page, the first is 0', wholeNumber, 0)
    .option('--size <number>', 'texts a page, 500 at most', wholeNumber, 100)
    .option('--all', 'every page')
    .addHelpText(
      'after',
      examples(
        'translations list --language pl --text-status empty',
        'translations list --text "sign in" --all --json',
      ),
    )
    .action(act(list))
}

async function list(context: CommandContext, options: ListOptions) {
  if (options.size < 1 || options.size > 500) throw new UsageError('--size is a number from 1 to 500')
  if (options.text !== undefined && [...options.text].length < 3)
    throw new UsageError('--text needs at least three characters')
  const [config, client] = await Promise.all([context.config(), context.client()])
  const { language, namespace, key, text, textStatus, reviewStatus, customer } = options
  const query: TranslationQuery = {
    ...(language !== undefined && { language: serviceLanguage(language, config) }),
    ...(namespace !== undefined && { namespace: serviceNamespace(namespace, config) }),
    ...(key !== undefined && { key }),
    ...(text !== undefined && { text }),
    ...(textStatus && { textStatus: textStatus === 'empty' ? 'EMPTY' : 'NOT_EMPTY' }),
    ...(reviewStatus && { reviewsStatus: reviewStatus === 'reviewed' ? 'REVIEWED' : 'NOT_REVIEWED' }),
    ...(customer !== undefined && { customerId: customer }),
  }
  const found: Translation[] = []
  let total: number | null = null
  let more = false
  if (options.all) {
    for await (const translation of client.translations.queryAll(query)) found.push(translation)
    total = found.length
  } else {
    const answer = await client.translations.query({ ...query, page: options.page, size: options.size })
    found.push(...answer.translations)
    total = answer.pageDetails?.totalElements ?? null
    more = answer.pageDetails?.hasNext ?? found.length >= options.size
  }
  const data: z.infer<typeof translationsListResult> = {
    translations: found.map((each) => ({
      language: appLanguage(each.language, config),
      namespace: appNamespace(each.namespace, config),
      key: each.key,
      text: each.text,
      customer: each.customerId ?? customer ?? null,
      reviewStatus: each.reviewStatus ?? null,
      lastModifiedAt: each.lastModifiedAt ?? null,
    })),
    page: options.all ? null : options.page,
    total,
    more,
  }
  if (more)
    context.out.say(
      `${total === null ? 'there are more' : `${count(total, 'text')} in all`}: --page ${options.page + 1}, or --all`,
    )
  const room = context.io.outTty ? Math.max(20, Math.floor((context.io.columns ?? 100) / 2)) : 10_000
  return {
    data,
    text: (paint: Paint) =>
      data.translations.length === 0
        ? 'no texts'
        : table(
            data.translations,
            [
              { title: 'language', value: (row) => row.language },
              { title: 'namespace', value: (row) => printable(row.namespace) },
              { title: 'key', value: (row) => quoted(row.key, Math.floor(room / 2)).slice(1, -1) },
              { title: 'review', value: (row) => (row.reviewStatus === 'REVIEWED' ? 'yes' : 'no') },
              { title: 'text', value: (row) => quoted(row.text, room) },
            ],
            paint,
          ),
  }
}
