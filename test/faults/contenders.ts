/** Processes that want one data folder, in network and process namespaces of their own. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { expect, vi } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { startProcess } from '../helpers/processes.ts'

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
  /** When the start that was refused began, as `Date.now()`. */
  readonly triedAt?: number
  readonly written?: string
  readonly text?: string
  readonly wrote?: string
  readonly failed?: number
  readonly code?: string
  readonly texts?: Record<string, string>
  readonly ended?: boolean
}

type Contender = ReturnType<typeof contend>

export function contend(
  dataDir: string,
  { way = 'one namespace', driver, sockets = true }: { way?: Way; driver: string; sockets?: boolean },
) {
  const script = join(import.meta.dirname, 'contender.mjs')
  const entry = pathToFileURL(join(repository, 'dist/service.js')).href
  const { child, ended, signal } = startProcess(
    [...WAYS[way], process.execPath, script, entry, dataDir, driver, ...(sockets ? [] : ['no-sockets'])],
    { stdin: 'pipe' },
  )
  child.stdin?.on('error', () => {})
  child.stderr?.pipe(process.stderr)
  const events: Event[] = []
  createInterface({ input: child.stdout as Readable }).on('line', (line) => events.push(JSON.parse(line) as Event))
  const until = (name: keyof Event, from = 0) => {
    const find = () => events.slice(from).find((event) => event[name] !== undefined) ?? expect.fail(`no ${name}`)
    return vi.waitFor(find, { timeout: 240_000, interval: 20 })
  }
  const send = (line: string) => void child.stdin?.write(`${line}\n`)
  return {
    events: events as readonly Event[],
    /** Everything that was acknowledged to it. */
    acknowledged: () =>
      Object.fromEntries(events.flatMap(({ written, text = '' }) => (written === undefined ? [] : [[written, text]]))),
    holds: () => events.some(({ holds }) => holds),
    until,
    send,
    /** Sends a command and waits for the event it ends with. */
    tell(line: string, name: keyof Event) {
      send(line)
      return until(name, events.length)
    },
    signal,
    /** SIGKILL; resolves when it is gone. */
    async kill() {
      signal('SIGKILL')
      await ended
    },
  }
}

/** Waits until it has been refused again, so many times. */
export async function refusedAgain(contender: Contender, times = 3): Promise<void> {
  const refusals = () => contender.events.filter(({ refused }) => refused).length
  const before = refusals()
  await expect.poll(refusals).toBeGreaterThanOrEqual(before + times)
}
