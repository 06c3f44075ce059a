/** `localization translate`: one auto-translate job for each target language, waited for together. */

import { Option } from 'commander'
import * as z from 'zod'
import type { Client } from '../../api/client.ts'
import { providerCode } from '../../api/jobs.ts'
import type { Job, JobOption, StartJobRequest } from '../../api/schemas.ts'
import { isLiteral, nameFilter, serviceLanguage } from '../../catalog/names.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { messageOf } from '../../errors.ts'
import { count } from '../../shared/figures.ts'
import { printable } from '../../shared/printable.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import type { CliIo } from '../io.ts'
import { collect, collectPairs, durationMs, type Pairs } from '../options.ts'
import { projectLanguages } from '../project-languages.ts'
import { type Column, type Paint, table } from '../text.ts'

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
  providerLanguage?: Pairs<string>
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
    .summary('machine-translate missing texts')
    .description('Machine-translate missing texts, with one job for each target language. Exits with 1 if a job fails.')
    .addOption(
      new Option('--provider <name>', 'translation provider')
        .choices(['PROVIDER_A', 'PROVIDER_B'])
        .default('PROVIDER_A'),
    )
    .option(
      '--language <name>',
      'target language or glob (repeatable); default: all except the source language',
      collect,
    )
    .option('--source <language>', "language to translate from; default: the project's default language")
    .option(
      '--provider-language <language=code>',
      "the provider's code of a language, such as pl=PL (repeatable)",
      collectPairs(String),
    )
    .option('--replace', 'translate all texts and replace existing ones')
    .option('--use-keys', 'if a source text is missing, translate the key')
    .option('--publish', 'publish to _latest when a job succeeds')
    .option('--glossary <id>', 'glossary of PROVIDER_B, whose API key is in LOCALIZATION_PROVIDER_B_API_KEY')
    .addOption(new Option('--formality <how>', 'formality of PROVIDER_B').choices(['default', 'more', 'less']))
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
  const tasks = targets.map((language): Task => {
    const request = createRequest(language, source, options, config, context.io.env)
    const names = { language, providerLanguage: request.targetLanguage }
    return { request, planned: { ...names, jobId: null, state: 'PLANNED', message: null, ok: true } }
  })
  const jobs = options.dryRun
    ? tasks.map(({ planned }) => planned)
    : await runJobs(context, client, tasks, options.wait)
  const data: z.infer<typeof translateResult> = { dryRun: options.dryRun === true, source: source ?? null, jobs }
  return { data, failed: jobs.some(({ ok }) => !ok), text: (paint: Paint) => format(jobs, paint) }
}

interface Task {
  readonly request: StartJobRequest
  readonly planned: JobResult
}

function runJobs(
  { out, signal }: CommandContext,
  { jobs }: Client,
  tasks: readonly Task[],
  timeoutMs: number,
): Promise<JobResult[]> {
  const width = Math.max(...tasks.map(({ planned }) => planned.language.length))
  // All bars before the first one moves: a bar that is added later would make the others jump.
  const bars = tasks.map(({ planned }) => out.bar({ label: planned.language.padEnd(width), total: 1 }))
  const run = async ({ request, planned }: Task, at: number): Promise<JobResult> => {
    let job: Job | undefined
    try {
      job = await jobs.startAutoTranslate(request)
      const onProgress = (seen: Job) => {
        job = seen
        bars[at]?.update(seen.progress)
      }
      const { jobId, state, message = null } = await jobs.wait(job.jobId, { timeoutMs, intervalMs: 500, onProgress })
      bars[at]?.end('done')
      return { ...planned, jobId, state, message }
    } catch (error) {
      const isLeft = signal.aborted && job !== undefined
      const message = isLeft ? 'the command stopped waiting; the job continues on the service' : messageOf(error)
      const { jobId = null, state = 'NOT_STARTED' } = job ?? {}
      bars[at]?.end(state.toLowerCase().replaceAll('_', ' '))
      return { ...planned, jobId, state, message, ok: false }
    }
  }
  return Promise.all(tasks.map(run))
}

function createRequest(
  language: string,
  source: string | undefined,
  { provider, glossary, formality, ...options }: TranslateOptions,
  config: ResolvedConfig,
  env: CliIo['env'],
): StartJobRequest {
  const codes = new Map(options.providerLanguage)
  const codeOf = (name: string) => codes.get(name) ?? providerCode(name, provider)
  const key = env.LOCALIZATION_PROVIDER_B_API_KEY
  if (glossary !== undefined && (provider !== 'PROVIDER_B' || !key || source === undefined))
    throw new UsageError('--glossary needs --provider PROVIDER_B, --source, and LOCALIZATION_PROVIDER_B_API_KEY')
  if (formality !== undefined && provider !== 'PROVIDER_B')
    throw new UsageError('--formality needs --provider PROVIDER_B')
  const flags: JobOption[] = []
  if (options.useKeys) flags.push('USE_TRANSLATION_KEYS')
  if (options.replace) flags.push('FORCE_REPLACE')
  if (options.publish) flags.push('AUTO_PUBLISH')
  return {
    translationProvider: provider,
    targetProjectLanguage: serviceLanguage(language, config),
    targetLanguage: codeOf(language),
    sourceProjectLanguage: source && serviceLanguage(source, config),
    sourceLanguage: source && codeOf(source),
    options: flags,
    providerBGlossaryId: glossary,
    providerBApiKey: glossary === undefined ? undefined : key,
    providerBFormality: formality,
  }
}

async function pickLanguages(
  client: Client,
  config: ResolvedConfig,
  { language: named, ...options }: TranslateOptions,
) {
  const known = await projectLanguages(client, config)
  const source = options.source ?? config.defaultLanguage ?? known?.defaultLanguage
  if (!known && !named?.every(isLiteral))
    throw new UsageError('this service does not list its languages: name each target with --language')
  const isWanted = nameFilter(named ?? config.languages)
  const targets = (known?.languages ?? named ?? []).filter((language) => language !== source && isWanted(language))
  const unknown = named?.filter((name) => isLiteral(name) && name !== source && !targets.includes(name)) ?? []
  if (unknown.length > 0)
    throw new UsageError(`the project has no language ${unknown.join(', ')}; it has ${known?.languages.join(', ')}`)
  if (targets.length === 0) throw new UsageError('there is no language to translate into')
  return { source, targets }
}

function format(jobs: readonly JobResult[], paint: Paint): string {
  const columns: Column<JobResult>[] = [
    { title: 'language', value: ({ language }) => language },
    { title: 'provider code', value: ({ providerLanguage }) => providerLanguage },
    { title: 'state', value: ({ state, ok }) => (ok ? state : paint('red', state)) },
    { title: 'message', value: ({ message }) => printable(message ?? '') },
  ]
  const lines = table(jobs, columns, paint)
  const failed = jobs.filter(({ ok }) => !ok).length
  return failed === 0 ? lines : `${lines}\n${count(failed, 'job')} of ${jobs.length} did not succeed`
}
