/** Calls of an app's page to the inspector of the dev server it came from. */
import type { ActionAnswer, ErrorAnswer, KeyAnswer, TraceAnswer } from '../../wire.ts'

const BASE = '/__localization/'
const HEADER = 'x-localization-token'
/** What one call takes. */
const MOST_TEXTS = 1_000

let token: Promise<string> | undefined

/** Only a page of the same origin can read it there. */
async function readToken(): Promise<string> {
  const response = await fetch(BASE)
  const text = await response.text()
  const found = response.ok && /name="localization-token" content="([\w-]+)"/.exec(text)?.[1]
  if (!found) throw new Error(`the inspector does not answer (${response.status})`)
  return found
}

async function call<T>(path: string, body?: object, again = true): Promise<T> {
  token ??= readToken()
  const given = await token.catch((error: unknown) => {
    token = undefined
    throw error
  })
  const response = await fetch(`${BASE}api/${path}`, {
    headers: { [HEADER]: given, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (response.ok) return (await response.json()) as T
  if (response.status === 403 && again) {
    // The server was started anew.
    token = undefined
    return call(path, body, false)
  }
  const { error } = (await response.json().catch(() => ({ error: response.statusText }))) as ErrorAnswer
  throw new Error(error)
}

export async function trace(
  texts: readonly string[],
  loaded: readonly (readonly [string, string])[],
  language: string,
): Promise<TraceAnswer['found']> {
  const found: TraceAnswer['found'][number][] = []
  for (let at = 0; at < texts.length; at += MOST_TEXTS) {
    const answer = await call<TraceAnswer>('trace', { texts: texts.slice(at, at + MOST_TEXTS), loaded, language })
    found.push(...answer.found)
  }
  return found
}

export function readKey(namespace: string, key: string): Promise<KeyAnswer> {
  return call(`key?${new URLSearchParams({ namespace, key })}`)
}

/** `seen`: what the file and the service had when they were shown. */
export function save(
  ref: object,
  text: string,
  seen: { readonly expected: string | null; readonly theirs?: string | null },
): Promise<ActionAnswer> {
  return call('edit', { ref, text, ...seen })
}

export function inspectorLink(query: Readonly<Record<string, string>>): string {
  return `${BASE}#/texts?${new URLSearchParams(query)}`
}
