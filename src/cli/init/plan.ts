/** Plans all changes to a project, and the lines to add by hand. Nothing is written here. */
import { relative } from 'node:path'
import { toPosix } from '../../shared/paths.ts'
import { UsageError } from '../command.ts'
import { planBundler } from './bundler.ts'
import { joinPlans, type Planned, readText } from './changes.ts'
import type { Naming } from './libraries.ts'
import { planPage } from './page.ts'
import { type Project, repositoryOf } from './project.ts'
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
