/**
 * Vite's dev server with the built plugin, in a process that tells what it holds: `{root, options}`. Started with
 * `--expose-gc`. Answers
 * `sample` with its memory after a collection, when it reads no files, `close` with what it holds before the server was
 * made and after it was closed.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'vite'

const { root, options } = JSON.parse(process.argv[2])
const { default: plugin } = await import('../../dist/vite.js')
/** What a closed server may take to give back. */
const SETTLE_MS = 30_000

// Listening is part of what is held from the start.
let server
let before
process.on('message', async (kind) => {
  if (kind === 'sample') return process.send(await sample())
  await server.close()
  process.send({ before, after: await settled(before) })
})

// What Vite and its native parts keep for good, once they ran, is nobody's leak here.
const plain = mkdtempSync(join(tmpdir(), 'localization-bench-'))
writeFileSync(join(plain, 'main.js'), 'console.log(1)\n')
const first = await start(plain, [])
await first.transformRequest('/main.js')
await first.close()
rmSync(plain, { recursive: true })
before = await settled()

server = await start(root, [plugin(options)])
console.log(JSON.stringify({ address: `http://127.0.0.1:${server.httpServer.address().port}/` }))

async function start(folder, plugins) {
  const made = await createServer({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    cacheDir: join(folder, '.vite'),
    optimizeDeps: { noDiscovery: true },
    server: { host: '127.0.0.1', port: 0 },
    plugins,
  })
  // Vite looks for a free port and takes it a moment later: somebody else may have it by then.
  for (let tries = 1; ; tries++) {
    try {
      return await made.listen()
    } catch (error) {
      if (tries === 10 || !/already in use/.test(error.message)) throw error
    }
  }
}

async function sample() {
  await quiet()
  for (let i = 0; i < 2; i++) {
    globalThis.gc()
    // Finalizers run in between.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, heap: heapUsed + external, ...held() }
}

/** What a reading of the files holds while it runs is gone after it. */
async function quiet() {
  const until = performance.now() + SETTLE_MS
  for (let idle = 0; idle < 3 && performance.now() < until; ) {
    idle = process.getActiveResourcesInfo().includes('FSReqPromise') ? 0 : idle + 1
    await sleep(20)
  }
}

/** What is held when it has come down to `goal`, or no longer changes for a second, or never does. */
async function settled(goal) {
  const until = performance.now() + SETTLE_MS
  let last = ''
  for (let same = 0; ; ) {
    const now = held()
    const isGoal = goal && more(now, goal).length === 0
    same = JSON.stringify(now) === last ? same + 1 : 0
    last = JSON.stringify(now)
    if (isGoal || (!goal && same === 20) || performance.now() > until) return now
    await sleep(50)
  }
}

function held() {
  const resources = {}
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1
  return { descriptors: openDescriptors(), resources }
}

function more(now, goal) {
  const names = Object.keys(now.resources).filter((name) => now.resources[name] > (goal.resources[name] ?? 0))
  return now.descriptors > goal.descriptors ? ['descriptors', ...names] : names
}

/** Less the one that reads the folder. */
function openDescriptors() {
  try {
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return 0
  }
}
