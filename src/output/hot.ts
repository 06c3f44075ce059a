/**
 * Code that generated modules contain only in development. Each module has one object, which is updated in place so
 * that the page keeps its state.
 */
import type { ResolvedConfig } from '../config/types.ts'
import { hashOf } from '../shared/hash.ts'
import { type FormatSpecifier, formatRequest, type ModuleId, type NamespaceId } from './ids.ts'
import { stringLiteral } from './literal.ts'
import { REVISION_FILE } from './module-paths.ts'
import type { PrebuiltChunks } from './prebuilt-chunks.ts'

/**
 * The API through which a bundler's dev server replaces a module: `import.meta.hot` (Vite), `import.meta.webpackHot`
 * (webpack, Rspack), `import.meta.turbopackHot` or `import.meta.webpackHot` (Next.js), or `module.hot` (most others).
 * If it is `next` or `module`, data may be lost between versions of a module, so the runtime module keeps the page's
 * objects.
 */
export type HotApi = 'vite' | 'webpack' | 'next' | 'module'

/** The options for generating modules. The defaults are for production, with the texts in each module. */
export interface ModuleHow {
  /** Development only: the API for replacing a module in a running page. */
  readonly hot?: HotApi | undefined
  /** Development only: true if texts can be edited in the page. */
  readonly edit?: boolean | undefined
  /**
   * Development only: true if the page can fetch each module from the dev server, at a URL relative to the manifest's.
   */
  readonly isServed?: boolean | undefined
  /**
   * The code of a `ChunkAddresses` expression, or a placeholder that is later replaced with it. If set, the manifest
   * imports no modules.
   */
  readonly chunkAddresses?: string | undefined
  /** True if the texts are in the manifest's own chunk, for outputs that cannot import other chunks. */
  readonly isInline?: boolean | undefined
  /** True if the manifest tracks the loaded chunks. */
  readonly isPerChunk?: boolean | undefined
  /** Set if `delivery` is `'live'`. The manifest then has additional exports, in every output. */
  readonly live?: Pick<ResolvedConfig, 'refresh'> | undefined
  /** The folder of the message files. Set only for generated modules with `delivery: 'live'`. */
  readonly liveFolder?: LiveFolder | undefined
  /** True if the target browsers support only ES5. Modules then use ES5, except for imports and exports. */
  readonly isEs5?: boolean | undefined
  /** True if texts are inserted after the used keys are known. */
  readonly isPending?: boolean | undefined
  /**
   * True if `load()` fetches texts from files. A namespace's module then passes its texts to the loader, so that a page
   * that imports the module does not also fetch them.
   */
  readonly isProvided?: boolean | undefined
  /** Returns the specifiers of imports. Default: the ids of the virtual modules. */
  readonly specifier?: FormatSpecifier | undefined
}

/** For generated modules: the folder of the table and the message files. */
export interface LiveFolder {
  readonly chunks: PrebuiltChunks
  /** The URL of the folder, with a trailing slash. */
  readonly base: string
  /** The path of the folder on a server, relative to the current directory. */
  readonly folder: string
}

/** The code of a namespace module that keeps its object across updates and notifies `onUpdate` listeners. */
export function hotMessagesCode(
  api: HotApi,
  id: NamespaceId,
  value: string,
  { edit = false, specifier = formatRequest }: ModuleHow = {},
): string {
  const place = [
    `language: ${stringLiteral(id.language)}`,
    `namespace: ${stringLiteral(id.namespace)}`,
    ...(id.customer === undefined ? [] : [`customer: ${stringLiteral(id.customer)}`]),
  ]
  const runtime = stringLiteral(specifier({ kind: 'runtime' }))
  const [update, previous] = isHeld(api) ? ['holdMessages', ''] : ['updateMessages', `${HOT[api]}?.data?.messages, `]
  return [
    `import { ${update} } from ${runtime}`,
    `const messages = ${update}(${previous}${value}, { ${place.join(', ')} })`,
    'export default messages',
    ...(edit ? [loadedNamespaceCode(id)] : []),
    keepAndAccept(api, 'messages'),
    ...(api === 'vite' ? [reportVersionCode(place, value)] : []),
    '',
  ].join('\n')
}

/**
 * Code that reports a module's version. Vite's client ignores updates to a module that is still loading, so the page
 * would show old texts until the next edit. If the reported version is outdated, the server updates the module again.
 */
function reportVersionCode(place: readonly string[], content: string): string {
  const version = stringLiteral(hashOf(content, VERSION_LENGTH))
  const shown = [...place, `version: ${version}`].join(', ')
  return `import.meta.hot?.send(${stringLiteral(FILE_EVENTS.shown)}, { ${shown} })`
}

const VERSION_LENGTH = 16

export function isVersion(code: string, version: string): boolean {
  return version.length === VERSION_LENGTH && code.includes(`version: ${stringLiteral(version)}`)
}

/** Code that tells the editor in the page that the page may show this namespace. */
function loadedNamespaceCode({ language, namespace }: NamespaceId): string {
  const names = stringLiteral(JSON.stringify([language, namespace]))
  return `;(globalThis.__localizationParts ??= new Set()).add(${names})`
}

/** The call that creates the manifest, or updates the page's existing one. */
export function createManifestCall(api: HotApi): { readonly name: string; readonly end: string } {
  if (isHeld(api)) return { name: 'holdManifest', end: '' }
  return { name: 'createManifest', end: `, ${HOT[api]}?.data?.manifest` }
}

