/** The option `preload`: the first texts are fetched beside the scripts that will ask for them. */
import type { HtmlTagDescriptor } from 'vite'
import { encodeName, NULL_SPELLING } from '../../../output/ids.ts'
import type { LoadedState } from '../../state.ts'

export interface PreloadInput {
  readonly state: LoadedState
  /** Everything the build puts out, by name. */
  readonly bundle: Readonly<Record<string, { readonly moduleIds?: readonly string[] }>>
  /** The address of a file in the page. */
  urlOf(file: string): string
}

export function preloadTags({ state, bundle, urlOf }: PreloadInput): HtmlTagDescriptor[] {
  const { config, translations } = state
  if (config.preload === false) return []
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
  return wanted.flatMap((file) => {
    // A namespace without texts has no file, and the language's own is there only where there are many.
    if (file === undefined) return []
    return { tag: 'link', injectTo: 'head', attrs: { rel: 'modulepreload', crossorigin: true, href: urlOf(file) } }
  })
}

function isFile(name: string, path: string): boolean {
  const at = name.indexOf(`localization/${path}.`)
  return at !== -1 && /^[0-9a-f]{8}\.m?js$/.test(name.slice(at + `localization/${path}.`.length))
}
