/** Identifies a text by its language, namespace, key and customer, in the app's names. */

export interface PartRef {
  readonly language: string
  readonly namespace: string
  readonly customer?: string | undefined
}

export interface TextRef extends PartRef {
  readonly key: string
}

export function partOf({ language, namespace, customer }: PartRef): PartRef {
  return { language, namespace, ...(customer !== undefined && { customer }) }
}

/** Different texts have different ids. */
export function textId({ language, namespace, key, customer }: TextRef): string {
  return JSON.stringify(customer === undefined ? [language, namespace, key] : [language, namespace, key, customer])
}

export function textRef({ language, namespace, customer }: PartRef, key: string): TextRef {
  return customer === undefined ? { language, namespace, key } : { language, namespace, key, customer }
}

/** Parses the result of `textId`. Throws for other strings. */
export function parseTextId(id: string): TextRef {
  const parts: unknown = JSON.parse(id)
  if (
    !Array.isArray(parts) ||
    parts.length < 3 ||
    parts.length > 4 ||
    !parts.every((part) => typeof part === 'string')
  ) {
    throw new TypeError('not a text ID')
  }
  const [language, namespace, key, customer] = parts as [string, string, string, string?]
  return textRef({ language, namespace, customer }, key)
}

export function partId({ language, namespace, customer }: PartRef): string {
  return JSON.stringify(customer === undefined ? [language, namespace] : [language, namespace, customer])
}

/** Identifies a key, which has texts in many languages. */
export function keyId({ namespace, key }: Pick<TextRef, 'namespace' | 'key'>): string {
  return JSON.stringify([namespace, key])
}

/** A text's name in messages, such as `en/common "title"`. */
export function showText({ language, namespace, key, customer }: TextRef): string {
  return `${language}/${namespace}${customer === undefined ? '' : `?customer=${customer}`} ${JSON.stringify(key)}`
}

/** Returns `undefined` for an empty text, which is a gap. */
export function textOrGap(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}
