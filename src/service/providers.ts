/** Machine translation providers: two real ones over HTTP, and one that replaces providers that are not configured. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { startError } from './store/migrate.ts'

export type ProviderName = 'PROVIDER_A' | 'PROVIDER_B'

export interface TranslateOptions {
  /** The provider's code for the language. If it is `undefined`, the provider detects the language. */
  readonly sourceLanguage: string | undefined
  readonly targetLanguage: string
  readonly glossaryId?: string | undefined
  readonly formality?: 'default' | 'more' | 'less' | undefined
  /** Provider B's key from the request. It is sent only to the provider. */
  readonly apiKey?: string | undefined
  readonly signal: AbortSignal
}

export interface TranslationProvider {
  /** Returns one translation per text, in the same order. */
  translate(texts: readonly string[], options: TranslateOptions): Promise<readonly string[]>
  /** Returns a glossary's language pair. Absent if the provider has no glossaries. */
  glossary?(
    id: string,
    options: { apiKey: string; signal: AbortSignal },
  ): Promise<{ sourceLanguage: string; targetLanguage: string }>
  /** Added to the job's summary, for example to say that the texts are not real translations. */
  readonly note?: string
}

/** URL and credentials of a translation provider. */
export interface HttpProviderOptions {
  /** The base URL of the provider's API, without a trailing slash. */
  readonly address: string
  /** The provider's key. A request for provider B can contain a different one. */
  readonly apiKey?: string | undefined
  /**
   * The header that sends the key. `{key}` in `value` is replaced with the key. Default: `Authorization: Bearer {key}`.
   */
  readonly header?: { readonly name: string; readonly value: string } | undefined
  /** The timeout for each request, in milliseconds. Default 30 seconds. */
  readonly timeoutMs?: number | undefined
}

export type ProviderOptions = Partial<Record<ProviderName, TranslationProvider | HttpProviderOptions>>

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const CHANGED = 'áƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽ'

/** Tags, entities, `%s` and `%(name)d`, and `$t(...)`. Braces can nest, so `keptAt` matches them. */
const KEPT = /<[^<>]*>|&[a-z#0-9]+;|%(?:\(\w+\))?[-+ 0#]*(?:[1-9]\d*)?(?:\.\d+)?[a-zA-Z%]|\$t\([^()]*\)/giy

/** Replaces a provider that is not configured. Changes texts visibly, but keeps placeholders and tags. */
export const pseudoProvider: TranslationProvider = {
  note: 'pseudo-localized: no provider is configured',
  translate: async (texts) => texts.map(pseudoLocalize),
}

/** Turns `Hello {name}` into `[Ĥéļļö {name}]`. */
export function pseudoLocalize(text: string): string {
  if (text.trim() === '') return text
  let result = ''
  for (let i = 0; i < text.length; ) {
    const kept = keptAt(text, i)
    const letter = text.charAt(i)
    const changed = PLAIN.includes(letter) ? CHANGED.charAt(PLAIN.indexOf(letter)) : letter
    result += kept > 0 ? text.slice(i, i + kept) : changed
    i += Math.max(1, kept)
  }
  return `[${result}]`
}

/** The number of characters, counted from `start`, that must remain unchanged. */
function keptAt(text: string, start: number): number {
  if (text[start] !== '{') {
    KEPT.lastIndex = start
    return KEPT.exec(text)?.[0].length ?? 0
  }
  let depth = 0
  for (let i = start; i < text.length; i++) {
    if (text[i] === '{') depth++
    else if (text[i] === '}' && --depth === 0) return i + 1 - start
  }
  return text.length - start
}

/** The provider refused or failed. The message does not contain the key. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
}

const MAX_ATTEMPTS = 4
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 20_000

const answerOfA = z.object({ data: z.object({ translations: z.array(z.object({ translatedText: z.string() })) }) })
const answerOfB = z.object({ translations: z.array(z.object({ text: z.string() })) })
const glossarySchema = z.object({ source_lang: z.string(), target_lang: z.string() })

/**
 * Sends `POST {address}` to provider A, and `POST {address}/v2/translate` and `GET {address}/v2/glossaries/{id}` to
 * provider B.
 */
export function createHttpProvider(name: ProviderName, options: HttpProviderOptions): TranslationProvider {
  const ask = async <T extends z.ZodType>(schema: T, what: string, request: ProviderRequest): Promise<z.output<T>> => {
    const { success, data } = schema.safeParse(await call(name, options, request))
    if (!success) throw new ProviderError(`${name} did not return ${what}.`)
    return data
  }
  if (name === 'PROVIDER_A') {
    return {
      async translate(texts, { sourceLanguage: source, targetLanguage: target, signal }) {
        const body = { q: texts, target, format: 'text', source }
        const { data } = await ask(answerOfA, 'one translation per text', {
          path: '',
          key: options.apiKey,
          signal,
          body,
        })
        return data.translations.map(({ translatedText }) => translatedText)
      },
    }
  }
  return {
    async translate(texts, { sourceLanguage, targetLanguage, glossaryId, formality, apiKey, signal }) {
      const body = {
        text: texts,
        target_lang: targetLanguage,
        source_lang: sourceLanguage,
        glossary_id: glossaryId,
        formality,
      }
      const key = apiKey ?? options.apiKey
      const { translations } = await ask(answerOfB, 'one translation per text', {
        path: '/v2/translate',
        key,
        signal,
        body,
      })
      return translations.map(({ text }) => text)
    },
    async glossary(id, { apiKey: key, signal }) {
      const path = `/v2/glossaries/${encodeURIComponent(id)}`
      const pair = await ask(glossarySchema, "the glossary's languages", { path, key, signal })
      return { sourceLanguage: pair.source_lang, targetLanguage: pair.target_lang }
    },
  }
}

/** Throws if an option is invalid. The messages omit the URL and the header, which may contain a key. */
export function checkProviders(providers: ProviderOptions): void {
  for (const [name, provider] of Object.entries(providers)) {
    if (!provider || 'translate' in provider) continue
    if (!isHttpAddress(provider.address)) {
      throw startError(`the address of ${name} cannot be used`, { hint: 'Write it as https://api.example.com.' })
    }
    if (provider.header && !isHeader(provider.header)) {
      throw startError(`the header of ${name} cannot be used`, {
        hint: 'Write it as Name: value, with {key} in the value.',
      })
    }
  }
}

function isHttpAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, username, password, hash } = new URL(address)
  return /^https?:$/.test(protocol) && `${username}${password}${hash}` === ''
}

