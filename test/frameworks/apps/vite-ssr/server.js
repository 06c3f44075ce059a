import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'

const dev = process.argv.includes('--dev')
const vite = dev
  ? await (await import('vite')).createServer({
      appType: 'custom',
      server: { middlewareMode: true, hmr: { port: Number(process.env.HMR_PORT) } },
    })
  : undefined

const page = async (address) => {
  if (vite) {
    const { render } = await vite.ssrLoadModule('/src/server.jsx')
    const template = await vite.transformIndexHtml(address, await readFile('index.html', 'utf8'))
    return render(address, template)
  }
  const { render } = await import('./dist/server/server.js')
  return render(address, await readFile('dist/client/index.html', 'utf8'))
}

const answer = async (request, response) => {
  const html = await page(request.url)
  if (html !== undefined) return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  const script = /^\/assets\/(?:[\w-][\w.-]*\/)*[\w.-]+\.js$/.exec(request.url)?.[0]
  if (script === undefined) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': 'text/javascript' }).end(await readFile(`dist/client${script}`))
}

const fail = (response) => (error) => response.writeHead(500).end(error.stack)
createServer((request, response) => {
  const next = () => answer(request, response).catch(fail(response))
  if (vite) vite.middlewares(request, response, next)
  else next()
}).listen(Number(process.env.PORT), '127.0.0.1')
