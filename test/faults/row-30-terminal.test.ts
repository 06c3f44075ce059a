/**
 * Row 30, the part of the command line and of builds. Whatever names and texts hold: nothing of it moves the cursor, and every failure is
 * JSON where JSON is asked for.
 */
import { expect, onTestFinished, test, vi } from 'vitest'
import { runCli } from '../helpers/cli.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom } from '../helpers/hostile-build.ts'
import { startProject } from '../helpers/project.ts'
import { tempFolder } from '../helpers/temp.ts'

faultRow(30)

const EVIL = 'x\u001b[2J\u009b31m\u0007\u202ey'
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

test.each([
  ['status'],
  ['status', '--by-language'],
  ['pull', '--dry-run'],
  ['translations', 'list'],
  ['environment', '_latest'],
  ['translate', '--provider', 'PROVIDER_A', '--dry-run'],
  ['projects', 'list'],
  ['diff'],
  ['push', '--language', EVIL],
])('%j', async (...args) => {
  const project = await startProject({ service: { languages: [EVIL, 'pl'] } })
  await project.importTexts('en', EVIL, { [EVIL]: EVIL })
  await project.importTexts(EVIL, 'common', { title: EVIL })
  await project.publish()
  const headers = { authorization: project.personalToken, 'content-type': 'application/json' }
  await fetch(`${project.baseUrl}/api/v2/projects`, { method: 'POST', headers, body: JSON.stringify({ name: EVIL }) })
  const env = {
    LOCALIZATION_BASE_URL: project.baseUrl,
    LOCALIZATION_API_KEY: project.apiKey,
    LOCALIZATION_PERSONAL_TOKEN: project.personalToken,
  }
  const cwd = await tempFolder()
  for (const more of [[], ['--json']]) {
    const { stdout, stderr } = await runCli([...args, ...more], { cwd, env })
    expect(stdout).not.toMatch(CONTROL)
    expect(stderr).not.toMatch(CONTROL)
    if (more.length > 0) JSON.parse(stdout)
  }
})

const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>>[] = [{}, { 'en/default': { title: EVIL } }]
test.each(TEXTS)('a build with %j', async (texts) => {
  const { baseUrl, apiKey, ...project } = await startProject({ service: { languages: [EVIL], texts } })
  await project.importTexts('en', EVIL, { [EVIL]: EVIL })
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => written.mockRestore())
  const { failure = '' } = await buildFrom(baseUrl, { service: { baseUrl, apiKey } })
  const output = `${failure}\n${written.mock.calls.map(([text]) => text).join('')}`
  expect(output).toContain('\\u001b[2J')
  expect(output).not.toMatch(CONTROL)
})

test.each([
  [['pusch']],
  [['push', '--nope']],
  [['push', '--via', 'mail']],
  [['keys', 'add']],
  [['push', '--unseen']],
  [['resolve', '--ours', '--theirs']],
  [['import', 'nofile.json']],
])('%j --json prints the error on standard output', async (args) => {
  const project = await startProject({ service: true })
  const { code, stdout } = await project.run(...args, '--json')
  expect(code).toBe(args[0] === 'import' ? 1 : 2)
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } })
})

test('import names the file that is not there', async () => {
  const project = await startProject({ service: true })
  expect((await project.run('import', 'nofile.json')).stderr).toMatch(/nofile\.json.*no such file/)
})
