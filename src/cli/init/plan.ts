/** Everything that `init` proposes for a project in addition to its configuration. Nothing is written here. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../command.ts'
import { planBundler } from './bundler.ts'
import { joinPlans, type Planned, readText } from './changes.ts'
import type { Naming } from './libraries.ts'
import { planPage } from './page.ts'
import { type Project, repositoryOf } from './project.ts'
import type { InitOptions, Setup } from './setup.ts'
import { type FirstText, findFirstText, findNaming, hasNamespaces, planFirstText, type Sources } from './texts.ts'

export interface Plan extends Planned {
  /** The text that the page shows first; `undefined` if only the service knows the texts. */
  readonly first: FirstText | undefined
  /** The lines that show the text; `undefined` if they are not wanted, or if there is no place for them. */
  readonly page: Planned | undefined
  /** True if a source file already imports the texts. */
  readonly isShown: boolean
  readonly naming: Naming
}

/** Plans the changes. Throws UsageError if the first text is wanted but there is no place for it. */
export async function makePlan(project: Project, setup: Setup, sources: Sources, given: InitOptions): Promise<Plan> {
  const { root, tool, library } = project
  const own = setup.texts.filter(({ language }) => language === setup.defaultLanguage)
  const found = findFirstText(own)
  const made = found || setup.isRemote ? undefined : await planFirstText({ root, ...setup }, setup.newLanguages)
  const first = found ?? made?.first
  const takesPlugins = tool !== undefined && tool !== 'metro'
  const plugin = await planBundler(project)
  const plans = [
    made ?? {},
    plugin,
    takesPlugins && !setup.typesFile ? await planTypes(project) : {},
    await planGitIgnore(project, setup),
  ]
  const isShown = sources.importsTexts
  const shown = plugin.manual.length > 0 ? 'the plugin needs lines that you add' : first
  const page = isShown ? undefined : await planFirstLines(project, shown ?? 'only the service knows the texts', given)
  const entries = !found && first ? [{ ...first, entries: new Map([[first.key, first.text]]) }] : []
  const naming = findNaming(library, [...own, ...entries], sources, hasNamespaces(setup.files))
  return { ...joinPlans(plans), first, page, isShown, naming }
}

/** `first`: the text, or the reason why there can be no lines. Without the option `--first-text`, an app with a library keeps its page: the library shows the texts there. */
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

const ENV_FILE = 'localization-env.d.ts'

/** General types of the virtual modules, in a file that TypeScript includes, whatever its list `types` says. */
async function planTypes({ root, names, isTypeScript }: Project): Promise<Partial<Planned>> {
  if (!isTypeScript) return {}
  const folder = ['src', 'app'].find((name) => names.has(name))
  const path = folder === undefined ? ENV_FILE : `${folder}/${ENV_FILE}`
  const before = await readText(root, path)
  const after = '/// <reference types="unplugin-localization/virtual" />\n'
  return before === undefined ? { changes: [{ path, before, after }] } : { done: [path] }
}

/**
 * Adds lines to `.gitignore`, but only in a repository, or if the file exists: the folder of the state, and the map that
 * leads from the declared keys to their files.
 */
async function planGitIgnore({ root, names }: Project, { typesFile }: Setup): Promise<Partial<Planned>> {
  const path = '.gitignore'
  const before = await readText(root, path)
  const above = repositoryOf(root)
  const isInGit = names.has('.git') || (above !== undefined && existsSync(join(above, '.git')))
  if (before === undefined && !isInGit) return {}
  const linesOf = (text = '') => text.split('\n').map((line) => line.trim().replace(/\/$/, ''))
  const known = new Set(linesOf(before).map((line) => line.replace(/^\//, '')))
  for (const line of linesOf(above && (await readText(above, path)))) known.add(line)
  const isIgnored = (name: string) => known.has(name) || (name.endsWith('.map') && known.has('*.map'))
  const missing = ['.localization', ...(typesFile ? [`${typesFile}.map`] : [])].filter((name) => !isIgnored(name))
  if (missing.length === 0) return { done: [path] }
  const lineEnd = before?.includes('\r\n') ? '\r\n' : '\n'
  const gap = before === undefined || before === '' || before.endsWith('\n') ? '' : lineEnd
  const lines = missing.map((name) => `${name}${name.endsWith('.map') ? '' : '/'}${lineEnd}`)
  return { changes: [{ path, before, after: `${before ?? ''}${gap}${lines.join('')}` }] }
}
