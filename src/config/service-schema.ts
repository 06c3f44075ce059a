/** The options of `service`: where the service is, and how to call it. */
import * as z from 'zod'
import { checkFilesAddress, checkHeaderName, checkHeaders, checkSecret, checkServiceAddress } from './checks.ts'
import type { RequestDispatcher } from './dispatcher.ts'
import { by, checked, count, text } from './schema-parts.ts'

export const serviceSchema = z.strictObject({
  baseUrl: checked(checkServiceAddress)
    .optional()
    .describe(
      "The service's URL. `'local'`: the dev server starts the local service. Environment: " +
        '`LOCALIZATION_BASE_URL`.',
    ),
  cdnUrl: checked(checkFilesAddress)
    .optional()
    .describe('The URL of the published files. Environment: `LOCALIZATION_CDN_URL`.'),
  apiKey: checked(checkSecret)
    .optional()
    .describe(
      'The project API key. Keep it out of this file: use `LOCALIZATION_API_KEY` in the environment or in ' +
        '`.env.local`.',
    ),
  personalToken: checked(checkSecret)
    .optional()
    .describe('The personal token, for projects. Environment: `LOCALIZATION_PERSONAL_TOKEN`.'),
  tokenHeader: checked(checkHeaderName).default('X-Service-Token').describe('The header that contains the API key.'),
  names: z
    .strictObject({
      PROVIDER_A: text().optional().describe("The service's name for `PROVIDER_A`."),
      PROVIDER_B: text().optional().describe("The service's name for `PROVIDER_B`."),
      providerBGlossaryId: text().optional().describe("The service's name for `providerBGlossaryId`."),
      providerBApiKey: text().optional().describe("The service's name for `providerBApiKey`."),
      providerBFormality: text().optional().describe("The service's name for `providerBFormality`."),
    })
    .default({})
    .describe(
      "The service's names for the translation providers and provider B's fields: `{ PROVIDER_B: " +
        "'ITS_NAME' }`. Commands and code use the contract's names.",
    ),
  headers: z
    .record(
      z.string(),
      z.union([checked(checkSecret), z.strictObject({ env: text().describe("The environment variable's name.") })]),
    )
    .check(by(checkHeaders))
    .default({})
    .describe(
      "Headers for a gateway in front of the service. `{ 'X-Gateway-Token': { env: 'GATEWAY_TOKEN' } }` " +
        "reads the value from a variable. They are sent only to `baseUrl`'s origin.",
    ),
  dispatcher: z
    .custom<RequestDispatcher>((value) => typeof (value as RequestDispatcher | null)?.dispatch === 'function', {
      error: 'expected an undici dispatcher',
    })
    .optional()
    .meta({
      description:
        'An undici 7 `Dispatcher` that sends every request, such as an `Agent` with a client certificate. It ' +
        'replaces the proxy. Your code closes it.',
      typeText: 'RequestDispatcher',
    }),
  projectToken: text().optional().describe("The project's public token: the first part of hosting paths."),
  timeoutMs: count(1).default(60_000).describe('The time limit for a call including retries, in milliseconds.'),
  retries: count(0, 100).default(3).describe('The maximum number of retries after a failure.'),
  requestsPerMinute: count(1).optional().describe('The maximum number of requests per minute. Default: no limit.'),
  concurrency: count(1, 1000).default(8).describe('The maximum number of concurrent requests.'),
})
