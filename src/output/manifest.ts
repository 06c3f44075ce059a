/** Generates `virtual:translations`: the languages, the namespaces, and lazy access to their messages. */
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { createManifestCall, hotManifestCode, type LiveFolder, type ModuleHow } from './hot.ts'
import { encodeName, formatRequest, RUNTIME_ID } from './ids.ts'
import { propertyName, stringLiteral } from './literal.ts'
import { isIndexed, liveExpression } from './prebuilt-chunks.ts'

/** Generates the manifest for prebuilt chunks, for a dev server, or for one module per language and namespace. */
export function generateManifest(translations: Translations, how: ModuleHow): string {
  const { hot, chunkAddresses, liveFolder } = how
  if (chunkAddresses !== undefined) return manifestOfChunks(translations, chunkAddresses, how)
  if (liveFolder !== undefined) return liveManifest(translations, liveFolder, how)
  return hot && how.isServed ? servedManifest(translations, how) : manifestOfModules(translations, how)
}

/**
 * This manifest contains only data and one `import()` per language and namespace; the behavior is in the runtime. The
 * code is ES5, except for imports and exports, because webpack and Rspack do not compile it.
 */
function manifestOfModules(translations: Translations, how: ModuleHow): string {
  const { imports, loaders } = loadersOf(translations, how)
  return manifestModule(translations, how, imports, loaders)
}

/** Returns the expression for `ManifestInput.loaders`, and the imports that it needs. */
function loadersOf({ languages, namespaces }: Translations, how: ModuleHow) {
  const { isInline = false, specifier = formatRequest } = how
  const imports: string[] = []
  const loaderOf = (language: string, namespace: string) => {
    const request = stringLiteral(specifier({ kind: 'namespace', language, namespace }))
    // Without this name, Rspack's module libraries would put a percent sign into the chunk's URL, which is not allowed
    // there.
    const name = stringLiteral(`localization-${encodeName(language)}.${encodeName(namespace)}`)
    if (!isInline) return `function () { return import(/* webpackChunkName: ${name} */ ${request}) }`
    const messages = `m${imports.length}`
    imports.push(`import ${messages} from ${request}`)
    return `function () { return Promise.resolve({ default: ${messages} }) }`
  }
  const loaders = languages.flatMap(({ key: language }) => [
    `  ${propertyName(language)}: {`,
    ...namespaces.map((namespace) => `    ${propertyName(namespace)}: ${loaderOf(language, namespace)},`),
    '  },',
  ])
  return { imports, loaders: ['{', ...loaders, '}'].join('\n') }
}

/** The manifest for generated modules with `delivery: 'live'`: see `generatedAddresses` in the runtime. */
function liveManifest(translations: Translations, { chunks, base, folder }: LiveFolder, how: ModuleHow): string {
  const { specifier = formatRequest } = how
  const texts = chunks.columns.flatMap(({ hashes }) => hashes).join('')
  const properties = [
    `base: ${stringLiteral(base)}`,
    `folder: ${stringLiteral(folder)}`,
    `hashes: ${stringLiteral(chunks.hashes)}`,
    `texts: ${stringLiteral(texts)}`,
    String(liveExpression(chunks)),
    `loaders: ${loadersOf(translations, how).loaders}`,
  ]
  const speller = spellerOf(translations) ?? 'undefined'
  const addresses = `generatedAddresses(keys, namespaces, ${speller}, { ${properties.join(', ')} })`
  const runtime = { specifier: specifier({ kind: 'runtime' }), names: ['generatedAddresses'] }
  return manifestOfChunks(translations, addresses, how, runtime)
}

/** Returns the expression for the speller, or `undefined` if no name needs encoding. */
function spellerOf({ languages, namespaces }: Translations): string | undefined {
  const segments = [...new Set([...languages.map(({ key }) => key), ...namespaces])]
    .map((name) => [name, encodeName(name)] as const)
    .filter(([name, segment]) => name !== segment)
  return segments.length === 0 ? undefined : `createSpeller(${listLiteral(segments)})`
}

/**
 * The manifest for a dev server that serves every module at a URL. The page computes the URLs of namespaces from the
 * manifest's own URL. A list of URLs would be slow, because every page would read it, and the server would first
 * resolve each URL in it. The URLs contain no version: if a page fetched two versions at the same time, the older texts
 * could arrive last.
 */
function servedManifest(translations: Translations, how: ModuleHow): string {
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
  return manifestModule(translations, how, helpers, loaders)
}

const EXPORTS = ['languages', 'defaultLanguage', 'namespaces', 'load', 'loadLanguage', 'has', 'onUpdate']

/** @param loaders the expression for `ManifestInput.loaders` */
function manifestModule(
  translations: Translations,
  { hot, live, specifier = formatRequest }: ModuleHow,
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
    ...(live ? fixedLines(translations) : []),
    ...(hot ? [hotManifestCode(hot, names.join())] : []),
    '',
  ].join('\n')
}

function manifestOfChunks(
  translations: Translations,
  addresses: string,
  { isPerChunk = false, live }: ModuleHow,
  runtime = { specifier: RUNTIME_ID, names: [] as readonly string[] },
): string {
  const { languages, namespaces, defaultLanguage, defaultNamespace } = translations
  const own = spellerOf(translations)
  const named = languages.filter(({ key, name }) => name !== key).map(({ key, name }) => [key, name] as const)
  const create = live
    ? 'createLive'
    : isPerChunk
      ? 'createPerChunkLoad'
      : isIndexed(languages, namespaces)
        ? 'createIndexedLoad'
        : 'createLoad'
  const speller = own === undefined ? '' : `, ${own}`
  const spell =
    live && live.refresh !== false ? `${speller || ', undefined'}, ${refreshLiteral(live.refresh)}` : speller
  const load = `/* #__PURE__ */ ${create}(keys, namespaces, ${stringLiteral(defaultNamespace)}, addresses${spell})`
  const used = [
    'describeLanguages',
    'loadEach',
    create,
    ...(own === undefined ? [] : ['createSpeller']),
    ...runtime.names,
  ]
  return [
    `import { ${used.join(', ')} } from ${stringLiteral(runtime.specifier)}`,
    `const keys = [${languages.map(({ key }) => stringLiteral(key)).join(', ')}]`,
    // A function, so that the addresses are evaluated only when something is loaded.
    `const addresses = () => ${addresses}`,
    `export const defaultLanguage = ${stringLiteral(defaultLanguage)}`,
    `export const namespaces = [${namespaces.map(stringLiteral).join(', ')}]`,
    // Separate exports: an app that imports only `load` then contains nothing else.
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

/** The additional exports for `delivery: 'live'`. A snapshot also contains the others. */
function liveLines({ namespacePrefix }: Translations): string[] {
  const names = ['languages', 'defaultLanguage', 'namespaces', 'has']
  const exports = [...names, ...(namespacePrefix ? [] : ['namespacePrefix'])].join(', ')
  return ['export const version = live.version', `export const snapshot = () => live.snapshot({ ${exports} })`]
}

/**
 * The additional exports of `delivery: 'live'` for dev servers, and for builds whose code contains the texts. In
 * both, the texts are fixed.
 */
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

/** Exports `namespacePrefix` if it is not `true`, the default. The glue reads it from the module object. */
function prefixLines({ namespacePrefix }: Translations): string[] {
  return namespacePrefix ? [] : ['export var namespacePrefix = false']
}

function listLiteral(rows: readonly (readonly string[])[]): string {
  return `[${rows.map((row) => `[${row.map(stringLiteral).join(', ')}]`).join(', ')}]`
}
