/**
 * What one edit costs with Vite's dev server, in a project of 200,000 texts in 2,000 files beside one of 500 texts: from
 * a save until the text is on the page in Chromium, the server's processor time for it, and that of an idle server.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { namespacesOf, textCount, writeLocales } from './lib/catalog.mjs'
import { findChromium, launchChromium, openPage } from './lib/chromium.mjs'
import { cpuSeconds, printMachine, printTable, readArguments, tenth, whole } from './lib/print.mjs'
import { removeFolder, startChild, tempFolder } from './lib/processes.mjs'
import { createProject, importTexts } from './lib/service-calls.mjs'
import { createRandom, median, percentile } from './lib/stats.mjs'

const { smoke, ...given } = readArguments({
  'no-sync': { type: 'boolean', default: false },
  bundler: { type: 'string', default: 'vite' },
  edits: { type: 'string' },
  idle: { type: 'string' },
  profile: { type: 'string' },
})
const SMALL = { languages: 2, namespaces: 5, keys: 50 }
const MANY = smoke ? { languages: 6, namespaces: 10, keys: 20 } : { languages: 40, namespaces: 50, keys: 100 }
const EDITS = Number(given.edits ?? (smoke ? 3 : 30))
const WARM_UP = smoke ? 1 : 5
const IDLE_S = Number(given.idle ?? (smoke ? 1 : 60))
/** After a start, the server reads the project and compares it with the service: it has settled when it rests. */
const REST_MS = smoke ? 300 : 3_000
const REST_SHARE = 0.03
const KEY = 'edited'
const random = createRandom(1)
const MAIN = `
import { load, onUpdate } from 'virtual:translations'
const render = async () => globalThis.shown((await load('en', 'common')).${KEY})
render()
onUpdate(render)
`

if (!findChromium()) {
  console.error('no Chromium: set CHROMIUM_PATH')
  process.exit(2)
}

printMachine()
const browser = await launchChromium()
const rows = []
for (const syncs of given['no-sync'] ? [false] : [false, true]) {
  const small = await openProject(SMALL, syncs)
  const many = await openProject(MANY, syncs, given.profile)
  await settle([small, many])
  for (let i = -WARM_UP; i < EDITS; i++) for (const project of [small, many]) await measureEdit(project, i)
  const idle = await idleSeconds([small, many])
  for (const [at, project] of [small, many].entries()) {
    rows.push([
      `${whole(textCount(project.size))} texts, ${whole(project.size.languages * project.size.namespaces)} files${syncs ? ', syncing' : ''}`,
      whole(median(project.ms)),
      whole(percentile(project.ms, 0.95)),
      tenth((project.cpu / EDITS) * 1_000),
      whole(idle[at] * 1_000),
    ])
    await project.close()
  }
}
printTable(
  `${given.bundler}: one save, ${EDITS} of them; the processor time of ${IDLE_S} idle seconds`,
  ['project', 'text on the page, median ms', '95th percentile ms', 'processor ms for a save', 'idle, processor ms'],
  rows,
)
await browser.close()
process.exit()

async function openProject(size, syncs, profile) {
  const root = tempFolder()
  writeLocales(root, size)
  writeFileSync(join(root, 'main.js'), MAIN)
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  const path = join(root, 'locales/en/common.json')
  const texts = JSON.parse(readFileSync(path, 'utf8'))
  const save = (text) => writeFileSync(path, `${JSON.stringify({ [KEY]: text, ...texts }, null, 2)}\n`)
  save('edit 0')
  const options = { source: 'files', defaultLanguage: 'en' }
  const service = syncs ? await startService(size) : undefined
  if (service) options.service = { baseUrl: service.baseUrl, apiKey: service.apiKey }
  const nodeArguments = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []
  const server = await startChild('./dev-server-host.mjs', { bundler: given.bundler, root, options }, { nodeArguments })
  const opened = await openPage(browser, server.address)
  await opened.seen('edit 0')
  return {
    size,
    save,
    opened,
    pid: server.pid,
    ms: [],
    cpu: 0,
    async close() {
      await opened.close()
      await server.end()
      await service?.end()
      removeFolder(root)
    },
  }
}

async function startService(size) {
  const service = await startChild('./service-host.mjs', {})
  const project = await createProject(service)
  for (const { namespace, texts } of namespacesOf(size)) {
    if (namespace === 'common') texts.en[KEY] = 'edit 0'
    await importTexts({ ...service, ...project }, namespace, texts)
  }
  return { ...service, ...project }
}

/** The processor time includes what goes on after the text is on the page: a second look at the files, the push. */
async function measureEdit(project, i) {
  const text = `edit ${i + WARM_UP + 1}`
  const cpuBefore = cpuSeconds(project.pid)
  const savedAt = Date.now()
  project.save(text)
  const shownAt = await project.opened.seen(text)
  await sleep((smoke ? 100 : 800) + random() * 200)
  if (i < 0) return
  project.ms.push(shownAt - savedAt)
  project.cpu += cpuSeconds(project.pid) - cpuBefore
}

async function settle(projects) {
  for (let tries = 0; tries < 60; tries++) {
    const before = projects.map(({ pid }) => cpuSeconds(pid))
    await sleep(REST_MS)
    const isBusy = ({ pid }, at) => cpuSeconds(pid) - before[at] > (REST_MS / 1_000) * REST_SHARE
    if (!projects.some(isBusy)) return
  }
  console.error('the servers do not come to rest')
}

async function idleSeconds(projects) {
  const before = projects.map(({ pid }) => cpuSeconds(pid))
  await sleep(IDLE_S * 1_000)
  return projects.map(({ pid }, at) => cpuSeconds(pid) - before[at])
}
