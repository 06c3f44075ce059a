import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { startVite, watches } from '../helpers/dev-servers.ts'
import {
  compareTexts,
  LANGUAGES,
  openBasket,
  PLAYGROUND,
  readTexts,
  shownLanguage,
  switchTo,
  type Texts,
} from '../helpers/playground.ts'
import { tempFolder } from '../helpers/temp.ts'

let texts: Texts

beforeAll(async () => {
  if (noChromium) return
  texts = await readTexts()
})

describe.skipIf(noChromium)('the playground on a dev server', () => {
  it('shows an edited text in place: no reload, nothing the visitor did is lost', async () => {
    const folder = await tempFolder()
    await cp(join(PLAYGROUND, 'locales'), join(folder, 'locales'), { recursive: true })
    const { default: localization } = await import('unplugin-localization/vite')
    const server = await startVite({
      configFile: false,
      root: PLAYGROUND,
      cacheDir: join(folder, 'cache'),
      logLevel: 'warn',
      plugins: [localization({ root: folder, configFile: false, source: 'files', defaultLanguage: 'en' })],
    })
    const watched = await visit(`${server.resolvedUrls?.local[0]}?language=de`)
    const { page } = watched
    await shownLanguage(page, 'de')
    await page.fill('input[name="name"]', 'Karl')
    await page.locator('[data-tea="mint"] .add').click()
    await page.locator('[data-tea="sencha"] .add').focus()

    const file = join(folder, 'locales/de/shop.json')
    await watches(server, file)
    const before = texts.get('de/shop')?.get('hero.title') ?? ''
    for (const text of ['Erst dies.', 'Dann das.']) {
      await writeFile(file, (await readFile(join(PLAYGROUND, 'locales/de/shop.json'), 'utf8')).replace(before, text))
      await page.getByRole('heading', { name: text }).waitFor()
    }
    expect(await page.locator('.updates').textContent()).toMatch(/2 Änderungen/)
    expect(await page.locator('.open-basket .count').textContent()).toBe('1 Beutel')
    expect(await page.locator('.greeting').textContent()).toBe('Herzlich willkommen, Karl')
    expect(await page.locator(':focus').getAttribute('aria-label')).toContain('Morgen-Sencha')
    expect(watched.requests.filter((address) => new URL(address).pathname === '/')).toHaveLength(1)
    expect(watched.problems).toEqual([])
    await watched.close()
    await server.close()
  })
})

