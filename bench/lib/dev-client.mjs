/**
 * A page of Vite's dev server without a browser: fetches what the page would, listens to its socket, fetches again what
 * changed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { WebSocket } from 'undici'

/** `files`: the `language/namespace` whose texts it holds. Resolves when they are there and its socket is open. */
export async function followPage(address, files) {
  const get = async (path) => {
    const response = await fetch(new URL(path, address))
    const body = await response.text()
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${body.slice(0, 200)}`)
    return body
  }
  const held = new Map(files.map((file) => [pathOf(file), { file, code: '' }]))
  const failures = []
  let updates = 0
  let reloads = 0
  let fetching = Promise.resolve()
  const take = (path, query = '') => {
    const one = held.get(path)
    if (!one) return
    fetching = fetching.then(async () => {
      one.code = await get(path + query)
      tell(one.code)
    })
    fetching.catch((error) => failures.push(error))
  }

  /** As the module itself does when it runs: what it holds. */
  const tell = (code) => {
    const [, event, data] = SHOWN.exec(code) ?? []
    if (event === undefined) throw new Error('a module does not say what it holds')
    const message = { type: 'custom', event, data: new Function(`return ${data}`)() }
    socket.send(JSON.stringify(message))
  }

  for (const path of ['/', '/main.js', MANIFEST]) await get(path)
  const token = /wsToken = "([^"]+)"/.exec(await get('/@vite/client'))?.[1]
  const socket = new WebSocket(`${address.replace('http', 'ws')}?token=${token}`, 'vite-hmr')
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data)
    if (message.type === 'full-reload') reloads++
    for (const { acceptedPath, timestamp } of message.updates ?? []) {
      updates++
      take(acceptedPath.replace('\0', '/@id/__x00__'), `?t=${timestamp}`)
    }
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('the socket of the dev server does not open')))
  })
  for (const path of held.keys()) take(path)
  await fetching

  return {
    updates: () => updates,
    reloads: () => reloads,
    failures,
    /** How many of the files it shows otherwise than `expected(file)`, when it has had its time to get there. */
    async stale(expected, limitMs) {
      const until = performance.now() + limitMs
      for (;;) {
        await fetching.catch(() => undefined)
        const stale = [...held.values()].filter(
          ({ file, code }) => !isDeepStrictEqual(textsIn(code), { ...expected(file) }),
        )
        if (stale.length === 0 || performance.now() > until) return stale.length
        await sleep(200)
      }
    },
    close: () => socket.close(),
  }
}

const SHOWN = /\bhot\?\.send\('([\w:]+)', (\{.*\})\)/

const MANIFEST = '/@id/__x00__localization/manifest.js'

function pathOf(file) {
  const at = file.indexOf('/')
  const [language, namespace] = [file.slice(0, at), file.slice(at + 1)]
  return `/@id/__x00__localization/namespace/${language}.${namespace.replaceAll('/', '~2f')}.js`
}

/** The messages that a module was made of. */
function textsIn(code) {
  const value = /updateMessages\([^,]*, (.*), \{ language: [^\n]*\)\nexport default /s.exec(code)?.[1]
  return value === undefined ? {} : { ...new Function(`return ${value}`)() }
}
