/** `localization environment <key>`: shows what is published. */

import * as z from 'zod'
import { isApiError } from '../../api/errors.ts'
import { appLanguage, appNamespace } from '../../catalog/names.ts'
import { LocalizationError } from '../../errors.ts'
import { count, grouped } from '../../shared/figures.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { type Column, type Paint, table } from '../text.ts'

export const environmentResult = z.object({
  environment: z.string(),
  publishedAt: z.string(),
  keys: z.number().int(),
  languages: z.number().int(),
  texts: z.number().int(),
  resources: z.array(
    z.object({
      link: z.string(),
      bytes: z.number().int(),
      language: z.string().nullable(),
      namespace: z.string().nullable(),
      customer: z.string().nullable(),
    }),
  ),
})

type Result = z.infer<typeof environmentResult>

export const addEnvironment: AddCommand = (program, act) => {
  program
    .command('environment <key>')
    .summary('show the published texts of an environment')
    .description(
      'Show the published texts of an environment, and the time: _latest, _production or a custom environment.',
    )
    .addHelpText('after', examples('environment _production', 'environment _latest --json'))
    .action(act(showEnvironment))
}

async function showEnvironment(context: CommandContext, _options: object, environment: string) {
  const [config, client] = await Promise.all([context.config(), context.client()])
  const status = await client.environments.status(environment).catch((error: unknown) => {
    throw isApiError(error, 'API_NOT_FOUND') ? unpublished(environment, error) : error
  })
  const data: Result = {
    environment,
    publishedAt: status.createdAt,
    keys: status.numberOfKeys,
    languages: status.numberOfLanguages,
    texts: status.numberOfNonEmptyTranslations,
    resources: status.resources.map(({ link, size, language, namespace, customer = null }) => ({
      link,
      bytes: size,
      language: language === undefined ? null : appLanguage(language, config),
      namespace: namespace === undefined ? null : appNamespace(namespace, config),
      customer,
    })),
  }
  return { data, text: (paint: Paint) => format(data, paint) }
}

function format({ environment, keys, languages, texts, publishedAt, resources }: Result, paint: Paint): string {
  const figures = [count(keys, 'key'), count(languages, 'language'), count(texts, 'text')].join(', ')
  const columns: Column<Result['resources'][number]>[] = [
    { title: 'language', value: ({ language }) => language ?? '' },
    { title: 'namespace', value: ({ namespace }) => namespace ?? '' },
    { title: 'customer', value: ({ customer }) => customer ?? '' },
    { title: 'bytes', align: 'right', value: ({ bytes }) => grouped(bytes) },
    { title: 'link', value: ({ link }) => link },
  ]
  return `${environment}: ${figures}, published ${publishedAt}\n\n${table(resources, columns, paint)}`
}

/** The service's answer is the same for an environment that it does not have and for one that was never published. */
function unpublished(environment: string, cause: unknown): LocalizationError {
  return new LocalizationError(`nothing is published to ${environment}`, {
    code: 'API_NOT_FOUND',
    hint: `Publish it with \`localization publish ${environment}\`, or check its name.`,
    cause,
  })
}
