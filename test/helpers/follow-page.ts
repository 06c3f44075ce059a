/**
 * Follows a page of `docs/` as a reader does: makes its files, changes them as its `diff` blocks say, types its
 * commands.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect } from 'vitest'
import type { CodeBlock } from './markdown.ts'
import { type RunningProcess, startProcess } from './processes.ts'
import { writeTree } from './temp.ts'

/** Makes the file that a block with a file name shows; a `diff` block changes a file that is there. */
export async function followBlock(folder: string, { page, line, language, name, code }: CodeBlock): Promise<void> {
  const place = `${page}:${line}`
  if (name === undefined) throw new Error(`${place}: the block names no file`)
  const path = join(folder, name)
  if (language === 'diff') {
    await writeTree(folder, { [name]: applyDiff(await readFile(path, 'utf8'), code, place) })
    return
  }
  if (existsSync(path)) throw new Error(`${place}: ${name} is there already`)
  await writeTree(folder, { [name]: code })
}

/** Lines with `-` go, lines with `+` come, the others are there: exactly once, one below the other. */
function applyDiff(text: string, diff: string, place: string): string {
  const lines = diff.trimEnd().split('\n')
  const without = (sign: string) => lines.filter((line) => !line.startsWith(sign)).map((line) => `${line.slice(1)}\n`)
  if (lines.some((line) => !/^(?:[-+ ]|$)/.test(line)))
    throw new Error(`${place}: a line begins with none of "-", "+", " "`)
  const before = `\n${without('+').join('')}`
  const [start, end, ...more] = `\n${text}`.split(before)
  if (start === undefined || end === undefined || more.length > 0)
    throw new Error(`${place}: the lines to change are not there exactly once:${before}in:\n${text}`)
  return `${start}\n${without('-').join('')}${end}`.slice(1)
}

export interface ShellOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Types a command into a shell. It ends with the test at the latest. */
export function startCommand(line: string, { cwd, env }: ShellOptions): RunningProcess {
  return startProcess(['sh', '-c', line], { cwd, env: { ...readerEnvironment(), ...env } })
}

/** Types a command and waits for its end. Rejects with all that it printed when it fails. */
export async function runCommand(line: string, options: ShellOptions): Promise<string> {
  const { code, output } = await startCommand(line, options).ended
  if (code !== 0) throw new Error(`${line} ended with ${code}:\n${output}`)
  return output
}

/** Commands of a `console` block, each with the lines that the page says it prints. */
export function shownCommands({ page, line, code }: CodeBlock): { command: string; shown: string[] }[] {
  const commands: { command: string; shown: string[] }[] = []
  for (const text of code.trimEnd().split('\n')) {
    if (text.startsWith('$ ')) commands.push({ command: text.slice(2), shown: [] })
    else if (commands.length === 0) throw new Error(`${page}:${line}: output without a command`)
    else commands.at(-1)?.shown.push(text)
  }
  return commands
}

/** Each line that the page shows was printed, in that order. The page may leave lines out. */
export function expectShown(output: string, shown: readonly string[], place: string): void {
  const printed = output.split('\n').map(withoutChance)
  let next = 0
  const missing = shown.filter((line) => {
    const index = printed.indexOf(withoutChance(line), next)
    if (index >= 0) next = index + 1
    return index < 0
  })
  expect(missing, `${place}: these lines were not printed, or not in that order:\n${output}`).toEqual([])
}

/** Ports and what a terminal does not show differ each time. */
function withoutChance(line: string): string {
  return line.replace(/(127\.0\.0\.1|localhost):\d+/g, '$1:0').trim()
}

/** That of a reader's terminal: nothing of Vitest's and of CI's; npm's questions are answered with yes. */
function readerEnvironment(): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  return {
    PATH: path.join(delimiter),
    HOME: homedir(),
    NO_COLOR: '1',
    npm_config_yes: 'true',
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  }
}
