/** Runs the project's build, and looks for a text in what it wrote. */
import { spawn } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { FirstText } from './first-text.ts'

const LIMIT_MS = 5 * 60_000

export interface BuildRun {
  readonly ok: boolean
  /** Both streams, without colours. */
  readonly output: string
}

interface BuildOptions {
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/** Ends with the process and all that it started. Rejects when `signal` aborts. */
export async function runBuild(command: string, { root, env, signal }: BuildOptions): Promise<BuildRun> {
  const isWindows = process.platform === 'win32'
  // `npx` would ask the registry for a package that is not installed.
  const line = command.replace(/^npx (?!--)/, 'npx --no-install ')
  const child = spawn(line, {
    cwd: root,
    shell: true,
    // A search for a newer npm is no part of a build.
    env: { ...env, npm_config_update_notifier: 'false', PATH: `${binFolders(root)}${env.PATH ?? env.Path ?? ''}` },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of processes is named by the id of its first one.
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
        // It has ended.
      }
    }
  }
  let isLate = false
  const limit = setTimeout(() => {
    isLate = true
    kill()
  }, LIMIT_MS)
  signal.addEventListener('abort', kill, { once: true })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  }).finally(() => {
    clearTimeout(limit)
    signal.removeEventListener('abort', kill)
  })
  signal.throwIfAborted()
  const late = isLate ? `\nthe build did not end within ${LIMIT_MS / 60_000} minutes` : ''
  return { ok: code === 0, output: stripVTControlCharacters(output).trim() + late }
}

function binFolders(root: string): string {
  let path = ''
  for (let folder = root; ; folder = dirname(folder)) {
    path += join(folder, 'node_modules/.bin') + delimiter
    if (dirname(folder) === folder) return path
  }
}

/** Folders without output. `.localization` holds copies of all texts, beside the modules of `generate`. */
const SKIPPED = new Set(['node_modules', '.git', '.localization'])
const CODE = /\.(?:[cm]?js|html|json)$/
const MOST_BYTES = 20_000_000

/** The file with the text, written since `since`: relative to the root. `undefined`: there is none. */
export async function findInOutput(
  root: string,
  { key, text }: FirstText,
  since: number,
  written: ReadonlySet<string>,
): Promise<string | undefined> {
  const name = key.split(/[./]/).at(-1) ?? key
  const spellings = spellingsOf(text)
  const found: string[] = []
  const folders = ['', '.localization/modules/']
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
      const path = folder + entry.name
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(`${path}/`)
      if (!entry.isFile() || !CODE.test(path) || written.has(path)) continue
      const { mtimeMs, size } = await stat(join(root, path))
      if (mtimeMs < since || size > MOST_BYTES) continue
      const content = await readFile(join(root, path), 'utf8')
      if (content.includes(name) && spellings.some((one) => content.includes(one))) found.push(path)
    }
  }
  return found.find((path) => /localization/.test(path)) ?? found[0]
}

/** As source texts and JSON in source texts have it. */
function spellingsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const ascii = json.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const twice = JSON.stringify(json).slice(1, -1)
  return [text, json, ascii, ascii.toUpperCase(), twice, text.replaceAll("'", "\\'"), text.replaceAll('`', '\\`')]
}
