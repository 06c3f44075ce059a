/** Proves the changes with the project's own build, and undoes them if it fails. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CommandContext } from '../command.ts'
import type { Applied } from './apply.ts'
import { type BuildRun, findInOutput, runBuild } from './build.ts'
import type { Change } from './change.ts'
import { checkCommand, describeCommand } from './commands.ts'
import type { FirstText } from './first-text.ts'
import type { Plan } from './plan.ts'
import type { Project } from './project.ts'

export interface Proof {
  readonly command: string | null
  /** `skipped` with the reason in `message`. */
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly message: string
  /** The file of the output with the first text. */
  readonly file: string | null
  /** If the build failed: whether it fails without the changes too. */
  readonly failedBefore: boolean | null
  /** The end of what a failed build printed. */
  readonly output: string | null
}

const skipped = (message: string): Proof => ({
  command: null,
  state: 'skipped',
  message,
  file: null,
  failedBefore: null,
  output: null,
})

interface Given {
  readonly project: Project
  readonly plan: Plan
  readonly changes: readonly Change[]
  readonly applied: Applied
}

/** `undefined`: a build can run. Otherwise the reason why not. */
export function whyNoBuild(project: Project, needsApiKey: boolean, plan: Plan): string | undefined {
  if (!isInstalled(project.root))
    return 'unplugin-localization is not installed here: npm install --save-dev unplugin-localization'
  if (checkCommand(project, plan.changes) === undefined) return 'package.json has no script that builds'
  if (needsApiKey && plan.first === undefined) return 'a build needs the API key of the service'
  return undefined
}

export async function prove(context: CommandContext, given: Given, why: string | undefined): Promise<Proof> {
  const { project, applied, plan, changes } = given
  const command = checkCommand(project, plan.changes)
  if (why !== undefined || command === undefined) return skipped(why ?? 'there is no build')
  const { root } = project
  const { io, out, signal } = context
  const build = () => runBuild(command, { root, env: io.env, signal })
  const since = Date.now() - 1000
  let run: BuildRun
  try {
    out.say(`building: ${describeCommand(project, command)}. Ctrl+C undoes the changes.`)
    run = await build()
  } catch (error) {
    await undo(context, applied)
    throw error
  }
  const base = { command, file: null, failedBefore: null, output: null }
  if (run.ok) {
    const written = new Set(changes.map(({ path }) => path))
    const file = plan.first ? await findInOutput(root, plan.first, since, written) : undefined
    return {
      ...base,
      state: 'passed',
      file: file ?? null,
      message: passedMessage(command, plan.first, file, plan, changes),
    }
  }
  await undo(context, applied)
  out.say(`the build failed, and the changes are undone; building once more without them`)
  const before = await build()
  const message = before.ok
    ? `${command} failed with the changes, and passes without them. All changes are undone.`
    : `${command} fails without the changes too. All changes are undone. Repair the build first, or give --no-build.`
  return { ...base, state: 'failed', failedBefore: !before.ok, message, output: tail(run.output) }
}

async function undo({ out }: CommandContext, applied: Applied): Promise<void> {
  const kept = await applied.undo()
  if (kept.length > 0) out.warn(`changed meanwhile, and left as they are: ${kept.join(', ')}`)
}

function passedMessage(
  command: string,
  first: FirstText | undefined,
  file: string | undefined,
  { isShown, page, manual }: Plan,
  changes: readonly Change[],
): string {
  if (manual.length > 0) return `${command} passes, still without the lines below.`
  if (first && file) return `${command} passes: ${file} has the text "${first.text}"`
  const isImported = isShown || page?.changes.some((change) => changes.includes(change))
  if (!isImported) return `${command} passes. No file of the app imports a text yet, so the output has none.`
  return first
    ? `${command} passes. The text "${first.text}" was not found in the files that it wrote.`
    : `${command} passes. The texts come from the service.`
}

const TAIL_LINES = 40

function tail(output: string): string {
  const lines = output.split('\n')
  return lines.length > TAIL_LINES ? ['...', ...lines.slice(-TAIL_LINES)].join('\n') : output
}

function isInstalled(root: string): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules/unplugin-localization/package.json'))) return true
    if (dirname(folder) === folder) return false
  }
}
