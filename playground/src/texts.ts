/**
 * The page's whole translation runtime: which language is shown, which namespaces it needs, and how a key becomes a
 * text.
 * The messages themselves are the virtual modules' business.
 */
import { defaultLanguage, has, languages, load, onUpdate } from 'virtual:translations'

export type Namespace = 'common' | 'shop' | 'checkout'
export const namespaces: readonly Namespace[] = ['common', 'shop', 'checkout']
/** Codes of all languages, as the virtual module tells them now; the default one first. */
export const languageKeys = (): string[] =>
  languages.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault)).map((language) => language.key)
/** What fills the `{{...}}` of a text. `count` also chooses the plural form. */
export type Values = Readonly<Record<string, string | number>>

type Messages = Readonly<Record<string, unknown>>
/** One virtual module that was fetched, with how many texts it holds. */
export interface LoadedModule {
  readonly language: string
  readonly namespace: Namespace
  readonly texts: number
}

const wanted = new Set<Namespace>(['common', 'shop'])
const fetched = new Map<string, LoadedModule>()
let messages = new Map<Namespace, Messages>()
let current = defaultLanguage
let choice = 0

export const language = (): string => current
export const needed = (namespace: Namespace): boolean => wanted.has(namespace)
export const loadedModules = (): LoadedModule[] => [...fetched.values()]

async function fetchMessages(language: string, namespace: Namespace): Promise<Messages> {
  if (!has(language, namespace)) return {}
  const found: Messages = await load(language, namespace)
  fetched.set(`${language}/${namespace}`, { language, namespace, texts: Object.keys(found).length })
  return found
}

/**
 * Fetches what the page needs in that language, then switches all of it at once. Answers whether it is shown now:
 * a later choice wins over an earlier one that arrives late.
 */
export async function chooseLanguage(next: string): Promise<boolean> {
  const mine = ++choice
  const parts = await Promise.all([...wanted].map(async (name) => [name, await fetchMessages(next, name)] as const))
  if (mine !== choice) return false
  messages = new Map(parts)
  current = next
  return true
}

/** Fetches a namespace that the page did not need so far. */
export async function needNamespace(namespace: Namespace): Promise<void> {
  const forLanguage = current
  const found = await fetchMessages(forLanguage, namespace)
  wanted.add(namespace)
  if (forLanguage === current) messages.set(namespace, found)
  else await chooseLanguage(current)
}

/** Calls back after texts of the shown language changed under the running page (development only). */
export function onTextsChanged(listener: () => void): void {
  onUpdate(() => {
    void chooseLanguage(current).then(listener)
  })
}

/** The text of `namespace:key`, or the key itself where even the default language has none. */
export function t(id: `${Namespace}:${string}`, values: Values = {}): string {
  const [namespace, key] = id.split(':', 2) as [Namespace, string]
  const table = messages.get(namespace) ?? {}
  const text = pluralKeys(key, values.count)
    .map((name) => lookUp(table, name))
    .find((found) => found !== undefined)
  return (text ?? id).replace(/\{\{(\w+)\}\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) return whole
    return typeof value === 'number' ? new Intl.NumberFormat(current).format(value) : value
  })
}

/**
 * `items` with a count becomes `items_few`, then `items_other`; a zero may have a form of its own in every language.
 */
function pluralKeys(key: string, count: string | number | undefined): string[] {
  if (typeof count !== 'number') return [key]
  const category = new Intl.PluralRules(current).select(count)
  return [...(count === 0 ? [`${key}_zero`] : []), `${key}_${category}`, `${key}_other`]
}

function lookUp(table: Messages, key: string): string | undefined {
  const text = Object.hasOwn(table, key) ? table[key] : undefined
  return typeof text === 'string' ? text : undefined
}
