/** The option `refresh`: checks for new texts while a page is open. */

export interface Refresh {
  readonly intervalMs: number
  readonly onVisible: boolean
}

interface Page {
  readonly visibilityState: string
  addEventListener(type: 'visibilitychange', listener: () => void): void
}

const LONGEST_MS = 3_600_000
/** The shortest time between two requests, even if a page is repeatedly hidden and shown. */
const SHORTEST_MS = 5000

/** Calls `request` at intervals: less often after errors, and never while the page is hidden. */
export function refreshRegularly({ intervalMs, onVisible }: Refresh, request: () => Promise<void>): void {
  const { document } = globalThis as { document?: Page }
  const isHidden = () => document?.visibilityState === 'hidden'
  let timer: { unref?(): void } | number | undefined
  let failures = 0
  let lastAt = Date.now()
  let isAsking = false

  const delay = () => Math.min(intervalMs * 2 ** failures, Math.max(intervalMs, LONGEST_MS))
  const wait = (ms: number) => {
    clearTimeout(timer as never)
    timer = setTimeout(run, ms) as typeof timer
    // On a server, the timer must not keep the process alive.
    if (typeof timer === 'object') timer.unref?.()
  }
  const run = async () => {
    timer = undefined
    // The `visibilitychange` listener sets the timer again when the page is shown.
    if (isHidden() || isAsking) return
    isAsking = true
    lastAt = Date.now()
    await request().then(
      () => {
        failures = 0
      },
      () => {
        failures++
      },
    )
    isAsking = false
    wait(delay())
  }
  wait(intervalMs)
  document?.addEventListener('visibilitychange', () => {
    if (isHidden()) return
    const least = onVisible && failures === 0 ? Math.min(SHORTEST_MS, intervalMs) : delay()
    wait(Math.max(0, lastAt + least - Date.now()))
  })
}
