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
  return customer === undefined
    ? listOf(language, namespace, key)
    : JSON.stringify([language, namespace, key, customer])
}

/** What must be escaped in JSON. */
const SPECIAL = /["\\\p{Cc}\p{Surrogate}]/u

/** As `JSON.stringify` writes it, in a fraction of the time where nothing needs escaping: ids are made by the million. */
function listOf(...names: readonly string[]): string {
  const joined = names.join('","')
  return names.some((name) => SPECIAL.test(name)) ? JSON.stringify(names) : `["${joined}"]`
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
  return { language, namespace, key, ...(customer !== undefined && { customer }) }
}

export function partId({ language, namespace, customer }: PartRef): string {
  return customer === undefined ? listOf(language, namespace) : JSON.stringify([language, namespace, customer])
}

/** As people read it: `en/common "title"`. */
export function showText({ language, namespace, key, customer }: TextRef): string {
  return `${language}/${namespace}${customer === undefined ? '' : `?customer=${customer}`} ${JSON.stringify(key)}`
}

/** An empty text says "no translation". */
export function textOrGap(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}
