/** Data that keeps itself current: loaded once, and again at news of its kind. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { EventLine } from '../wire.ts'
import { ApiFailure, get, listen, type Query } from './api.ts'

type Listener = (event: EventLine) => void
const listeners = new Set<Listener>()
const states = new Set<(isOpen: boolean) => void>()
let isOpen = false
let stop: (() => void) | undefined

/** Hidden tabs listen to nothing: a browser opens few connections to one server, and the app needs them. */
export function startListening(): void {
  const begin = () => {
    stop ??= listen(
      (event) => {
        for (const listener of [...listeners]) listener(event)
      },
      (open) => {
        const isBack = open && !isOpen
        isOpen = open
        for (const tell of [...states]) tell(open)
        if (isBack) for (const listener of [...listeners]) for (const type of KINDS) listener({ type })
      },
    )
  }
  const end = () => {
    stop?.()
    stop = undefined
    isOpen = false
  }
  document.addEventListener('visibilitychange', () => (document.hidden ? end() : begin()))
  if (!document.hidden) begin()
}

const KINDS: readonly EventLine['type'][] = ['change', 'log', 'jobs', 'environments']

export function useConnection(): boolean {
  const [open, setOpen] = useState(isOpen)
  useEffect(() => {
    states.add(setOpen)
    // It may have opened since this was drawn.
    setOpen(isOpen)
    return () => {
      states.delete(setOpen)
    }
  }, [])
  return open
}

export function useEvent(type: EventLine['type'], listener: () => void): void {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => {
    const on: Listener = (event) => {
      if (event.type === type) latest.current()
    }
    listeners.add(on)
    return () => {
      listeners.delete(on)
    }
  }, [type])
}

export interface Live<T> {
  readonly data: T | undefined
  readonly failure: ApiFailure | undefined
  reload(): void
}

/** What was loaded last stays while it is loaded anew. */
export function useLive<T>(type: EventLine['type'], name: string, query: Query = {}): Live<T> {
  const [state, setState] = useState<{ id: string; data?: T; failure?: ApiFailure }>({ id: '' })
  const id = JSON.stringify([name, query])
  const latest = useRef(id)
  latest.current = id
  const load = useCallback(() => {
    get<T>(name, query).then(
      (data) => {
        if (latest.current === id) setState({ id, data })
      },
      (error: unknown) => {
        if (latest.current !== id) return
        const failure = error instanceof ApiFailure ? error : new ApiFailure(0, 'the dev server does not answer')
        setState((before) => ({ ...(before.id === id && before), id, failure }))
      },
    )
    // `id` stands for name and query.
  }, [id])
  useEffect(load, [load])
  useEvent(type, load)
  const isOurs = state.id === id
  return { data: isOurs ? state.data : undefined, failure: isOurs ? state.failure : undefined, reload: load }
}
