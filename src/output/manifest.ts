/** Generates `virtual:translations`: the names of languages and namespaces, and lazy access to their messages. */
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { createManifestCall, type HotApi, hotManifestCode } from './hot.ts'
import { encodeName, type FormatSpecifier, formatRequest, RUNTIME_ID } from './ids.ts'
import { propertyName, stringLiteral } from './literal.ts'
import { isIndexed } from './prebuilt-chunks.ts'

export interface ManifestOptions {
  /** The bundler's API for replacing a module in a running page; `undefined` in production. */
  readonly hot?: HotApi | undefined
  /** True if the manifest's own chunk must contain the texts, because the output cannot import other chunks. */
  readonly isInline?: boolean | undefined
  /** True if `delivery` is `'live'`: the app may then import these exports everywhere. */
  readonly isLive?: boolean | undefined
  /** Returns the specifiers of imports. Default: the ids of the virtual modules. */
  readonly specifier?: FormatSpecifier | undefined
}

/**
 * Generates the manifest, which contains only data and one `import()` per language and namespace. Its behavior is in
 * the runtime. Apart from imports and exports, the code is ES5, because webpack and Rspack do not compile it.
 */
export function generateManifestModule(
  translations: Translations,
  { hot, isInline = false, isLive, specifier = formatRequest }: ManifestOptions = {},
): string {
  const imports: string[] = []
  const loaderOf = (language: string, namespace: string) => {
    const request = stringLiteral(specifier({ kind: 'namespace', language, namespace }))
    // Without a name, Rspack's module libraries would name the chunk with a percent sign, which is not allowed in a
    // URL.
    const name = stringLiteral(`localization-${encodeName(language)}.${encodeName(namespace)}`)
    if (!isInline) return `function () { return import(/* webpackChunkName: ${name} */ ${request}) }`
    const messages = `m${imports.length}`
    imports.push(`import ${messages} from ${request}`)
    return `function () { return Promise.resolve({ default: ${messages} }) }`
  }
  const loaders = translations.languages.flatMap(({ key: language }) => [
    `  ${propertyName(language)}: {`,
    ...translations.namespaces.map((namespace) => `    ${propertyName(namespace)}: ${loaderOf(language, namespace)},`),
    '  },',
  ])
  return manifestModule(translations, { hot, isLive, specifier }, imports, ['{', ...loaders, '}'].join('\n'))
}

/**
 * The manifest for a server that serves every module at its URL. The page computes the URLs of namespaces, which are
 * next to the manifest's own: a list would be slow, because every page reads it and the server resolves each URL in it
 * first. A URL never changes while the page is open: if two were fetched concurrently, the older texts could arrive
 * last.
 */
export function generateServedManifestModule(translations: Translations, hot: HotApi, isLive = false): string {
  const segments = (keys: readonly string[]) => listLiteral(keys.map((key) => [key, encodeName(key)]))
  const languages = segments(translations.languages.map(({ key }) => key))
  const helpers = [
    `const segments = ${segments(translations.namespaces)}`,
    'const loadersOf = (language) => Object.fromEntries(segments.map(([key, namespace]) => [',
    '  key,',
    '  () => import(/* @vite-ignore */ ' +
      "new URL('namespace/' + language + '.' + namespace + '.js', import.meta.url).href),",
    ']))',
  ]
  const loaders = `Object.fromEntries(${languages}.map(([key, language]) => [key, loadersOf(language)]))`
  return manifestModule(translations, { hot, isLive }, helpers, loaders)
}

const EXPORTS = ['languages', 'defaultLanguage', 'namespaces', 'load', 'loadLanguage', 'has', 'onUpdate']

/** @param loaders the expression for `ManifestInput.loaders` */
function manifestModule(
  translations: Translations,
  { hot, isLive = false, specifier = formatRequest }: Omit<ManifestOptions, 'isInline'>,
  helpers: readonly string[],
  loaders: string,
): string {
  const { languages, defaultLanguage, namespaces, defaultNamespace } = translations
  const names = [
    'languages: [',
    ...languages.map(
      ({ key, name, isDefault }) =>
        `  { key: ${stringLiteral(key)}, name: ${stringLiteral(name)}, isDefault: ${String(isDefault)} },`,
    ),
    '],',
    `defaultLanguage: ${stringLiteral(defaultLanguage)},`,
    `namespaces: [${namespaces.map(stringLiteral).join(', ')}],`,
    `defaultNamespace: ${stringLiteral(defaultNamespace)},`,
  ]
  const create = hot ? createManifestCall(hot) : { name: 'createManifest', end: '' }
  return [
    `import { ${create.name} } from ${stringLiteral(specifier({ kind: 'runtime' }))}`,
    ...helpers,
    `var manifest = /* #__PURE__ */ ${create.name}({`,
    ...names,
    `loaders: ${loaders},`,
    `}${create.end})`,
    ...EXPORTS.map((name) => `export var ${name} = manifest.${name}`),
    ...prefixLines(translations),
    ...(isLive ? fixedLines(translations) : []),
    ...(hot ? [hotManifestCode(hot, names.join())] : []),
    '',
  ].join('\n')
}