function isHeader({ name, value }: { readonly name: string; readonly value: string }): boolean {
  try {
    return new Headers([[name, value]]).has(name)
  } catch {
    return false
  }
}

interface ProviderRequest {
  readonly path: string
  readonly key: string | undefined
  readonly signal: AbortSignal
  readonly body?: object
}

/** Calls the provider. Retries after 429, 5xx and failed connections. */
async function call(
  name: ProviderName,
  { address, header, timeoutMs = 30_000 }: HttpProviderOptions,
  { path, key, signal, body }: ProviderRequest,
): Promise<unknown> {
  if (key === undefined) throw new ProviderError(`${name} has no key: configure one, or send it with the request.`)
  const headers = {
    [header?.name ?? 'authorization']: (header?.value ?? 'Bearer {key}').replaceAll('{key}', key),
    ...(body && { 'content-type': 'application/json' }),
  }
  const init: RequestInit = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers }
  for (let attempt = 1; ; attempt++) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const response = await fetch(`${address}${path}`, { ...init, redirect: 'error', signal: limit }).catch((cause) => {
      if (signal.aborted) throw signal.reason
      if (attempt === MAX_ATTEMPTS) throw new ProviderError(`${name} cannot be reached.`, { cause })
      return undefined
    })
    if (response?.ok) {
      return response.json().catch((cause) => {
        throw new ProviderError(`${name} did not return JSON.`, { cause })
      })
    }
    await response?.body?.cancel()
    const isFinal = response && response.status !== 429 && response.status < 500
    if (response && (isFinal || attempt === MAX_ATTEMPTS)) {
      throw new ProviderError(`${name} returned status ${response.status}.`)
    }
    await sleep(delayMs(attempt, response?.headers.get('retry-after')), undefined, { signal })
  }
}

function delayMs(attempt: number, retryAfter: string | null | undefined): number {
  const seconds = Number(retryAfter)
  const asked = retryAfter && Number.isFinite(seconds) ? seconds * 1000 : FIRST_DELAY_MS * 2 ** (attempt - 1)
  return Math.min(MAX_DELAY_MS, asked * (0.75 + Math.random() * 0.25))
}
