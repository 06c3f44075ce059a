/** The built command as a process of its own. `startProject` has it in a folder with a service. */
import { join } from 'node:path'
import type { z } from 'zod'
import { repository } from './bundlers.ts'
import { startJobs } from './job-process.ts'
import { bareEnvironment, type Ended, type RunningProcess, startProcess } from './processes.ts'

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
