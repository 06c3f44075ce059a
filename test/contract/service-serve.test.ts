/** `localization serve`: the local service through the command line. */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli } from '../helpers/cli.ts'
import { createProject, request, startService, waitFor } from '../helpers/service.ts'
import { spawnServe, spawnService } from '../helpers/service-process.ts'
import { tempFolder } from '../helpers/temp.ts'

describe('localization serve', () => {
  test('--json prints exactly one line; the options reach the projects; earlier tokens are kept; SIGTERM ends it with 0', async () => {
    const dataDir = await tempFolder()
    const earlier = await startService({ dataDir })
    await earlier.close()
    const service = await spawnServe([
      ...[
        '--data',
        dataDir,
        '--keep-tokens',
        '--default-language',
        'pl',
        '--language',
        'de',
        '--language',
        'en-XA:Pseudo',
      ],
      ...['--customer', 'acme:ACME Inc.', '--environment', 'staging'],
    ])
    const created = await request(`${service.baseUrl}/api/v2/projects`, {
      method: 'POST',
      headers: { Authorization: earlier.personalToken },
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

  test('--drain: on SIGTERM /ready answers 503 at once while requests are answered; a second signal ends it', async () => {
    const service = await spawnServe(['--memory', '--drain', '2h'])
    const project = await createProject(service)
    const ready = () => request(`${service.baseUrl}/ready`)
    expect((await ready()).status).toBe(200)
    service.signal('SIGTERM')
    const stopping = await waitFor(ready, ({ status }) => status !== 200)
    expect(stopping).toMatchObject({ status: 503, body: { status: 'DOWN', reason: 'the service is stopping' } })
    const jobs = await project.get('/api/v1/jobs')
    expect([jobs.status, jobs.headers.get('connection')]).toEqual([200, 'close'])
    expect((await request(`${service.baseUrl}/health`)).status).toBe(200)
    expect(await service.end('SIGTERM')).toBe('SIGTERM')
  })

  test('SIGTERM: a publish that runs is answered, and is on the disk', async () => {
    const dataDir = await tempFolder()
    const first = await spawnService({ dataDir, holdPublishes: true, finishMs: 600_000 })
    const project = await createProject(first)
    await project.import({ en: { a: 'A' } })
    const publishes = [project.publish(), project.publish()]
    // The other one runs.
    expect((await Promise.race(publishes)).status).toBe(409)
    const ended = first.end('SIGTERM')
    await waitFor(
      () =>
        request(`${first.baseUrl}/health`).then(
          () => 'open',
          () => 'closed',
        ),
      (listener) => listener === 'closed',
    )
    first.endPublishes()
    const answers = await Promise.all(publishes)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await ended).toBe(0)
    const second = await startService({ dataDir })
    const hosted = await request(`${second.cdnUrl}/${project.projectToken}/_latest/en`)
    expect(hosted.body).toEqual({ a: 'A' })
  })

  test('--log-format json: one object for each line and request, without tokens, keys, paths and query values', async () => {
    const canary = 'canary-5d1e'
    const service = await spawnServe(['--memory', '--log-format', 'json', '--log-requests', '--metrics'], {
      LOCALIZATION_PERSONAL_TOKEN: `${canary}-personal`,
      LOCALIZATION_METRICS_TOKEN: `${canary}-metrics`,
    })
    // The token is the given one: it is not printed.
    expect(service.personalToken).toBe(null)
    const project = await createProject({ ...service, personalToken: `${canary}-personal` })
    await project.import({ en: { [canary]: canary } })
    await project.get(`/api/v2/translations?key=${canary}`)
    await project.get(`/${canary}`)
    await request(await project.export().then(() => `${service.baseUrl}/files/${canary}`))
    const { body } = await project.get(`/api/v2/environments/${canary}`)
    const metrics = await request(`${service.baseUrl}/metrics`, {
      headers: { authorization: `Bearer ${canary}-metrics` },
    })
    expect(metrics.status).toBe(200)
    const lines = () => service.err().trimEnd().split('\n')
    await waitFor(lines, (written) => written.length === 9)
    for (const secret of [canary, project.apiKey, project.projectToken]) expect(service.err()).not.toContain(secret)
    const logged = lines().map((line) => JSON.parse(line))
    expect(logged.find(({ route }) => route === '/api/v2/environments/{environmentKey}')).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'info',
      message: 'request',
      method: 'GET',
      route: '/api/v2/environments/{environmentKey}',
      status: 404,
      ms: expect.any(Number),
      aborted: false,
      traceId: body.traceId,
    })
    expect(await service.end('SIGTERM')).toBe(0)
    expect(service.out()).not.toContain(canary)
  })

  test.each([
    ['wrong usage', ['serve', '--port', 'x'], 2],
    ['an unknown option', ['serve', '--no-such'], 2],
    ['an unknown command', ['no-such'], 2],
    ['help', ['serve', '--help'], 0],
    ['a failure', ['serve', '--memory', '--environment', 'a/b'], 1],
  ])('%s: exit code', async (_what, args, code) => {
    const ended = await runCli(args, { cwd: await tempFolder() })
    expect(ended.code).toBe(code)
    expect(ended.stdout.length > 0).toBe(code === 0)
  })

  test.each(['nonsense', 'ftp://example.com', '/etc/passwd', '', 'https://user:secret@example.com', 'https://x#y'])(
    'a provider at %j is refused, by a check too',
    async (address) => {
      for (const option of ['--provider-a', '--provider-b']) {
        for (const check of [[], ['--check']]) {
          const { code, stderr } = await runCli(['serve', '--memory', '--port', '0', ...check, option, address], {
            cwd: await tempFolder(),
          })
          const name = option === '--provider-a' ? 'PROVIDER_A' : 'PROVIDER_B'
          expect([code, stderr]).toEqual([
            1,
            `error: the address of ${name} cannot be used. Write it as https://api.example.com.\n`,
          ])
        }
      }
    },
  )

  test('a malformed header of a provider is refused; --json has the hint once', async () => {
    for (const header of ['no-colon {key}', 'a b: {key}', ': {key}']) {
      const { code, stdout } = await runCli(
        ['serve', '--memory', '--port', '0', '--json', '--provider-a', 'https://example.com'],
        { cwd: await tempFolder(), env: { LOCALIZATION_PROVIDER_A_HEADER: header } },
      )
      expect([code, JSON.parse(stdout)]).toEqual([
        1,
        {
          error: {
            code: 'SERVICE_START',
            message: 'the header of PROVIDER_A cannot be used.',
            hint: 'Write it as Name: value, with {key} in the value.',
          },
        },
      ])
    }
  })

  test('--check starts and stops: exit code, messages, no data where there was none, no token', async () => {
    const folder = await tempFolder()
    const data = join(folder, 'data')
    const check = (...args: readonly string[]) => runCli(['serve', '--check', '--port', '0', ...args], { cwd: folder })
    const empty = await check('--data', data)
    const address = 'http://127\\.0\\.0\\.1:\\d+'
    const lines = `service {9}${address}\\nhosting {9}${address}/_cdn\\ndata {12}none yet\\n`
    expect([empty.code, empty.stdout]).toEqual([0, expect.stringMatching(new RegExp(`^${lines}$`))])
    expect(await readdir(folder)).toEqual([])
    const service = await startService({ dataDir: data })
    const used = await check('--data', data)
    expect([used.code, used.stderr]).toEqual([1, expect.stringContaining(`a local service in process ${process.pid}`)])
    await service.close()
    const stopped = await check('--data', data, '--json', '--drain', '2h')
    expect([stopped.code, JSON.parse(stopped.stdout)]).toEqual([
      0,
      {
        baseUrl: expect.stringMatching(/^http:/),
        cdnUrl: expect.stringMatching(/^http:/),
        data: join(data, 'service.sqlite'),
      },
    ])
    expect((await readdir(data)).sort()).toEqual(['.gitignore', 'service.sqlite'])
    const again = await startService({ dataDir: data, revokeTokens: false })
    const headers = { Authorization: service.personalToken }
    expect((await request(`${again.baseUrl}/api/v2/projects`, { headers })).status).toBe(200)
    await writeFile(join(folder, 'file'), '')
    for (const args of [
      ['--data', join(folder, 'file', 'data')],
      ['--data', join(folder, 'new'), '--port', new URL(again.baseUrl).port],
    ]) {
      const { code, stdout, stderr } = await check(...args)
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('error: the service cannot')])
    }
    expect((await readdir(folder)).sort()).toEqual(['data', 'file'])
  })
})
