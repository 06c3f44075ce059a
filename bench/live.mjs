/**
 * `delivery: 'live'`: what it costs a page beside `'build'` and beside i18next-http-backend, how long a release of three
 * texts takes in a build of a million, and how long a translator waits for a published text in an open page.
 * `--only page,release,watch`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runBuild } from './lib/build.mjs'
import { languageNames, messagesOf, namespaceNames, SIZES, textCount, writeLocales } from './lib/catalog.mjs'
import { openPage } from './lib/chromium.mjs'
import { APPS, buildApp, startHost } from './lib/live-apps.mjs'
import { printMachine, printTable, ratio, readArguments, seconds, whole } from './lib/print.mjs'
import { runNode, startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'
import { openBrowser } from './lib/site.mjs'
import { median, percentile } from './lib/stats.mjs'

const { smoke, only } = readArguments({ only: { type: 'string' } })
const isWanted = (name) => only === undefined || only.split(',').includes(name)
const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const plugin = fileURLToPath(new URL('../dist/vite.js', import.meta.url))
const OPTIONS = { delivery: 'live', defaultLanguage: 'en', defaultNamespace: 'common', report: false, types: false }

/** Tells the processor time, which other work on the machine changes least. */
const TELL_CPU =
  'data:text/javascript,process.once("exit",()=>{const{user,system}=process.cpuUsage();console.error("CPU "+Math.round((user+system)/1000))})'

/** The delay of each answer, for a network. */
const DELAYS_MS = smoke ? [0] : [0, 50]
const PAGES = smoke ? 1 : 21
/** With the names of all files in the script, and with an index for each language. */
const PAGE_SIZES = smoke ? [SIZES.tiny] : [{ ...SIZES.M, namespaces: 5 }, SIZES.M]
const RELEASE_BAR_MS = 1_500
const RELEASES = smoke ? 2 : 9
const WATCH_BAR_MS = 2_000
const REFRESH_MS = 1_000
const PUBLISHES = smoke ? 2 : 60

printMachine()
const browser = await openBrowser()
if (isWanted('page')) for (const size of PAGE_SIZES) await comparePages(size)
if (isWanted('release')) await measureReleases(smoke ? SIZES.tiny : SIZES.L)
if (isWanted('watch')) await measureWatch()
await browser.close()
process.exit()

async function comparePages(size) {
  const key = Object.keys(messagesOf(size, 0, 0))[0]
  const text = messagesOf(size, 0, 0)[key]
  const outputs = []
  for (const app of APPS) {
    const root = tempFolder()
    writeLocales(root, size)
    outputs.push({ ...app, folder: await buildApp(root, app, key) })
  }
  for (const delayMs of DELAYS_MS) {
    const runs = []
    for (const { name, folder } of outputs) runs.push({ name, host: await startHost(folder, delayMs), visits: [] })
    // The first visit of each warms the browser.
    for (let round = 0; round <= PAGES; round++) {
      for (const { host, visits } of runs) {
        const visit = await visitOnce(host, text)
        if (round > 0) visits.push(visit)
      }
    }
    const of = ({ visits }, field) => median(visits.map((visit) => visit[field]))
    const [built] = runs
    printTable(
      `A page of i18next, ${size.languages} languages, ${size.namespaces} namespaces of ${size.keys} keys, ${delayMs} ms for each answer; medians of ${PAGES}`,
      ['texts', 'requests', 'gzip bytes', 'ms to the first text', "of 'build'"],
      runs.map((run) => [
        run.name,
        whole(of(run, 'requests')),
        whole(of(run, 'bytes')),
        whole(of(run, 'ms')),
        ratio(of(run, 'ms'), of(built, 'ms')),
      ]),
    )
    for (const { host } of runs) host.close()
  }
}

/** A page with an empty cache. */
async function visitOnce(host, text) {
  host.takeSent()
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(host.origin)
  await page.waitForFunction(() => globalThis.firstTextMs !== undefined)
  await page.waitForLoadState('networkidle')
  const shown = await page.textContent('p')
  if (shown !== text) throw new Error(`the page shows ${JSON.stringify(shown)} instead of ${JSON.stringify(text)}`)
  const ms = await page.evaluate(() => globalThis.firstTextMs)
  await context.close()
  const sent = host.takeSent()
  return { ms, requests: sent.length, bytes: sent.reduce((sum, { bytes }) => sum + bytes, 0) }
}