export interface PrebuiltManifestOptions {
  readonly isPerChunk?: boolean | undefined
  /** Only if `delivery` is `'live'`. */
  readonly live?: Pick<ResolvedConfig, 'refresh'> | undefined
}

/**
 * The manifest for prebuilt chunks. `addresses` is the expression for a `ChunkAddresses`, or a name that the bundler
 * adapter replaces with that expression.
 */
export function generatePrebuiltManifestModule(
  translations: Translations,
  addresses: string,
  { isPerChunk = false, live }: PrebuiltManifestOptions = {},
): string {
  const { languages, namespaces, defaultLanguage, defaultNamespace } = translations
  const segments = [...new Set([...languages.map(({ key }) => key), ...namespaces])]
    .map((name) => [name, encodeName(name)] as const)
    .filter(([name, segment]) => name !== segment)
  const named = languages.filter(({ key, name }) => name !== key).map(({ key, name }) => [key, name] as const)
  const create = live
    ? 'createLive'
    : isPerChunk
      ? 'createPerChunkLoad'
      : isIndexed(languages, namespaces)
        ? 'createIndexedLoad'
        : 'createLoad'
  const speller = segments.length === 0 ? '' : `, createSpeller(${listLiteral(segments)})`
  const spell =
    live && live.refresh !== false ? `${speller || ', undefined'}, ${refreshLiteral(live.refresh)}` : speller
  const load = `/* #__PURE__ */ ${create}(keys, namespaces, ${stringLiteral(defaultNamespace)}, addresses${spell})`
  const used = ['describeLanguages', 'loadEach', create, ...(speller === '' ? [] : ['createSpeller'])]
  return [
    `import { ${used.join(', ')} } from ${stringLiteral(RUNTIME_ID)}`,
    `const keys = [${languages.map(({ key }) => stringLiteral(key)).join(', ')}]`,
    // A function, so that the addresses are evaluated only if something is loaded.
    `const addresses = () => ${addresses}`,
    `export const defaultLanguage = ${stringLiteral(defaultLanguage)}`,
    `export const namespaces = [${namespaces.map(stringLiteral).join(', ')}]`,
    // Separate exports, so that an app that imports only `load` contains nothing else.
    `export const languages = /* #__PURE__ */ describeLanguages(keys, ${listLiteral(named)}, defaultLanguage)`,
    live
      ? `const live = ${load}\nexport const load = live.load\nexport const onUpdate = live.onUpdate`
      : isPerChunk
        ? `export const { load, onUpdate } = ${load}`
        : `export const load = ${load}\nexport const onUpdate = () => () => {}`,
    'export const loadLanguage = (language) => loadEach(namespaces, (namespace) => load(language, namespace))',
    'export const has = (language, namespace) => keys.includes(language) && namespaces.includes(namespace)',
    ...(live ? liveLines(translations) : []),
    ...prefixLines(translations),
    '',
  ].join('\n')
}

/** The additional exports if `delivery` is `'live'`. A snapshot has all exports. */
function liveLines({ namespacePrefix }: Translations): string[] {
  const names = ['languages', 'defaultLanguage', 'namespaces', 'has']
  const exports = [...names, ...(namespacePrefix ? [] : ['namespacePrefix'])].join(', ')
  return ['export const version = live.version', `export const snapshot = () => live.snapshot({ ${exports} })`]
}

/** The same exports for dev servers, and for builds whose code contains the texts. */
function fixedLines({ namespacePrefix }: Translations): string[] {
  const names = EXPORTS.filter((name) => name !== 'onUpdate')
  const all = [...names, 'version', ...(namespacePrefix ? [] : ['namespacePrefix'])].map((name) => `${name}: ${name}`)
  return [
    "export var version = function () { return '' }",
    'export var snapshot = function () {',
    `  return { ${all.join(', ')}, onUpdate: function () { return function () {} } }`,
    '}',
  ]
}

function refreshLiteral({ intervalMs, onVisible }: Exclude<ResolvedConfig['refresh'], false>): string {
  return `{ intervalMs: ${intervalMs}, onVisible: ${onVisible} }`
}

/** Exports `namespacePrefix` for the glue, which imports the whole module. Without this export, keys have a prefix. */
function prefixLines({ namespacePrefix }: Translations): string[] {
  return namespacePrefix ? [] : ['export var namespacePrefix = false']
}

function listLiteral(rows: readonly (readonly string[])[]): string {
  return `[${rows.map((row) => `[${row.map(stringLiteral).join(', ')}]`).join(', ')}]`
}
