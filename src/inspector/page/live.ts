/** Data that is fetched again when the server reports a change. */
import { useEffect, useState } from 'preact/hooks'
import type { Answers, Requests } from '../endpoints.ts'
import type { EventKind } from '../protocol.ts'
import { get, messageOf, readEvents } from './calls.ts'

/** `open`: connected, and anything may have changed since the last connection. `closed`: disconnected. */
type Listener = (event: EventKind | 'open' | 'closed') => void

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 5_000

const listeners = new Set<Listener>()
let isConnected = false

function notify(event: Parameters<Listener>[0]): void {
  if (event === 'open' || event === 'closed') isConnected = event === 'open'
  for (const listener of [...listeners]) listener(event)
}

function subscribe(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Fetches all data that depends on texts, without waiting for the server's event. */
export function readAgain(): void {
  notify('change')
}

/** Hidden tabs do not listen: browsers limit the connections per server, and the app needs them. */
export function startListening(): () => void {
  let listening: AbortController | undefined
  const follow = () => {
    listening?.abort()
    listening = document.hidden ? undefined : new AbortController()
    if (listening) void listen(listening.signal)
  }
  document.addEventListener('visibilitychange', follow)
  follow()
  return () => {
    document.removeEventListener('visibilitychange', follow)
    listening?.abort()
  }
}

async function listen(signal: AbortSignal): Promise<void> {
  let waitMs = FIRST_WAIT_MS
  const onOpen = () => {
    waitMs = FIRST_WAIT_MS
    notify('open')
  }
  while (!signal.aborted) {
    await readEvents(onOpen, notify, signal).catch(() => undefined)
    if (signal.aborted) return
    notify('closed')
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }
}

export function useConnection(): boolean {
  const [isOpen, setOpen] = useState(isConnected)
  useEffect(() => {
    setOpen(isConnected)
    return subscribe(() => setOpen(isConnected))
  }, [])
  return isOpen
}

export interface Live<Data> {
  readonly data: Data | undefined
  readonly failure: string | undefined
}

const NOTHING: Live<never> = { data: undefined, failure: undefined }

/**
 * Fetches data, and fetches it again after each change of this kind (if a kind is given). If `keepsOld` is set, the old
 * response is shown until the new query's response arrives.
 */
export function useLive<Name extends keyof Answers>(
  kind: EventKind | undefined,
  name: Name,
  query: Requests[Name],
  { keepsOld = false } = {},
): Live<Answers[Name]> {
  const id = JSON.stringify([name, query])
  const [state, setState] = useState<Live<Answers[Name]> & { readonly id: string }>({ id, ...NOTHING })
  useEffect(() => {
    const ending = new AbortController()
    let isReading = false
    let hasChanged = false
    const read = async () => {
      hasChanged = true
      if (isReading) return
      isReading = true
      while (hasChanged && !ending.signal.aborted) {
        hasChanged = false
        const next = await get(name, query, ending.signal).then(
          (data) => ({ data, failure: undefined }),
          (error: unknown) => ({ failure: messageOf(error) }),
        )
        if (!ending.signal.aborted) {
          setState((before) => ({ ...(before.id === id || keepsOld ? before : NOTHING), ...next, id }))
        }
      }
      isReading = false
    }
    void read()
    const unsubscribe = subscribe((event) => {
      if (event === kind || event === 'open') void read()
    })
    return () => {
      ending.abort()
      unsubscribe()
    }
    // `id` contains both the name and the query.
  }, [id])
  return state.id === id || keepsOld ? state : NOTHING
}
