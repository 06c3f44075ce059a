/** `localization translate` runs auto-translate jobs concurrently, one for each target language. */
import * as z from 'zod'
import type { Client } from '../../api/client.ts'
import { providerCode } from '../../api/jobs.ts'
import type { Job, JobOption, StartJobRequest } from '../../api/schemas.ts'
import { isLiteral, nameFilter, serviceLanguage } from '../../catalog/names.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { messageOf } from '../../errors.ts'
import { count } from '../../shared/figures.ts'
import {
  type CommandContext,
  choice,
  defineCommand,
  durationMs,
  flag,
  type Given,
  list,
  pair,
  UsageError,
  value,
} from '../command.ts'
import { projectLanguages } from '../filters.ts'
import type { CliIo } from '../io.ts'
import { table } from '../text.ts'

export const translateResult = z.object({
  dryRun: z.boolean(),
  source: z.string().nullable(),
  jobs: z.array(
    z.object({
      language: z.string(),
      /** The provider's code for the language. */
      providerLanguage: z.string(),
      jobId: z.string().nullable(),
      /** The job's state on the service; `PLANNED` with `--dry-run`, `NOT_STARTED` if starting failed. */
      state: z.string(),
      message: z.string().nullable(),
      ok: z.boolean(),
    }),
  ),
})
type JobResult = z.infer<typeof translateResult>['jobs'][number]

const options = {
  provider: choice('<name>', 'translation provider', ['PROVIDER_A', 'PROVIDER_B'], 'PROVIDER_A'),
  language: list('<name>', 'target language or glob (repeatable); default: all except the source language'),
  source: value('<language>', "language to translate from; default: the project's default language"),
  providerLanguage: list(
    '<language=code>',
    "the provider's code for a language, such as pl=PL (repeatable)",
    pair(String),
  ),
  replace: flag('translate all texts and replace existing ones'),
  useKeys: flag('if a source text is missing, translate the key'),
  publish: flag('publish to _latest when a job succeeds'),
  glossary: value('<id>', "glossary ID at PROVIDER_B; the provider's API key is in LOCALIZATION_PROVIDER_B_API_KEY"),
  formality: choice('<how>', 'formality, only for PROVIDER_B', ['default', 'more', 'less']),
  wait: value('<time>', 'how long to wait for a job', durationMs, 30 * 60_000),
  dryRun: flag('only list the jobs'),
}

export const command = defineCommand({
  description: 'Machine-translate missing texts, with one job for each target language. Exits with 1 if a job fails.',
  examples: ['translate --language pl --language de', 'translate --provider PROVIDER_B --formality more --dry-run'],
  options,
  result: translateResult,
  async work(context, given) {
    const [config, client] = await Promise.all([context.config(), context.client()])
    const { source, targets } = await pickLanguages(client, config, given)
    const tasks = targets.map((language): Task => {
      const request = createRequest(language, source, given, config, context.io.env)
      const names = { language, providerLanguage: request.targetLanguage }
      return { request, planned: { ...names, jobId: null, state: 'PLANNED', message: null, ok: true } }
    })
    const { dryRun } = given
    const jobs = dryRun ? tasks.map(({ planned }) => planned) : await runJobs(context, client, tasks, given.wait)
    return { data: { dryRun, source: source ?? null, jobs }, failed: jobs.some(({ ok }) => !ok) }
  },
  text({ data: { jobs } }, paint) {
    const rows = table(
      jobs,
      [
        ['language', ({ language }) => language],
        ['provider code', ({ providerLanguage }) => providerLanguage],
        ['state', ({ state, ok }) => (ok ? state : paint('red', state))],
        ['message', ({ message }) => message],
      ],
      paint,
    )
    const failed = jobs.filter(({ ok }) => !ok).length
    return failed === 0 ? rows : `${rows}\n${count(failed, 'job')} of ${jobs.length} did not succeed`
  },
})

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
  // All bars are added first, because adding one later would make the others jump.
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
  { provider, glossary, formality, ...given }: Given<typeof options>,
  config: ResolvedConfig,
  env: CliIo['env'],
): StartJobRequest {
  const codes = new Map(given.providerLanguage)
  const codeOf = (name: string) => codes.get(name) ?? providerCode(name, provider)
  const key = env.LOCALIZATION_PROVIDER_B_API_KEY
  if (glossary !== undefined && (provider !== 'PROVIDER_B' || !key || source === undefined))
    throw new UsageError('--glossary needs --provider PROVIDER_B, --source, and LOCALIZATION_PROVIDER_B_API_KEY')
  if (formality !== undefined && provider !== 'PROVIDER_B')
    throw new UsageError('--formality needs --provider PROVIDER_B')
  const flags: JobOption[] = []
  if (given.useKeys) flags.push('USE_TRANSLATION_KEYS')
  if (given.replace) flags.push('FORCE_REPLACE')
  if (given.publish) flags.push('AUTO_PUBLISH')
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

async function pickLanguages(client: Client, config: ResolvedConfig, given: Given<typeof options>) {
  const known = await projectLanguages(client, config)
  const { language: named } = given
  const source = given.source ?? config.defaultLanguage ?? known?.defaultLanguage
  if (!known && !named?.every(isLiteral)) {
    // Throws if the reason is another one, such as a wrong API key.
    await client.project.info()
    throw new UsageError('this service does not list its languages: name each target with --language')
  }
  const isWanted = nameFilter(named ?? config.languages)
  const targets = (known?.languages ?? named ?? []).filter((language) => language !== source && isWanted(language))
  const unknown = named?.filter((name) => isLiteral(name) && name !== source && !targets.includes(name)) ?? []
  if (unknown.length > 0)
    throw new UsageError(`the project has no language ${unknown.join(', ')}; it has ${known?.languages.join(', ')}`)
  if (targets.length === 0) throw new UsageError('there is no language to translate into')
  return { source, targets }
}
