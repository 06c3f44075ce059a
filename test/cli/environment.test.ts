/**
 * Where commands take their configuration from: modes, folders of `.env` files, headers. Messages about missing values.
 */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../helpers/cli.ts'
import { startProject } from '../helpers/project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { forwardTo, listen } from '../helpers/throwaway-server.ts'

const FILES = { 'locales/en/common.json': { title: 'Title' } }

test('--mode and --env-dir read the files that the bundler reads', async () => {
  const { env, root: folder } = await startProject({ service: true })
  const { LOCALIZATION_BASE_URL, LOCALIZATION_API_KEY } = env
  await writeTree(folder, {
    ...FILES,
    'env/.env': `LOCALIZATION_BASE_URL=${LOCALIZATION_BASE_URL}\n`,
    'env/.env.staging': `LOCALIZATION_API_KEY=${LOCALIZATION_API_KEY}\n`,
    'localization.config.cjs': 'module.exports = ({ mode }) => ({ customers: mode ? [] : 5 })',
  })
  const pushed = await runCli(['push', '--mode', 'staging', '--env-dir', 'env'], { cwd: folder })
  expect([pushed.stderr, pushed.code]).toEqual([expect.stringContaining('sending 1 text'), 0])
  const without = await runCli(['push', '--env-dir', 'env'], { cwd: folder })
  expect([without.stderr, without.code]).toEqual([expect.stringContaining('customers: expected a list'), 1])
  // What `.localization` holds stays out of repositories.
  expect(await readFile(join(folder, '.localization/.gitignore'), 'utf8')).toBe('*\n')
})

test.each([
  ['push'],
  ['pull'],
  ['diff'],
  ['status'],
  ['export'],
  ['keys', 'add', 'a'],
  ['publish', '_latest'],
  ['check', '--service'],
])('without a key, %s fails and names the variable', async (...args) => {
  const folder = await tempFolder()
  await writeTree(folder, FILES)
  const env = { LOCALIZATION_BASE_URL: 'http://127.0.0.1:9' }
  const { code, stderr } = await runCli(args, { cwd: folder, env })
  expect([stderr, code]).toEqual([expect.stringContaining('LOCALIZATION_API_KEY'), 1])
})

test('check reads the files anyway, and types says that it does', async () => {
  const folder = await tempFolder()
  await writeTree(folder, FILES)
  const env = { LOCALIZATION_BASE_URL: 'http://127.0.0.1:9', LOCALIZATION_APIKEY: 'misspelt' }
  const checked = await runCli(['check'], { cwd: folder, env })
  expect(checked.code).toBe(0)
  expect(checked.stderr).toContain('unknown variable LOCALIZATION_APIKEY. Did you mean LOCALIZATION_API_KEY?')
  const types = await runCli(['types'], { cwd: folder, env })
  expect(types.code).toBe(0)
  expect(types.stderr).toContain('the service is not read: LOCALIZATION_API_KEY is not set')
})

test('headers reach the gateway with every request, and its answers do not print them', async () => {
  const { env, root: folder } = await startProject({ files: FILES, service: true })
  const secret = 'gateway-5f1e-secret'
  const seen: (string | undefined)[] = []
  const pass = forwardTo(env.LOCALIZATION_BASE_URL ?? '')
  const gateway = createServer((request, response) => {
    const { 'x-gateway-token': token, 'x-region': region } = request.headers
    seen.push(String(region))
    if (token !== `Bearer ${secret}`) return void response.writeHead(403).end(`no entry with ${token}`)
    void pass(request, response)
  })
  const port = await listen(gateway)
  await writeTree(folder, {
    '.env.local': `GATEWAY="Bearer \${PART}"\nPART=${secret}\n`,
    'localization.config.json': {
      service: {
        baseUrl: `http://127.0.0.1:${port}`,
        headers: { 'X-Region': 'eu', 'X-Gateway-Token': { env: 'GATEWAY' } },
      },
    },
  })
  const { LOCALIZATION_API_KEY = '' } = env
  const run = (more: Readonly<Record<string, string>>) =>
    runCli(['push', '--verbose'], { cwd: folder, env: { LOCALIZATION_API_KEY, ...more } })
  const pushed = await run({})
  expect([pushed.stderr, pushed.code]).toEqual([expect.stringContaining('sending 1 text'), 0])
  expect(new Set(seen)).toEqual(new Set(['eu']))
  // A gateway that throws the header back.
  const refused = await run({ PART: 'another-5f1e-secret' })
  expect([refused.stderr, refused.code]).toEqual([expect.stringContaining('no entry with ***'), 1])
  expect(refused.stdout + refused.stderr).not.toContain('5f1e')
  const missing = await run({ GATEWAY: '' })
  expect([missing.stderr, missing.code]).toEqual([expect.stringContaining('GATEWAY is not set'), 1])
})
