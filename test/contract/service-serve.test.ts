/** `localization serve`: the local service through the command line. */
import { describe, expect, test } from 'vitest'
import { runProcess } from '../helpers/processes.ts'
import { request } from '../helpers/service.ts'
import { BUILT_CLI, spawnServe } from '../helpers/service-process.ts'
import { tempFolder } from '../helpers/temp.ts'

describe('localization serve', () => {
  test('--json prints exactly one line; the options reach the projects; SIGTERM ends it with 0', async () => {
    const dataDir = await tempFolder()
    const service = await spawnServe([
      ...['--data', dataDir, '--default-language', 'pl', '--language', 'de', '--language', 'en-XA:Pseudo'],
      ...['--customer', 'acme:ACME Inc.', '--environment', 'staging'],
    ])
    const created = await request(`${service.baseUrl}/api/v2/projects`, {
      method: 'POST',
      headers: { Authorization: service.personalToken },
      body: { name: 'x' },
    })
    expect(created.body.data.languages).toMatchObject([
      { key: 'pl', isDefault: true },
      { key: 'de', name: 'German' },
      { key: 'en-XA', name: 'Pseudo' },
    ])
    const { body } = await request(`${service.baseUrl}/api/v2/project`, {
      headers: { 'X-Service-Token': created.body.data.apiKey },
    })
    expect(body.data).toMatchObject({
      customers: [{ key: 'acme', description: 'ACME Inc.' }],
      environments: [{ key: '_latest' }, { key: 'staging' }, { key: '_production' }],
    })
    expect(await service.end('SIGTERM')).toBe(0)
    const { baseUrl, cdnUrl, personalToken } = service
    expect(service.out()).toBe(`${JSON.stringify({ baseUrl, cdnUrl, personalToken })}\n`)
    expect(service.err()).toBe('')
  })

  test.each([
    ['wrong usage', ['serve', '--port', 'x'], 2],
    ['an unknown option', ['serve', '--no-such'], 2],
    ['an unknown command', ['no-such'], 2],
    ['help', ['serve', '--help'], 0],
    ['a failure', ['serve', '--memory', '--environment', 'a/b'], 1],
  ])('%s: exit code', async (_what, args, code) => {
    const ended = await runProcess([...BUILT_CLI, ...args])
    expect(ended.code).toBe(code)
    expect(ended.stdout.length > 0).toBe(code === 0)
  })
})
