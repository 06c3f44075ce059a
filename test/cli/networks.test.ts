/** Networks of companies: private authorities, client certificates, proxies and gateways. Runs the built package. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { builtPlugin, bundlers, repository } from '../helpers/bundlers.ts'
import { runCli } from '../helpers/cli.ts'
import {
  type Authority,
  type Certificate,
  createAuthority,
  HOST,
  startConnectProxy,
  startTlsServer,
} from '../helpers/company-network.ts'
import { startJobs } from '../helpers/job-process.ts'
import { bareEnvironment } from '../helpers/processes.ts'
import { startProject } from '../helpers/project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { forwardTo } from '../helpers/throwaway-server.ts'

const moduleUrl = (path: string) => JSON.stringify(pathToFileURL(join(repository, path)).href)

/** Reads every text; prints their number, or the error. */
const SCRIPT = `
import { Agent } from ${moduleUrl('node_modules/undici/index.js')}
import { createClient } from ${moduleUrl('dist/client.js')}
export async function work({ connect, ...options }) {
  const dispatcher = connect && new Agent({ connect })
  try {
    const client = createClient({ retries: 0, ...options, dispatcher })
    const { translations } = await client.translations.query({}).finally(() => client.close())
    console.log(JSON.stringify({ texts: translations.length }))
  } catch ({ code, message }) {
    console.log(JSON.stringify({ code, message }))
  }
  await dispatcher?.close()
}
`

interface Answer {
  readonly texts?: number
  readonly code?: string
  readonly message?: string
}

let folder: string
let authority: Authority
let server: Certificate
let client: ReturnType<typeof startJobs>
/** Node reads NODE_EXTRA_CA_CERTS when it starts: this client trusts the authority. */
let trustingClient: typeof client

beforeAll(async () => {
  const scripts = await tempFolder()
  await writeTree(scripts, { 'client.mjs': SCRIPT })
  authority = await createAuthority()
  server = await authority.issue(['localhost', HOST])
  client = startJobs(join(scripts, 'client.mjs'))
  trustingClient = startJobs(join(scripts, 'client.mjs'), { env: { NODE_EXTRA_CA_CERTS: authority.file } })
})

beforeEach(async () => {
  folder = await tempFolder()
})

async function ask(options: object, env: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const jobs = env.NODE_EXTRA_CA_CERTS === undefined ? client : trustingClient
  const { stdout, output } = await jobs.run({ input: options, cwd: folder, env: bareEnvironment(folder, env) })
  if (stdout === '') throw new Error(output)
  return JSON.parse(stdout) as Answer
}

async function startService() {
  const project = await startProject({ service: true })
  await project.importTexts('en', 'common', { title: 'Title' })
  return project
}

describe('certificates', () => {
  test.each([
    ['an unknown authority', ['localhost'], 2, 'is from an unknown authority', true],
    ['one that has expired', ['localhost'], -1, 'its certificate has expired', false],
    ['one for other names', [HOST], 2, `its certificate is for a different host (`, false],
  ] as const)('%s', async (_, names, days, message, isUnknown) => {
    const port = await startTlsServer(await authority.issue(names, days), (_request, response) => response.end('{}'))
    const env: Record<string, string> = isUnknown ? {} : { NODE_EXTRA_CA_CERTS: authority.file }
    const answer = await ask({ baseUrl: `https://localhost:${port}`, apiKey: 'k' }, env)
    expect(answer).toMatchObject({ code: 'API_NETWORK', message: expect.stringContaining(message) })
    expect(answer.message?.includes('NODE_EXTRA_CA_CERTS')).toBe(isUnknown)
  })

  test('NODE_EXTRA_CA_CERTS lets the client in, and a build', async () => {
    const { baseUrl, apiKey } = await startService()
    const address = `https://localhost:${await startTlsServer(server, forwardTo(baseUrl))}`
    const env = { NODE_EXTRA_CA_CERTS: authority.file }
    expect(await ask({ baseUrl: address, apiKey }, env)).toEqual({ texts: 1 })
    const service = { LOCALIZATION_BASE_URL: address, LOCALIZATION_API_KEY: apiKey }
    expect((await runCli(['status'], { cwd: folder, env: { ...env, ...service } })).code).toBe(0)
    const refused = await runCli(['status'], { cwd: folder, env: service })
    expect(refused.stderr).toContain('NODE_EXTRA_CA_CERTS')
  })

  test('http where the service speaks TLS, and TLS where it does not', async () => {
    const { baseUrl, apiKey } = await startService()
    expect(await ask({ baseUrl: baseUrl.replace('http:', 'https:'), apiKey })).toMatchObject({
      message: expect.stringContaining('the server does not speak TLS'),
    })
  })

  test('a client certificate: the error says how, a dispatcher brings it, in a configuration file too', async () => {
    const { baseUrl, apiKey } = await startService()
    const clients = await createAuthority()
    const own = await clients.issue(['developer'])
    const address = `https://localhost:${await startTlsServer(server, forwardTo(baseUrl), clients)}`
    const env = { NODE_EXTRA_CA_CERTS: authority.file }
    const refused = await ask({ baseUrl: address, apiKey }, env)
    expect(refused).toMatchObject({
      code: 'API_NETWORK',
      message: expect.stringMatching(
        /the server closed the TLS connection .*client certificate, set `service\.dispatcher`/,
      ),
    })
    expect(await ask({ baseUrl: address, apiKey, connect: own }, env)).toEqual({ texts: 1 })

    await writeTree(folder, {
      'client.json': own,
      'localization.config.mjs': `
        import { readFileSync } from 'node:fs'
        import { Agent } from ${moduleUrl('node_modules/undici/index.js')}
        const connect = JSON.parse(readFileSync(${JSON.stringify(join(folder, 'client.json'))}, 'utf8'))
        export default { service: { baseUrl: ${JSON.stringify(address)}, dispatcher: new Agent({ connect }) } }
      `,
    })
    const status = await runCli(['status'], { cwd: folder, env: { ...env, LOCALIZATION_API_KEY: apiKey } })
    expect([status.stderr, status.code]).toEqual(['', 0])
  })
})

