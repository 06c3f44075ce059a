/** `localization publish <environment...>`: publishes in the given order and checks each result. */
import * as z from 'zod'
import { publishChecked, statusOf } from '../../api/environments.ts'
import { count } from '../../shared/figures.ts'
import { defineCommand, durationMs, flag, value } from '../command.ts'

export const publishResult = z.object({
  dryRun: z.boolean(),
  environments: z.array(
    z.object({
      environment: z.string(),
      /** The time of publishing: now, or with `--dry-run` the last time. `null`: never. */
      publishedAt: z.string().nullable(),
      keys: z.number().int(),
      languages: z.number().int(),
      texts: z.number().int(),
    }),
  ),
})

export const command = defineCommand({
  description: 'Publish to environments in the given order. Waits while another publish runs, then checks the result.',
  examples: ['publish _latest _production', 'publish _production --wait 10min'],
  options: {
    wait: value('<time>', 'how long to wait for another publish to end', durationMs, 5 * 60_000),
    dryRun: flag('only show what would be done'),
  },
  result: publishResult,
  async work(context, { wait: waitMs, dryRun }, ...names) {
    const [{ environments: api }, config] = await Promise.all([context.client(), context.config()])
    const { out, signal } = context
    const { timeoutMs } = config.service
    const environments = []
    for (const environment of names) {
      const onWait = () => out.say(`${environment}: another publish is running, waiting for it`)
      const status = dryRun
        ? await statusOf(api, environment)
        : await publishChecked(api, environment, { waitMs, timeoutMs, signal, onWait })
      environments.push({
        environment,
        publishedAt: status?.createdAt ?? null,
        keys: status?.numberOfKeys ?? 0,
        languages: status?.numberOfLanguages ?? 0,
        texts: status?.numberOfNonEmptyTranslations ?? 0,
      })
    }
    return { data: { dryRun, environments } }
  },
  text: ({ data: { dryRun, environments } }) =>
    environments
      .map(({ environment, publishedAt, keys, languages, texts }) => {
        const now =
          publishedAt === null ? 'nothing is published there yet' : `now ${count(texts, 'text')} of ${publishedAt}`
        if (dryRun) return `would publish ${environment} (${now})`
        const figures = [count(keys, 'key'), count(languages, 'language'), count(texts, 'text')].join(', ')
        return `published ${environment}: ${figures} (${publishedAt})`
      })
      .join('\n'),
})
