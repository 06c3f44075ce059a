/** The report of `init`, which says what happened, what is left to do, and which command comes next. */
import type { Paint } from '../text.ts'
import { diffLines, type Outcome } from './assistant.ts'
import { linesFor } from './bundler.ts'
import { frameworkInfo, libraryInfo } from './libraries.ts'
import { pageLines } from './page.ts'
import type { Plan } from './plan.ts'
import { devCommand, docPage, installs, type Project, runs } from './project.ts'
import type { InitOptions, Setup } from './setup.ts'

export interface ReportInput {
  readonly project: Project
  readonly plan: Plan
  readonly setup: Setup
  readonly outcome: Outcome
  readonly given: InitOptions
}

/** `bundler`, `framework` and `library`, as found. */
export function describeProject({ tool, framework, library }: Project): string[] {
  return [
    `bundler: ${tool === 'metro' ? 'Metro (React Native), which takes no plugins' : (tool ?? 'none found')}`,
    ...(framework ? [`framework: ${frameworkInfo(framework).title}`] : []),
    ...(library ? [`library: ${libraryInfo(library).title}`] : []),
  ]
}

export function report(input: ReportInput, paint: Paint): string {
  const { plan, setup, outcome, given } = input
  const { changes, proof, isRefused } = outcome
  if (proof?.state === 'failed') return [proof.output ?? '', '', paint('red', proof.message)].join('\n')
  if (isRefused) return 'wrote nothing'
  const lines = changes.map(({ path, before }) => {
    const verbs = given.dryRun ? ['would write', 'would change'] : ['wrote', 'changed']
    return `${before === undefined ? verbs[0] : verbs[1]} ${path}`
  })
  const manual = given.configOnly ? [] : [...plan.manual, ...(plan.page?.manual ?? [])]
  if (changes.length === 0) {
    const places = [setup.configFile, ...plan.done].join(', ')
    const rest = manual.length > 0 ? 'except for these lines' : 'nothing is missing'
    lines.push(`nothing to change: the project is set up (${places}), ${rest}`)
  }
  if (given.dryRun) lines.push(...changes.flatMap((change) => diffLines(change, paint)))
  if (proof) lines.push(proof.state === 'passed' ? proof.message : `not checked with a build: ${proof.message}`)
  for (const { place, reason, lines: added } of manual) {
    const title = place === undefined ? `not written: ${reason}` : `${place} is unchanged: ${reason}`
    lines.push('', `${title}. Add these lines${place === undefined ? '' : ' there'}:`, '', ...indented(added, paint))
  }
  return [...lines, '', ...nextLines(input, paint)].join('\n')
}

function nextLines(input: ReportInput, paint: Paint): string[] {
  const { project, plan, setup, outcome, given } = input
  const { root, tool } = project
  if (given.dryRun) return ['Nothing was written: this is a preview.']
  const lines: string[] = []
  if (setup.needsApiKey)
    lines.push('The API key goes into .env.local, which must not be committed: LOCALIZATION_API_KEY=...')
  if (outcome.proof?.message.includes(installs(project))) lines.push(`First: ${paint('cyan', installs(project))}`)
  const status = runs(project, 'localization status')
  if (given.configOnly)
    return [...lines, `${runs(project, 'localization init')} adds what is missing.`, `Then: ${status}`]
  if (tool === undefined && plan.done.length === 0 && plan.manual.length === 0)
    lines.push(
      'No bundler was found. Lines for the configuration of yours (here for vite):',
      '',
      ...indented(linesFor('vite'), paint),
      '',
      `For a tool that takes no plugins: ${runs(project, 'localization generate')} (${docPage(root, 'generate.md')})`,
    )
  const { first, page, isShown } = plan
  const shows = isShown || page?.changes.some((change) => outcome.changes.includes(change)) || page?.done.length
  if (!shows) lines.push(...showLines(input, paint), '')
  const command = devCommand(project)
  const sees = first
    ? `the page ${shows ? 'shows' : 'then shows'} "${first.text}" (${first.file})`
    : 'the page shows the texts of the service'
  if (command !== undefined) lines.push(`Next: ${paint('cyan', command)}`, `  ${sees}`)
  return [...lines, `Then: ${paint('cyan', status)}`]
}

/** The lines that show a text in the app. */
function showLines({ project, plan, given }: ReportInput, paint: Paint): string[] {
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
  // An edit that was refused has already printed the lines with their place.
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
