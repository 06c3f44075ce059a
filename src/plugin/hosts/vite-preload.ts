/** The option `preload`: the first texts are fetched beside the scripts that will ask for them. */
import type { HtmlTagDescriptor } from 'vite'
import { encodeName } from '../../modules/ids.ts'
import type { LoadedState } from '../state.ts'

export interface PreloadInput {
  readonly state: LoadedState
  /** The names of everything the build puts out. */
  readonly files: readonly string[]
  /** The address of a file in the page. */
  urlOf(file: string): string
}

export function preloadTags({ state, files, urlOf }: PreloadInput): HtmlTagDescriptor[] {
  const { config, translations } = state
  if (config.preload === false) return []
  const { defaultLanguage, defaultNamespace } = translations
  const namespaces = config.preload === true ? [defaultNamespace] : config.preload
  const folder = encodeName(defaultLanguage)
  const wanted = [folder, ...namespaces.map((namespace) => `${folder}/${encodeName(namespace)}`)]
  return wanted.flatMap((path) => {
    const file = files.find((name) => isFile(name, path))
    // A namespace without texts has no file, and the language's own is there only where there are many.
    if (file === undefined) return []
    return { tag: 'link', injectTo: 'head', attrs: { rel: 'modulepreload', crossorigin: true, href: urlOf(file) } }
  })
}

function isFile(name: string, path: string): boolean {
  const at = name.indexOf(`localization/${path}.`)
  return at !== -1 && /^[0-9a-f]{8}\.m?js$/.test(name.slice(at + `localization/${path}.`.length))
}
