/** Pages of builds with `delivery: 'live'`: their builds, a host with ETags, and what a page fetched. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, relative } from 'node:path'
import type { PluginOptions } from '../../src/index.ts'
import { builtPlugin, rollupOf } from './bundlers.ts'
import { whenOver } from './closing.ts'
import { buildLikeWebpack, buildWithEsbuild, buildWithVite, type PageBuild } from './page-builds.ts'
import { writeTree } from './temp.ts'
import { closeServer, listen } from './throwaway-server.ts'

export const html = (script: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"></head><body><input id="state">${script}</body></html>\n`

function buildWithRollup(name: 'rollup' | 'rolldown', options: PluginOptions): PageBuild {
  return async (root, base) => {
    const bundle = await (await rollupOf(name))({
      input: join(root, 'main.js'),
      plugins: [await builtPlugin(name, { ...options, root })] as never,
    })
    await bundle.write({ dir: join(root, 'dist'), format: 'es', entryFileNames: 'js/[name].js' })
    await bundle.close()
    await writeTree(root, { 'dist/index.html': html(`<script type="module" src="${base}js/main.js"></script>`) })
  }
}

/** Every bundler that writes message files. */
export const liveBuilds = (options: PluginOptions): readonly (readonly [string, PageBuild])[] => [
  ['vite', buildWithVite('vite', options)],
  ['webpack', buildLikeWebpack('webpack', options, html)],
  ['rspack', buildLikeWebpack('@rspack/core', options, html)],
  ['rollup', buildWithRollup('rollup', options)],
  ['rolldown', buildWithRollup('rolldown', options)],
  ['esbuild', buildWithEsbuild(options, html)],
]

interface Sent {
  readonly path: string
  readonly status: number
  readonly bytes: number
}

/** What `replace` returns for a request without an answer. */
export const NEVER = -1

/** Serves a folder like a host: with ETags, and headers of one's choice. `answer` may replace a file's content. */
export async function startHost(
  folder: string,
  headers: Readonly<Record<string, string>> = { 'Cache-Control': 'no-cache' },
) {
  const sent: Sent[] = []
  const host = {
    sent,
    /** Returns other content for a path, or a status. */
    replace: (_path: string): string | number | undefined => undefined,
    origin: '',
    /** The requests since the last call. */
    takeSent: () => sent.splice(0),
  }
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    const other = host.replace(path)
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path)
    const content = typeof other === 'string' ? Buffer.from(other) : await readFile(file).catch(() => undefined)
    const end = (status: number, body?: Buffer) => {
      sent.push({ path, status, bytes: body?.length ?? 0 })
      response.writeHead(status).end(body)
    }
    if (other === NEVER) return undefined
    if (typeof other === 'number') return end(other)
    if (!content) return end(404)
    const etag = `"${createHash('sha1').update(content).digest('hex')}"`
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.setHeader('ETag', etag)
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/json')
    return request.headers['if-none-match'] === etag ? end(304) : end(200, content)
  })
  host.origin = `http://127.0.0.1:${await listen(server)}`
  whenOver(() => closeServer(server))
  return host
}

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript' }

/** The hash of each file of a folder. */
export async function hashesOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const hashes = new Map<string, string>()
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    hashes.set(
      relative(folder, path),
      createHash('sha1')
        .update(await readFile(path))
        .digest('hex'),
    )
  }
  return hashes
}
