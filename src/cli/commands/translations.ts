/** `localization translations list`: the query with all its filters. */

import { Option } from 'commander'
import * as z from 'zod'
import type { Client } from '../../api/client.ts'
import type { Translation, TranslationQuery } from '../../api/schemas.ts'
import { appLanguage, appNamespace, serviceLanguage, serviceNamespace } from '../../catalog/names.ts'
import { count } from '../../shared/figures.ts'
import { printable } from '../../shared/printable.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import { wholeNumber } from '../options.ts'
import { type Column, type Paint, quoted, table } from '../text.ts'

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
  /** How many match the filters; `null` if the service does not tell. */
  total: z.number().int().nullable(),
  more: z.boolean(),
})

type Result = z.infer<typeof translationsListResult>

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
    .description("List the service's texts.")
    .command('list')
    .description('List texts of the service, by default one page of 100.')
    .option('--language <name>', 'only this language')
    .option('--namespace <name>', 'only this namespace')
    .option('--key <key>', 'only this key')
    .option('--text <part>', 'only texts that contain this, ignoring case; at least three characters')
    .addOption(
      new Option('--text-status <status>', 'only empty or only non-empty texts').choices(['empty', 'not-empty']),
    )
    .addOption(
      new Option('--review-status <status>', 'only reviewed or only unreviewed texts').choices([
        'reviewed',
        'not-reviewed',
      ]),
    )
    .option('--customer <key>', 'only texts of this customer')
    .option('--page <number>', 'page number, from 0', wholeNumber, 0)
    .option('--size <number>', 'texts per page, 500 at most', wholeNumber, 100)
    .option('--all', 'list all pages')
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
  const { key, text, textStatus, reviewStatus, customer: customerId } = options
  const { translations, total, more } = await query(client, options, {
    language: options.language && serviceLanguage(options.language, config),
    namespace: options.namespace && serviceNamespace(options.namespace, config),
    key,
    text,
    textStatus: textStatus && (textStatus === 'empty' ? 'EMPTY' : 'NOT_EMPTY'),
    reviewsStatus: reviewStatus && (reviewStatus === 'reviewed' ? 'REVIEWED' : 'NOT_REVIEWED'),
    customerId,
  })
  const data: Result = {
    translations: translations.map((each) => ({
      language: appLanguage(each.language, config),
      namespace: appNamespace(each.namespace, config),
      key: each.key,
      text: each.text,
      customer: each.customerId ?? customerId ?? null,
      reviewStatus: each.reviewStatus ?? null,
      lastModifiedAt: each.lastModifiedAt ?? null,
    })),
    page: options.all ? null : options.page,
    total,
    more,
  }
  const rest = total === null ? 'there are more' : `${count(total, 'text')} in all`
  if (more) context.out.say(`${rest}: --page ${options.page + 1}, or --all`)
  const { outTty, columns = 100 } = context.io
  const width = outTty ? Math.max(20, Math.floor(columns / 2)) : 10_000
  return { data, text: (paint: Paint) => format(data.translations, width, paint) }
}

async function query(client: Client, { all, page, size }: ListOptions, filters: TranslationQuery) {
  if (all) {
    const translations: Translation[] = []
    for await (const translation of client.translations.queryAll(filters)) translations.push(translation)
    return { translations, total: translations.length, more: false }
  }
  const { translations, pageDetails } = await client.translations.query({ ...filters, page, size })
  const more = pageDetails?.hasNext ?? translations.length >= size
  return { translations, total: pageDetails?.totalElements ?? null, more }
}

function format(translations: Result['translations'], width: number, paint: Paint): string {
  if (translations.length === 0) return 'no texts'
  const columns: Column<Result['translations'][number]>[] = [
    { title: 'language', value: ({ language }) => language },
    { title: 'namespace', value: ({ namespace }) => printable(namespace) },
    { title: 'key', value: ({ key }) => quoted(key, Math.floor(width / 2)).slice(1, -1) },
    { title: 'review', value: ({ reviewStatus }) => (reviewStatus === 'REVIEWED' ? 'yes' : 'no') },
    { title: 'text', value: ({ text }) => quoted(text, width) },
  ]
  return table(translations, columns, paint)
}
