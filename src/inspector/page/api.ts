/** Calls of the page to the server it came from, with the token it was given. */
import type { ErrorAnswer, EventLine } from '../wire.ts'

export class ApiFailure extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const HEADER = 'x-localization-token'
const KEPT = 'localization-token'

let token = document.querySelector<HTMLMetaElement>('meta[name="localization-token"]')?.content || kept()

/** The page came without a token: a person has to give it. */
export function needsToken(): boolean {
  return token === ''
}

export function giveToken(given: string): void {
  token = given
  sessionStorage.setItem(KEPT, given)
}

function kept(): string {
  try {
    return sessionStorage.getItem(KEPT) ?? ''
  } catch {
    return ''
  }
}

let project: string | undefined

/** Calls are about this one from now on. */
export function chooseProject(id: string | undefined): void {
  project = id
}

export type Query = Readonly<Record<string, string | number | undefined>>

export async function get<T>(name: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return call<T>(addressOf(name, query), { headers: { [HEADER]: token }, ...(signal && { signal }) })
}

export async function post<T>(name: string, body: object = {}): Promise<T> {
  return call<T>(addressOf(name, {}), {
    method: 'POST',
    headers: { [HEADER]: token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

function addressOf(name: string, query: Query): string {
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries({ ...query, project })) {
    if (value !== undefined) parameters.set(key, String(value))
  }
  const text = parameters.toString()
  return `api/${name}${text === '' ? '' : `?${text}`}`
}

async function call<T>(address: string, init: RequestInit, again = true): Promise<T> {
  const response = await fetch(address, init)
  if (response.ok) return (await response.json()) as T
  // The server was started anew: a page of its own tells the new token.
  if (response.status === 403 && again && (await renewToken())) {
    return call(address, { ...init, headers: { ...init.headers, [HEADER]: token } }, false)
  }
  const { error } = (await response.json().catch(() => ({ error: response.statusText }))) as ErrorAnswer
  throw new ApiFailure(response.status, error)
}

async function renewToken(): Promise<boolean> {
  const response = await fetch('./').catch(() => undefined)
  if (!response?.ok) return false
  const document = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = document.querySelector<HTMLMetaElement>('meta[name="localization-token"]')?.content
  if (!fresh || fresh === token) return false
  token = fresh
  return true
}

/** Reads news until the server ends, and begins again then. `onState`: whether it is listening. Returns what ends it. */
export function listen(onEvent: (event: EventLine) => void, onState: (isOpen: boolean) => void): () => void {
  const ending = new AbortController()
  let waitMs = 500
  const run = async (): Promise<void> => {
    try {
      let response = await fetch(addressOf('events', {}), { headers: { [HEADER]: token }, signal: ending.signal })
      if (response.status === 403 && (await renewToken())) {
        response = await fetch(addressOf('events', {}), { headers: { [HEADER]: token }, signal: ending.signal })
      }
      if (!response.ok || !response.body) throw new ApiFailure(response.status, 'no events')
      onState(true)
      waitMs = 500
      await read(response.body, onEvent)
    } catch {
      if (ending.signal.aborted) return
    }
    onState(false)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    waitMs = Math.min(waitMs * 2, 5_000)
    if (!ending.signal.aborted) await run()
  }
  void run()
  return () => ending.abort()
}

async function read(body: ReadableStream<Uint8Array>, onEvent: (event: EventLine) => void): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') onEvent(JSON.parse(line) as EventLine)
  }
}
