/** Lets the user's other processes find a dev server's inspector. */
import { readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'
import { isLoopbackHost } from '../shared/loopback.ts'
import type { Answers, Requests } from './endpoints.ts'
import type { ErrorAnswer } from './protocol.ts'

/** The calls that other processes may make. None of them changes anything. */
type Call = 'overview' | 'sync' | 'log' | 'trace'

export interface RunningInspector {
  readonly pid: number
  /** The URL of its page. */
  readonly address: string
  call<Name extends Call>(name: Name, request: Requests[Name]): Promise<Answers[Name]>
}

/** A dev server responds immediately with its page unless it is compiling. */
const PAGE_MS = 5_000

type Announcement = Pick<RunningInspector, 'pid' | 'address'>

const fileOf = (root: string) => join(root, '.localization', 'dev-server.json')

/** The project's id in the inspector. */
export function projectId(root: string): string {
  return hashOf(root, 12)
}

/** Returns a function that removes the announcement unless another server has replaced it. */
export async function announceInspector(root: string, address: string): Promise<() => Promise<void>> {
  const announcement = `${JSON.stringify({ pid: process.pid, address })}\n`
  await writeFileAtomic(fileOf(root), announcement, { mode: 0o600, durable: false })
  return async () => {
    const now = await readFile(fileOf(root), 'utf8').catch(() => undefined)
    if (now === announcement) await unlink(fileOf(root)).catch(() => undefined)
  }
}

/**
 * The inspector of the project's running dev server; `undefined` if there is no dev server, or if its inspector is off.
 */
export async function findInspector(root: string, signal: AbortSignal): Promise<RunningInspector | undefined> {
  const announced = await readAnnouncement(root)
  if (!announced) return undefined
  // Another program may now be using the port.
  const soon = AbortSignal.any([signal, AbortSignal.timeout(PAGE_MS)])
  const page = await fetch(announced.address, { signal: soon })
    .then((response) => response.text())
    .catch(() => '')
  const token = /name="localization-token" content="([\w-]+)"/.exec(page)?.[1]
  if (token === undefined) return undefined
  const { origin } = new URL(announced.address)
  const found: RunningInspector = {
    ...announced,
    async call(name, request) {
      const isPost = name === 'trace'
      const query = isPost ? '' : `?${new URLSearchParams(request as Record<string, string>)}`
      const response = await fetch(new URL(`api/${name}${query}`, announced.address), {
        method: isPost ? 'POST' : 'GET',
        headers: { 'x-localization-token': token, origin, ...(isPost && { 'content-type': 'application/json' }) },
        body: isPost ? JSON.stringify(request) : undefined,
        signal,
      })
      const answer: unknown = await response.json()
      if (response.ok) return answer as Answers[typeof name]
      throw new Error(`the dev server at ${announced.address}: ${(answer as ErrorAnswer).error}`)
    },
  }
  // The port may also belong to another project's dev server.
  const { project } = await found.call('overview', {})
  return project === projectId(root) ? found : undefined
}

async function readAnnouncement(root: string): Promise<Announcement | undefined> {
  try {
    const { pid, address } = JSON.parse(await readFile(fileOf(root), 'utf8')) as Announcement
    return isLoopbackHost(new URL(address).hostname) ? { pid, address } : undefined
  } catch {
    return undefined
  }
}
