/** Processes that want one data folder, in network and process namespaces of their own. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { repository } from './bundlers.ts'

const asRoot = process.getuid?.() === 0 ? [] : ['-r']
/** A new namespace has no loopback before it is switched on. */
const WITH_LOOPBACK = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh']

const within = (...flags: readonly string[]) => ['unshare', ...asRoot, ...flags, ...WITH_LOOPBACK]

const WAYS = {
  'one namespace': [],
  'network namespaces': within('-n'),
  'network and process namespaces': within('-p', '-f', '--kill-child', '--mount-proc', '-n'),
} as const

export type Way = keyof typeof WAYS

/** What this system allows; the reason for the others is printed. */
export const NAMESPACES = (Object.keys(WAYS) as Way[]).filter((way) => {
  const [command, ...args] = WAYS[way]
  const isAllowed = command === undefined || spawnSync(command, [...args, 'true']).status === 0
  if (!isAllowed) process.stdout.write(`skipped: ${way} (no unshare, or no ip, allowed here)\n`)
  return isAllowed
})

interface Event {
  readonly refused?: string
  readonly message?: string
  readonly holds?: boolean
  /** How long the start took that succeeded. */
  readonly startMs?: number
  readonly written?: string
  readonly text?: string
  readonly wrote?: string
  readonly failed?: number
  readonly code?: string
  readonly texts?: Record<string, string>
  readonly ended?: boolean
}

export interface Contender {
  readonly events: readonly Event[]
  /** Everything that was acknowledged to it. */
  readonly acknowledged: () => Record<string, string>
  readonly holds: () => boolean
  /** Sends a command and waits for the event it ends with. */
  tell(command: string, until: keyof Event): Promise<Event>
  send(command: string): void
  until(name: keyof Event): Promise<Event>
  signal(signal: NodeJS.Signals): void
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
}

export function contend(
  dataDir: string,
  { way = 'one namespace', driver, sockets = true }: { way?: Way; driver: string; sockets?: boolean },
): Contender {
  const script = join(repository, 'test/helpers/contender.mjs')
  const entry = pathToFileURL(join(repository, 'dist/service.js')).href
  const args = [script, entry, dataDir, driver, ...(sockets ? [] : ['no-sockets'])]
  const [command = '', ...rest] = [...WAYS[way], process.execPath, ...args]
  // A group of its own: signals are for the process itself, not for `unshare` in front of it.
  const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const exited = once(child, 'exit')
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-(child.pid as number), name)
    } catch {
      // It is gone.
    }
  }
  onTestFinished(() => signal('SIGKILL'))
  child.stdin.on('error', () => {})
  const events: Event[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    events.push(JSON.parse(line) as Event)
    for (const look of waiting) look()
  })
  const untilFrom = (name: keyof Event, from: number) =>
    new Promise<Event>((resolve) => {
      const look = () => {
        const found = events.slice(from).find((event) => event[name] !== undefined)
        if (!found) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  return {
    events,
    acknowledged: () =>
      Object.fromEntries(events.flatMap(({ written, text = '' }) => (written === undefined ? [] : [[written, text]]))),
    holds: () => events.some(({ holds }) => holds),
    until: (name) => untilFrom(name, 0),
    send: (line) => void child.stdin.write(`${line}\n`),
    tell(line, name) {
      const from = events.length
      child.stdin.write(`${line}\n`)
      return untilFrom(name, from)
    },
    signal,
    async kill() {
      signal('SIGKILL')
      await exited
    },
  }
}

/** Waits until it has been refused again, so many times. */
export async function refusedAgain(contender: Contender, times = 3): Promise<void> {
  const refusals = () => contender.events.filter(({ refused }) => refused).length
  const before = refusals()
  await expect.poll(refusals).toBeGreaterThanOrEqual(before + times)
}
