/** Plans all changes to a project, and the lines to add by hand. Nothing is written here. */
import { relative } from 'node:path'
import type { Node } from '@babel/types'
import { formatRequest, MANIFEST_ID } from '../../output/ids.ts'
import { stringLiteral } from '../../output/literal.ts'
import { toPosix } from '../../shared/paths.ts'
import { isFunction, returnsOf, unwrap } from '../../usage/syntax/tree.ts'
import { UsageError } from '../command.ts'
import { planBundler, readScripts } from './bundler.ts'
import { joinPlans, type Planned, planEdit, readText } from './changes.ts'
import { definitionOf, findExport } from './edit/config.ts'
import { addImport, addImportOf, CannotEdit, type Edited, edit, endOf, type Source, usesName } from './edit/source.ts'
import { frameworkInfo, type Naming } from './libraries.ts'
import { type Project, readConfigs, repositoryOf } from './project.ts'
import { type InitOptions, isRemote, type Setup } from './setup.ts'
import { type FirstText, findFirstText, findNaming, hasNamespaces, planFirstText, type Sources } from './texts.ts'

export interface Plan extends Planned {
  /** The text that the page shows first; `undefined` if only the service knows the texts. */
  readonly first: FirstText | undefined
  /** The lines that show the text; `undefined` if they are not wanted, or if there is no place for them. */
  readonly page: Planned | undefined
  readonly isShown: boolean
  readonly naming: Naming
}

/** True for tools without plugins, which get `localization generate` in package.json. */
export const editsManifest = ({ changes }: Plan) => changes.some(({ path }) => path === 'package.json')

/** Throws UsageError if the first text is wanted but there is no place for it. */
export async function makePlan(project: Project, setup: Setup, sources: Sources, given: InitOptions): Promise<Plan> {
  const { config, texts, newLanguages, file } = setup
  const existing = texts.filter(({ language }) => language === config.defaultLanguage)
  const isNew = findFirstText(existing) === undefined && !isRemote(config) && !given.configOnly
  const made = isNew ? await planFirstText(config, newLanguages) : { changes: [], texts: [] }
  const own = [...existing, ...made.texts]
  const first = findFirstText(own)
  const { naming } = findNaming(project.library, own, sources, hasNamespaces(config.files))
  const plans: Partial<Planned>[] = [{ changes: file.before === file.after ? [] : [file] }, made]
  const plan = { first, naming, isShown: sources.importsTexts, page: undefined }
  if (given.configOnly) return { ...joinPlans(plans), ...plan }
  const plugin = await planBundler(project)
  const shown = plugin.manual.length > 0 ? 'you must add the lines for the plugin first' : first
  const page = plan.isShown
    ? undefined
    : await planFirstLines(project, shown ?? 'only the service knows the texts', given)
  plans.push(plugin, await planTypes(project, setup), await planGitIgnore(project, setup))
  return { ...joinPlans(plans), ...plan, page }
}

/**
 * Plans the lines for the page. If the app has an i18n library, plans them only if the user asks for them.
 *
 * @param first the text, or the reason why the page cannot show one
 */
async function planFirstLines(
  project: Project,
  first: FirstText | string,
  { firstText, noFirstText }: InitOptions,
): Promise<Planned | undefined> {
  if (noFirstText || (project.library !== undefined && !firstText)) return undefined
  const page = typeof first === 'string' ? first : await planPage(project, first)
  if (!firstText) return typeof page === 'string' ? undefined : page
  if (typeof page === 'string') throw new UsageError(`--first-text: ${page}`)
  const [refused] = page.manual
  if (!refused) return page
  throw new UsageError(`--first-text: ${refused.place}: ${refused.reason}`)
}

