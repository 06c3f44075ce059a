/** The interface of machine translation providers. */

export type ProviderName = 'PROVIDER_A' | 'PROVIDER_B'

export interface TranslateOptions {
  /** In the provider's notation; `undefined`: the provider detects it. */
  readonly sourceLanguage: string | undefined
  readonly targetLanguage: string
  readonly glossaryId?: string | undefined
  readonly formality?: 'default' | 'more' | 'less' | undefined
  /** The key of the request, for provider B. It is sent only to the provider. */
  readonly apiKey?: string | undefined
  readonly signal: AbortSignal
}

export interface TranslationProvider {
  /** Returns one translation for each text, in the same order. */
  translate(texts: readonly string[], options: TranslateOptions): Promise<readonly string[]>
  /** The language pair of a glossary, where the provider has glossaries. */
  glossary?(
    id: string,
    options: { apiKey: string; signal: AbortSignal },
  ): Promise<{ sourceLanguage: string; targetLanguage: string }>
  /** Added to the job's summary, for instance to say that the texts are not real translations. */
  readonly note?: string
}

/** Address and credentials of a real provider. */
export interface HttpProviderOptions {
  /** The base address of the provider's API, without a trailing slash. */
  readonly address: string
  /** The provider's key. Requests to provider B may have their own. */
  readonly apiKey?: string | undefined
  /** Header for the key. `{key}` in its value is replaced by the key. Default `Authorization: Bearer {key}`. */
  readonly header?: { readonly name: string; readonly value: string } | undefined
  /** Timeout of one request. Default 30 seconds. */
  readonly timeoutMs?: number | undefined
}

export type ProviderOptions = Partial<Record<ProviderName, TranslationProvider | HttpProviderOptions>>
