/** The process that builds with Farm: one for all builds of a test file. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

let child: ChildProcess | undefined
let said = ''
/** One build after the other: the working folder is the process's. */
let builds: Promise<unknown> = Promise.resolve()

/** Rejects with what Farm printed. */
export function buildInFarmProcess(input: object): Promise<void> {
  const build = builds.then(() => buildNow(input))
  builds = build.catch(() => {})
  return build
}

function buildNow(input: object): Promise<void> {
  child ??= start()
  const farm = child
  said = ''
  return new Promise((resolve, reject) => {
    const onMessage = ({ error }: { error?: string }) => {
      farm.off('close', onClose)
      if (error === undefined) resolve()
      else reject(new Error(error))
    }
    const onClose = (code: number | null) => {
      farm.off('message', onMessage)
      reject(new Error(`Farm ended with ${code}\n${said}`))
    }
    farm.once('message', onMessage)
    farm.once('close', onClose)
    farm.send({ env: process.env, input })
  })
}

function start(): ChildProcess {
  const farm = fork(join(import.meta.dirname, 'farm-builds.mjs'), {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  for (const stream of [farm.stdout, farm.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  farm.once('close', () => {
    child = undefined
  })
  return farm
}
