/** Creates link tags that make a page fetch its texts in parallel with the scripts. */
import type { HtmlTagDescriptor } from 'vite'
import { encodeName, NULL_SPELLING } from '../../../output/ids.ts'
import type { LoadedState } from '../../state.ts'

/**
 * @param bundle all outputs of the build, by name
 * @param urlOf returns the URL by which the page loads an output
 */
export function preloadTags(
  { config, translations }: LoadedState,
  bundle: Readonly<Record<string, { readonly moduleIds?: readonly string[] }>>,
  urlOf: (file: string) => string,
): HtmlTagDescriptor[] {
  const table = Object.keys(bundle).find((name) => TABLE.test(name))
  const tags: HtmlTagDescriptor[] = table === undefined ? [] : [linkTag(urlOf(table), { rel: 'preload', as: 'fetch' })]
  if (config.preload === false) return tags
  const { defaultLanguage, defaultNamespace } = translations
  const namespaces = config.preload === true ? [defaultNamespace] : config.preload
  const folder = encodeName(defaultLanguage)
  const files = Object.keys(bundle)
  const fileOf = (path: string) => files.find((name) => isFile(name, path))
  const chunkOf = (id: string) => files.find((name) => bundle[name]?.moduleIds?.includes(id))
  const wanted = [
    fileOf(folder),
    ...namespaces.map(
      (namespace) =>
        fileOf(`${folder}/${encodeName(namespace)}`) ??
        chunkOf(NULL_SPELLING.format({ kind: 'namespace', language: defaultLanguage, namespace })),
    ),
  ]
  // A namespace without texts has no file. A language has its own file only if there is an index for each language.
  const found = wanted.filter((file) => file !== undefined)
  return [...tags, ...found.map((file) => linkTag(urlOf(file), { rel: 'modulepreload' }))]
}

/** Matches the table of `delivery: 'live'`. Every page needs it first. */
const TABLE = /(?:^|\/)localization\/table\.json$/

function linkTag(href: string, attributes: Readonly<Record<string, string>>): HtmlTagDescriptor {
  return { tag: 'link', injectTo: 'head', attrs: { ...attributes, crossorigin: true, href } }
}

function isFile(name: string, path: string): boolean {
  const at = name.indexOf(`localization/${path}.`)
  return at !== -1 && /^[0-9a-f]{8}\.m?js$/.test(name.slice(at + `localization/${path}.`.length))
}
