/** `localization translate`: one auto-translate job for each target language, waited for together. */

import { Option } from 'commander'
import * as z from 'zod'
import type { Client } from '../../api/client.ts'
import { providerCode } from '../../api/provider-codes.ts'
import type { Job, JobOption, StartJobRequest } from '../../api/schemas.ts'
import { nameFilter, serviceLanguage } from '../../catalog/names.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { messageOf } from '../../errors.ts'
import { count } from '../../shared/figures.ts'
import { printable } from '../../shared/printable.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import { collect, collectPairs, durationMs } from '../options.ts'
import type { Bar } from '../output.ts'
import { projectLanguages } from '../project-languages.ts'
import { type Paint, table } from '../text.ts'

export const translateResult = z.object({
  dryRun: z.boolean(),
  source: z.string().nullable(),
  jobs: z.array(
    z.object({
      language: z.string(),
      /** In the provider's own notation. */
      providerLanguage: z.string(),
      jobId: z.string().nullable(),
      /** As the service calls it; `PLANNED` with `--dry-run`, `NOT_STARTED` where starting failed. */
      state: z.string(),
      message: z.string().nullable(),
      ok: z.boolean(),
    }),
  ),
})
type JobResult = z.infer<typeof translateResult>['jobs'][number]

interface TranslateOptions {
  provider: 'PROVIDER_A' | 'PROVIDER_B'
  language?: readonly string[]
  source?: string
  sourceProviderLanguage?: string
  providerLanguage?: readonly (readonly [string, string])[]
  replace?: boolean
  useKeys?: boolean
  publish?: boolean
  glossary?: string
  formality?: 'default' | 'more' | 'less'
  wait: number
  dryRun?: boolean
}

export const addTranslate: AddCommand = (program, act) => {
  program
    .command('translate')
    .summary('translate by machine what is missing')
    .description('Translate what is missing by machine: one job for each target language. Exits with 1 when one fails.')
    .addOption(
      new Option('--provider <name>', 'translation provider')
        .choices(['PROVIDER_A', 'PROVIDER_B'])
        .default('PROVIDER_A'),
    )
    .option('--language <name>', 'target language or glob (repeatable); otherwise all but the source', collect)
    .option('--source <language>', "language to translate from; otherwise the project's default one")
    .option(
      '--provider-language <language=code>',
      "the provider's code of a language, such as pl=PL (repeatable)",
      collectPairs(String),
    )
    .option('--replace', 'translate everything and replace the texts that are there')
    .option('--use-keys', 'take the key as the source where there is no text')
    .option('--publish', 'publish to _latest when a job succeeds')
    .option('--glossary <id>', 'PROVIDER_B: glossary; its key in LOCALIZATION_PROVIDER_B_API_KEY')
    .addOption(new Option('--formality <how>', 'PROVIDER_B').choices(['default', 'more', 'less']))
    .option('--wait <time>', 'how long to wait for a job', durationMs, 30 * 60_000)
    .option('--dry-run', 'only list the jobs')
    .addHelpText(
      'after',
      examples('translate --language pl --language de', 'translate --provider PROVIDER_B --formality more --dry-run'),
    )
    .action(act(translate))
}

async function translate(context: CommandContext, options: TranslateOptions) {
  const [config, client] = await Promise.all([context.config(), context.client()])
  const { source, targets } = await pickLanguages(client, config, options)
  const codes = new Map(options.providerLanguage)
  const codeOf = (language: string) => codes.get(language) ?? providerCode(language, options.provider)
  const finish = (jobs: JobResult[]) => {
    const failed = jobs.some(({ ok }) => !ok)
    const dryRun = options.dryRun === true
    const data: z.infer<typeof translateResult> = { dryRun, source: source ?? null, jobs }
    return { data, failed, text: (paint: Paint) => show(jobs, paint) }
  }
  if (options.dryRun) {
    const planned = { jobId: null, state: 'PLANNED', message: null, ok: true }
    return finish(targets.map((language) => ({ language, providerLanguage: codeOf(language), ...planned })))
  }
  const requests = targets.map((language) => requestOf({ language, source, codeOf, options, config, context }))
  // A bar for each before the first one moves: lines that appear later would make the others jump.
  const bars = targets.map((language) => context.out.bar({ label: language.padEnd(longest(targets)), total: 1 }))
  const jobs = await Promise.all(
    requests.map((request, at) =>
      runJob(context, client, targets[at] as string, request, bars[at] as Bar, options.wait),
    ),
  )
  return finish(jobs)
}

