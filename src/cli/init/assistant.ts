/** Shows the planned changes, asks the user about them, writes them, and proves them with a build. */
import type { CommandContext } from '../command.ts'
import { coloredDiff, unifiedDiff } from '../line-diff.ts'
import type { Paint } from '../text.ts'
import { applyChanges, type Change } from './changes.ts'
import type { Plan } from './plan.ts'
import type { Project } from './project.ts'
import { checkCommand, type Proof, prove, skipped, whyNoBuild } from './prove.ts'
import { createQuestions } from './questions.ts'
import type { InitOptions, Setup } from './setup.ts'

export interface Outcome {
  /** The changes that were written. With `--dry-run`, those that would be written. */
  readonly changes: readonly Change[]
  readonly proof: Proof | null
  /** True if the user wants none of the changes. */
  readonly isRefused: boolean
}

export async function carryOut(
  context: CommandContext,
  given: InitOptions,
  { project, plan, setup }: { project: Project; plan: Plan; setup: Setup },
): Promise<Outcome> {
  const configuration = setup.file.before === setup.file.after ? [] : [setup.file]
  const main = given.configOnly ? configuration : [...configuration, ...plan.changes]
  const page = given.configOnly ? [] : (plan.page?.changes ?? [])
  let changes = [...main, ...page]
  if (given.dryRun || changes.length === 0) return { changes, proof: null, isRefused: false }
  if (!context.globals.json)
    for (const change of changes) for (const line of diffLines(change, context.out.talk)) context.out.say(line)
  const why = given.noBuild ? 'not built, because of --no-build' : whyNoBuild(project, setup, plan)
  const command = why === undefined && !given.configOnly ? checkCommand(project, plan) : undefined
  if (context.io.canAsk && !given.yes) {
    const answer = await askWhat(context, command, page)
    if (answer === 'nothing') return { changes: [], proof: null, isRefused: true }
    if (answer === 'without page') changes = main
  }
  const applied = await applyChanges(context.globals.root, changes)
  if (given.configOnly) return { changes, proof: null, isRefused: false }
  const proof =
    command === undefined
      ? skipped(why ?? 'there is no build')
      : await prove(context, { project, plan, changes, applied, command })
  return { changes, proof, isRefused: false }
}

export function diffLines({ path, before, after }: Change, paint: Paint): string[] {
  const lines = unifiedDiff(before ?? '', after).map(withSpaces)
  return ['', paint('bold', before === undefined ? `${path} (new)` : path), ...coloredDiff(lines, paint)]
}

/** Replaces tabs, which would be printed as escapes, by as many spaces as a terminal shows for them. */
function withSpaces(line: string): string {
  return line.split('\t').reduce((shown, part) => shown + ' '.repeat(8 - (shown.length % 8)) + part)
}

async function askWhat(context: CommandContext, command: string | undefined, page: readonly Change[]) {
  const questions = await createQuestions(context)
  const check = command === undefined ? '' : ` and check them with ${command}`
  const undone = command === undefined ? '' : ' They are undone if that fails.'
  return questions.choose<'all' | 'without page' | 'nothing'>({
    message: `Write these changes${check}?${undone}`,
    options: [
      { value: 'all', label: 'yes' },
      ...page.map(({ path }) => ({ value: 'without page' as const, label: `yes, but leave ${path} unchanged` })),
      { value: 'nothing', label: 'no, write nothing' },
    ],
  })
}
