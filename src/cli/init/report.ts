/** The result of `init`, as data and as text. The text says what is left to do, and which command to run next. */
import * as z from 'zod'
import type { ResolvedConfig } from '../../config/types.ts'
import type { Frozen } from '../command.ts'
import { coloredDiff, type Paint, unifiedDiff } from '../text.ts'
import { linesFor } from './bundler.ts'
import type { Change } from './changes.ts'
import { FRAMEWORK_NAMES, frameworkInfo, LIBRARY_NAMES, libraryInfo } from './libraries.ts'
import { editsManifest, type Plan, pageLines } from './plan.ts'
import { docPage, installs, type Project, runs, TOOL_NAMES } from './project.ts'
import { type Outcome, proofSchema } from './prove.ts'
import { type InitOptions, lacksApiKey } from './setup.ts'

export const initResult = z.object({
  dryRun: z.boolean(),
  /** Relative to the root. */
  configFile: z.string(),
  config: z.string(),
  bundler: z.enum(TOOL_NAMES).nullable(),
  /** The two lines for the bundler's configuration. */
  bundlerLines: z.array(z.string()),
  framework: z.enum(FRAMEWORK_NAMES).nullable(),
  library: z.enum(LIBRARY_NAMES).nullable(),
  /** The patterns, separated by `, `. Empty if there are none. */
  files: z.string(),
  /** The languages found in files. */
  languages: z.array(z.string()),
  /** Patterns whose files have the same languages and namespaces as other files. */
  leftOut: z.array(z.object({ pattern: z.string(), files: z.number().int() })),
  defaultLanguage: z.string().nullable(),
  /** The written files with their diffs. With `--dry-run`, the files that would be written. */
  changes: z.array(z.object({ path: z.string(), isNew: z.boolean(), diff: z.array(z.string()) })),
  /** Lines that the user must add. `place` is a file, possibly with a line number. */
  manual: z.array(z.object({ place: z.string().nullable(), reason: z.string(), lines: z.array(z.string()) })),
  /** The check with the project's own build. */
  build: proofSchema.nullable(),
  firstText: z
    .object({ language: z.string(), namespace: z.string(), key: z.string(), text: z.string(), file: z.string() })
    .nullable(),
  /** The command that starts the dev server, or the build. */
  next: z.string().nullable(),
})
export type InitData = Frozen<z.infer<typeof initResult>>

interface Done {
  readonly data: InitData
  readonly project: Project
  readonly plan: Plan
  readonly config: ResolvedConfig
  readonly outcome: Outcome
  readonly given: InitOptions
}

export function describeProject({ tool, isMetro, framework, library }: Project): string[] {
  return [
    `bundler: ${isMetro ? 'Metro (React Native), which takes no plugins' : (tool ?? 'none found')}`,
    ...(framework ? [`framework: ${frameworkInfo(framework).title}`] : []),
    ...(library ? [`library: ${libraryInfo(library).title}`] : []),
  ]
}

export function diffLines({ path, before, after }: Change, paint: Paint): string[] {
  const lines = unifiedDiff(before ?? '', after).map(withSpaces)
  return ['', paint('bold', before === undefined ? `${path} (new)` : path), ...coloredDiff(lines, paint)]
}

/** Expands tabs as a terminal does. Otherwise, they would be printed as escapes. */
function withSpaces(line: string): string {
  return line.split('\t').reduce((shown, part) => shown + ' '.repeat(8 - (shown.length % 8)) + part)
}

export function report(done: Done, paint: Paint): string {
  const { data, plan, outcome, given } = done
  const { changes, build } = data
  if (build?.state === 'failed') return [build.output ?? '', '', paint('red', build.message)].join('\n')
  if (outcome.isRefused) return 'wrote nothing'
  const [writes, edits] = given.dryRun ? ['would write', 'would change'] : ['wrote', 'changed']
  const lines = changes.map(({ path, isNew }) => `${isNew ? writes : edits} ${path}`)
  if (changes.length === 0) {
    const places = [data.configFile, ...plan.done].join(', ')
    const rest = data.manual.length > 0 ? 'except for these lines' : 'nothing is missing'
    lines.push(`nothing to change: the project is set up (${places}), ${rest}`)
  }
  if (given.dryRun) lines.push(...outcome.changes.flatMap((change) => diffLines(change, paint)))
  if (build) lines.push(build.state === 'passed' ? build.message : `not checked with a build: ${build.message}`)
  for (const { place, reason, lines: added } of data.manual) {
    const title = place === null ? `not written: ${reason}` : `${place} is unchanged: ${reason}`
    lines.push('', `${title}. Add these lines${place === null ? '' : ' there'}:`, '', ...indented(added, paint))
  }
  return [...lines, '', ...nextLines(done, paint)].join('\n')
}

function nextLines(done: Done, paint: Paint): string[] {
  const { data, project, plan, config, outcome, given } = done
  const { root, tool, isMetro } = project
  if (given.dryRun) return ['Nothing was written: this is a preview.']
  const lines: string[] = []
  if (lacksApiKey(config))
    lines.push('The API key goes into .env.local, which must not be committed: LOCALIZATION_API_KEY=...')
  if (data.build?.message.includes(installs(project))) lines.push(`First: ${paint('cyan', installs(project))}`)
  const status = runs(project, 'localization status')
  if (given.configOnly)
    return [...lines, `${runs(project, 'localization init')} adds what is missing.`, `Then: ${status}`]
  if (tool === undefined && !isMetro && plan.done.length === 0 && !editsManifest(plan))
    lines.push(
      "No bundler was found. Add these lines to your bundler's configuration (here for Vite):",
      '',
      ...indented(linesFor('vite'), paint),
      '',
      `For a tool that takes no plugins: ${runs(project, 'localization generate')} (${docPage(root, 'generate.md')})`,
    )
  const { first } = plan
  if (!outcome.isShown) lines.push(...showLines(done, paint), '')
  const app = tool === undefined ? 'program' : 'page'
  const sees = first
    ? `${outcome.isShown ? `the ${app} shows` : `with that done, the ${app} can show`} "${first.text}" (${first.file})`
    : `the ${app} shows the texts from the service`
  if (data.next !== null) lines.push(`Next: ${paint('cyan', data.next)}`, `  ${sees}`)
  return [...lines, `Then: ${paint('cyan', status)}`]
}

function showLines({ project, plan, given }: Done, paint: Paint): string[] {
  const { root, library, framework } = project
  const { first, page, naming } = plan
  if (library && !given.firstText) {
    const { title, page: name, lines } = libraryInfo(library)
    const own = lines(first?.language ?? 'en', naming)
    if (own.length === 0) return [`${title}: ${docPage(root, name)} has the steps.`]
    return [`${title} takes its texts with these lines (${docPage(root, name)}):`, '', ...indented(own, paint)]
  }
  if (framework && framework !== 'next' && frameworkInfo(framework).rendersOnServer)
    return [`A page of ${frameworkInfo(framework).title} that shows a text: ${docPage(root, 'frameworks.md')}`]
  if (!first) return [`A text in the app: ${docPage(root, 'start.md')}`]
  // These lines are already printed, with the reason why they were not added.
  if (page && page.manual.length > 0) return []
  const place = page?.changes[0]?.path
  return [
    `These lines${place ? ` in ${place}` : ''} show the first text:`,
    '',
    ...indented(pageLines(first, project), paint),
  ]
}

const indented = (lines: readonly string[], paint: Paint) =>
  lines.map((line) => (line === '' ? '' : paint('cyan', `  ${line}`)))
