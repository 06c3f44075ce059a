/** Plans the lines that show the first text on the page, for an app without an i18n library. */
import { propertyOf } from '../../usage/syntax/tree.ts'
import { type Planned, planEdit, readText } from './changes.ts'
import { endOfLastImport, isEsm } from './edit/insert.ts'
import { findExport, resolveObjects } from './edit/resolve.ts'
import { CannotEdit, edit, endOf, type Insertion, insert, parse } from './edit/source.ts'
import { frameworkInfo } from './libraries.ts'
import type { Project } from './project.ts'
import { MODULE_ID } from './sources.ts'
import type { FirstText } from './texts.ts'

const NAME = /^[A-Za-z_$][\w$]*$/

/** The entry already declares or imports this name. */
const OTHER_NAMES = /^.*\b(?:function|const|let|var|class|import)\b[^\n=]*\bload\b/m

/** @param isPage the lines run in a browser, and a bundler resolves the virtual module */
export function pageLines({ language, namespace, key }: FirstText, isPage = true): string[] {
  const text = NAME.test(key) ? `texts.${key}` : `texts[${JSON.stringify(key).replaceAll('"', "'")}]`
  return [
    `import { load } from '${isPage ? MODULE_ID : '#translations'}'`,
    `load('${language}', '${namespace}').then((texts) => ${isPage ? `document.body.append(\`\${${text}}\`)` : `console.log(${text})`})`,
  ]
}

/** `undefined`: the app has no entry that is known to run in a page. */
export async function planPage(project: Project, first: FirstText): Promise<Planned | undefined> {
  const { framework, library, tool } = project
  if (library !== undefined || tool === undefined || tool === 'metro' || tool === 'next') return undefined
  if (framework !== undefined && frameworkInfo(framework).rendersOnServer) return undefined
  const path = await findEntry(project)
  const before = path === undefined ? undefined : await readText(project.root, path)
  if (path === undefined || before === undefined) return undefined
  const lines = pageLines(first)
  const edited = edit(before, (text) => {
    if (text.includes(MODULE_ID)) return text
    const source = parse(text, path)
    if (OTHER_NAMES.test(text)) throw new CannotEdit('it has another "load"')
    if (!isEsm(source, path)) throw new CannotEdit('it is not an ES module')
    const { quote, semicolon, lineEnd } = source.style
    const [importLine = '', showLine = ''] = lines.map((line) => line.replaceAll("'", quote) + semicolon)
    const lastImport = endOfLastImport(source)
    const insertions: Insertion[] = []
    if (lastImport === undefined) insertions.push({ at: 0, text: `${importLine}${lineEnd}${lineEnd}` })
    else insertions.push({ at: lastImport, text: `${lineEnd}${importLine}` })
    const last = source.ast.program.body.at(-1)
    const end = last && endOf(last) > (lastImport ?? 0) ? text.trimEnd().length : undefined
    insertions.push({ at: end ?? lastImport ?? 0, text: `${lineEnd}${lineEnd}${showLine}` })
    return insert(text, insertions)
  })
  return planEdit(path, before, edited, lines)
}

const USUAL = ['main', 'index'].flatMap((name) => ['ts', 'tsx', 'js', 'jsx', 'mjs'].map((end) => `src/${name}.${end}`))

/** The module script of index.html, else the configured entry or a usual name beside a page. */
async function findEntry(project: Project): Promise<string | undefined> {
  const { root } = project
  for (const page of ['index.html', 'src/index.html', 'public/index.html']) {
    const html = await readText(root, page)
    if (html === undefined) continue
    const [, named] = /<script\b[^>]*\bsrc=["']\/?(?:\.\/)?([^"']+\.(?:[cm]?[jt]s|[jt]sx))["']/.exec(html) ?? []
    const candidates = [named, await configuredEntry(project), ...USUAL]
    for (const path of candidates) if (path !== undefined && (await readText(root, path)) !== undefined) return path
  }
  return undefined
}

/** `entry: './src/index.js'` of webpack and Rspack, `input: 'src/main.js'` of Rollup and Rolldown. */
async function configuredEntry({ root, names, tool }: Project): Promise<string | undefined> {
  const file = [...names].find((name) => name.startsWith(`${tool}.config.`))
  const text = file === undefined ? undefined : await readText(root, file)
  if (file === undefined || text === undefined) return undefined
  try {
    const source = parse(text, file)
    for (const object of resolveObjects(source, findExport(source))) {
      const value = propertyOf(object, 'entry').value ?? propertyOf(object, 'input').value
      if (value?.type === 'StringLiteral') return value.value.replace(/^\.\//, '')
    }
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error
  }
  return undefined
}
