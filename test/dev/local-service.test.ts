/**
 * `service.baseUrl: 'local'`: the dev server brings its own service along, a restart does not lose it, and other
 * processes use it too.
 */
import { once } from 'node:events'
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/client.ts'
import { connectLocalService } from '../../src/local/service.ts'
import { silentLogger } from '../../src/logger.ts'
import { Session } from '../../src/plugin/session.ts'
import { lockReleased } from '../../src/service/lock/folder-lock.ts'
import { createLocalService, joinLocalService } from '../../src/service.ts'
import { linkPackage, repository } from '../helpers/bundlers.ts'
import { runCli } from '../helpers/cli.ts'
import { startVite } from '../helpers/dev-servers.ts'
import { bareEnvironment, runProcess, startProcess } from '../helpers/processes.ts'
import { resolveConfig } from '../helpers/resolve-config.ts'
import { save, tempFolder, writeTree } from '../helpers/temp.ts'

interface Announced {
  readonly baseUrl: string
  readonly personalToken: string
}

/** What this process says from here on. */
function listenToPlugin(): () => string {
  vi.stubEnv('CI', '')
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  return () => said.join('')
}

async function project(): Promise<string> {
  const root = await tempFolder()
  await linkPackage(root)
  await writeTree(root, {
    'package.json': { type: 'module' },
    'localization.config.mjs': `export default { service: { baseUrl: 'local' } }`,
    'vite.config.mjs': `
      import localization from 'unplugin-localization/vite'
      export default {
        logLevel: 'warn',
        build: { rollupOptions: { input: 'main.js', output: { entryFileNames: 'main.mjs' } }, minify: false },
        plugins: [localization()],
      }
    `,
    'main.js': `import texts from 'virtual:translations/en/common'\nconsole.log(JSON.stringify(texts))`,
    'locales/en/common.json': { title: 'Title' },
    'locales/pl/common.json': { title: 'Tytuł' },
  })
  return root
}

async function announced(root: string): Promise<Announced> {
  return JSON.parse(await readFile(join(root, '.localization/service/service.json'), 'utf8')) as Announced
}

test('the first start imports the files; edits arrive before a restart of the dev server and after it', async () => {
  const said = listenToPlugin()
  const root = await project()
  const server = await startVite({ root })
  const pushed = () => said().match(/\bpushed \d/g)?.length ?? 0

  await expect.poll(said, { timeout: 60_000 }).toContain('imported 2 texts')
  const agreed = async () => {
    const [folder = ''] = await readdir(join(root, '.localization/sync')).catch(() => [])
    return readFile(join(root, '.localization/sync', folder, 'journal.jsonl'), 'utf8').catch(() => '')
  }
  await expect.poll(agreed, { timeout: 60_000 }).toContain('Tytuł')
  await save(join(root, 'locales/en/common.json'), { title: 'Title', added: 'one' })
  await expect.poll(pushed, { timeout: 60_000 }).toBe(1)

  await server.restart()
  // What changes while the new server still compares both sides is held; the next edit is sent.
  let edit = 0
  const editAgain = async () => {
    await save(join(root, 'locales/en/common.json'), { title: 'Title', added: `two, ${++edit}` })
    return pushed()
  }
  await expect.poll(editAgain, { timeout: 60_000, interval: 1000 }).toBeGreaterThan(1)
  expect(said()).not.toContain('ECONNREFUSED')
})

test('the command line and a build use the service that the dev server runs, and its address is readable by its owner only', async () => {
  const said = listenToPlugin()
  const root = await project()
  const server = await startVite({ root })
  await expect.poll(said, { timeout: 60_000 }).toContain('imported 2 texts')
  expect((await stat(join(root, '.localization/service/service.json'))).mode & 0o777).toBe(0o600)
  const { personalToken } = await announced(root)

  const status = await runCli(['status', '--json'], { cwd: root })
  expect(status, status.stderr).toMatchObject({ code: 0 })
  expect(JSON.parse(status.stdout)).toMatchObject({
    parts: [
      { texts: 1, differing: 0 },
      { texts: 1, differing: 0 },
    ],
  })
  const build = await inProcess(root, [join(repository, 'node_modules/vite/bin/vite.js'), 'build'])
  expect(build, build.said).toMatchObject({ code: 0 })
  expect(build.said).toContain('run by another process')
  expect(status.stderr + status.stdout + build.said).not.toContain(personalToken)
  expect((await inProcess(root, ['dist/main.mjs'])).said).toContain('{"title":"Title"}')

  await server.close()
  await expect.poll(() => announced(root).catch(() => 'gone')).toBe('gone')
})

