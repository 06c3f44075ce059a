/** `localization publish <environment...>`: publishes, one after the other, and looks whether it is so. */
import { z } from 'zod'
import type { Client } from '../../api/client.ts'
import { isApiError } from '../../api/errors.ts'
import type { EnvironmentStatus } from '../../api/schemas.ts'
import { LocalizationError } from '../../errors.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { durationMs } from '../options.ts'
import { count } from '../text.ts'
import { pause } from '../wait.ts'

export const publishResult = z.object({
  dryRun: z.boolean(),
  environments: z.array(
    z.object({
      environment: z.string(),
      /** When it was published: now, or with `--dry-run` the last time. `null`: never. */
      publishedAt: z.string().nullable(),
      keys: z.number().int(),
      languages: z.number().int(),
      texts: z.number().int(),
    }),
  ),
})
type Published = z.infer<typeof publishResult>['environments'][number]

/** Between two attempts while another publish runs. */
const RETRY_MS = 2000

export const addPublish: AddCommand = (program, act) => {
  program
    .command('publish <environment...>')
    .summary('publish to hosting environments')
    .description(
      'Publish to environments, in the order given. Waits while another publish runs, then checks the result.',
    )
    .option('--wait <time>', 'how long to wait for another publish to end', durationMs, 5 * 60_000)
    .option('--dry-run', 'only say what would be done')
    .addHelpText('after', examples('publish _latest _production', 'publish _production --wait 10min'))
    .action(
      act(async (context, { wait, dryRun = false }: { wait: number; dryRun?: boolean }, environments: string[]) => {
        const client = await context.client()
        const published: Published[] = []
        for (const environment of environments) {
          const before = await statusOf(client, environment)
          if (dryRun) published.push(describe(environment, before))
          else published.push(describe(environment, await publish(context, client, environment, before, wait)))
        }
        return {
          data: { dryRun, environments: published } satisfies z.infer<typeof publishResult>,
          text: () => published.map((each) => (dryRun ? sayDry(each) : say(each))).join('\n'),
        }
      }),
    )
}

async function publish(
  { out, signal, config }: CommandContext,
  client: Client,
  environment: string,
  before: EnvironmentStatus | undefined,
  waitMs: number,
): Promise<EnvironmentStatus> {
  const until = performance.now() + waitMs
  const { timeoutMs } = (await config()).service
  let said = false
  for (;;) {
    let lost: unknown
    try {
      await client.environments.publish(environment, { timeoutMs: Math.max(timeoutMs, 120_000) })
    } catch (error) {
      if (isApiError(error, 'API_CONFLICT')) {
        if (performance.now() >= until) throw error
        if (!said) out.say(`${environment}: another publish is running, waiting for it`)
        said = true
        await pause(RETRY_MS, signal)
        continue
      }
      // No answer came: the status tells whether it was done all the same.
      if (signal.aborted || !isApiError(error) || !error.uncertain) throw error
      lost = error
    }
    const status = await statusOf(client, environment)
    if (status && status.createdAt !== before?.createdAt) return status
    if (lost !== undefined) throw lost
    throw new LocalizationError(
      `${environment} was published, says the service, but its status is ${status ? `still that of ${status.createdAt}` : 'missing'}`,
      {
        code: 'API_UNEXPECTED_ANSWER',
        hint: `Look with \`localization environment ${environment}\`, then publish again.`,
      },
    )
  }
}

/** `undefined`: nothing was published there yet, or there is no such environment; publishing tells which. */
async function statusOf(client: Client, environment: string): Promise<EnvironmentStatus | undefined> {
  try {
    return await client.environments.status(environment)
  } catch (error) {
    if (isApiError(error, 'API_NOT_FOUND')) return undefined
    throw error
  }
}

function describe(environment: string, status: EnvironmentStatus | undefined): Published {
  return {
    environment,
    publishedAt: status?.createdAt ?? null,
    keys: status?.numberOfKeys ?? 0,
    languages: status?.numberOfLanguages ?? 0,
    texts: status?.numberOfNonEmptyTranslations ?? 0,
  }
}

function say({ environment, publishedAt, keys, languages, texts }: Published): string {
  return `published ${environment}: ${count(keys, 'key')}, ${count(languages, 'language')}, ${count(texts, 'text')} (${publishedAt})`
}

function sayDry({ environment, publishedAt, texts }: Published): string {
  const now = publishedAt === null ? 'nothing is published there yet' : `now ${count(texts, 'text')} of ${publishedAt}`
  return `would publish ${environment} (${now})`
}
