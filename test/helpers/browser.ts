import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { extname, join, normalize } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
  type Response as PageResponse,
} from 'playwright-core'
import { noteLeaks, secretsIn } from './canary.ts'
import { whenOver } from './closing.ts'
import { closeServer, listen } from './throwaway-server.ts'

/** Where Chromium is: `CHROMIUM_PATH`, else where Debian puts it; `undefined` when there is none. */
export const chromiumPath: string | undefined = findChromium()

/**
 * Browser suites are `describe.skipIf(noChromium)`. The line it prints is one that continuous integration looks for.
 */
export const noChromium: boolean = chromiumPath === undefined
if (noChromium) process.stdout.write('browser tests skipped: no Chromium\n')

function findChromium(): string | undefined {
  const path = process.env.CHROMIUM_PATH || '/usr/bin/chromium'
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    return undefined
  }
}

/** For whatever is waited for in a page: two loaded cores take their time. */
const LIMIT_MS = 90_000

declare global {
  /** Set by `launchChromium`, called by `chromium-environment.ts`. */
  var closeChromium: (() => Promise<void>) | undefined
}

let launched: Promise<Browser> | undefined

/**
 * Chromium with everything off that would speak to the network by itself. The test files of a process share it: it ends
 * with Vitest's environment `chromium-environment.ts`; a file in another environment closes it.
 */
export async function launchChromium(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: chromiumPath,
    timeout: LIMIT_MS,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  const browser = await launched
  globalThis.closeChromium = () => browser.close()
  if (browser.isConnected()) return browser
  launched = undefined
  return launchChromium()
}

/** A page, with what went wrong in it and what it asked for. It is closed when the test is over. */
export interface WatchedPage {
  readonly page: Page
  /** Console errors and warnings, uncaught errors, failed and refused requests: each a line. */
  readonly problems: string[]
  /** Addresses of all requests so far, in order. */
  readonly requests: string[]
  /** Resolves when the dev server has spoken to the page: an update sent before that reaches nobody. */
  live(): Promise<void>
  /** The bodies of all answers so far; one that has none, or was not kept, is empty. */
  bodies(): Promise<string[]>
  close(): Promise<void>
}

/**
 * What the dev server sends over its socket and in its answers is searched for secrets. The page starts without cookies,
 * storage and cache.
 */
export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const { page, close } = await openTab(browser, options)
  const problems: string[] = []
  const requests: string[] = []
  const bodies: Promise<string>[] = []
  let hear = () => {}
  const heard = new Promise<void>((resolve) => {
    hear = resolve
  })
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`console ${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`))
  page.on('request', (request) => requests.push(request.url()))
  page.on('requestfailed', (request) => {
    // The inspector's overview stops asking for sizes when a person leaves it.
    const isStopped = request.failure()?.errorText === 'net::ERR_ABORTED' && request.url().includes('/api/sizes')
    if (!isStopped) problems.push(`failed: ${request.url()} ${request.failure()?.errorText ?? ''}`)
  })
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => {
      hear()
      noteLeaks('HMR', secretsIn(payload))
    })
  })
  page.on('response', (response) => {
    bodies.push(searched(response))
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`)
  })
  await page.goto(address)
  return { page, problems, requests, live: () => heard, bodies: () => Promise.all(bodies), close }
}

/** A window of Chromium for pages with the same options, one after the other. */
interface Window {
  readonly browser: Browser
  readonly options: string
  readonly context: BrowserContext
  /** Of a tab that stays: without any the window would close. */
  readonly session: CDPSession
  isTaken: boolean
}

const windows: Window[] = []

async function openWindow(browser: Browser, options: BrowserContextOptions): Promise<Window> {
  const name = JSON.stringify(options)
  const free = windows.find((one) => one.browser === browser && one.options === name && !one.isTaken)
  if (free) {
    free.isTaken = true
    return free
  }
  const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(LIMIT_MS)
  const session = await context.newCDPSession(await context.newPage())
  const window = { browser, options: name, context, session, isTaken: true }
  windows.push(window)
  return window
}

/** A window takes three times the work of a tab. Pages that are open together have a window each. */
async function openTab(browser: Browser, options: BrowserContextOptions): Promise<Pick<WatchedPage, 'page' | 'close'>> {
  const window = await openWindow(browser, options)
  const { context, session } = window
  const page = await context.newPage()
  const origins = new Set<string>()
  page.on('request', (request) => origins.add(new URL(request.url()).origin))
  const close = async () => {
    if (page.isClosed() || !browser.isConnected()) return
    await page.close()
    for (const origin of origins) await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
    await session.send('Network.clearBrowserCache')
    window.isTaken = false
  }
  whenOver(close)
  return { page, close }
}

/** Opens a page in the Chromium of this process. */
export async function visit(address: string, options?: BrowserContextOptions): Promise<WatchedPage> {
  return openPage(await launchChromium(), address, options)
}

async function searched(response: PageResponse): Promise<string> {
  const body = await response.text().catch(() => '')
  noteLeaks(`the answer to ${new URL(response.url()).pathname}`, secretsIn(body))
  return body
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export interface StaticServer {
  /** `http://127.0.0.1:<port>`, or https, no slash at the end. */
  readonly origin: string
  close(): Promise<void>
}

/** Serves a folder as a plain web server would: no rewriting, 404 for what is not there. */
export async function serveFolder(
  folder: string,
  headers: Readonly<Record<string, string>> = {},
  tls?: { readonly key: string; readonly cert: string },
): Promise<StaticServer> {
  const answer: RequestListener = (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    const file = join(folder, normalize(path.endsWith('/') ? `${path}index.html` : path))
    readFile(file).then(
      (content) => {
        response
          .writeHead(200, { ...headers, 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' })
          .end(content)
      },
      () => response.writeHead(404).end(),
    )
  }
  const server = tls ? createSecureServer(tls, answer) : createServer(answer)
  return { origin: `${tls ? 'https' : 'http'}://127.0.0.1:${await listen(server)}`, close: () => closeServer(server) }
}