async function measureReleases(size) {
  const root = tempFolder()
  writeLocales(root, size)
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  writeFileSync(join(root, 'main.js'), "import { load } from 'virtual:translations'\nglobalThis.load = load\n")
  writeFileSync(join(root, 'localization.config.json'), JSON.stringify({ ...OPTIONS, source: 'files' }))
  await runBuild({ bundler: 'vite', root, outDir: 'out', plugins: [{ from: plugin, options: { root } }] })
  const rows = []
  const measure = async (name, work, bar) => {
    const runs = []
    for (let round = 0; round < RELEASES; round++) runs.push(await work(round))
    const longest = Math.max(...runs.map(({ ms }) => ms))
    const mark = bar === undefined || smoke ? '' : ` (bar ${seconds(bar)}${longest > bar ? ': MISSED' : ''})`
    const of = (field) => seconds(median(runs.map((run) => run[field])))
    rows.push([name, of('ms'), `${seconds(longest)}${mark}`, of('cpuMs')])
  }
  await measure(
    '3 texts in 3 namespaces',
    (round) => {
      editTexts(root, size, round)
      return release(root, 3)
    },
    RELEASE_BAR_MS,
  )
  await measure('nothing', () => release(root, 0))
  await measure('localization --version', () => run(root, ['--version']))
  printTable(
    `localization release, ${whole(textCount(size))} texts in ${whole(size.languages * size.namespaces)} files; ${RELEASES} runs`,
    ['changed', 'median s', 'longest s', 'processor s'],
    rows,
  )
}

/** Changes a text in each of three namespaces and languages. */
function editTexts(root, size, round) {
  const [languages, namespaces] = [languageNames(size.languages), namespaceNames(size.namespaces)]
  for (const at of [0, 1, 2]) {
    const path = join(root, 'locales', languages[at], `${namespaces[at]}.json`)
    const texts = JSON.parse(readFileSync(path, 'utf8'))
    texts[Object.keys(texts)[0]] = `Release ${round} ${at}`
    writeFileSync(path, `${JSON.stringify(texts, null, 2)}\n`)
  }
}

async function release(root, expected) {
  const done = await run(root, ['release', 'out', '--json'])
  const changes = JSON.parse(done.out).outputs.flatMap((output) => output.changes).length
  if (changes < expected || (expected === 0 && changes > 0))
    throw new Error(`${changes} texts changed, not ${expected}`)
  return done
}

/** The whole process, as a person waits for it. */
async function run(root, given) {
  const { ms, out, errors, failure } = await runNode(['--import', TELL_CPU, cli, ...given], root)
  if (failure) throw new Error(`localization ${given.join(' ')} ${failure}`)
  return { ms, cpuMs: Number(/^CPU (\d+)$/m.exec(errors)[1]), out }
}

async function measureWatch() {
  const service = await startChild('./service-host.mjs', {
    dataDir: tempFolder(),
    personalToken: 'a token of the benchmark',
  })
  const { apiKey, headers } = await createProject(service)
  await importTexts({ ...service, headers }, 'common', { en: { title: 'Title', other: 'Other' } })
  const publish = async () => {
    for (const name of ['_latest', '_production'])
      await call(`${service.baseUrl}/api/v2/environments/${name}/publish`, { method: 'POST', headers })
  }
  await publish()
  const root = tempFolder()
  const { baseUrl, cdnUrl } = service
  const options = { ...OPTIONS, source: 'hosting', refresh: { intervalMs: REFRESH_MS }, service: { baseUrl, cdnUrl } }
  process.env.LOCALIZATION_API_KEY = apiKey
  const folder = await buildApp(root, { options }, 'title')
  const host = await startHost(folder)
  const watch = spawn(process.execPath, [cli, 'release', 'out', '--watch'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.on('exit', () => watch.kill('SIGKILL'))
  await once(createInterface({ input: watch.stdout }), 'line')
  watch.stdout.resume()
  const page = await openPage(browser, host.origin)
  await page.seen('Title')
  const took = []
  for (let round = 0; round < PUBLISHES; round++) {
    // At any moment between two looks.
    await sleep((round * 389) % REFRESH_MS)
    const text = `Title ${round}`
    const body = { namespace: 'common', key: 'title', language: 'en', text }
    await call(`${service.baseUrl}/api/v2/translations`, { method: 'PATCH', headers, body })
    const startedAt = Date.now()
    await publish()
    took.push((await page.seen(text)) - startedAt)
  }
  const p95 = percentile(took, 0.95)
  const beyond = p95 - REFRESH_MS
  const bar = ` (bar ${whole(WATCH_BAR_MS)}${beyond > WATCH_BAR_MS ? ': MISSED' : ''})`
  printTable(
    `From a publish to the text in an open page, release --watch, refresh every ${whole(REFRESH_MS)} ms; ${PUBLISHES} publishes`,
    ['median ms', '95 % ms', '95 %, beyond the refresh interval'],
    [[whole(median(took)), whole(p95), `${whole(beyond)}${smoke ? '' : bar}`]],
  )
  watch.kill()
  host.close()
  await page.close()
  await service.end()
}
