/** Small apps that show, when run, what they got from the virtual modules. */

/** Messages as they come out of a run: flat ones. */
type CollectedTexts = { readonly [language: string]: { readonly [namespace: string]: Record<string, string> } }

export interface CollectedManifest {
  readonly languages: readonly { readonly key: string; readonly name: string; readonly isDefault: boolean }[]
  readonly defaultLanguage: string
  readonly namespaces: readonly string[]
  readonly texts: CollectedTexts
}

/** Entry source that imports the given modules statically; `collect()` gives their defaults in the same order. */
export function importing(requests: readonly string[]): string {
  return [
    ...requests.map((request, i) => `import m${i} from ${JSON.stringify(request)}`),
    `globalThis.collect = () => [${requests.map((_, i) => `m${i}`).join(', ')}]`,
    '',
  ].join('\n')
}

/** Entry source that loads everything there is; `collect()` gives a `CollectedManifest`. */
export const loadingEverything = `
import { defaultLanguage, has, languages, load, loadLanguage, namespaces } from 'virtual:translations'
globalThis.collect = async () => {
  const texts = {}
  for (const { key } of languages) {
    texts[key] = {}
    for (const namespace of namespaces) {
      if (!has(key, namespace)) throw new Error('has(' + key + ', ' + namespace + ') is false')
      const messages = await load(key, namespace)
      Object.defineProperty(texts[key], namespace, { value: messages, enumerable: true })
    }
    const whole = await loadLanguage(key)
    for (const namespace of namespaces) {
      if (whole[namespace] !== texts[key][namespace]) throw new Error('loadLanguage gave another object')
    }
  }
  return { languages, defaultLanguage, namespaces, texts }
}
`
