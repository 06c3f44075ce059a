/** Calls to the inspector's server, from its own pages and from the editor in the app's page. */
import type { Answers, Requests } from '../endpoints.ts'
import type { ErrorAnswer, EventKind } from '../protocol.ts'
import { readStored, store } from './stored.ts'

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

/** Longer than the interval at which the server sends at least an empty line (5 seconds). */
const SILENT_MS = 15_000

/** Resolves when the server ends the stream. Rejects when the server goes silent. */
export async function readEvents(onOpen: () => void, onEvent: (kind: EventKind) => void, given: AbortSignal) {
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
    for (const line of lines) if (line !== '') onEvent(line as EventKind)
  }
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