async function runJob(
  { signal }: CommandContext,
  client: Client,
  language: string,
  request: StartJobRequest,
  bar: Bar,
  waitMs: number,
): Promise<JobResult> {
  const result = (job: Job | undefined, state: string, message: string | null, ok: boolean): JobResult => {
    bar.end(ok ? 'done' : state.toLowerCase().replaceAll('_', ' '))
    return { language, providerLanguage: request.targetLanguage, jobId: job?.jobId ?? null, state, message, ok }
  }
  let job: Job | undefined
  try {
    job = await client.jobs.startAutoTranslate(request)
    const done = await client.jobs.wait(job.jobId, {
      timeoutMs: waitMs,
      intervalMs: 500,
      onProgress(seen) {
        job = seen
        bar.update(seen.progress)
      },
    })
    return result(done, done.state, done.message ?? null, true)
  } catch (error) {
    if (signal.aborted && job) return result(job, job.state, 'no longer waited for; it goes on at the service', false)
    return result(job, job ? job.state : 'NOT_STARTED', messageOf(error), false)
  }
}

function requestOf({
  language,
  source,
  codeOf,
  options,
  config,
  context,
}: {
  language: string
  source: string | undefined
  codeOf: (language: string) => string
  options: TranslateOptions
  config: ResolvedConfig
  context: CommandContext
}): StartJobRequest {
  const flags: JobOption[] = []
  if (options.useKeys) flags.push('USE_TRANSLATION_KEYS')
  if (options.replace) flags.push('FORCE_REPLACE')
  if (options.publish) flags.push('AUTO_PUBLISH')
  const providerBApiKey = context.io.env.LOCALIZATION_PROVIDER_B_API_KEY
  if (options.glossary !== undefined && (options.provider !== 'PROVIDER_B' || !providerBApiKey || source === undefined))
    throw new UsageError('--glossary needs --provider PROVIDER_B, --source, and LOCALIZATION_PROVIDER_B_API_KEY')
  if (options.formality !== undefined && options.provider !== 'PROVIDER_B')
    throw new UsageError('--formality needs --provider PROVIDER_B')
  return {
    translationProvider: options.provider,
    targetProjectLanguage: serviceLanguage(language, config),
    targetLanguage: codeOf(language),
    ...(source !== undefined && {
      sourceProjectLanguage: serviceLanguage(source, config),
      sourceLanguage: codeOf(source),
    }),
    options: flags,
    ...(options.glossary !== undefined && { providerBGlossaryId: options.glossary, providerBApiKey }),
    ...(options.formality !== undefined && { providerBFormality: options.formality }),
  }
}

async function pickLanguages(client: Client, config: ResolvedConfig, options: TranslateOptions) {
  const known = await projectLanguages(client, config)
  const source = options.source ?? config.defaultLanguage ?? known?.defaultLanguage
  const named = options.language
  if (!known && (named === undefined || named.some((name) => /[*?!{[]/.test(name))))
    throw new UsageError('this service does not tell its languages: name each target with --language')
  const isWanted = nameFilter(named ?? config.languages)
  const targets = (known?.languages ?? named ?? []).filter((language) => language !== source && isWanted(language))
  const unknown = (named ?? []).filter((name) => !/[*?!{[]/.test(name) && name !== source && !targets.includes(name))
  if (unknown.length > 0)
    throw new UsageError(`the project has no language ${unknown.join(', ')}; it has ${known?.languages.join(', ')}`)
  if (targets.length === 0) throw new UsageError('there is no language to translate into')
  return { source, targets }
}

function show(jobs: readonly JobResult[], paint: Paint): string {
  const failed = jobs.filter(({ ok }) => !ok).length
  const lines = table(
    jobs,
    [
      { title: 'language', value: ({ language }) => language },
      { title: 'provider code', value: ({ providerLanguage }) => providerLanguage },
      { title: 'state', value: ({ state, ok }) => (ok ? state : paint('red', state)) },
      { title: 'message', value: ({ message }) => printable(message ?? '') },
    ],
    paint,
  )
  return failed === 0 ? lines : `${lines}\n${count(failed, 'job')} of ${jobs.length} did not succeed`
}

function longest(names: readonly string[]): number {
  return Math.max(...names.map(({ length }) => length))
}
