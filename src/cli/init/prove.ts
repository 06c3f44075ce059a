/** Checks the changes with the project's own build. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import * as z from 'zod'
import { foldersUp } from '../../shared/paths.ts'
import type { CommandContext } from '../command.ts'
import type { CliIo } from '../io.ts'
import type { Change } from './changes.ts'
import { editsManifest, type Plan } from './plan.ts'
import { buildCommand, installs, type Project, runs } from './project.ts'
import { type InitOptions, lacksApiKey, type Setup } from './setup.ts'
import type { FirstText } from './texts.ts'

export const proofSchema = z.object({
  command: z.string().nullable(),
  /** If `skipped`, `message` contains the reason. */
  state: z.enum(['passed', 'failed', 'skipped']),
  message: z.string(),
  /** An output file that contains the first text. */
  file: z.string().nullable(),
  /** If the build failed, true if it also fails without the changes. */
  failedBefore: z.boolean().nullable(),
  /** The last lines of a failed build's output. */
  output: z.string().nullable(),
})
export type Proof = z.infer<typeof proofSchema>

export interface Outcome {
  /** The changes that were written. With `--dry-run`, those that would be written. */
  readonly changes: readonly Change[]
  readonly proof: Proof | null
  readonly isRefused: boolean
  /** True if a file of the app imports the texts. */
  readonly isShown: boolean
}

const NOTHING = { command: null, file: null, failedBefore: null, output: null }

const skipped = (message: string): Proof => ({ ...NOTHING, state: 'skipped', message })

/**
 * Returns the command that builds the project, or `localization generate` for a tool without plugins. Returns the
 * reason if no build can run, and `null` if there is nothing to check.
 */
export function findBuild(
  project: Project,
  { config }: Setup,
  plan: Plan,
  { noBuild, configOnly }: InitOptions,
): string | Proof | null {
  if (configOnly) return null
  if (noBuild) return skipped('--no-build is set')
  const isInstalled = foldersUp(project.root).some((folder) =>
    existsSync(join(folder, 'node_modules/unplugin-localization/package.json')),
  )
  if (!isInstalled) return skipped(`unplugin-localization is not installed here: ${installs(project)}`)
  if (lacksApiKey(config) && plan.first === undefined) return skipped('a build needs the API key of the service')
  const command = buildCommand(project)
  if (command !== undefined) return command
  if (editsManifest(plan)) return runs(project, 'localization generate')
  return skipped('package.json has no script that builds')
}

/** Runs the build, and undoes the changes if it fails. */
export async function prove(
  context: CommandContext,
  command: string,
  plan: Plan,
  outcome: Outcome,
  undoChanges: () => Promise<readonly string[]>,
): Promise<Proof> {
  const { io, out, signal, globals } = context
  const { root } = globals
  const undo = async () => {
    const kept = await undoChanges()
    if (kept.length > 0) out.warn(`not undone, because another program changed them: ${kept.join(', ')}`)
  }
  const build = () => runBuild(command, root, io.env, signal)
  const since = Date.now() - 1000
  out.say(`building: ${command}. Ctrl+C undoes the changes.`)
  const run = await build().catch(async (error: unknown) => {
    await undo()
    throw error
  })
  if (run.ok) {
    const own = new Set(outcome.changes.map(({ path }) => path))
    const file = plan.first && (await findInOutput(root, plan.first, since, own))
    const message = passedMessage(command, file, plan, outcome)
    return { ...NOTHING, command, state: 'passed', file: file ?? null, message }
  }
  await undo()
  out.say('the build failed, and the changes are undone; building once more without them')
  const failedBefore = !(await build()).ok
  const message = failedBefore
    ? `${command} fails without the changes too. All changes are undone. Fix the build first, or use --no-build.`
    : `${command} failed with the changes, and passes without them. All changes are undone.`
  return { ...NOTHING, command, state: 'failed', message, failedBefore, output: tail(run.output) }
}

function passedMessage(command: string, file: string | undefined, { first, manual }: Plan, { isShown }: Outcome) {
  if (manual.length > 0) return `${command} passes. The lines below are not added yet.`
  if (first && file) return `${command} passes: ${file} has the text "${first.text}"`
  if (!isShown) return `${command} passes. No file of the app imports a text yet, so the output has none.`
  return first
    ? `${command} passes. The text "${first.text}" was not found in the files that it wrote.`
    : `${command} passes. The texts come from the service.`
}

const TAIL_LINES = 40

function tail(output: string): string {
  const lines = output.split('\n')
  return lines.length > TAIL_LINES ? ['...', ...lines.slice(-TAIL_LINES)].join('\n') : output
}

const LIMIT_MS = 5 * 60_000

/** Resolves to the output without colors when the process and its children have exited. Rejects on Ctrl-C. */
async function runBuild(command: string, root: string, env: CliIo['env'], signal: AbortSignal) {
  const isWindows = process.platform === 'win32'
  const bins = foldersUp(root).map((folder) => join(folder, 'node_modules/.bin') + delimiter)
  // Otherwise, `npx` would download a package that is not installed.
  const child = spawn(command.replace(/^npx (?!--)/, 'npx --no-install '), {
    cwd: root,
    shell: true,
    // npm must not look for a newer version of itself.
    env: { ...env, npm_config_update_notifier: 'false', PATH: bins.join('') + (env.PATH ?? env.Path ?? '') },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The process leads its own group, so `kill` reaches its children.
    detached: !isWindows,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const kill = () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    if (isWindows) spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'])
    else {
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // The process has exited.
      }
    }
  }
  const limit = AbortSignal.timeout(LIMIT_MS)
  const stop = AbortSignal.any([signal, limit])
  stop.addEventListener('abort', kill, { once: true })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  signal.throwIfAborted()
  const late = limit.aborted ? `\nthe build did not end within ${LIMIT_MS / 60_000} minutes` : ''
  return { ok: code === 0, output: stripVTControlCharacters(output).trim() + late }
}

/** Folders without build output. `.localization` has copies of all texts. */
const SKIPPED = new Set(['node_modules', '.git', '.localization'])
const MODULES = '.localization/modules/'
const CODE = /\.(?:[cm]?js|html|json)$/
const MOST_BYTES = 20_000_000

/** The output file that contains the text, relative to the root. `own`: files that this command wrote. */
async function findInOutput(
  root: string,
  { language, key, text }: FirstText,
  since: number,
  own: ReadonlySet<string>,
): Promise<string | undefined> {
  const name = key.split(/[./]/).at(-1) ?? key
  const wanted = withoutEscapes(JSON.stringify(text).slice(1, -1))
  const found: string[] = []
  const folders = ['', MODULES]
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
      const path = folder + entry.name
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(`${path}/`)
      if (!entry.isFile() || !CODE.test(path) || own.has(path)) continue
      const { mtimeMs, size } = await stat(join(root, path))
      if (mtimeMs < since || size > MOST_BYTES) continue
      const content = withoutEscapes(await readFile(join(root, path), 'utf8'))
      if (content.includes(name) && content.includes(wanted)) found.push(path)
    }
  }
  const output = found.filter((path) => !path.startsWith(MODULES))
  return output.find((path) => path.includes(`localization/${language}/`)) ?? output[0] ?? found[0]
}

/** Decodes the escapes in code, so that a text is found however the bundler quotes it. */
function withoutEscapes(code: string): string {
  const decode = (_: string, four: string | undefined, two: string) =>
    String.fromCharCode(Number.parseInt(four ?? two, 16))
  return code.replace(/\\+(?:u([\da-f]{4})|x([\da-f]{2}))/gi, decode).replaceAll('\\', '')
}
