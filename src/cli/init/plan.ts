/** Everything that `init` proposes for a project, without writing it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { joinPlans, NOTHING_PLANNED, type Planned, planEdit, readText } from './changes.ts'
import { addToTypes } from './edit/json.ts'
import type { Naming } from './libraries.ts'
import { repositoryOf } from './other-catalogs.ts'
import { planBundler } from './plan-bundler.ts'
import { planPage } from './plan-page.ts'
import type { Project } from './project.ts'
import { findNaming, type Sources } from './sources.ts'
import { type FileTexts, type FirstText, findFirstText, hasNamespaces, planFirstText, type TextsOf } from './texts.ts'

const AMBIENT = 'unplugin-localization/virtual'
const ENV_FILE = 'localization-env.d.ts'
const CONFIGS = ['tsconfig.app.json', 'tsconfig.json']

/**
 * General types of the virtual modules. A list `types` takes the package. Without such a list, TypeScript includes all
 * packages of types, and a list would end that: a file refers to the types then.
 */
async function planTypes({ root, names, isTypeScript }: Project): Promise<Planned> {
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

/** Only in a repository, or if there is a `.gitignore`. */
async function planGitIgnore({ root, names }: Project): Promise<Planned> {
  const path = '.gitignore'
  const before = await readText(root, path)
  const above = repositoryOf(root)
  const isInGit = names.has('.git') || (above !== undefined && existsSync(join(above, '.git')))
  if (before === undefined && !isInGit) return NOTHING_PLANNED
  const ofRepository = above && (await readText(above, path))
  if (ofRepository !== undefined && /^\.localization\/?\s*$/m.test(ofRepository))
    return { ...NOTHING_PLANNED, done: [path] }
  if (before !== undefined && OWN_FOLDER.test(before)) return { ...NOTHING_PLANNED, done: [path] }
  const lineEnd = before?.includes('\r\n') ? '\r\n' : '\n'
  const gap = before === undefined || before === '' || before.endsWith('\n') ? '' : lineEnd
  const after = `${before ?? ''}${gap}.localization/${lineEnd}`
  return joinPlans([{ ...NOTHING_PLANNED, changes: [{ path, before, after }] }])
}

export interface Plan extends Planned {
  /** The text that the page shows first. `undefined`: only the service knows the texts. */
  readonly first: FirstText | undefined
  /** The lines for the app's entry; asked for separately. */
  readonly page: Planned | undefined
  /** A source file already imports the texts. */
  readonly isShown: boolean
  readonly naming: Naming
}

export interface PlanInput extends Omit<TextsOf, 'root'> {
  readonly defaultLanguage: string
  readonly texts: readonly FileTexts[]
  readonly sources: Sources
  /** The texts come from a service that is not on this machine. */
  readonly isRemote: boolean
  /** The configuration has the option `types`, which writes other types. */
  readonly hasTypes: boolean
}

export async function makePlan(project: Project, given: PlanInput): Promise<Plan> {
  const { root, tool, library } = project
  const { defaultLanguage, sources } = given
  const own = given.texts.filter(({ language }) => language === defaultLanguage)
  const found = findFirstText(own)
  const { plan: firstFile, first } =
    found || given.isRemote ? { plan: NOTHING_PLANNED, first: found } : planFirstText({ ...given, root })
  const takesPlugins = tool !== undefined && tool !== 'metro'
  const plans = [
    firstFile,
    await planBundler(project),
    takesPlugins && !given.hasTypes ? await planTypes(project) : NOTHING_PLANNED,
    await planGitIgnore(project),
  ]
  const isShown = sources.importsTexts
  const page = first && !isShown ? await planPage(project, first) : undefined
  const made = first && !found ? [{ ...first, entries: new Map([[first.key, first.text]]) }] : []
  const naming = findNaming(library, [...own, ...made], sources, hasNamespaces(given.files))
  return { ...joinPlans(plans), first, page, isShown, naming }
}
