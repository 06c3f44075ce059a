/**
 * Hours of editing in minutes: Vite's dev server over 200,000 texts in 2,000 files, syncing with a local service, while
 * files are saved in all
 * the ways that editors and git have and texts change on the service. Whatever was saved must be on the service,
 * whatever was changed there
 * must be in its file, the page's modules must show both, memory must not grow with the edits, and a closed server must
 * hold nothing.
 * `--minutes <n>`, `--files <n>`.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { languageNames, namespaceNames, namespacesOf, writeLocales } from './lib/catalog.mjs'
import { followPage } from './lib/dev-client.mjs'
import { megabytes, printMachine, printTable, readArguments, tenth, whole } from './lib/print.mjs'
import { startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject, importTexts } from './lib/service-calls.mjs'
import { createRandom, slopeOf } from './lib/stats.mjs'

const { smoke, ...given } = readArguments({ minutes: { type: 'string' }, files: { type: 'string' } })
const LANGUAGES = smoke ? 3 : 20
const files = Number(given.files ?? (smoke ? 30 : 2_000))
const durationMs = Number(given.minutes ?? (smoke ? 0.05 : 5)) * 60_000
const SIZE = { languages: LANGUAGES, namespaces: Math.ceil(files / LANGUAGES), keys: smoke ? 20 : 100 }
/** What arrives later than this is lost. */
const LIMIT_MS = 120_000
/** Namespaces of each kind that are edited, in three languages. */
const WORKED = 5
/** Saves between two looks at the service. */
const ROUND = smoke ? 10 : 40
/** More heap than this for 1,000 edits, and it is no noise. */
const MOST_GROWTH_MB = 1
const random = createRandom(1)
const pick = (list) => list[Math.floor(random() * list.length)]
printMachine()

const languages = languageNames(LANGUAGES)
const namespaces = namespaceNames(SIZE.namespaces)
// Each tenth namespace belongs to the branches, each other tenth to the service alone: there nobody edits the files.
const ofBranches = namespaces.filter((_, i) => i % 10 === 3)
// People work in few places at once, and then the heap tells what edits leave: a file that is edited for the first time
// is read into texts.
const worked = languages.slice(0, 3)
const ofService = namespaces.filter((_, i) => i % 10 === 7).slice(0, WORKED)
const ofBoth = namespaces.filter((_, i) => i % 10 === 5).slice(0, WORKED)
const ofFiles = namespaces.filter((_, i) => ![3, 5, 7].includes(i % 10)).slice(0, WORKED)

const root = tempFolder()
const model = new Map()
writeLocales(root, SIZE)
for (const { namespace, texts } of namespacesOf(SIZE)) {
  for (const [language, messages] of Object.entries(texts)) model.set(`${language}/${namespace}`, messages)
}
const pathOf = (file) => join(root, 'locales', `${file}.json`)
const textOf = (messages) => `${JSON.stringify(messages, null, 2)}\n`
writeFileSync(join(root, 'package.json'), '{"type":"module"}')
writeFileSync(join(root, '.gitignore'), '.localization/\n.vite/\n')
writeFileSync(join(root, 'index.html'), '<!doctype html><script type="module" src="/main.js"></script>\n')
writeFileSync(join(root, 'main.js'), "import { load } from 'virtual:translations'\nglobalThis.load = load\n")
const branches = makeBranches()

const service = await startChild('service-host.mjs', { dataDir: tempFolder(), languages })
const project = await createProject(service)
const { headers } = project
for (const { namespace, texts } of namespacesOf(SIZE)) {
  await importTexts({ baseUrl: service.baseUrl, headers }, namespace, texts)
}

const options = {
  source: 'files',
  defaultLanguage: 'en',
  service: { baseUrl: service.baseUrl, apiKey: project.apiKey },
  pull: { intervalMs: smoke ? 300 : 2_000, write: true },
}
const server = await startChild('watched-dev-host.mjs', { root, options }, { nodeArguments: ['--expose-gc'] })
const ask = (kind) =>
  new Promise((resolve) => {
    server.child.once('message', resolve)
    server.child.send(kind)
  })
const shown = languages.slice(0, 2).flatMap((language) => namespaces.map((namespace) => `${language}/${namespace}`))
const page = await followPage(server.address, shown)
await until('the first reading of the service', () => journal().equal.size >= model.size * SIZE.keys)

const counts = { plain: 0, rename: 0, 'half-typed': 0, twice: 0, 'gone and back': 0, remote: 0, branch: 0 }
const problems = []
const samples = []
let edits = 0
let serial = 0
/** By file: what was edited since everything was looked at. */
let edited = new Set()
let editedRemotely = new Set()

const startedAt = performance.now()
const takeSample = async () => {
  samples.push({ ms: performance.now() - startedAt, edits, ...(await ask('sample')) })
}
for (let round = 0; round === 0 || performance.now() - startedAt < durationMs; round++) {
  for (let i = 0; i < ROUND; i++) {
    await editOnce()
    await sleep(random() * 30)
  }
  await settled()
  // When nothing is under way: what a reading holds is no growth.
  await takeSample()
  if (round % 8 === 2 || (smoke && round === 0)) await switchBranches()
}
await settled()
await takeSample()
const last = samples.at(-1)
const minutes = last.ms / 60_000

