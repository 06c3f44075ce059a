/**
 * A claim as a file whose content changes all the time: for file systems that hold no sockets (shares of a virtual
 * machine, SMB). Other processes compare contents by their own clock. A process that is stopped for longer than
 * `SILENT_LOOKS` looks is taken for dead; its claim is then removed, which it notices before it writes again.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

const BEAT_MS = 200
const LOOK_MS = 100
/** Looks are counted, not time: a process that slept itself must not take the other one for dead when it wakes. */
const SILENT_LOOKS = 30

/** Beats in its own thread: a long transaction of the main thread must not look like death. `r+` creates no file. */
const BEAT = `
  const { writeFileSync } = require('node:fs')
  const { entry, everyMs } = require('node:worker_threads').workerData
  let beats = 0
  setInterval(() => {
    try { writeFileSync(entry, String(++beats), { flag: 'r+' }) } catch {}
  }, everyMs)`

/** Returns the function that ends the claim. */
export function makeHeartbeatClaim(entry: string): () => Promise<unknown> {
  writeFileSync(entry, '0', { flag: 'wx', mode: 0o600 })
  const worker = new Worker(BEAT, { eval: true, workerData: { entry, everyMs: BEAT_MS }, execArgv: [] })
  worker.on('error', () => {})
  worker.unref()
  return () => worker.terminate()
}

export async function isBeating(entry: string): Promise<boolean> {
  const first = readBeat(entry)
  for (let look = 0; look < SILENT_LOOKS; look++) {
    await sleep(LOOK_MS)
    const beat = readBeat(entry)
    if (beat === undefined) return false
    if (beat !== first) return true
  }
  return false
}

/** Resolves when it beats no more, or `signal` aborts. */
export async function whenSilent(entry: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await isBeating(entry))) await sleep(BEAT_MS, undefined, { ref: false })
}

/** `undefined`: it is gone. An entry that cannot be read counts as beating: each look differs. */
function readBeat(entry: string): string | symbol | undefined {
  try {
    return readFileSync(entry, 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : Symbol('unreadable')
  }
}
