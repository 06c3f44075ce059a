/** Output that cannot be written: one line says so, and the exit code does too. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CLI } from '../helpers/cli.ts'
import { bareEnvironment, startProcess } from '../helpers/processes.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const isThere = existsSync('/dev/full')
if (!isThere) console.log('output to a full disk skipped: this system has no /dev/full')

test.skipIf(!isThere).each([
  ['a result', ['check', '--json'], '>', /^error: the output cannot be written: [^\n]+\n$/],
  ['the help', ['--help'], '>', /^error: the output cannot be written: [^\n]+\n$/],
  ['an error', ['statsu'], '2>', /^$/],
  ['both', ['check', '--json'], '2>&1 >/dev/full 2>', /^$/],
])('%s: %j %s /dev/full', async (_what, args, redirection, message) => {
  const cwd = await tempFolder()
  await writeTree(cwd, { 'locales/en/common.json': { title: 'Shop' } })
  const script = `"$0" "$@" ${redirection} /dev/full`
  const env = bareEnvironment(cwd, {})
  const { code, stderr } = await startProcess(['sh', '-c', script, process.execPath, CLI, ...args], { cwd, env }).ended
  expect(stderr).toMatch(message)
  expect(code).toBe(args[0] === 'statsu' ? 2 : 1)
})