describe.skipIf(noChromium)('npm start', () => {
  const fromService = 'Tekst, który zna tylko serwis.'
  let folder: string
  let dataDir: string

  beforeAll(async () => {
    folder = await tempFolder()
    dataDir = join(folder, 'service')
  })

  const children = new Set<ChildProcess>()
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
  })

  /** Runs what `npm start` runs and waits for the page's address. */
  async function start(...options: string[]) {
    const child = spawn(
      process.execPath,
      [join(PLAYGROUND, 'start.mjs'), '--no-build', '--data', dataDir, ...options],
      {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    children.add(child)
    const lines: string[] = []
    let talk = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      talk += text
    })
    const exit = once(child, 'exit').then(([code, signal]) => {
      children.delete(child)
      return code ?? signal
    })
    for await (const line of createInterface(child.stdout)) {
      lines.push(line)
      if (line.startsWith('page ')) break
    }
    child.stdout.resume()
    const addressOf = (name: string) =>
      lines.map((line) => line.match(new RegExp(`^${name} +(http://\\S+)`))?.[1]).find(Boolean)
    const [service, page] = [addressOf('service'), addressOf('page')]
    if (!service || !page) throw new Error(`did not start:\n${lines.join('\n')}\n${talk}`)
    return {
      service,
      page,
      summary: lines.find((line) => line.startsWith('service ')) ?? '',
      output: () => [...lines, talk].join('\n'),
      async stop() {
        child.kill('SIGINT')
        expect(await exit).toBe(0)
        for (const address of [service, page]) await expect(fetch(address)).rejects.toThrow()
      },
    }
  }

  /** The service on the same data, with its project's key. */
  async function withService(work: (access: { baseUrl: string; apiKey: string }) => Promise<void>): Promise<void> {
    const [{ createLocalService }, { createClient }] = await Promise.all([
      import('unplugin-localization/service'),
      import('unplugin-localization/client'),
    ])
    const { baseUrl, personalToken, close } = await createLocalService({ dataDir })
    const client = createClient({ baseUrl, personalToken })
    const projects = await client.projects.list()
    await client.close()
    expect(projects.map(({ name }) => name)).toEqual(['playground'])
    await work({ baseUrl, apiKey: projects[0]?.apiKey ?? '' }).finally(close)
  }

  async function setText(access: { baseUrl: string; apiKey: string }, body: object): Promise<void> {
    const response = await fetch(`${access.baseUrl}/api/v2/translations`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', 'X-Service-Token': access.apiKey },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
  }

  async function lookAt(address: string, look: (page: Page) => Promise<void>): Promise<string[]> {
    const watched = await visit(address)
    await shownLanguage(watched.page, 'en')
    await look(watched.page)
    await watched.page.waitForLoadState('networkidle')
    expect(watched.problems).toEqual([])
    const bodies = await watched.bodies()
    await watched.close()
    return bodies
  }

  it('imports the catalog into the service on the first start and shows it', async () => {
    const running = await start('--port', '0', '--service-port', '0')
    const count = [...texts.values()].reduce((sum, keys) => sum + keys.size, 0)
    expect(running.summary).toContain(`(5 languages, 3 namespaces, ${count} texts; imported playground/locales)`)
    await lookAt(running.page, async (page) => {
      expect(await compareTexts(page, texts, 'en')).toBe(19)
      for (const language of LANGUAGES.slice(1)) {
        await switchTo(page, language)
        expect(await compareTexts(page, texts, language)).toBe(19)
      }
      await openBasket(page)
      expect(await compareTexts(page, texts, 'ar')).toBe(22)
    })
    await running.stop()
  })

  it('keeps the data, imports nothing again, gives way on taken ports, and shows what only the service has', async () => {
    let apiKey = ''
    await withService(async (access) => {
      apiKey = access.apiKey
      await setText(access, { namespace: 'shop', key: 'announcement', language: 'pl', text: fromService })
      await setText(access, { namespace: 'shop', key: 'hero.title', language: 'en', text: 'Tea from the service.' })
    })
    const taken = await Promise.all([takePort(), takePort()])
    const ports = taken.map((server) => String((server.address() as AddressInfo).port))
    const running = await start('--port', ports[0] ?? '', '--service-port', ports[1] ?? '')
    for (const port of ports) expect(`${running.page} ${running.service} `).not.toContain(`:${port} `)
    expect(running.summary).toContain('kept from an earlier start')
    expect(running.summary).not.toContain('imported')

    const bodies = await lookAt(running.page, async (page) => {
      // In development a local text is shown before the service's; the service fills the gaps.
      expect(await compareTexts(page, texts, 'en')).toBe(19)
      await switchTo(page, 'pl')
      expect(await page.locator('.announcement').textContent()).toBe(fromService)
    })
    expect(bodies.some((body) => body.includes(fromService))).toBe(true)
    expect(apiKey).not.toBe('')
    expect([...bodies, running.output()].filter((text) => text.includes(apiKey))).toEqual([])
    await running.stop()
    for (const server of taken) server.close()
  })

  it('builds the same page from the service, whose texts count in a build', async () => {
    const outDir = join(folder, 'built')
    await withService(async ({ baseUrl, apiKey }) => {
      vi.stubEnv('LOCALIZATION_BASE_URL', baseUrl)
      vi.stubEnv('LOCALIZATION_API_KEY', apiKey)
      const { build } = await import('vite')
      await build({ configFile: join(PLAYGROUND, 'vite.config.ts'), logLevel: 'warn', build: { outDir } })
      vi.unstubAllEnvs()
      for (const name of await readdir(outDir, { recursive: true })) {
        if (/\.\w+$/.test(name)) expect(await readFile(join(outDir, name), 'utf8')).not.toContain(apiKey)
      }
    })
    const server = await serveFolder(outDir)
    await lookAt(`${server.origin}/`, async (page) => {
      expect(await page.locator('h1').textContent()).toBe('Tea from the service.')
      await switchTo(page, 'pl')
      expect(await page.locator('.announcement').textContent()).toBe(fromService)
      await switchTo(page, 'ja')
      expect(await compareTexts(page, texts, 'ja')).toBe(19)
    })
    await server.close()
  })

  it('says what is wrong with its options', async () => {
    const run = promisify(execFile)(process.execPath, [join(PLAYGROUND, 'start.mjs'), '--port', 'many'])
    await expect(run).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--port must be a port number'),
    })
  })
})

async function takePort(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
