/** The report of `init`. */
import type { Paint } from '../text.ts'
import type { InitOptions } from './answers.ts'
import { diffLines, type Outcome } from './assistant.ts'
import type { Manual } from './changes.ts'
import { devCommand } from './commands.ts'
import type { ConfigFile } from './config-file.ts'
import { frameworkInfo, libraryInfo } from './libraries.ts'
import type { Plan } from './plan.ts'
import { pageLines } from './plan-page.ts'
import type { Project } from './project.ts'

export interface ReportInput {
  readonly project: Project
  readonly plan: Plan
  readonly file: ConfigFile
  readonly outcome: Outcome
  readonly options: InitOptions
  readonly bundlerLines: readonly string[]
}

/** `bundler`, `framework` and `library`, as found. */
export function describeProject({ tool, framework, library }: Project): string[] {
  return [
    `bundler: ${tool === 'metro' ? 'Metro (React Native), which takes no plugins' : (tool ?? 'none found')}`,
    ...(framework ? [`framework: ${frameworkInfo(framework).title}`] : []),
    ...(library ? [`library: ${libraryInfo(library).title}`] : []),
  ]
}

/** True if the changes beside the configuration were written, or would be. */
const isWhole = ({ plan, outcome }: ReportInput) => plan.changes.every((change) => outcome.changes.includes(change))

export function report(input: ReportInput, paint: Paint): string {
  const { plan, file, outcome, options } = input
  const { changes, proof } = outcome
  if (proof?.state === 'failed') return [proof.output ?? '', '', paint('red', proof.message)].join('\n')
  const verbs = options.dryRun ? ['would write', 'would change'] : ['wrote', 'changed']
  const written = changes.map(({ path, before }) => `${before === undefined ? verbs[0] : verbs[1]} ${path}`)
  const isAll = isWhole(input)
  const lines = [...(written.length > 0 ? written : [isAll ? 'nothing to change' : 'wrote nothing'])]
  if (options.dryRun) lines.push(...changes.flatMap((change) => diffLines(change, paint)))
  else if (!isAll && file.isNew && changes.length > 0)
    lines.push('', ...indented(file.config.trimEnd().split('\n'), paint, 'dim'))
  if (proof) lines.push(proof.state === 'passed' ? proof.message : `not checked with a build: ${proof.message}`)
  const manual = isAll ? plan.manual : plan.manual.filter(({ place }) => place !== undefined)
  lines.push(...manual.flatMap((one) => manualLines(one, paint)))
  if (!isAll || (plan.manual.length === 0 && plan.changes.length === 0 && plan.done.length === 0))
    lines.push(...twoLines(input, paint))
  return [...lines, '', ...nextLines(input, paint)].join('\n')
}

function manualLines({ place, reason, lines }: Manual, paint: Paint): string[] {
  const title =
    place === undefined
      ? `not written: ${reason}. Add these lines:`
      : `${place} was not changed: ${reason}. Add these lines there:`
  return ['', title, '', ...indented(lines, paint)]
}

function twoLines({ project, bundlerLines }: ReportInput, paint: Paint): string[] {
  const { tool } = project
  const bundler = tool === 'metro' ? undefined : tool
  const lines =
    bundlerLines.length === 0
      ? []
      : [
          '',
          `Two lines for the configuration of ${bundler ?? 'your bundler (here for vite)'}:`,
          '',
          ...indented(bundlerLines, paint),
        ]
  if (bundler === undefined)
    lines.push('', 'For a tool that takes no plugins: localization generate (docs/generate.md)')
  return lines
}

function nextLines(input: ReportInput, paint: Paint): string[] {
  const { project, plan, file, outcome, options } = input
  const { first, page, isShown } = plan
  const lines: string[] = []
  if (file.needsApiKey)
    lines.push('The API key goes into .env.local, which must not be committed: LOCALIZATION_API_KEY=...')
  if (!isWhole(input))
    return [...lines, 'localization init --write writes the lines for you.', 'Then: localization status']
  const shows = isShown || page?.changes.some((change) => outcome.changes.includes(change))
  if (!shows) lines.push(...showLines(project, plan, paint), '')
  const command = devCommand(project)
  const sees = first
    ? `the page ${shows ? 'shows' : 'then shows'} "${first.text}" (${first.file})`
    : 'the page shows the texts of the service'
  if (options.dryRun) return [...lines, 'Nothing was written: this is a preview.']
  if (command !== undefined) lines.push(`Next: ${paint('cyan', command)}`, `  ${sees}`)
  return [...lines, 'Then: localization status']
}

/** The lines that show a text in the app. */
function showLines({ library, framework, tool }: Project, { first, page, naming }: Plan, paint: Paint): string[] {
  if (library) {
    const { title, page: docs, lines } = libraryInfo(library)
    const own = lines(first?.language ?? 'en', naming)
    if (own.length === 0) return [`${title}: ${docs} has the steps.`]
    return [`${title} takes its texts with these lines (${docs}):`, '', ...indented(own, paint)]
  }
  if (framework && frameworkInfo(framework).rendersOnServer)
    return [`A page of ${frameworkInfo(framework).title} that shows a text: docs/frameworks.md`]
  if (!first) return ['A text in the app: docs/start.md']
  const place = page?.changes[0]?.path ?? page?.manual[0]?.place
  const isPage = tool !== undefined && tool !== 'metro'
  return [
    `These lines ${place ? `in ${place} ` : ''}show the first text:`,
    '',
    ...indented(pageLines(first, isPage), paint),
  ]
}

const indented = (lines: readonly string[], paint: Paint, tone: 'cyan' | 'dim' = 'cyan') =>
  lines.map((line) => (line === '' ? '' : paint(tone, `  ${line}`)))
