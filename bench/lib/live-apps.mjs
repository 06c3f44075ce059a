/**
 * One app on i18next with three ways to get its texts, built by Vite, and the host that serves them: texts in the build,
 * texts that a release replaces, and files that the page fetches by itself.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import vite from '../../dist/vite.js'

const HTML =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>app</title></head><body><p></p><script type="module" src="/main.js"></script></body></html>\n'

/** Notes when the first text is in the page, in milliseconds since the page was asked for. */
const app = (backend, key) => `import i18next from 'i18next'
${backend}
const show = () => {
  const text = i18next.t(${JSON.stringify(key)})
  // openPage of chromium.mjs shows it instead.
  if (globalThis.shown) globalThis.shown(text)
  else document.querySelector('p').textContent = text
  globalThis.firstTextMs ??= performance.now()
}
i18next.use(backend).init({ lng: 'en', fallbackLng: false, keySeparator: false, ns: ['common'], defaultNS: 'common', ...settings }).then(() => {
  show()
  i18next.store.on('added', show)
})
`
const OURS = `import { createBackend } from 'unplugin-localization/i18next'
import * as translations from 'virtual:translations'
const backend = createBackend(translations)
const settings = {}
`
const HTTP = `import backend from 'i18next-http-backend'
const settings = { backend: { loadPath: '/locales/{{lng}}/{{ns}}.json' } }
`

/** `options`: those of the plugin; `undefined` for i18next-http-backend. */
export const APPS = [
  { name: "delivery: 'build'", options: { delivery: 'build' } },
  { name: "delivery: 'live'", options: { delivery: 'live' } },
  { name: 'i18next-http-backend' },
]

/** Builds the app, which shows the text of a key, into `out`. Without `service` in `options`, the folder has `locales`. */
export async function buildApp(root, { options }, key) {
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  writeFileSync(join(root, 'index.html'), HTML)
  writeFileSync(join(root, 'main.js'), app(options ? OURS : HTTP, key))
  const config = { source: 'files', defaultLanguage: 'en', defaultNamespace: 'common', report: false, types: false }
  // A file, which `localization release` reads too.
  writeFileSync(join(root, 'localization.config.json'), JSON.stringify({ ...config, ...options }))
  const plugins = options ? [vite({ root })] : []
  const alias = {
    'unplugin-localization/i18next': new URL('../../dist/i18next.js', import.meta.url).pathname,
    i18next: new URL('../../node_modules/i18next/dist/esm/i18next.js', import.meta.url).pathname,
    'i18next-http-backend': new URL('../../node_modules/i18next-http-backend/esm/index.js', import.meta.url).pathname,
  }
  await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins,
    resolve: { alias },
    build: { outDir: 'out', emptyOutDir: true, reportCompressedSize: false },
  })
  if (!options) cpSync(join(root, 'locales'), join(root, 'out/locales'), { recursive: true })
  return join(root, 'out')
}

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.json': 'application/json' }

/** Serves a folder with gzip and ETags. Each answer takes `delayMs`. `takeSent()` returns the answers since the last call. */
export async function startHost(folder, delayMs = 0) {
  const sent = []
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    const content = readOrNothing(join(folder, pathname === '/' ? 'index.html' : decodeURIComponent(pathname)))
    if (!content) {
      sent.push({ bytes: 0 })
      return response.writeHead(404).end()
    }
    const body = gzipSync(content)
    const etag = `"${createHash('sha1').update(content).digest('hex')}"`
    const isNamedByContent = /[.-][\w-]{8}\.js$/.test(pathname)
    response.setHeader('etag', etag)
    response.setHeader('cache-control', isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache')
    response.setHeader('content-type', TYPES[extname(pathname)] ?? TYPES['.html'])
    if (request.headers['if-none-match'] === etag) {
      sent.push({ bytes: 0 })
      return response.writeHead(304).end()
    }
    sent.push({ bytes: body.length })
    response.setHeader('content-encoding', 'gzip')
    return response.writeHead(200).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${server.address().port}/`,
    takeSent: () => sent.splice(0),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function readOrNothing(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
