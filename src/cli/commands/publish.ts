/** `localization publish <environment...>` publishes in the given order and checks each result. */
import { join } from 'node:path'
import * as z from 'zod'
import { publishChecked, statusOf } from '../../api/environments.ts'
import type { Catalog } from '../../catalog/model.ts'
import { toAppCatalog } from '../../catalog/names.ts'
import { type TextRef, textId, textRef } from '../../catalog/text-id.ts'
import { LocalizationError } from '../../errors.ts'
import { count } from '../../shared/figures.ts'
import { hostingSource } from '../../sources/hosting.ts'
import { createResourceCache } from '../../sources/resource-cache.ts'
import { type CommandContext, confirm, defineCommand, durationMs, flag, value } from '../command.ts'
import type { Output } from '../output.ts'
import { nameOf, refResult, type TextName, textRefResult } from '../summary.ts'
import { listOf, MAX_CHARACTERS, type Paint, quoted, quotedChange } from '../text.ts'

export const changeResult = textRefResult.extend({
  /** The published text; `null` if there is none. */
  before: z.string().nullable(),
  /** The text after publishing; `null` if there is none. */
  after: z.string().nullable(),
})

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

function showChanges({ say, talk }: Output, changes: readonly ShownChange[] | null): void {
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
    const environments: z.infer<typeof publishResult>['environments'] = []
    let isStopped = false
    for (const environment of names) {
      const isProduction = environment === PRODUCTION
      const asks = isProduction && !dryRun && context.io.canAsk && !yes
      const compares = isProduction && (asks || dryRun || globals.json === true)
      // Contract: `_production` is published from `_latest`, unless the project has other environments between them.
      const changes = compares ? await publicationChanges(context, '_latest', PRODUCTION) : null
      if (asks || (isProduction && dryRun)) showChanges(out, changes)
      if (asks && changes?.length !== 0 && !(await confirm(context, `Publish to ${PRODUCTION}?`, yes))) {
        out.say(`nothing was published to ${PRODUCTION}`)
        isStopped = true
        break
      }
      const onWait = () => out.say(`${environment}: another publish is running, waiting for it`)
      const status = dryRun
        ? await statusOf(api, environment)
        : await publishChecked(api, environment, { waitMs, timeoutMs, signal, onWait }).catch((error: unknown) => {
            for (const done of environments) out.warn(`published ${done.environment} before the error`)
            throw error
          })
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

/** The texts that differ between two environments; `null` if an environment cannot be read. */
async function publicationChanges(context: CommandContext, from: string, to: string) {
  const texts = Promise.all([publishedTexts(context, from), publishedTexts(context, to)])
  const [source, target] = await texts.catch((error: unknown) => {
    if (context.signal.aborted || !(error instanceof LocalizationError)) throw error
    // Before the first publish, the environment has no texts.
    if (error.code !== 'API_NOT_FOUND' && !context.globals.json) context.out.warn(error.message)
    return []
  })
  if (!source || !target) return null
  const changes: z.infer<typeof changeResult>[] = []
  for (const id of new Set([...source.keys(), ...target.keys()])) {
    const [old, now] = [target.get(id), source.get(id)]
    const ref = (now ?? old)?.ref
    if (ref && now?.text !== old?.text)
      changes.push({ ...refResult(ref), before: old?.text ?? null, after: now?.text ?? null })
  }
  return changes
}

async function publishedTexts(context: CommandContext, environment: string) {
  const [own, client] = await Promise.all([context.config(), context.client()])
  const config = { ...own, environment, namespaces: undefined }
  const resourceCache = createResourceCache(join(config.root, '.localization', 'downloads'))
  const { catalog } = await hostingSource.load({ config, client, resourceCache, signal: context.signal })
  return textsOf(toAppCatalog(catalog, config))
}

function textsOf({ parts }: Catalog) {
  const texts = new Map<string, { readonly ref: TextRef; readonly text: string }>()
  for (const { language, namespace, customer, messages } of parts) {
    for (const [key, text] of messages) {
      const ref = textRef({ language, namespace, customer }, key)
      texts.set(textId(ref), { ref, text })
    }
  }
  return texts
}

const SHOWN = 10

type ShownChange = TextName & Pick<z.infer<typeof changeResult>, 'before' | 'after'>

/** Formats the changes as `diff` does: the old text, then the new one. */
export function changeLines(changes: readonly ShownChange[], paint: Paint): string[] {
  const line = (sign: '-' | '+', text: string) => paint(sign === '-' ? 'red' : 'green', `  ${sign} ${text}`)
  const linesOf = ({ before, after, ...ref }: ShownChange) => {
    if (before !== null && after !== null) {
      const [old, now] = quotedChange(before, after, ref.language, paint)
      return [nameOf(ref), line('-', old), line('+', now)]
    }
    return [nameOf(ref), line(before === null ? '+' : '-', quoted(after ?? before ?? '', MAX_CHARACTERS))]
  }
  return listOf(changes, SHOWN, linesOf, (rest) => `and ${count(rest, 'more text')}`)
}

/** Formats a summary, such as `3 texts: 1 changed, 2 new`. */
export function changeSummary(changes: readonly ShownChange[]): string {
  const added = changes.filter(({ before }) => before === null).length
  const deleted = changes.filter(({ after }) => after === null).length
  const changed = changes.length - added - deleted
  const parts = [
    [changed, 'changed'],
    [added, 'new'],
    [deleted, 'deleted'],
  ].flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`]))
  return parts.length === 0 ? 'no text changes' : `${count(changes.length, 'text')}: ${parts.join(', ')}`
}
