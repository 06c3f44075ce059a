/** Machine translation behind one interface. */

export type ProviderName = 'PROVIDER_A' | 'PROVIDER_B'

export interface TranslateOptions {
  /** In the provider's own notation; `undefined`: it finds out by itself. */
  readonly sourceLanguage: string | undefined
  readonly targetLanguage: string
  readonly glossaryId?: string | undefined
  readonly formality?: 'default' | 'more' | 'less' | undefined
  /** The request's own key for provider B; goes nowhere but to the provider. */
  readonly apiKey?: string | undefined
  readonly signal: AbortSignal
}

export interface TranslationProvider {
  /** As many texts as it was given, in the same order. */
  translate(texts: readonly string[], options: TranslateOptions): Promise<readonly string[]>
  /** The language pair a glossary is made for, where the provider has glossaries. */
  glossary?(
    id: string,
    options: { apiKey: string; signal: AbortSignal },
  ): Promise<{ sourceLanguage: string; targetLanguage: string }>
  /** Said after the job's summary, for instance that the texts are not real translations. */
  readonly note?: string
}

/** Where a real provider is and what opens it. */
export interface HttpProviderOptions {
  /** Address of the provider's API, without a trailing slash. */
  readonly address: string
  /** The provider's key; provider B's requests may bring their own. */
  readonly apiKey?: string | undefined
  /** Header that carries the key. `{key}` in its value stands for the key. Default `Authorization: Bearer {key}`. */
  readonly header?: { readonly name: string; readonly value: string } | undefined
  /** Time for one request. Default 30 seconds. */
  readonly timeoutMs?: number | undefined
}

export type ProviderOptions = Partial<Record<ProviderName, TranslationProvider | HttpProviderOptions>>
