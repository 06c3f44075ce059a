/** Resolves a conflict in the user's editor. The file shows both texts, and the user replaces them with one. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '../api/schemas.ts'
import { printable } from '../shared/escape.ts'
import type { TextRecord } from '../sync/records.ts'
import type { CliIo } from './io.ts'
import { nameOf } from './summary.ts'

type Conflict = Pick<TextRecord, 'ref' | 'base' | 'ours' | 'theirs'>

const SCISSORS = '# ------------------------ >8 ------------------------'
const HELP = '# Replace the lines above with the text.'
const UNDECIDED = '# An empty or unchanged file decides nothing.'

/** If `draft` is set, the file contains this earlier text from the user instead of both texts. */
export function conflictFile({ ref, base, ours, theirs }: Conflict, draft?: string) {
  const markers = markersFor([ours, theirs])
  const [start, middle, end] = markers
  const side = (text: string | undefined) => (text === undefined ? [] : [text])
  const editable = draft ?? [start, ...side(ours), middle, ...side(theirs), end].join('\n')
  const shown = (name: string, text: string | undefined) =>
    text === undefined ? `# ${name} has no text` : `# ${name}: ${JSON.stringify(text)}`
  const about = [shown('base', base), shown('file', ours), shown('service', theirs)]
  const content = [editable, SCISSORS, HELP, UNDECIDED, '#', `# ${nameOf(ref)}`, ...about.map(printable), ''].join('\n')
  const hasReturns = `${ours}${theirs}${draft}`.includes('\r')
  return {
    content,
    /** Returns the text that the user wrote, or why there is none. */
    read(written: string): { readonly text: string } | { readonly problem: string } {
      const plain = written.replace(/^\uFEFF/, '')
      const lines = (hasReturns ? plain : plain.replaceAll('\r\n', '\n')).split('\n')
      const stop = lines.findIndex((line) => line === SCISSORS || line === HELP)
      // If the user deleted the help, the final line feed comes from the editor.
      const text = stop === -1 ? lines.join('\n').replace(/\n$/, '') : lines.slice(0, stop).join('\n')
      if (text.trim() === '') return { problem: 'the text is empty' }
      if (text === editable) return { problem: 'the text was not changed' }
      const left = markers.find((marker) => text.split('\n').includes(marker))
      if (left !== undefined) return { problem: `the line ${JSON.stringify(left)} is still there` }
      if (text.length > LIMITS.textLength)
        return { problem: `the text has ${text.length} characters, ${LIMITS.textLength} are allowed` }
      return { text }
    },
  }
}

/** Conflict markers as in Git, but longer than any that occur in the texts. */
function markersFor(texts: readonly (string | undefined)[]): readonly [string, string, string] {
  const runs = texts.flatMap((text = '') => text.match(/^[<=>]{7,}/gm) ?? [])
  const length = runs.reduce((most, run) => Math.max(most, run.length + 1), 7)
  return [`${'<'.repeat(length)} file`, '='.repeat(length), `${'>'.repeat(length)} service`]
}

/** Opens the editor and waits until it exits. Throws the signal's reason on Ctrl-C. */
export async function editConflict(env: CliIo['env'], signal: AbortSignal, conflict: Conflict, draft?: string) {
  const file = conflictFile(conflict, draft)
  const folder = await mkdtemp(join(tmpdir(), 'localization-'))
  try {
    const path = join(folder, 'conflict.txt')
    await writeFile(path, file.content, { mode: 0o600 })
    const problem = await runEditor(env, path, signal)
    signal.throwIfAborted()
    return problem === undefined ? file.read(await readFile(path, 'utf8')) : { problem }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Resolves to an error message if the editor fails. VISUAL and EDITOR may include arguments. */
function runEditor(env: CliIo['env'], path: string, signal: AbortSignal): Promise<string | undefined> {
  const isWindows = process.platform === 'win32'
  // VISUAL is for full-screen editors, which a dumb terminal cannot show.
  const chosen = (env.TERM !== 'dumb' && env.VISUAL) || env.EDITOR
  const editor = chosen || (isWindows ? 'notepad' : 'vi')
  const [command, args] = isWindows
    ? [`${editor} "${path}"`, []]
    : ['/bin/sh', ['-c', `exec ${editor} "$@"`, editor, path]]
  return new Promise((settle) => {
    // The editor draws on standard error, because standard output may be redirected.
    const child = spawn(command, args, { stdio: ['inherit', 2, 2], env: { ...env }, shell: isWindows, signal })
    child.on('error', ({ message }) => settle(`the editor ${JSON.stringify(editor)} cannot be started: ${message}`))
    child.on('exit', (code, killedBy) => {
      const hint = code === 127 || code === 9009 ? '. Set the environment variable EDITOR' : ''
      const end = killedBy === null ? `exited with code ${code}` : `was stopped by ${killedBy}`
      settle(code === 0 ? undefined : `the editor ${JSON.stringify(editor)} ${end}${hint}`)
    })
  })
}