/** Code that imports the revision module. `eager` keeps that module in the manifest's own chunk. */
const REVISION_CODE = `if (typeof window === 'undefined') import(/* webpackMode: "eager" */ './${REVISION_FILE}')`

/** @param content the code whose hash is the manifest's version */
export function hotManifestCode(api: HotApi, content: string): string {
  const accept = keepAndAccept(api, 'manifest')
  if (api === 'next') return `${REVISION_CODE}\n${accept}`
  return api === 'vite' ? `${accept}\n${reportVersionCode([], content)}` : accept
}

/**
 * A module that changes with every text, and that the manifest imports on the server. With webpack, Next.js renders a
 * page again only if a module in the page's own chunk changes, but lazily loaded texts are in other chunks. The module
 * is not imported in the browser: in the Pages Router, Next.js does not fetch a page's properties again if the page's
 * browser code changes too.
 */
export function generateRevisionModule(digest: string): string {
  return `export const revision = ${stringLiteral(digest)}\n${ACCEPT.next}\n`
}

/** Code that logs errors in translation files to the page's console. Next.js also shows them in its overlay. */
export function reportCode(findings: readonly string[]): string {
  if (findings.length === 0) return ''
  const lines = findings.map((line) => `  console.error(${stringLiteral(`[unplugin-localization] ${line}`)})`)
  return ["if (typeof window !== 'undefined') {", ...lines, '}', ''].join('\n')
}

/** Messages between a page and Vite's dev server, about broken files and module versions. */
export const FILE_EVENTS = {
  /** From page to server, after loading: requests the current errors. */
  hello: 'localization:hello',
  /**
   * From page to server, after a namespace module or the manifest has run: `{ language?, namespace?, customer?, version
   * }`.
   */
  shown: 'localization:shown',
  /** From server to page: `{ message }`. */
  broken: 'localization:broken',
  /** From server to page: all files are free of errors again. */
  mended: 'localization:mended',
} as const

/**
 * The code that dev servers add to the runtime module. For Vite, it includes the plugin's own error overlay. The
 * overlay is in a separate shadow root, because Vite's client would otherwise find it, and reload the page at the next
 * update.
 */
export function hotRuntimeCode(api: HotApi, { edit = false }: ModuleHow = {}): string {
  return `${api === 'vite' ? viteOverlayCode() : ''}${isHeld(api) ? HELD_CODE : ''}${edit ? editorCode(api) : ''}`
}

/** Keeps the page's objects for modules that lose their data between versions. */
const HELD_CODE = `
const held = { messages: {} }
export function holdManifest(input) {
  held.manifest = createManifest(input, held.manifest)
  return held.manifest
}
export function holdMessages(next, place) {
  const id = JSON.stringify([place.language, place.namespace, place.customer])
  held.messages[id] = updateMessages(held.messages[id], next, place)
  return held.messages[id]
}
`

/**
 * Code that loads the editor by its URL, because the editor is not one of the app's modules. The page must work even if
 * loading fails. In Vitest's browser environments, there is a document but no page to edit.
 */
const editorCode = (api: HotApi) => `
if (typeof document !== 'undefined'${api === 'vite' ? ' && import.meta.hot?.data' : ''}) {
  const editor = '/__localization/edit.js'
  import(/* @vite-ignore */ /* webpackIgnore: true */ editor).catch(() => {
    const why = editor + ' is not served from where the page comes from'
    console.warn('[unplugin-localization] texts cannot be edited in the page: ' + why)
  })
}
`

/** The module that replaces a removed language or namespace in a running page. */
export function generateGoneModule(id: ModuleId, hot: HotApi): string {
  return id.kind === 'namespace' ? hotMessagesCode(hot, id, '{}') : 'export default {}\n'
}

function viteOverlayCode(): string {
  const [hello, broken, mended] = [FILE_EVENTS.hello, FILE_EVENTS.broken, FILE_EVENTS.mended].map(stringLiteral)
  return `
if (import.meta.hot && typeof document !== 'undefined') {
  let shown
  const close = () => {
    shown?.remove()
    shown = undefined
  }
  import.meta.hot.on(${broken}, ({ message }) => {
    close()
    const Overlay = customElements.get('vite-error-overlay')
    if (!Overlay) return
    shown = document.createElement('div')
    shown.dataset.localizationError = message
    shown.attachShadow({ mode: 'open' }).append(new Overlay({ message, stack: '', plugin: 'unplugin-localization' }))
    document.body.append(shown)
  })
  import.meta.hot.on(${mended}, close)
  import.meta.hot.send(${hello})
}
`
}

const HOT = { vite: 'import.meta.hot', webpack: 'import.meta.webpackHot' } as const

const ACCEPT = {
  next: [
    'if (import.meta.turbopackHot) import.meta.turbopackHot.accept()',
    'else if (import.meta.webpackHot) import.meta.webpackHot.accept()',
  ].join('\n'),
  module: "if (typeof module === 'object' && module.hot) module.hot.accept()",
} as const

function isHeld(api: HotApi): api is keyof typeof ACCEPT {
  return Object.hasOwn(ACCEPT, api)
}

function keepAndAccept(api: HotApi, name: string): string {
  if (isHeld(api)) return ACCEPT[api]
  const keep =
    api === 'vite'
      ? // Vitest's simulated browsers have a `hot` without `data`.
        `if (import.meta.hot.data) import.meta.hot.data.${name} = ${name}`
      : `import.meta.webpackHot.dispose((data) => { data.${name} = ${name} })`
  return `if (${HOT[api]}) {\n  ${keep}\n  ${HOT[api]}.accept()\n}`
}
