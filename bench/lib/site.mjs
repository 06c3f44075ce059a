/** Built apps in real Chromium: what they show, and every file that the page fetched for it. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, extname, join, relative, sep } from 'node:path'
import { findChromium, launchChromium } from './chromium.mjs'

const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.json': 'application/json' }
const LIMIT_MS = 120_000

/** Ends the script where there is no Chromium: nothing is timed that was not seen to work. */
export async function openBrowser() {
  if (!findChromium()) {
    console.error('no Chromium: set CHROMIUM_PATH')
    process.exit(2)
  }
  return launchChromium()
}

/**
 * Opens a built app and calls its `globalThis.show(...)` with each list of arguments. Gives what the calls resolved to,
 * and the files that
 * were fetched, in order: `{ path, content, isLate }`, late ones since the first call.
 */
export async function visit(browser, bundler, folder, calls) {
  const fetched = []
  let isLate = false
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname)
    const content = path === '/' ? page(folder, bundler) : readOrNothing(join(folder, path))
    if (content === undefined) return response.writeHead(404).end()
    if (path !== '/') fetched.push({ path: path.slice(1), content, isLate })
    const type = path === '/' ? 'text/html' : (TYPES[extname(path)] ?? 'application/octet-stream')
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const context = await browser.newContext()
  try {
    const opened = await context.newPage()
    const errors = []
    opened.on('pageerror', (error) => errors.push(error.message))
    await opened.goto(`http://127.0.0.1:${server.address().port}/`)
    await opened
      .waitForFunction(() => typeof globalThis.show === 'function', undefined, { timeout: LIMIT_MS })
      .catch(() => {
        throw new Error(`the built app did not start: ${errors.join('; ') || 'no error was reported'}`)
      })
    isLate = true
    const values = []
    for (const call of calls) values.push(await opened.evaluate((list) => globalThis.show(...list), call))
    return { values, fetched }
  } finally {
    await context.close()
    server.closeAllConnections()
    server.close()
  }
}

/**
 * Farm builds a page of its own. Others get one that loads the entry, `main...js`, and before it the runtime where that
 * is a script of its own.
 */
function page(folder, bundler) {
  if (bundler === 'farm') return readFileSync(join(folder, 'index.html'))
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const find = (pattern) => files.find((file) => pattern.test(basename(file)))
  const entry = find(/^main(-[\w-]{8}|\.[\da-f]+)?\.m?js$/)
  if (!entry) throw new Error(`no entry in ${folder}`)
  const isModule = !/^(webpack|rspack)$/.test(bundler)
  const runtime = isModule ? undefined : find(/^runtime\.js$/)
  const tags = [runtime, entry].filter(Boolean).map((file) => {
    const address = `/${relative(folder, file).split(sep).join('/')}`
    return `<script ${isModule ? 'type="module"' : 'defer'} src="${address}"></script>`
  })
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>built</title>${tags.join('')}</head><body></body></html>`
}

function readOrNothing(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
