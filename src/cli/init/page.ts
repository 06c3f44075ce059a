/** Plans the lines that show the first text, in the app's entry or in the first page of Next.js. */
import type { Node } from '@babel/types'
import { stringLiteral } from '../../output/literal.ts'
import { isFunction, returnsOf, unwrap } from '../../usage/syntax/tree.ts'
import { readScripts } from './bundler.ts'
import { type Planned, planEdit, readText } from './changes.ts'
import { definitionOf, findExport } from './edit/config.ts'
import { addImport, addImportOf, CannotEdit, type Edited, edit, endOf, type Source, usesName } from './edit/source.ts'
import { frameworkInfo } from './libraries.ts'
import { type Project, readConfigs } from './project.ts'
import { type FirstText, MODULE_ID } from './texts.ts'

const NAME = /^[A-Za-z_$][\w$]*$/

function memberOf(messages: string, { key }: FirstText): string {
  return NAME.test(key) ? `${messages}.${key}` : `${messages}[${stringLiteral(key)}]`
}

export function pageLines(first: FirstText, { tool, isTypeScript }: Project): string[] {
  const { language, namespace } = first
  if (tool === 'next')
    return [`import texts from '${MODULE_ID}/${language}/${namespace}'`, `<p>{${memberOf('texts', first)}}</p>`]
  const isPage = tool !== undefined
  const text = memberOf('texts', first)
  // With `noUncheckedIndexedAccess`, the text may be undefined.
  const shown = isTypeScript ? `String(${text})` : text
  const show = isPage ? `document.body.append(${shown})` : `console.log(${text})`
  return [
    `import { load } from '${isPage ? MODULE_ID : '#translations'}'`,
    `load('${language}', '${namespace}').then((texts) => ${show})`,
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
  const edited = tool === 'next' ? addToPage(before, path, first) : addToEntry(before, path, pageLines(first, project))
  return planEdit(path, before, edited, pageLines(first, project))
}

function addToEntry(before: string, path: string, [, showLine = '']: readonly string[]): Edited {
  return edit(before, path, (source) => {
    const { text, quote, semicolon, lineEnd, isEsm, insert } = source
    if (usesName(source, 'load')) throw new CannotEdit('it has another "load"')
    if (!isEsm) throw new CannotEdit('it is not an ES module')
    addImportOf(source, '{ load }', MODULE_ID)
    insert(text.trimEnd().length, `${lineEnd}${lineEnd}${showLine.replaceAll("'", quote)}${semicolon}`)
  })
}

/** Imports the namespace, and adds an element with the text inside the page's outer element. */
function addToPage(before: string, path: string, first: FirstText): Edited {
  return edit(before, path, (source) => {
    const { text, lineEnd, insert } = source
    const outer = outerElement(source)
    if (!outer) throw new CannotEdit('its default export returns no element with content')
    const name = addImport(source, 'texts', `${MODULE_ID}/${first.language}/${first.namespace}`)
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