/** Plans general types for the virtual modules. The `types` option writes exact types instead. */
async function planTypes({ root, names, tool, isTypeScript }: Project, { config }: Setup): Promise<Partial<Planned>> {
  if (!isTypeScript || tool === undefined || config.types) return {}
  const folder = ['src/', 'app/'].find((name) => names.has(name.slice(0, -1))) ?? ''
  // TypeScript includes this file regardless of the `types` list in tsconfig.json.
  const path = `${folder}localization-env.d.ts`
  const before = await readText(root, path)
  const after = '/// <reference types="unplugin-localization/virtual" />\n'
  return before === undefined ? { changes: [{ path, before, after }] } : { done: [path] }
}

/** Makes Git ignore the state folder, and the map from the declared keys to their files. */
async function planGitIgnore({ root, names }: Project, { config: { types } }: Setup): Promise<Partial<Planned>> {
  const path = '.gitignore'
  const before = await readText(root, path)
  const above = repositoryOf(root)
  if (before === undefined && !names.has('.git') && above === undefined) return {}
  // In the repository's file, a line with a leading slash ignores nothing in this project.
  const lines = [before?.replace(/^\//gm, ''), above && (await readText(above, path))].join('\n').split('\n')
  const known = lines.map((line) => line.trim().replace(/\/$/, ''))
  const map = types ? [`${toPosix(relative(root, types.file))}.map`] : []
  const missing = ['.localization/', ...map].filter((line) => !known.includes(line.replace(/\/$/, '')))
  if (missing.length === 0) return { done: [path] }
  const lineEnd = before?.includes('\r\n') ? '\r\n' : '\n'
  const own = before === undefined || /^$|\n$/.test(before) ? (before ?? '') : before + lineEnd
  return { changes: [{ path, before, after: own + missing.map((line) => line + lineEnd).join('') }] }
}

const NAME = /^[A-Za-z_$][\w$]*$/

function memberOf(messages: string, { key }: FirstText, literal = stringLiteral): string {
  return NAME.test(key) ? `${messages}.${key}` : `${messages}[${literal(key)}]`
}

const moduleOf = (first: FirstText) => formatRequest({ ...first, kind: 'namespace' })

export function pageLines(first: FirstText, { tool, isTypeScript }: Project, literal = stringLiteral): string[] {
  if (tool === 'next') return [`import texts from '${moduleOf(first)}'`, `<p>{${memberOf('texts', first)}}</p>`]
  const isPage = tool !== undefined
  const text = memberOf('texts', first, literal)
  // With `noUncheckedIndexedAccess`, the text may be undefined.
  const shown = isTypeScript ? `String(${text})` : text
  const show = isPage ? `document.body.append(${shown})` : `console.log(${text})`
  return [
    `import { load } from '${isPage ? MANIFEST_ID : '#translations'}'`,
    `load(${literal(first.language)}, ${literal(first.namespace)}).then((texts) => ${show})`,
  ]
}

/** Plans the lines. Resolves to the reason if there is no place for them. */
export async function planPage(project: Project, first: FirstText): Promise<Planned | string> {
  const { root, framework, tool } = project
  if (tool === undefined) return 'found no bundler that builds a page'
  if (tool !== 'next' && framework !== undefined && frameworkInfo(framework).rendersOnServer)
    return `${frameworkInfo(framework).title} renders its pages on a server`
  const path = await (tool === 'next' ? findPage(root) : findEntry(project))
  const before = path === undefined ? undefined : await readText(root, path)
  if (path === undefined || before === undefined) return 'no file was found that starts the page'
  const edited = tool === 'next' ? addToPage(before, path, first) : addToEntry(before, path, first, project)
  return planEdit(path, before, edited, pageLines(first, project))
}

function addToEntry(before: string, path: string, first: FirstText, project: Project): Edited {
  return edit(before, path, (source) => {
    const { text, quote, semicolon, lineEnd, isEsm, insert } = source
    if (usesName(source, 'load')) throw new CannotEdit('it has another "load"')
    if (!isEsm) throw new CannotEdit('it is not an ES module')
    addImportOf(source, '{ load }', MANIFEST_ID)
    const [, showLine] = pageLines(first, project, quote === '"' ? JSON.stringify : stringLiteral)
    insert(text.trimEnd().length, `${lineEnd}${lineEnd}${showLine}${semicolon}`)
  })
}

/** Imports the namespace, and adds an element with the text inside the page's outer element. */
function addToPage(before: string, path: string, first: FirstText): Edited {
  return edit(before, path, (source) => {
    const { text, lineEnd, insert } = source
    const outer = outerElement(source)
    if (!outer) throw new CannotEdit('its default export returns no element with content')
    const name = addImport(source, 'texts', moduleOf(first))
    const [, indent] = /^[ \t]*\r?\n([ \t]*)/.exec(text.slice(endOf(outer))) ?? []
    const element = `<p>{${memberOf(name, first)}}</p>`
    insert(endOf(outer), indent === undefined ? element : `${lineEnd}${indent}${element}`)
  })
}

/** Finds the opening tag of the element that the page's component returns. */
function outerElement(source: Source): Node | undefined {
  let component = unwrap(findExport(source))
  if (component.type === 'Identifier') component = unwrap(definitionOf(source, component))
  const returned = isFunction(component) ? returnsOf(component).at(-1) : undefined
  const element = returned && unwrap(returned)
  if (element?.type === 'JSXFragment') return element.openingFragment
  return element?.type === 'JSXElement' && element.closingElement ? element.openingElement : undefined
}

const firstThatExists = async (root: string, paths: readonly (string | undefined)[]) => {
  for (const path of paths) if (path !== undefined && (await readText(root, path)) !== undefined) return path
  return undefined
}

function findPage(root: string): Promise<string | undefined> {
  const folders = ['app/page', 'src/app/page', 'pages/index', 'src/pages/index']
  const paths = folders.flatMap((name) => ['tsx', 'jsx', 'js', 'ts'].map((ending) => `${name}.${ending}`))
  return firstThatExists(root, paths)
}

const PAGES = ['', 'src/', 'public/', 'www/', 'static/', 'dist/'].map((folder) => `${folder}index.html`)
const USUAL = ['main', 'index'].flatMap((name) => ['ts', 'tsx', 'js', 'jsx', 'mjs'].map((end) => `src/${name}.${end}`))
/** Plugins and tools that write the HTML file. */
const WRITES_PAGE = /\bHtml(?:Webpack|Rspack)Plugin\b/

/** Matches an option that names the app's entry, up to its first path, in a configuration or a build script. */
const ENTRY = /\b(?:entry|input|entryPoints|entrypoints)\b[^'"`]*['"`](?:\.\/)?([^'"`]+\.[cm]?[jt]sx?)['"`]/g

/** Finds the script in index.html, the configured entry, or, if there is a page, a file with a usual name. */
async function findEntry(project: Project): Promise<string | undefined> {
  const { root, scripts, tool } = project
  const page = await firstThatExists(root, PAGES)
  const isScript = tool === 'esbuild' || tool === 'bun'
  const configs = isScript
    ? (await readScripts(project, tool)).map(({ text }) => text).join('\n')
    : [...(await readConfigs(root, scripts, tool ?? 'vite')).values()].join('\n')
  // If there is no page, the entry may run on a server.
  if (page === undefined && tool !== 'rsbuild' && !WRITES_PAGE.test(configs)) return undefined
  const html = page === undefined ? '' : await readText(root, page)
  const [, script] = /<script\b[^>]*\bsrc=["']\/?(?:\.\/)?([^"']+\.(?:[cm]?[jt]s|[jt]sx))["']/.exec(html ?? '') ?? []
  // With other tools, the page loads the output instead.
  const isSource = tool === 'vite' || tool === 'farm'
  const entries = [...configs.matchAll(ENTRY)].map(([, path]) => path)
  return firstThatExists(root, [...(isSource ? [script] : []), ...entries, ...USUAL])
}