// Everything, text by text, on both sides and on the page.
const onService = await readService()
let lost = 0
for (const [file, messages] of model) {
  const [there, here] = [onService.get(file), JSON.parse(readFileSync(pathOf(file), 'utf8'))]
  for (const [key, text] of Object.entries(messages)) if (there?.[key] !== text || here[key] !== text) lost++
}
const stale = await page.stale((file) => model.get(file), LIMIT_MS)
page.close()
const { before, after } = await ask('close')
const left = Object.keys({ ...before.resources, ...after.resources }).filter(
  (name) => (after.resources[name] ?? 0) > (before.resources[name] ?? 0),
)
const { queued, undecided: open } = journal()
const [waiting, undecided] = [queued.size, open.size]
await server.end('SIGKILL')
await service.end()

printTable(
  `${whole(model.size * SIZE.keys)} texts in ${whole(model.size)} files, ${tenth(minutes)} minutes, ${whole(edits)} edits`,
  ['', ...Object.keys(counts)],
  [['how many', ...Object.values(counts).map(whole)]],
)
printTable(
  'What became of it',
  ['', 'texts', 'lost or overwritten', 'stale on the page', 'outbox', 'conflicts, held', 'HMR updates'],
  [['at the end', whole(model.size * SIZE.keys), lost, stale, waiting, undecided, whole(page.updates())]],
)
const late = samples.slice(Math.floor(samples.length / 3))
const growth = (kind, by) => slopeOf(late.map((one) => [one[by], one[kind] / 2 ** 20]))
printTable(
  'Memory of the dev server, MB, after a collection; the slopes are those of the last two thirds',
  ['', 'first', 'last', 'most', 'a minute', 'per 1,000 edits'],
  ['heap', 'rss'].map((kind) => [
    kind,
    megabytes(samples[0][kind]),
    megabytes(samples.at(-1)[kind]),
    megabytes(Math.max(...samples.map((one) => one[kind]))),
    (growth(kind, 'ms') * 60_000).toFixed(2),
    (growth(kind, 'edits') * 1_000).toFixed(2),
  ]),
)
printTable(
  'Held by the process',
  ['', 'descriptors', 'handles and timers'],
  [
    ['before the server', before.descriptors, describe(before.resources)],
    ['while it ran', last.descriptors, describe(last.resources)],
    ['after close()', after.descriptors, describe(after.resources)],
  ],
)
if (left.length > 0) problems.push(`after close() there are more of: ${left.join(', ')}`)
if (after.descriptors > before.descriptors) problems.push('after close() more descriptors are open')
if (lost > 0) problems.push(`${lost} texts are not what was written last`)
if (stale > 0) problems.push(`${stale} modules show something else`)
if (page.reloads() > 0) problems.push(`the page was told to reload ${page.reloads()} times`)
for (const error of page.failures) problems.push(`the page: ${error.message}`)
if (waiting + undecided > 0) problems.push('something waits that was to be sent')
if (!smoke && growth('heap', 'edits') * 1_000 > MOST_GROWTH_MB) problems.push('the heap grows with the edits')
for (const problem of problems) console.error(`FAILED: ${problem}`)
if (problems.length > 0) console.error(server.errors().split('\n').slice(-20).join('\n'))
process.exit(problems.length === 0 ? 0 : 1)

async function editOnce() {
  const dice = random()
  if (dice < 0.25) return editRemotely()
  const kind =
    dice < 0.5 ? 'plain' : dice < 0.7 ? 'rename' : dice < 0.8 ? 'half-typed' : dice < 0.9 ? 'twice' : 'gone and back'
  // Where the service's texts are written too, a save must not be one of what was read before: renamed in the same
  // moment.
  const namespace = kind === 'rename' ? pick([...ofFiles, ...ofBoth, ...ofBoth]) : pick(ofFiles)
  const file = `${pick(worked)}/${namespace}`
  counts[kind]++
  edits++
  edited.add(file)
  const path = pathOf(file)
  const next = () => {
    const messages = { ...model.get(file), [keyOf(file, 0)]: `edit ${++serial} here` }
    model.set(file, messages)
    return messages
  }
  if (kind === 'rename') {
    const [key, text] = [keyOf(file, 0), `edit ${++serial} here`]
    model.get(file)[key] = text
    for (let before = ''; before !== readFileSync(path, 'utf8'); ) {
      before = readFileSync(path, 'utf8')
      writeFileSync(`${path}.tmp`, textOf({ ...JSON.parse(before), [key]: text }))
    }
    renameSync(`${path}.tmp`, path)
  } else if (kind === 'half-typed') {
    const content = textOf(next())
    writeFileSync(path, content.slice(0, Math.floor(random() * (content.length - 3))))
    await sleep(random() * 300)
    writeFileSync(path, content)
  } else if (kind === 'gone and back') {
    rmSync(path)
    await sleep(random() * 300)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, textOf(next()))
  } else {
    writeFileSync(path, textOf(next()))
    if (kind === 'twice') writeFileSync(path, textOf(next()))
  }
}

