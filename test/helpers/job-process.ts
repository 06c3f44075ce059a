/**
 * Many short jobs in one process, one after the other: what each would load is loaded once. Each has the folder, the
 * environment and the output that a process of its own would have. The process ends with that of the tests.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { join, resolve } from 'node:path'
import type { Ended } from './processes.ts'

interface Job {
  /** What the script's `work` is called with. */
  readonly input: unknown
  readonly cwd: string
  /** All its variables. */
  readonly env: NodeJS.ProcessEnv
}

interface Jobs {
  /** Resolves when the job has left nothing to do, or has ended the process. */
  run(job: Job): Promise<Ended>
  isBusy(): boolean
}

interface JobsOptions {
  /** Variables that the process reads as it starts. */
  readonly env?: Readonly<Record<string, string>>
  /** What runs the script, once that is known. Default: Node. */
  readonly runtime?: () => Promise<string>
}

/** `script`: a module that exports `work`, in this folder or anywhere. */
export function startJobs(script: string, { env = {}, runtime }: JobsOptions = {}): Jobs {
  let child: ChildProcess | undefined
  let running: ReturnType<typeof createRun> | undefined
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  const start = async () => {
    const started = fork(join(import.meta.dirname, 'job-process.mjs'), [resolve(import.meta.dirname, script)], {
      env: { ...process.env, ...env },
      execPath: (await runtime?.()) ?? process.execPath,
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    for (const name of ['stdout', 'stderr'] as const)
      started[name]?.setEncoding('utf8').on('data', (text: string) => running?.write(name, text))
    started.on('message', (code: number) => running?.hasEnded(code))
    started.once('close', (code) => {
      child = undefined
      running?.processEnded(code)
    })
    return started
  }
  const run = async (job: Job) => {
    child ??= await start()
    running = createRun()
    child.send(job)
    return running.ended.finally(() => {
      running = undefined
      waiting--
    })
  }
  return {
    isBusy: () => waiting > 0,
    run(job) {
      waiting++
      const ended = last.then(() => run(job))
      last = ended
      return ended
    },
  }
}

function createRun() {
  const written = { stdout: '', stderr: '', output: '' }
  let end: (ended: Ended) => void = () => {}
  const ended = new Promise<Ended>((resolve) => {
    end = resolve
  })
  let code: number | null = null
  // The exit code and the ends of both streams.
  let missing = 3
  const oneMore = () => {
    if (--missing === 0) end({ ...written, code })
  }
  return {
    ended,
    write(name: 'stdout' | 'stderr', text: string) {
      // What the process writes when the job is over.
      const isLast = text.endsWith('\0')
      const said = isLast ? text.slice(0, -1) : text
      written[name] += said
      written.output += said
      if (isLast) oneMore()
    },
    hasEnded(exitCode: number) {
      code = exitCode
      oneMore()
    },
    processEnded: (exitCode: number | null) => end({ ...written, code: exitCode }),
  }
}
