/** `localization publish <environment...>` publishes in the given order and checks each result. */
import * as z from 'zod'
import { publishChecked, statusOf } from '../../api/environments.ts'
import { count } from '../../shared/figures.ts'
import { confirm, defineCommand, durationMs, flag, value } from '../command.ts'
import type { Output } from '../output.ts'
import {
  changeLines,
  changeResult,
  changeSummary,
  type PublicationChange,
  publicationChanges,
} from '../publication-changes.ts'

export const publishResult = z.object({
  dryRun: z.boolean(),
  environments: z.array(
    z.object({
      environment: z.string(),
      /** With `--dry-run`, the time of the last publish, or `null` if there was none. */
      publishedAt: z.string().nullable(),
      keys: z.number().int(),
      languages: z.number().int(),
      texts: z.number().int(),
      /** The texts in `_production` that publishing would change; `null` if they are unknown. */
      changes: z.array(changeResult).nullable(),
    }),
  ),
})

const PRODUCTION = '_production'

function showChanges({ say, talk }: Output, changes: readonly PublicationChange[] | null): void {
  for (const line of changeLines(changes ?? [], talk)) say(line)
  say(changes ? `${PRODUCTION}: ${changeSummary(changes)}` : `${PRODUCTION} and _latest cannot be compared`)
}

export const command = defineCommand({
  description:
    'Publish to environments in the given order. Waits while another publish is running, and checks each result. On ' +
    'a terminal, it shows what changes in _production and asks first.',
  examples: ['publish _latest _production', 'publish _production --wait 10min'],
  options: {
    wait: value('<time>', 'how long to wait for another publish to finish', durationMs, 5 * 60_000),
    yes: flag('publish to _production without asking'),
    dryRun: flag('only show what would be done'),
  },
  result: publishResult,
  async work(context, { wait: waitMs, yes, dryRun }, ...names) {
    const [{ environments: api }, config] = await Promise.all([context.client(), context.config()])
    const { out, signal, globals } = context
    const { timeoutMs } = config.service
    const environments = []
    let isStopped = false
    for (const environment of names) {
      const isProduction = environment === PRODUCTION
      const asks = isProduction && !dryRun && context.io.canAsk && !yes
      const compares = isProduction && (asks || dryRun || globals.json === true)
      // Contract: `_production` is published from `_latest`, unless the project has other environments between them.
      const changes = compares ? await publicationChanges(context, '_latest', PRODUCTION) : null
      if (asks || (isProduction && dryRun)) showChanges(out, changes)
      if (asks && changes?.length !== 0 && !(await confirm(context, `Publish to ${PRODUCTION}?`, { yes }))) {
        out.say(`nothing was published to ${PRODUCTION}`)
        isStopped = true
        break
      }
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
        changes,
      })
    }
    return { data: { dryRun, environments }, failed: isStopped }
  },
  text: ({ data: { dryRun, environments } }) =>
    environments
      .map(({ environment, publishedAt, keys, languages, texts }) => {
        const now =
          publishedAt === null
            ? 'nothing is published there yet'
            : `now ${count(texts, 'text')}, published ${publishedAt}`
        if (dryRun) return `would publish ${environment} (${now})`
        const figures = [count(keys, 'key'), count(languages, 'language'), count(texts, 'text')].join(', ')
        return `published ${environment}: ${figures} (${publishedAt})`
      })
      .join('\n'),
})
