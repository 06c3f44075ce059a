/** The built command as a process of its own, in a folder of its own, against a local service. */
import { join } from 'node:path'
import { expect } from 'vitest'
import type { z } from 'zod'
import { repository } from './bundlers.ts'
import { secretsIn } from './canary.ts'
import { startJobs } from './job-process.ts'
import { startProject } from './local-project.ts'
import { bareEnvironment, type Ended, type RunningProcess, startProcess } from './processes.ts'
import { tempFolder, writeTree } from './temp.ts'

/** `LOCALIZATION_CLI`: another build than `dist`, for trying things out. */
export const CLI = process.env.LOCALIZATION_CLI ?? join(repository, 'dist/cli.js')

export interface CliRun extends Ended {
  /** The one line of JSON on standard output. */
  json<T extends z.ZodType>(schema: T): z.output<T>
}

export interface CliOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** What the command prints is gathered in `run`, which resolves when it ends. */
export function startCli(
  args: readonly string[],
  { cwd, env, input }: CliOptions,
): RunningProcess & { readonly run: Promise<CliRun> } {
  const command = [process.execPath, CLI, ...args]
  const running = startProcess(command, { cwd, env: bareEnvironment(cwd, env), stdin: 'pipe' })
  running.child.stdin?.end(input)
  const run = running.ended.then((ended): CliRun => ({ ...ended, json: (schema) => parseLine(ended.stdout, schema) }))
  return { ...running, run }
}

const jobs = startJobs('cli-job.mjs')

/**
 * Runs it to its end: in the process of the run before, where nothing speaks against it. What it loads takes longer
 * than most commands.
 */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliRun> {
  const { cwd, env, input } = options
  // Node reads such variables when it starts.
  const isOfNode = Object.keys(env ?? {}).some((name) => name.startsWith('NODE_'))
  if (isOfNode || input !== undefined || jobs.isBusy()) return startCli(args, options).run
  const ended = await jobs.run({ input: { cli: CLI, args }, cwd, env: bareEnvironment(cwd, env) })
  return { ...ended, json: (schema) => parseLine(ended.stdout, schema) }
}

function parseLine<T extends z.ZodType>(stdout: string, schema: T): z.output<T> {
  if (stdout.indexOf('\n') !== stdout.length - 1) throw new Error(`not one line: ${JSON.stringify(stdout)}`)
  return schema.parse(JSON.parse(stdout))
}

export type CliProject = Awaited<ReturnType<typeof startCliProject>>

/** A project in a fresh folder; the service has the languages `en`, `pl` and `de`. */
export async function startCliProject(
  files: Readonly<Record<string, string | object>> = {},
  service: Parameters<typeof startProject>[0] = {},
) {
  const project = await startProject({ languages: ['pl', 'de'], ...service })
  const folder = await tempFolder()
  await writeTree(folder, files)
  const env = {
    LOCALIZATION_BASE_URL: project.baseUrl,
    LOCALIZATION_CDN_URL: project.cdnUrl,
    LOCALIZATION_API_KEY: project.apiKey,
    LOCALIZATION_PERSONAL_TOKEN: project.personalToken,
  }
  const start = (...args: readonly string[]) => startCli(args, { cwd: folder, env })
  return {
    ...project,
    folder,
    env,
    start,
    /** Runs in the folder with the project's address and key, and fails when one of its secrets is printed. */
    async run(...args: readonly string[]): Promise<CliRun> {
      const result = await runCli(args, { cwd: folder, env })
      // The runtime has something to say that nobody asked for.
      if (/\(node:\d+\)/.test(result.stderr)) throw new Error(result.stderr)
      expect(secretsIn(result.output), `printed by: ${args.join(' ')}`).toEqual([])
      return result
    },
  }
}
