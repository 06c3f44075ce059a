/** What every command has in common: help, usage, outputs, colours, failures, secrets. */
import { expect, test } from 'vitest'
import { runCli } from '../helpers/cli.ts'
import { startProject } from '../helpers/project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const COMMANDS = [
  'init',
  'status',
  'diff',
  'pull',
  'push',
  'resolve',
  'check',
  'extract',
  'translate',
  'publish',
  'environment',
  'import',
  'export',
  'keys add',
  'keys remove',
  'translations list',
  'projects list',
  'projects create',
  'serve',
]
const CHANGING = [
  'init',
  'extract',
  'pull',
  'push',
  'resolve',
  'translate',
  'publish',
  'import',
  'export',
  'keys add',
  'keys remove',
  'projects create',
]

test('the help names every command', async () => {
  const cwd = await tempFolder()
  const { code, stdout, stderr } = await runCli(['--help'], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command.split(' ')[0]}\\b`, 'm'))
  expect((await runCli(['--version'], { cwd })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test.each(COMMANDS)('%s --help has an example', async (command) => {
  const { code, stdout, stderr } = await runCli([...command.split(' '), '--help'], { cwd: await tempFolder() })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`$ localization ${command}`)
  expect(stdout).toContain('--json')
  if (CHANGING.includes(command)) expect(stdout).toContain('--dry-run')
})

test.each([
  [[], 2],
  [['nonsense'], 2],
  [['pul'], 2],
  [['pull', '--nonsense'], 2],
  [['publish'], 2],
  [['keys', 'add'], 2],
  [['import', 'x.json', '--format', 'xml'], 2],
  [['translate', '--wait', 'soon'], 2],
  [['check', '--coverage', 'pl=2'], 2],
  [['serve', '--port', 'x'], 2],
] as const)('wrong usage: %j', async (args, code) => {
  const run = await runCli(args, { cwd: await tempFolder() })
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' })
  expect(run.stderr).not.toBe('')
})

test('a misspelt command is suggested', async () => {
  expect((await runCli(['pusch'], { cwd: await tempFolder() })).stderr).toContain('push')
})

test('a failure is one line with a hint; --verbose adds the cause; --json prints it as data', async () => {
  const cwd = await tempFolder()
  const env = { LOCALIZATION_BASE_URL: 'http://127.0.0.1:9', LOCALIZATION_API_KEY: 'canary-key-0123456789' }
  await writeTree(cwd, { 'localization.config.json': { service: { retries: 0 } } })
  const run = await runCli(['environment', '_latest'], { cwd, env })
  expect(run).toMatchObject({ code: 1, stdout: '' })
  expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(run.stderr).toContain('LOCALIZATION_BASE_URL')
  const verbose = await runCli(['environment', '_latest', '--verbose'], { cwd, env })
  expect(verbose.stderr).toContain('caused by:')
  expect(verbose.stderr).not.toContain('canary-key')
  const json = await runCli(['--json', 'environment', '_latest'], { cwd, env })
  expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'API_NETWORK', hint: expect.any(String) } })
})

test('wrong settings are named where they are wrong', async () => {
  const cwd = await tempFolder()
  const env = { LOCALIZATION_BASE_URL: 'https://localization.invalid' }
  const said = async (args: string, more: Readonly<Record<string, string>> = {}) => {
    const { code, stderr } = await runCli(args.split(' '), { cwd, env: { ...env, ...more } })
    return `${code} ${stderr}`
  }
  expect(await said('serve --port 99999')).toMatch(/^2 .*99999.*at most 65535/)
  expect(await said('projects list')).toMatch(/^1 .*no personal token set\. Set LOCALIZATION_PERSONAL_TOKEN/)
  expect(await said('status')).toMatch(/^1 .*no project API key set\. Set LOCALIZATION_API_KEY/)
  expect(
    await said('projects list', { HTTPS_PROXY: 'ftp://nonsense', LOCALIZATION_PERSONAL_TOKEN: 'canary-token' }),
  ).toMatch(/^1 .*variable HTTPS_PROXY/)
  for (const content of ['', 'export const service = {}\n']) {
    await writeTree(cwd, { 'localization.config.mjs': content })
    expect(await said('status')).toMatch(/^1 .*no default export\. Write `export default/)
  }
  await writeTree(cwd, { 'localization.config.js': 'module.exports = { defaultLanguage: "pl" }\n' })
  expect(await said('status --config localization.config.js --offline')).toMatch(/^1 $/)
})

