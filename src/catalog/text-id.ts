/** What names one text on both sides: language, namespace, key and, for a customer's own text, the customer. In the app's names. */

export interface PartRef {
  readonly language: string
  readonly namespace: string
  readonly customer?: string | undefined
}

export interface TextRef extends PartRef {
  readonly key: string
}

/** Injective: two texts have one id only when they are one text. */
export function textId({ language, namespace, key, customer }: TextRef): string {
  return JSON.stringify(customer === undefined ? [language, namespace, key] : [language, namespace, key, customer])
}

/** A text of a language and namespace, or of a customer's. */
export function textRef({ language, namespace, customer }: PartRef, key: string): TextRef {
  return customer === undefined ? { language, namespace, key } : { language, namespace, key, customer }
}

/** The text an id names. Throws where it is no id. */
export function parseTextId(id: string): TextRef {
  const parts: unknown = JSON.parse(id)
  if (
    !Array.isArray(parts) ||
    parts.length < 3 ||
    parts.length > 4 ||
    !parts.every((part) => typeof part === 'string')
  ) {
    throw new TypeError('not a text id')
  }
  const [language, namespace, key, customer] = parts as [string, string, string, string?]
  return textRef({ language, namespace, customer }, key)
}

export function partId({ language, namespace, customer }: PartRef): string {
  return JSON.stringify(customer === undefined ? [language, namespace] : [language, namespace, customer])
}

/** As people read it: `en/common "title"`. */
export function showText({ language, namespace, key, customer }: TextRef): string {
  return `${language}/${namespace}${customer === undefined ? '' : `?customer=${customer}`} ${JSON.stringify(key)}`
}

/** An empty text says "no translation". */
export function textOrGap(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}