describe('proxies', () => {
  test.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'])('%s without a scheme', async (name) => {
    const { baseUrl, apiKey } = await startService()
    const proxy = await startConnectProxy(await startTlsServer(server, forwardTo(baseUrl)))
    const env = { [name]: proxy.address, NODE_EXTRA_CA_CERTS: authority.file }
    expect(await ask({ baseUrl: `https://${HOST}`, apiKey }, env)).toEqual({ texts: 1 })
    expect(proxy.asked).toEqual([`${HOST}:443`])
    // A proxy that looks into TLS answers with a certificate of its own.
    const distrusted = await ask({ baseUrl: `https://${HOST}`, apiKey }, { [name]: proxy.address })
    expect(distrusted.message).toContain('NODE_EXTRA_CA_CERTS')
    const direct = await ask({ baseUrl: `https://${HOST}`, apiKey }, { ...env, NO_PROXY: `x.test, .${HOST}` })
    expect(direct.code).toBe('API_NETWORK')
    expect(proxy.asked).toHaveLength(2)
  })

  test.each(['proxy.test:3128', '://broken', 'socks4://proxy.test'])(
    "baseUrl: 'local' never asks HTTPS_PROXY=%s",
    async (address) => {
      await writeTree(folder, {
        'localization.config.json': { service: { baseUrl: 'local' } },
        'locales/en/common.json': { title: 'Title' },
      })
      const env = { HTTPS_PROXY: address, HTTP_PROXY: address, ALL_PROXY: address }
      const pushed = await runCli(['push'], { cwd: folder, env })
      expect([pushed.stderr, pushed.code]).toEqual([expect.stringContaining('sending 1 text'), 0])
    },
  )

  test('an address that no proxy can have: an error that names the variables, where one is needed', async () => {
    const env = { HTTPS_PROXY: 'socks4://u:hunter22@proxy.test' }
    const answer = await ask({ baseUrl: `https://${HOST}`, apiKey: 'k' }, env)
    expect(answer).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('HTTPS_PROXY or ALL_PROXY'),
    })
    expect(answer.message).not.toContain('hunter22')
  })
})

describe('headers for a gateway', () => {
  test('go to the origin of baseUrl and nowhere else: not to a file elsewhere', async () => {
    const project = await startProject({ service: { filesPort: 0 } })
    await project.importTexts('en', 'common', { title: 'Title' })
    const seen: string[] = []
    let files = ''
    const filesFront = await startTlsServer(server, (request, response) => {
      seen.push(`file ${request.headers['x-gateway']}`)
      forwardTo(files)(request, response)
    })
    const api = await startTlsServer(server, async (request, response) => {
      seen.push(`api ${request.headers['x-gateway']}`)
      const { 'x-service-token': token } = request.headers
      const answer = await fetch(`${project.baseUrl}${request.url}`, { headers: { 'x-service-token': String(token) } })
      response.setHeader('content-type', 'application/json')
      const text = (await answer.text()).replace(/http:\/\/127\.0\.0\.1:\d+/, (address) => {
        files = address
        return `https://localhost:${filesFront}`
      })
      response.writeHead(answer.status).end(text)
    })
    await writeTree(folder, {
      'localization.config.json': {
        service: { baseUrl: `https://localhost:${api}`, headers: { 'X-Gateway': 'open' } },
      },
    })
    const env = { NODE_EXTRA_CA_CERTS: authority.file, LOCALIZATION_API_KEY: project.apiKey }
    const { code, stderr } = await runCli(['types'], { cwd: folder, env })
    expect([stderr, code]).toEqual(['', 0])
    expect(new Set(seen)).toEqual(new Set(['api open', 'file undefined']))
  })

  test('a build that puts the token into its output fails, and keeps it out of its cache', async () => {
    const { baseUrl, apiKey, importTexts } = await startProject({ service: true })
    await importTexts('en', 'common', { title: 'Title' })
    const token = 'gateway-8c1d-token'
    await writeTree(folder, {
      'main.js':
        "import texts from 'virtual:translations/en/common'\nglobalThis.collect = () => texts.title + __LEAK__\n",
    })
    const [vite] = bundlers
    const service = { baseUrl, apiKey, headers: { 'X-Gateway': `Bearer ${token}`, 'X-Gateway-Token': token } }
    const build = (leak: string) =>
      vite?.build({
        root: folder,
        entries: { main: 'main.js' },
        options: { configFile: false, service },
        define: { __LEAK__: JSON.stringify(leak) },
      })
    // `tempFolder` searches what is left for the secrets it knows.
    expect(await build('')).toBeDefined()
    const error = await build(token)?.then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    expect(error?.message).toContain('secret')
    expect(error?.message).not.toContain(token)
    expect(await builtPlugin('vite', { service })).toBeDefined()
  })
})