test.each(['status', 'pull', 'push', 'diff', 'publish _latest', 'translations list', 'projects list'])(
  'without a service: %s says what to set',
  async (command) => {
    const run = await runCli([...command.split(' '), '--quiet'], { cwd: await tempFolder() })
    if (command === 'status') {
      expect(run).toMatchObject({ code: 1, stderr: '' })
      expect(run.stdout).toContain('no texts found')
    } else {
      expect(run).toMatchObject({ code: 1, stdout: '' })
      expect(run.stderr).toContain('LOCALIZATION_BASE_URL')
    }
  },
)

test('--root, --config and a configuration that is wrong', async () => {
  const project = await startProject({
    files: {
      'app/other.json': { defaultNamespace: 'main', files: 'i18n/{language}.json' },
      'app/i18n/en.json': { a: 'A' },
      'wrong/localization.config.json': { langauges: ['en'] },
    },
    service: true,
  })
  const run = await project.run('--root', 'app', '--config', 'other.json', 'push', '--json')
  expect(JSON.parse(run.stdout)).toMatchObject({ parts: [{ language: 'en', namespace: 'main', added: 1 }] })
  expect(await project.readText('en', '', 'a')).toBe('A')
  const wrong = await project.run('--root', 'wrong', 'status')
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toContain('Did you mean "languages"?')
  expect(await project.run('--config', 'absent.json', 'status')).toMatchObject({ code: 1, stdout: '' })
})

test('no colour in a pipe, colour where it is asked for, none with NO_COLOR', async () => {
  const project = await startProject({ files: { 'locales/en/common.json': { a: 'A' } }, service: true })
  const colour = '\u001b['
  const run = async (env: Record<string, string>, ...args: string[]) =>
    (await runCli(['status', ...args], { cwd: project.root, env: { ...project.env, ...env } })).stdout.includes(colour)
  expect(await run({})).toBe(false)
  expect(await run({ FORCE_COLOR: '1' })).toBe(true)
  expect(await run({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false)
  expect(await run({ FORCE_COLOR: '1' }, '--no-color')).toBe(false)
})

test('--quiet leaves results and errors', async () => {
  const project = await startProject({ files: { 'locales/en/common.json': { a: 'A' } }, service: true })
  const run = await project.run('push', '--quiet')
  expect(run.stderr).toBe('')
  expect(run.stdout).toContain('pushed 1 text')
})

test("a secret in the service's texts is not printed", async () => {
  const project = await startProject({ service: true })
  await project.importTexts('en', 'shop', { leak: `the key is ${project.apiKey}` })
  const { stdout } = await project.run('translations', 'list')
  expect(stdout).toContain('the key is ***')
})

test.each([
  'LOCALIZATION_API_KEY',
  'LOCALIZATION_PERSONAL_TOKEN',
  'LOCALIZATION_PROVIDER_A_KEY',
  'LOCALIZATION_PROVIDER_B_KEY',
  'LOCALIZATION_PROVIDER_B_API_KEY',
])('the value of %s is not printed, wherever it turns up', async (variable) => {
  const secret = 'canary-4c1d-secret'
  const run = await runCli(['publish', '--wait', secret, '--json'], {
    cwd: await tempFolder(),
    env: { [variable]: secret },
  })
  expect(run.code).toBe(2)
  expect(run.stderr).toContain("'***'")
  expect(run.stdout).toContain("'***'")
  expect(run.stdout + run.stderr).not.toContain(secret)
})

test.each([
  ['an unknown option', ['diff', '--jsn'], 2, 'Did you mean --json?'],
  ['an unknown command', ['statsu'], 2, 'Did you mean status?'],
  ['a wrong value', ['diff', '--kind', 'x'], 2, 'changed-here'],
  ['options that exclude each other', ['resolve', '--ours', '--theirs'], 2, 'cannot be combined'],
  ['no service', ['diff'], 1, 'no service is configured'],
  ['a file that is not there', ['import', 'nowhere.json'], 1, 'no such file'],
])('every failure is one line with the same prefix: %s', async (_what, args, code, message) => {
  const cwd = await tempFolder()
  const run = await runCli(args, { cwd })
  expect(run.code).toBe(code)
  expect(run.stderr).toMatch(/^error: [^\n]+\n$/)
  expect(run.stderr).toContain(message)
})