test('when the process that runs the service ends, the one that joined goes on at the same address', async () => {
  const dataDir = await tempFolder()
  const script = `
    const { createLocalService } = await import(${JSON.stringify(pathToFileURL(join(repository, 'dist/service.js')).href)})
    const { baseUrl, personalToken } = await createLocalService({ dataDir: ${JSON.stringify(dataDir)} })
    console.log(JSON.stringify({ baseUrl, personalToken }))
  `
  const { firstLine, signal } = startProcess([process.execPath, '--input-type=module', '-e', script])
  const first = JSON.parse(await firstLine) as Announced

  const joined = await joinLocalService({ dataDir, takeOver: true })
  onTestFinished(() => joined.close())
  expect(joined).toMatchObject({ isOwner: false, baseUrl: first.baseUrl, personalToken: first.personalToken })
  signal('SIGKILL')
  const projects = () =>
    fetch(`${first.baseUrl}/api/v2/projects`, { headers: { authorization: first.personalToken } })
      .then(({ status }) => status)
      .catch(() => 'refused')
  await expect.poll(projects, { timeout: 60_000 }).toBe(200)
  await joined.close()
  expect(await projects()).toBe('refused')
})

test('when a command ends that runs the service, the calls of another one beside it succeed', async () => {
  const root = await tempFolder()
  const config = resolveConfig({ service: { baseUrl: 'local', retries: 0 } }, { root })
  const first = await connectLocalService(config)
  const second = await connectLocalService(config)
  onTestFinished(() => second.close())
  expect([first.isShared, second.isShared]).toEqual([false, true])
  const { service } = second.config
  const client = createClient({ ...service, apiKey: service.apiKey, personalToken: second.personalToken })
  onTestFinished(() => client.close())
  await client.keys.create({ key: 'title' })

  await first.close()
  expect(await client.projects.list()).toMatchObject([{ keys: 1 }])
  await client.keys.create({ key: 'more' })
  // Otherwise, a request could be lost on a connection that the process closes when it ends.
  expect((await fetch(`${service.baseUrl}/health`)).headers.get('connection')).toBe('close')
})

test('processes that start for the first time at once use one project', async () => {
  const root = await tempFolder()
  // Each finds no project, because none is created before the other processes have asked as well.
  const faults = [{ method: 'POST', path: '/api/v2/projects', delayMs: 1000 }]
  const service = await createLocalService({ dataDir: join(root, '.localization/service'), faults })
  onTestFinished(() => service.close())
  const config = resolveConfig({ service: { baseUrl: 'local' } }, { root })
  const start = async () => {
    const local = await connectLocalService(config)
    onTestFinished(() => local.close())
    return local.project.projectToken
  }
  const used = await Promise.all([start(), start(), start()])
  const admin = createClient(service)
  onTestFinished(() => admin.close())
  const projects = await admin.projects.list()
  expect(projects).toHaveLength(1)
  expect(new Set(used)).toEqual(new Set([projects[0]?.projectToken]))
})

test('a folder that was renamed keeps its project', async () => {
  const folder = await tempFolder()
  const startIn = async (name: string) => {
    const root = join(folder, name)
    const local = await connectLocalService(resolveConfig({ service: { baseUrl: 'local' } }, { root }))
    await local.close()
    return local.project.apiKey
  }
  const before = await startIn('before')
  await rename(join(folder, 'before'), join(folder, 'after'))
  expect(await startIn('after')).toBe(before)
})

