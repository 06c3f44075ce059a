/** `localization completion`, asked in the shells themselves. */
import { execFileSync } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CLI, runCli } from '../helpers/cli.ts'
import { bareEnvironment, runToSuccess } from '../helpers/processes.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

/** Asks for the completion of the last word, which may be empty. */
type Ask = (script: string, words: readonly string[]) => string

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ')

const SHELLS: Readonly<Record<string, Ask>> = {
  bash: (script, words) =>
    `. ${script}; COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}; _localization; ` +
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an array of bash
    'printf "%s\\n" "${COMPREPLY[@]}"',
  // Completion needs a terminal: what the function offers is printed instead.
  zsh: (script, words) =>
    'compdef() { }; _files() { print -l FILES }; compadd() { shift; print -l -- "$@" }; ' +
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an array of zsh
    '_describe() { [ "$1" = -o ] && shift; print -l -- "${(@)${(P)2}%%:*}" }; ' +
    `. ${script}; words=(${quoted(words)}); CURRENT=${words.length}; _localization`,
  fish: (script, words) => `source ${script}; complete -C '${words.join(' ')}'`,
}

const has = (shell: string) => {
  try {
    execFileSync(shell, ['-c', 'true'])
    return true
  } catch {
    return false
  }
}

for (const [shell, ask] of Object.entries(SHELLS)) {
  const isThere = has(shell)
  if (!isThere) console.warn(`completion tests in ${shell} skipped: it is not installed (apt-get install ${shell})`)
  describe.skipIf(!isThere)(shell, async () => {
    const complete = async (...words: readonly string[]) => {
      const cwd = await tempFolder()
      const { code, stdout } = await runCli(['completion', shell], { cwd })
      expect(code).toBe(0)
      const script = join(cwd, 'script')
      await writeTree(cwd, {
        script: stdout,
        'bin/localization': `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`,
      })
      await chmod(join(cwd, 'bin/localization'), 0o755)
      const args = shell === 'bash' ? ['--norc', '-c'] : shell === 'zsh' ? ['-f', '-c'] : ['--no-config', '-c']
      const command = [shell, ...args, ask(script, ['localization', ...words])]
      const env = bareEnvironment(cwd)
      const ended = await runToSuccess(command, { cwd, env: { ...env, PATH: `${join(cwd, 'bin')}:${env.PATH}` } })
      expect(ended.stderr).toBe('')
      const offered = ended.stdout.split('\n').map((line) => line.split('\t')[0] ?? '')
      // zsh itself drops what does not begin with the word.
      const last = words.at(-1) ?? ''
      return offered.filter((word) => word !== '' && (shell !== 'zsh' || word.startsWith(last)))
    }

    test('commands', async () => {
      expect(await complete('st')).toEqual(['status'])
      expect(await complete('')).toEqual(expect.arrayContaining(['init', 'doctor', 'mcp', 'completion']))
    })

    test('subcommands, also behind options of the program', async () => {
      expect((await complete('keys', '')).sort()).toEqual(['add', 'remove'])
      expect(await complete('--root', 'keys', 'translations', '')).toEqual(['list'])
      expect((await complete('service', 'tokens', '')).sort()).toEqual(['add', 'list', 'revoke', 'rotate'])
    })

    test('options of the command and of the program', async () => {
      expect((await complete('check', '--un')).filter((word) => word.startsWith('--un'))).toEqual(['--unused'])
      expect(await complete('check', '--js')).toEqual(['--json'])
      expect(await complete('diff', '--unu')).toEqual([])
    })

    test('values to choose from', async () => {
      expect((await complete('check', '--reporter', '')).sort()).toEqual(['github', 'text'])
      expect((await complete('completion', '')).sort()).toEqual(['bash', 'fish', 'zsh'])
    })
  })
}

test('every command and option of the help is offered, also behind values and options of the program', async () => {
  const cwd = await tempFolder()
  const run = async (...args: readonly string[]) => (await runCli(args, { cwd })).stdout
  const offered = async (...words: readonly string[]) => {
    const lines = (await run('__complete', ...words)).split('\n').filter((line) => line !== '')
    return lines.map((line) => line.split('\t')[0])
  }
  const help = await run('--help')
  const list = help.slice(help.indexOf('Every day:'), help.indexOf('\nOptions:'))
  const commands = [...list.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)
  expect(commands.length).toBeGreaterThan(20)
  expect([...(await offered('')), 'help'].sort()).toEqual([...commands].sort())
  for (const words of [['check'], ['keys', 'add'], ['--root', 'keys', 'push']]) {
    const named = [...(await run(...words, '--help')).matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name)
    expect(named.length).toBeGreaterThan(10)
    expect(await offered(...words, '--')).toEqual(expect.arrayContaining(named))
  }
  // A file, and a free text.
  for (const words of [
    ['import', ''],
    ['push', '--language', ''],
  ])
    expect(await offered(...words)).toEqual([])
  expect((await runCli(['completion', 'tcsh'], { cwd })).code).toBe(2)
})
