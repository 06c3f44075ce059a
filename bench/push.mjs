/**
 * What `localization push` takes for many texts: `node bench/push.mjs [--texts 100000] [--rounds 3] [--cli FILE ...]`.
 * Several builds of the command
 * (`dist/cli.js` of this and of other checkouts) take turns, each on a service and a project of its own; the ratio is
 * to the last one.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    texts: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    cli: { type: 'string', multiple: true, default: [join(import.meta.dirname, '../dist/cli.js')] },
    via: { type: 'string', default: 'auto' },
  },
})
const TEXTS = Number(values.texts)
const PER_FILE = 5000

function writeProject(root, suffix) {
  for (let file = 0; file * PER_FILE < TEXTS; file++) {
    const texts = {}
    for (let i = 0; i < Math.min(PER_FILE, TEXTS - file * PER_FILE); i++)
      texts[`key.${i}`] = `Text ${i} of file ${file}${suffix}`
    const path = join(root, `locales/en/part${file}.json`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(texts, null, 2))
  }
}

async function startService(root) {
  const cli = resolve(import.meta.dirname, '../dist/cli.js')
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0', '--data', join(root, 'data'), '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await new Promise((done) => child.stdout.once('data', (data) => done(String(data).split('\n'))))
  const { baseUrl, personalToken } = JSON.parse(line)
  const headers = { authorization: personalToken, 'content-type': 'application/json' }
  const answer = await fetch(`${baseUrl}/api/v2/projects`, { method: 'POST', headers, body: '{"name":"bench"}' })
  const { data } = await answer.json()
  return { child, env: { LOCALIZATION_BASE_URL: baseUrl, LOCALIZATION_API_KEY: data.apiKey } }
}

/** Seconds and peak memory in MB of one command. */
function measure(cli, cwd, env) {
  const hook = `data:text/javascript,process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS+'\\n'))`
  const args = ['--import', hook, resolve(cli), 'push', '--quiet', '--via', values.via]
  const startedAt = performance.now()
  return new Promise((done, fail) => {
    execFile(process.execPath, args, { cwd, env: { PATH: process.env.PATH, ...env } }, (error, _out, said) => {
      if (error) return fail(new Error(said))
      done({ s: (performance.now() - startedAt) / 1000, mb: Number(/peak (\d+)/.exec(said)?.[1]) / 1024 })
    })
  })
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
const runs = new Map(values.cli.map((cli) => [cli, { first: [], edited: [] }]))
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [cli, { first, edited }] of runs) {
    const root = mkdtempSync(join(tmpdir(), 'localization-push-'))
    const { child, env } = await startService(root)
    try {
      writeProject(root, '')
      first.push(await measure(cli, root, env))
      writeProject(root, ', edited')
      edited.push(await measure(cli, root, env))
    } finally {
      child.kill()
      rmSync(root, { recursive: true, force: true })
    }
  }
}
const last = runs.get(values.cli.at(-1))
for (const what of ['first', 'edited']) {
  for (const [cli, all] of runs) {
    const [s, mb] = [median(all[what].map((run) => run.s)), median(all[what].map((run) => run.mb))]
    const [lastS, lastMb] = [median(last[what].map((run) => run.s)), median(last[what].map((run) => run.mb))]
    const ratios = `${(s / lastS).toFixed(2)} of the time, ${(mb / lastMb).toFixed(2)} of the memory`
    console.log(
      `${what} push of ${TEXTS} texts, ${cli}: ${s.toFixed(1)} s, ${mb.toFixed(0)} MB (${ratios} of the last)`,
    )
  }
}
