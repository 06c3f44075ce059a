/** `localization publish <environment...>`: publishes one after the other and checks each result. */
import * as z from 'zod'
import { publishChecked, statusOf } from '../../api/environments.ts'
import type { EnvironmentStatus } from '../../api/schemas.ts'
import { count } from '../../shared/figures.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { durationMs } from '../options.ts'

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

export const addPublish: AddCommand = (program, act) => {
  program
    .command('publish <environment...>')
    .summary('publish to hosting environments')
    .description(
      'Publish to environments in the given order. Waits while another publish runs, then checks the result.',
    )
    .option('--wait <time>', 'how long to wait for another publish to end', durationMs, 5 * 60_000)
    .option('--dry-run', 'only show what would be done')
    .addHelpText('after', examples('publish _latest _production', 'publish _production --wait 10min'))
    .action(act(publish))
}

async function publish(
  context: CommandContext,
  { wait: waitMs, dryRun = false }: { wait: number; dryRun?: boolean },
  names: string[],
) {
  const [client, config] = await Promise.all([context.client(), context.config()])
  const { out, signal } = context
  const { timeoutMs } = config.service
  const environments: Published[] = []
  for (const name of names) {
    const onWait = () => out.say(`${name}: another publish is running, waiting for it`)
    const status = dryRun
      ? await statusOf(client.environments, name)
      : await publishChecked(client.environments, name, { waitMs, timeoutMs, signal, onWait })
    environments.push(describe(name, status))
  }
  const data: z.infer<typeof publishResult> = { dryRun, environments }
  return { data, text: () => environments.map(dryRun ? formatDryRun : format).join('\n') }
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

function format({ environment, publishedAt, keys, languages, texts }: Published): string {
  const figures = [count(keys, 'key'), count(languages, 'language'), count(texts, 'text')].join(', ')
  return `published ${environment}: ${figures} (${publishedAt})`
}

function formatDryRun({ environment, publishedAt, texts }: Published): string {
  const now = publishedAt === null ? 'nothing is published there yet' : `now ${count(texts, 'text')} of ${publishedAt}`
  return `would publish ${environment} (${now})`
}
