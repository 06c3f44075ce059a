/** Plans what belongs to the two lines: types for TypeScript, and a line for Git. */
import { joinPlans, NOTHING_PLANNED, type Planned, planEdit, readText } from './change.ts'
import { addToTypes } from './edit/json.ts'
import type { Project } from './project.ts'

const AMBIENT = 'unplugin-localization/virtual'
const ENV_FILE = 'localization-env.d.ts'
const CONFIGS = ['tsconfig.app.json', 'tsconfig.json']

/**
 * General types of the virtual modules. A list `types` takes the package. Without such a list, TypeScript includes all
 * packages of types, and a list would end that: a file refers to the types then.
 */
export async function planTypes({ root, names, isTypeScript }: Project): Promise<Planned> {
  if (!isTypeScript) return NOTHING_PLANNED
  const folder = ['src', 'app'].find((name) => names.has(name))
  const file = folder === undefined ? ENV_FILE : `${folder}/${ENV_FILE}`
  if ((await readText(root, file)) !== undefined) return { ...NOTHING_PLANNED, done: [file] }
  for (const path of CONFIGS) {
    const before = await readText(root, path)
    if (before === undefined) continue
    const edited = addToTypes(before, AMBIENT)
    if (edited.text !== undefined) return planEdit(path, before, edited, [])
  }
  const after = `/// <reference types="${AMBIENT}" />\n`
  return { ...NOTHING_PLANNED, changes: [{ path: file, before: undefined, after }] }
}

const OWN_FOLDER = /^\/?\.localization\/?\s*$/m

/** In a repository, or where there is a `.gitignore`. */
export async function planGitIgnore({ root, names }: Project): Promise<Planned> {
  const path = '.gitignore'
  const before = await readText(root, path)
  if (before === undefined && !names.has('.git')) return NOTHING_PLANNED
  if (before !== undefined && OWN_FOLDER.test(before)) return { ...NOTHING_PLANNED, done: [path] }
  const lineEnd = before?.includes('\r\n') ? '\r\n' : '\n'
  const gap = before === undefined || before === '' || before.endsWith('\n') ? '' : lineEnd
  const after = `${before ?? ''}${gap}.localization/${lineEnd}`
  return joinPlans([{ ...NOTHING_PLANNED, changes: [{ path, before, after }] }])
}
