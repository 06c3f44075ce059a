/** Shows the planned changes, asks for them, writes them, and proves them with a build. */
import type { CommandContext } from '../command.ts'
import { coloredDiff, unifiedDiff } from '../line-diff.ts'
import type { Paint } from '../text.ts'
import type { InitOptions } from './answers.ts'
import { applyChanges, type Change } from './changes.ts'
import { checkCommand } from './commands.ts'
import type { ConfigFile } from './config-file.ts'
import type { Plan } from './plan.ts'
import type { Project } from './project.ts'
import { type Proof, prove, whyNoBuild } from './prove.ts'

export interface Outcome {
  /** The changes that were written, or would be with `--dry-run`. */
  readonly changes: readonly Change[]
  readonly proof: Proof | null
}

interface Given {
  readonly project: Project
  readonly plan: Plan
  readonly file: ConfigFile
}

export async function carryOut(context: CommandContext, options: InitOptions, given: Given): Promise<Outcome> {
  const { project, plan, file } = given
  const { isNew, configFile, before, config } = file
  const configuration: readonly Change[] = isNew ? [{ path: configFile, before, after: config }] : []
  const asks = context.io.canAsk && !options.yes && !options.dryRun
  const pageChanges = plan.page?.changes ?? []
  if (options.dryRun)
    return { changes: [...configuration, ...plan.changes, ...(options.firstText ? pageChanges : [])], proof: null }
  const isAsked = options.write || (asks && plan.changes.length > 0)
  if (!isAsked) {
    await applyChanges(context.globals.root, configuration)
    return { changes: configuration, proof: null }
  }
  let changes = [...configuration, ...plan.changes]
  preview(context, changes)
  if (asks && !options.write) {
    const answer = await askWhat(context, isNew)
    if (answer === 'nothing') return { changes: [], proof: null }
    if (answer === 'configuration') changes = [...configuration]
  }
  const isWhole = changes.length > configuration.length || plan.changes.length === 0
  if (isWhole && pageChanges.length > 0) {
    if (options.firstText || asks) preview(context, pageChanges)
    const question = `Add these lines, so that the page shows "${plan.first?.text}"?`
    if (options.firstText || (asks && (await isYes(context, question)))) changes.push(...pageChanges)
  }
  if (changes.length === 0) return { changes, proof: null }
  let why = isWhole ? whyNoBuild(project, file.needsApiKey, plan) : 'only the configuration was written'
  if (options.noBuild) why = 'not built, because of --no-build'
  else if (why === undefined && asks) {
    const question = `Check the changes with ${checkCommand(project, plan.changes)}? They are undone if it fails.`
    if (!(await isYes(context, question))) why = 'not built'
  }
  const applied = await applyChanges(context.globals.root, changes)
  return { changes, proof: await prove(context, { project, plan, changes, applied }, why) }
}

/** The diffs, on standard error. */
function preview({ out, globals }: CommandContext, changes: readonly Change[]): void {
  if (globals.json) return
  for (const change of changes) for (const line of diffLines(change, out.talk)) out.say(line)
}

export function diffLines({ path, before, after }: Change, paint: Paint): string[] {
  const lines = coloredDiff(unifiedDiff(before ?? '', after), paint)
  return ['', paint('bold', before === undefined ? `${path} (new)` : path), ...lines]
}

type Answer = 'all' | 'configuration' | 'nothing'

async function askWhat(context: CommandContext, hasConfiguration: boolean): Promise<Answer> {
  if (!hasConfiguration) return (await isYes(context, 'Write these changes?')) ? 'all' : 'nothing'
  const answers: Readonly<Record<string, Answer>> = {
    '': 'all',
    y: 'all',
    yes: 'all',
    c: 'configuration',
    n: 'nothing',
  }
  const question = '\nWrite these changes? y: all, c: only the configuration, n: nothing [y]: '
  for (;;) {
    const answer = answers[(await context.io.ask(question, context.signal)).toLowerCase()]
    if (answer !== undefined) return answer
  }
}

async function isYes({ io, signal }: CommandContext, question: string): Promise<boolean> {
  const answer = await io.ask(`\n${question} [Y/n]: `, signal)
  return /^(?:y(?:es)?)?$/i.test(answer)
}
