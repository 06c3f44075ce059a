/** What the first page of a built app fetches, seen from a server on loopback. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

/**
 * Opens the app with a language as the browser's own, and waits until the page shows a text and fetches nothing more.
 * Resolves to the page's text and to the files that the server sent: `{ path, bytes }`.
 *
 * @param address the path and query that open the app in the language
 */
export async function openFirstPage(browser, folder, { language = 'en', address = '/' } = {}) {
  const files = []
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname)
    const content = await readFile(join(folder, path === '/' ? 'index.html' : path)).catch(() => undefined)
    if (content === undefined) return response.writeHead(404).end()
    files.push({ path: path.slice(1), bytes: content.length })
    const type = TYPES[path === '/' ? '.html' : extname(path)] ?? 'application/octet-stream'
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const context = await browser.newContext({ locale: language })
  try {
    const page = await context.newPage()
    const errors = []
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(`http://127.0.0.1:${server.address().port}${address}`)
    await page
      .waitForFunction(() => document.body.innerText.trim() !== '', undefined, { timeout: 120_000 })
      .catch(() => {
        throw new Error(`the page shows nothing: ${errors.join('; ') || 'no error was reported'}`)
      })
    await page.waitForLoadState('networkidle')
    return { text: await page.evaluate(() => document.body.innerText), files }
  } finally {
    await context.close()
    server.closeAllConnections()
    server.close()
  }
}
