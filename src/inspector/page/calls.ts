/**
 * Calls to the inspector's server, from its own pages and from the editor in the app's page, and data that is fetched
 * again when the server reports a change.
 */
import { useEffect, useState } from 'preact/hooks'
import type { Answers, Requests } from '../endpoints.ts'
import type { ErrorAnswer, EventKind } from '../protocol.ts'
import { readStored, store } from './route.ts'

/** The base URL of the pages and of all their scripts. */
export const INSPECTOR = new URL('./', import.meta.url).href

const TOKEN = 'localization-token'

/** A service's pages do not contain the token: the user enters it. */
export const asksForToken = tokenIn(document) === ''

let token = tokenIn(document) || readStored('sessionStorage', TOKEN) || ''
let project: string | undefined
let lastAnswerAt = 0

export function answeredAt(): number {
  return lastAnswerAt
}

export class CallError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export function hasToken(): boolean {
  return token !== ''
}

export function giveToken(given: string): void {
  token = given
  store('sessionStorage', TOKEN, given)
}

/** Selects the project for all later calls. */
export function chooseProject(id: string | undefined): void {
  project = id
}

type Name = keyof Answers

export async function get<N extends Name>(name: N, query: Requests[N], signal?: AbortSignal): Promise<Answers[N]> {
  return (await call(name, query, { signal })).json()
}

export async function post<N extends Name>(name: N, body: Requests[N]): Promise<Answers[N]> {
  const headers = { 'content-type': 'application/json' }
  return (await call(name, {}, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Throws `CallError` if the call fails. */
async function call(name: string, query: object, init: RequestInit): Promise<Response> {
  const parameters = new URLSearchParams()
  for (const [parameter, value] of Object.entries({ ...query, project })) {
    if (value !== undefined) parameters.set(parameter, String(value))
  }
  const send = () =>
    fetch(`${INSPECTOR}api/${name}?${parameters}`, {
      ...init,
      headers: { ...init.headers, 'x-localization-token': token },
    }).catch(() => {
      throw new CallError(0, 'the server is not responding')
    })
  if (token === '') await renewToken()
  let response = await send()
  // A restarted server has a new token.
  if (response.status === 403 && (await renewToken())) response = await send()
  lastAnswerAt = Date.now()
  if (response.ok) return response
  const { error }: ErrorAnswer = await response.json().catch(() => ({ error: response.statusText }))
  throw new CallError(response.status, error)
}

/** Reads the token from a dev server's page again. Returns false if the token has not changed. */
async function renewToken(): Promise<boolean> {
  const response = await fetch(INSPECTOR).catch(() => undefined)
  const page = new DOMParser().parseFromString((await response?.text()) ?? '', 'text/html')
  const fresh = tokenIn(page)
  if (!fresh || fresh === token) return false
  token = fresh
  return true
}

function tokenIn(page: Document): string | undefined {
  return page.querySelector<HTMLMetaElement>(`meta[name="${TOKEN}"]`)?.content
}

/**
 * `open`: connected, and anything may have changed since the last connection. `closed`: disconnected. `drafts`: a draft
 * was added, changed or removed in the browser.
 */
type PageEvent = EventKind | 'open' | 'closed' | 'drafts'
type Listener = (event: PageEvent) => void

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 5_000

const listeners = new Set<Listener>()
let isConnected = false

export function notify(event: PageEvent): void {
  if (event === 'open' || event === 'closed') isConnected = event === 'open'
  for (const listener of [...listeners]) listener(event)
}

function subscribe(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Renders the component again after these events. */
export function useEvents(...events: readonly PageEvent[]): void {
  const [, draw] = useState(0)
  useEffect(() => subscribe((event) => events.includes(event) && draw((count) => count + 1)), [])
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
    await readEvents(onOpen, signal).catch(() => undefined)
    if (signal.aborted) return
    notify('closed')
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }
}

/** Longer than the interval at which the server sends at least an empty line (5 seconds). */
const SILENT_MS = 15_000

/** Resolves when the server ends the stream. Rejects when the server goes silent. */
async function readEvents(onOpen: () => void, given: AbortSignal) {
  const silence = new AbortController()
  const signal = AbortSignal.any([given, silence.signal])
  let timer = setTimeout(() => silence.abort(), SILENT_MS)
  const { body } = await call('events', {}, { signal })
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  onOpen()
  let rest = ''
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENT_MS)
    lastAnswerAt = Date.now()
    const lines = (rest + chunk.value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') notify(line as EventKind)
  }
}

/** True if the page is receiving the server's events. */
export function useConnection(): boolean {
  useEvents('open', 'closed')
  return isConnected
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
