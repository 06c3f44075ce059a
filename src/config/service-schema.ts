/** The options of `service`: where it is and how it is called. */
import * as z from 'zod'
import { checkFilesAddress, checkHeaderName, checkHeaders, checkSecret, checkServiceAddress } from './checks.ts'
import type { RequestDispatcher } from './dispatcher.ts'
import { by, checked, count, text } from './schema-parts.ts'

export const serviceSchema = z.strictObject({
  baseUrl: checked(checkServiceAddress)
    .optional()
    .describe(
      "The service's address, `https://...`; `'local'`: the dev server starts the local service. Environment: " +
        '`LOCALIZATION_BASE_URL`.',
    ),
  cdnUrl: checked(checkFilesAddress)
    .optional()
    .describe('The address of the published files. Environment: `LOCALIZATION_CDN_URL`.'),
  apiKey: checked(checkSecret)
    .optional()
    .describe(
      'The project API key. Keep it out of the file: `LOCALIZATION_API_KEY` in the environment or in ' +
        '`.env.local`. It never leaves the build process.',
    ),
  personalToken: checked(checkSecret)
    .optional()
    .describe('The personal token, for creating and listing projects. Environment: `LOCALIZATION_PERSONAL_TOKEN`.'),
  tokenHeader: checked(checkHeaderName)
    .default('X-Service-Token')
    .describe('The name of the header that carries the API key.'),
  names: z
    .strictObject({
      PROVIDER_A: text().optional().describe('The value of `PROVIDER_A`.'),
      PROVIDER_B: text().optional().describe('The value of `PROVIDER_B`.'),
      providerBGlossaryId: text().optional().describe('The member `providerBGlossaryId`.'),
      providerBApiKey: text().optional().describe('The member `providerBApiKey`.'),
      providerBFormality: text().optional().describe('The member `providerBFormality`.'),
    })
    .default({})
    .describe(
      'How the service spells names that the contract writes with neutral words: the translation providers, and the ' +
        "members of provider B. `{ PROVIDER_B: 'ITS_NAME' }`. Commands and code use the contract's names.",
    ),
  headers: z
    .record(
      z.string(),
      z.union([checked(checkSecret), z.strictObject({ env: text().describe('The variable that holds the value.') })]),
    )
    .check(by(checkHeaders))
    .default({})
    .describe(
      "Headers of every request to the service, for a gateway in front of it: `{ 'X-Gateway-Token': { env: " +
        "'GATEWAY_TOKEN' } }` takes the value from a variable, in the environment or in `.env` files. Sent to " +
        "`baseUrl`'s origin only.",
    ),
  dispatcher: z
    .custom<RequestDispatcher>((value) => typeof (value as RequestDispatcher | null)?.dispatch === 'function', {
      error: 'expected an undici dispatcher',
    })
    .optional()
    .meta({
      description:
        'An undici `Dispatcher` (7) that carries every request, such as an `Agent` with a client certificate. It ' +
        'replaces the proxy. Your code closes it.',
      typeText: 'RequestDispatcher',
    }),
  projectToken: text().optional().describe("The project's token, the first part of a hosting address. It is public."),
  timeoutMs: count(1)
    .default(60_000)
    .describe('The longest time one call may take, its retries included, in milliseconds.'),
  retries: count(0, 100).default(3).describe('How often a failed call is repeated. `0`: never.'),
  requestsPerMinute: count(1).optional().describe('The most requests in a minute. Left out: the client sets no limit.'),
  concurrency: count(1, 1000).default(8).describe('How many requests may run at once.'),
})