test.each(['was killed', 'ended while others waited for its turn'])(
  'a process that starts when the one that ran the service %s goes on at the address that the others know',
  async (end) => {
    const dataDir = await tempFolder()
    const script = `
      const { joinLocalService } = await import(${JSON.stringify(pathToFileURL(join(repository, 'dist/service.js')).href)})
      const dataDir = ${JSON.stringify(dataDir)}
      const { baseUrl, personalToken, close } = await joinLocalService({ dataDir })
      process.on('SIGTERM', close)
      console.log(JSON.stringify({ baseUrl, personalToken }))
    `
    const { firstLine, ended, signal } = startProcess([process.execPath, '--input-type=module', '-e', script])
    const first = JSON.parse(await firstLine) as Announced
    if (end === 'was killed') signal('SIGKILL')
    else {
      const [claim = ''] = (await readdir(dataDir)).filter((name) => name.startsWith('service.lock.'))
      const waiting = connect(join(dataDir, claim))
      await once(waiting, 'connect')
      signal('SIGTERM')
    }
    await ended

    const next = await joinLocalService({ dataDir })
    expect(next).toMatchObject({ isOwner: true, baseUrl: first.baseUrl, personalToken: first.personalToken })
    await next.close()
    expect(await readdir(dataDir)).not.toContain('service.json')
  },
)

test('the environments of a restarted dev server load once, where the first server has closed the service', async () => {
  vi.stubEnv('CI', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const root = await tempFolder()
  await writeTree(root, { 'locales/en/common.json': { title: 'Title' } })
  const options = { configFile: false, service: { baseUrl: 'local' } } as const
  const [first, second] = Array.from({ length: 2 }, () => {
    const session = new Session({ options, logger: silentLogger, fallbackRoot: root })
    onTestFinished(() => session.close())
    session.configure({ root, command: 'dev' })
    return session
  }) as [Session, Session]
  await first.ready()
  await first.close()
  const [client, ssr] = await Promise.all([second.begin(), second.begin()])
  expect(ssr.config).toBe(client.config)
})

test('a process that waits for its turn makes no folder anew that was removed', async () => {
  const parent = await tempFolder()
  const dataDir = join(parent, 'service')
  const first = await createLocalService({ dataDir })
  onTestFinished(() => first.close())
  const joined = await joinLocalService({ dataDir, takeOver: true })
  onTestFinished(() => joined.close())
  // It waits for the same, a little later.
  const noticed = lockReleased(dataDir, new AbortController().signal)
  await rename(dataDir, join(parent, 'removed'))
  await first.close()
  await expect(noticed).rejects.toThrow('ENOENT')
  await joined.close()
  expect(await readdir(parent)).toEqual(['removed'])
})

test('an address that a killed process left behind is not used', async () => {
  const dataDir = await tempFolder()
  const { address } = await hostileListener()
  const left = { pid: process.pid, baseUrl: address, cdnUrl: address, filesUrl: address, personalToken: 'left-over' }
  await writeFile(join(dataDir, 'service.json'), JSON.stringify(left))
  const service = await joinLocalService({ dataDir })
  onTestFinished(() => service.close())
  expect(service).toMatchObject({ isOwner: true })
  expect(service.baseUrl).not.toBe(address)
  const second = await joinLocalService({ dataDir })
  expect(second).toMatchObject({ isOwner: false, baseUrl: service.baseUrl })
  await second.close()
  expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200)
})

/** Somebody else on the port of the service that is gone. */
async function hostileListener(): Promise<{ address: string }> {
  const { createServer: createHttpServer } = await import('node:http')
  const server = createHttpServer((_request, response) => response.end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const found = server.address()
  return { address: `http://127.0.0.1:${typeof found === 'object' ? found?.port : ''}` }
}

async function inProcess(cwd: string, args: readonly string[]): Promise<{ code: number | null; said: string }> {
  const { code, output } = await runProcess([process.execPath, ...args], { cwd, env: bareEnvironment(cwd) })
  return { code, said: output }
}
