/**
 * The URLs of output files in pages and scripts. Vite's `experimental.renderBuiltUrl` may change them, for example to
 * those of a CDN.
 */
import { posix } from 'node:path'
import type { HtmlTagDescriptor, ResolvedConfig } from 'vite'
import { LocalizationError } from '../../../errors.ts'
import { encodeName, NULL_SPELLING } from '../../../output/ids.ts'
import type { LoadedState } from '../../state.ts'

type BuiltUrlConfig = Pick<ResolvedConfig, 'base' | 'experimental'>

/** Returns the URL by which a page loads a file. `page` is a path such as `/index.html`. */
export function urlInPage({ base, experimental }: BuiltUrlConfig, file: string, page: string): string {
  const hostId = page.slice(1)
  const url = experimental.renderBuiltUrl?.(file, { type: 'asset', hostId, hostType: 'html', ssr: false })
  if (url && typeof url === 'string') return url
  const isRelative = (typeof url === 'object' ? url.relative : undefined) ?? (base === '' || base === './')
  return isRelative ? `./${posix.relative(posix.dirname(hostId), file)}` : base + file
}

/** The folder from which a script fetches texts. */
export interface FolderInScript {
  /** Relative to the output's root. */
  readonly folder: string
  /** A file in the folder. It is needed because `renderBuiltUrl` returns only the URLs of files. */
  readonly file: string
  readonly hostId: string
}

/**
 * Returns the expression for the folder's URL. Returns `undefined` if Vite uses its default, which is a URL relative to
 * the script.
 */
export function folderUrlInScript(
  { experimental }: BuiltUrlConfig,
  { folder, file, hostId }: FolderInScript,
): string | undefined {
  const path = `${folder}/${file}`
  const url = experimental.renderBuiltUrl?.(path, { type: 'asset', hostId, hostType: 'js', ssr: false })
  if (typeof url === 'object') return url.runtime && `(${url.runtime}).slice(0, -${file.length})`
  if (!url) return undefined
  if (url.endsWith(`/${file}`)) return JSON.stringify(url.slice(0, -file.length))
  throw new LocalizationError(`experimental.renderBuiltUrl returns ${url} for ${path}`, {
    code: 'CONFIG_INVALID',
    hint: 'The URLs of message files must end in the file name and have the same prefix.',
  })
}

/**
 * Creates link tags that make a page fetch its texts in parallel with the scripts.
 *
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
