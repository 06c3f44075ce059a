/** Real providers over HTTP: provider A's and provider B's own request shapes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpProviderOptions, ProviderName, TranslateOptions, TranslationProvider } from './types.ts'

/** A refusal or failure of the provider; the message holds no key. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
}

const ATTEMPTS = 4
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 20_000

/** `PROVIDER_A`: `POST {address}`; `PROVIDER_B`: `POST {address}/v2/translate`, glossaries at `GET {address}/v2/glossaries/{id}`. */
export function createHttpProvider(name: ProviderName, options: HttpProviderOptions): TranslationProvider {
  const { address, apiKey: ownKey, header, timeoutMs = 30_000 } = options

  const call = async (path: string, key: string | undefined, signal: AbortSignal, body?: object): Promise<unknown> => {
    if (key === undefined) throw new ProviderError(`${name} has no key: configure one, or send it with the request.`)
    for (let attempt = 1; ; attempt++) {
      let response: Response
      try {
        response = await fetch(`${address}${path}`, {
          method: body ? 'POST' : 'GET',
          redirect: 'error',
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
          headers: {
            [header?.name ?? 'authorization']: (header?.value ?? 'Bearer {key}').replaceAll('{key}', key),
            ...(body && { 'content-type': 'application/json' }),
          },
          ...(body && { body: JSON.stringify(body) }),
        })
      } catch (cause) {
        if (signal.aborted) throw signal.reason
        if (attempt >= ATTEMPTS) throw new ProviderError(`${name} cannot be reached.`, { cause })
        await sleep(delayMs(attempt, undefined), undefined, { signal })
        continue
      }
      if (response.ok) {
        return response.json().catch((cause) => {
          throw new ProviderError(`${name} did not answer JSON.`, { cause })
        })
      }
      await response.body?.cancel()
      const again = response.status === 429 || response.status >= 500
      if (!again || attempt >= ATTEMPTS) throw new ProviderError(`${name} answered ${response.status}.`)
      await sleep(delayMs(attempt, response.headers.get('retry-after')), undefined, { signal })
    }
  }

  const checked = (texts: unknown, count: number): string[] => {
    if (!Array.isArray(texts) || texts.length !== count || !texts.every((text) => typeof text === 'string')) {
      throw new ProviderError(`${name} did not answer one text for each.`)
    }
    return texts
  }

  if (name === 'PROVIDER_A') {
    return {
      async translate(texts, { sourceLanguage, targetLanguage, signal }) {
        const answer = await call('', ownKey, signal, {
          q: texts,
          target: targetLanguage,
          format: 'text',
          ...(sourceLanguage !== undefined && { source: sourceLanguage }),
        })
        return checked(pick(pick(answer, 'data'), 'translations', 'translatedText'), texts.length)
      },
    }
  }
  return {
    async translate(
      texts,
      { sourceLanguage, targetLanguage, glossaryId, formality, apiKey, signal }: TranslateOptions,
    ) {
      const answer = await call('/v2/translate', apiKey ?? ownKey, signal, {
        text: texts,
        target_lang: targetLanguage,
        ...(sourceLanguage !== undefined && { source_lang: sourceLanguage }),
        ...(glossaryId !== undefined && { glossary_id: glossaryId }),
        ...(formality !== undefined && { formality }),
      })
      return checked(pick(answer, 'translations', 'text'), texts.length)
    },
    async glossary(id, { apiKey, signal }) {
      const answer = await call(`/v2/glossaries/${encodeURIComponent(id)}`, apiKey, signal)
      const [sourceLanguage, targetLanguage] = [pick(answer, 'source_lang'), pick(answer, 'target_lang')]
      if (typeof sourceLanguage !== 'string' || typeof targetLanguage !== 'string') {
        throw new ProviderError(`${name} did not answer the glossary's languages.`)
      }
      return { sourceLanguage, targetLanguage }
    },
  }
}

/** A member of an unknown value; with `each`, that member of each element. */
function pick(value: unknown, name: string, each?: string): unknown {
  const member = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  return each !== undefined && Array.isArray(member) ? member.map((item) => pick(item, each)) : member
}

function delayMs(attempt: number, retryAfter: string | null | undefined): number {
  const seconds = Number(retryAfter)
  const told = retryAfter && Number.isFinite(seconds) ? seconds * 1000 : FIRST_DELAY_MS * 2 ** (attempt - 1)
  return Math.min(LONGEST_DELAY_MS, told * (0.75 + Math.random() * 0.25))
}
