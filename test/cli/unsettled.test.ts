/** Nothing is left that the command could wait for: a process that ends then has not done its work. */
import { expect, test } from 'vitest'
import { startCli } from '../helpers/cli.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const NEVER = 'await new Promise(() => {})'

test.each([
  ['check', `export default async () => { ${NEVER} }`],
  ['types --check', `export default async () => { ${NEVER} }`],
  ['push', `export default async () => { ${NEVER} }`],
  ['publish production', `export default async () => { ${NEVER} }`],
  ['check', `export default new Promise(() => {})`],
  ['check', `${NEVER}\nexport default {}`],
])('%s with the configuration %s', async (command, configuration) => {
  const cwd = await tempFolder()
  await writeTree(cwd, { 'localization.config.mjs': configuration, 'locales/en/common.json': { title: 'Shop' } })
  const { code, stdout, stderr } = await startCli(command.split(' '), { cwd }).run
  expect(stderr).toMatch(/^error: \S*localization\.config\.mjs: the configuration's promise never settles[^\n]+\n$/)
  expect([code, stdout]).toEqual([1, ''])
})

test('what the configuration gives to the client never settles', async () => {
  const cwd = await tempFolder()
  const service = `{ baseUrl: 'http://127.0.0.1:9', apiKey: 'some-key', headers: () => new Promise(() => {}) }`
  await writeTree(cwd, { 'localization.config.mjs': `export default { service: ${service} }` })
  const { code, stderr } = await startCli(['projects', 'list'], {
    cwd,
    env: { LOCALIZATION_PERSONAL_TOKEN: 'some-token' },
  }).run
  expect(stderr).toMatch(/^error: [^\n]+\n$/)
  expect(code).toBe(1)
})

test('a question on a terminal whose input ends', async () => {
  const cwd = await tempFolder()
  await writeTree(cwd, { 'package.json': '{}', 'locales/en/common.json': { title: 'Shop' } })
  const terminal = 'process.stdin.isTTY = true; process.stderr.isTTY = true'
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(terminal)}` }
  const { code, stderr } = await startCli(['init'], { cwd, env }).run
  expect(stderr).toMatch(/error:.* no answer, because standard input has ended: [^\n]+\n$/)
  expect(code).toBe(1)
})
