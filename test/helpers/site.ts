/** Serves the documentation's site as its hosts do: `/options/prune` is the file `options/prune.html`. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { whenOver } from './closing.ts'
import { closeServer, listen } from './throwaway-server.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** The file of a path of the site. */
export function fileOf(path: string): string {
  if (path.endsWith('/')) return `${path}index.html`
  return extname(path) in TYPES ? path : `${path}.html`
}

/** Resolves to the address, without a slash at the end. */
export async function serveSite(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const file = fileOf(normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)))
    readFile(join(folder, file)).then(
      (content) => response.writeHead(200, { 'Content-Type': TYPES[extname(file)] }).end(content),
      () => response.writeHead(404).end(),
    )
  })
  const port = await listen(server)
  whenOver(() => closeServer(server))
  return `http://127.0.0.1:${port}`
}
