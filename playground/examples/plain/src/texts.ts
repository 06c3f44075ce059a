import { defaultLanguage, load, type Messages, onUpdate } from 'virtual:translations'

let shown = defaultLanguage
let wanted = shown
let turn = 0
let messages: ReadonlyMap<string, Messages> = new Map()
const used = new Set(['common'])

export const language = (): string => shown

/** Fetches what is missing, then switches; of several calls the last one counts. */
export async function use(language: string, ...namespaces: string[]): Promise<void> {
  wanted = language
  for (const namespace of namespaces) used.add(namespace)
  const own = ++turn
  const loaded = await Promise.all([...used].map(async (name) => [name, await load(language, name)] as const))
  if (own !== turn) return
  shown = language
  messages = new Map(loaded)
}

/** `bags` with a count is `bags.one`, `bags.few`, ... as the language has it. */
export function t(namespace: string, key: string, values: Readonly<Record<string, string | number>> = {}): string {
  const form = typeof values.count === 'number' ? `.${new Intl.PluralRules(shown).select(values.count)}` : ''
  const text = messages.get(namespace)?.[`${key}${form}`] ?? `${namespace}.${key}`
  return String(text).replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** Calls back after texts changed under the running page (development only). */
export function onChange(listener: () => void): void {
  onUpdate(() => void use(wanted).then(listener))
}