async function editRemotely() {
  const file = `${pick(worked)}/${pick([...ofService, ...ofBoth])}`
  const key = keyOf(file, 1)
  const text = `edit ${++serial} there`
  const [language, namespace] = split(file)
  counts.remote++
  edits++
  editedRemotely.add(file)
  model.get(file)[key] = text
  await call(`${service.baseUrl}/api/v2/translations`, {
    method: 'PATCH',
    headers,
    body: { key, namespace, language, text },
  })
}

/** Local edits take the even keys, the service's the odd ones. */
function keyOf(file, odd) {
  const keys = Object.keys(model.get(file))
  return keys[Math.floor((random() * keys.length) / 2) * 2 + odd]
}

/** What was saved is on the service, what changed there is in the files. */
async function settled() {
  for (const file of edited) {
    await until(`${file} on the service`, async () => isDeepStrictEqual(await readPart(file), sorted(model.get(file))))
  }
  for (const file of editedRemotely) {
    await until(`${file} on the disk`, () => isDeepStrictEqual(sorted(readFile(file)), sorted(model.get(file))))
  }
  edited = new Set()
  editedRemotely = new Set()
}

/** There, a few edits on that branch, and back: its texts never leave, the edits do. */
async function switchBranches() {
  counts.branch++
  git('checkout', '--quiet', 'side')
  await until('the branch is held', () => journal().undecided.size === branches.texts)
  for (let i = 0; i < ROUND / 8; i++) await editOnce()
  await settled()
  git('checkout', '--quiet', 'main')
  await until('nothing is held any more', () => journal().undecided.size === 0)
}

function makeBranches() {
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'gc.auto', '0')
  git('add', '--all')
  git('commit', '--quiet', '--message=main')
  git('checkout', '--quiet', '-b', 'side')
  let texts = 0
  for (const namespace of ofBranches) {
    const file = `en/${namespace}`
    const messages = { ...model.get(file) }
    for (const key of Object.keys(messages).slice(0, 20)) {
      messages[key] = `on side: ${++texts}`
    }
    writeFileSync(pathOf(file), textOf(messages))
  }
  git('commit', '--quiet', '--all', '--message=side')
  git('checkout', '--quiet', 'main')
  return { texts }
}

function git(...args) {
  execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd: root })
}

async function until(what, check) {
  const limit = performance.now() + LIMIT_MS
  while (!(await check())) {
    if (performance.now() > limit) {
      console.error(`FAILED: this never came: ${what}\n${server.errors().split('\n').slice(-20).join('\n')}`)
      process.exit(1)
    }
    await sleep(50)
  }
}

function split(file) {
  const at = file.indexOf('/')
  return [file.slice(0, at), file.slice(at + 1)]
}

async function readPart(file) {
  const [language, namespace] = split(file)
  const query = `size=500&language=${language}&namespace=${encodeURIComponent(namespace)}`
  const { data } = await call(`${service.baseUrl}/api/v2/translations?${query}`, { headers })
  return sorted(Object.fromEntries(data.map(({ key, text }) => [key, text])))
}

async function readService() {
  const found = new Map()
  for (const language of languages) {
    for (let number = 0; ; number++) {
      const query = `size=500&page=${number}&language=${language}`
      const { data } = await call(`${service.baseUrl}/api/v2/translations?${query}`, { headers })
      for (const { namespace, key, text } of data) {
        const file = `${language}/${namespace}`
        if (!found.has(file)) found.set(file, {})
        found.get(file)[key] = text
      }
      if (data.length < 500) break
    }
  }
  return found
}

function readFile(file) {
  try {
    return JSON.parse(readFileSync(pathOf(file), 'utf8'))
  } catch {
    return {}
  }
}

function sorted(messages) {
  return Object.fromEntries(Object.entries(messages).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What the journal of sync says: ids of texts that both sides have, that wait to be sent, and that a person decides. */
function journal() {
  const said = { equal: new Set(), queued: new Set(), undecided: new Set() }
  for (const line of journalLines()) {
    const [what, id, value] = JSON.parse(line.slice(line.indexOf(' ') + 1))
    const put = (ids, isIn) => (isIn ? ids.add(id) : ids.delete(id))
    if (what === 'base') {
      put(said.equal, typeof value === 'string')
      put(said.undecided, value?.met !== undefined)
    } else if (what === 'held') put(said.undecided, value !== undefined)
    else if (what === 'outbox') put(said.queued, value !== undefined)
  }
  return said
}

function journalLines() {
  try {
    const folder = join(root, '.localization/sync')
    return readFileSync(join(folder, readdirSync(folder)[0], 'journal.jsonl'), 'utf8')
      .split('\n')
      .slice(1, -1)
  } catch {
    return []
  }
}

function describe(resources) {
  return Object.entries(resources)
    .sort()
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
}
