/** `localization environment <key>` shows what is published to an environment. */
import * as z from 'zod'
import { isApiError } from '../../api/errors.ts'
import { appLanguage, appNamespace } from '../../catalog/names.ts'
import { LocalizationError } from '../../errors.ts'
import { count } from '../../shared/figures.ts'
import { defineCommand } from '../command.ts'
import { table } from '../text.ts'

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

export const command = defineCommand({
  description: 'Show what is published to an environment, and when: _latest, _production or a custom environment.',
  examples: ['environment _production', 'environment _latest --json'],
  result: environmentResult,
  async work(context, _options, environment = '') {
    const [config, client] = await Promise.all([context.config(), context.client()])
    const status = await client.environments.status(environment).catch((error: unknown) => {
      throw isApiError(error, 'API_NOT_FOUND') ? unpublished(environment, error) : error
    })
    const data = {
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
    return { data }
  },
  text({ data: { environment, keys, languages, texts, publishedAt, resources } }, paint) {
    const figures = [count(keys, 'key'), count(languages, 'language'), count(texts, 'text')].join(', ')
    const rows = table(
      resources,
      [
        ['language', ({ language }) => language],
        ['namespace', ({ namespace }) => namespace],
        ['customer', ({ customer }) => customer],
        ['bytes', ({ bytes }) => bytes],
        ['link', ({ link }) => link],
      ],
      paint,
    )
    return `${environment}: ${figures}, published ${publishedAt}\n\n${rows}`
  },
})

/** The service sends the same response for unknown environments as for those that were never published. */
function unpublished(environment: string, cause: unknown): LocalizationError {
  return new LocalizationError(`nothing is published to ${environment}`, {
    code: 'API_NOT_FOUND',
    hint: `Publish it with \`localization publish ${environment}\`, or check its name.`,
    cause,
  })
}
