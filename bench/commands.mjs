/**
 * The commands that move whole projects, on the local service: `node bench/commands.mjs [--rounds 3] [--cli FILE ...]
 * [--only TEXT] [--profile FOLDER] [--smoke]`. Several builds (`dist/cli.js` of this and of other checkouts) take
 * turns, each in a project of its own on one service.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { languageNames, SIZES, textCount, writeLocales } from './lib/catalog.mjs'
import {
  cpuSeconds,
  forgetPeak,
  megabytes,
  peakMemory,
  printMachine,
  printTable,
  ratio,
  readArguments,
  seconds,
} from './lib/print.mjs'
import { putAside, removeFolder, startChild, tempFolder } from './lib/processes.mjs'
import { call, createProject } from './lib/service-calls.mjs'
import { median } from './lib/stats.mjs'
import { download } from './lib/transfers.mjs'

const OWN_CLI = join(import.meta.dirname, '../dist/cli.js')
const { smoke, cli, rounds, only, profile } = readArguments({
  cli: { type: 'string', multiple: true, default: [OWN_CLI] },
  rounds: { type: 'string', default: '3' },
  only: { type: 'string', default: '' },
  profile: { type: 'string' },
})
const SIZE = smoke ? SIZES.tiny : SIZES.M
const ROUNDS = smoke ? 1 : Number(rounds)
const PAGE = 500
/** Runs at the exit of the command's process. */
const AT_EXIT = `data:text/javascript,process.on('exit',()=>{const u=process.resourceUsage();process.stderr.write(
  '\\nusage '+JSON.stringify({cpu:(u.userCPUTime+u.systemCPUTime)/1e3,peak:u.maxRSS*1024})+'\\n')})`.replaceAll(
  '\n',
  '',
)
/** Import in files, one language and namespace each. */
const IMPORT = '/api/v2/import?uploadFormat=single-language-json&importOptions=REPLACE_TRANSLATION_IF_FOUND'

printMachine()
const dataDir = tempFolder()
const nodeArguments = profile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(profile, 'service')}`] : []
const service = await startChild('./service-host.mjs', { dataDir }, { nodeArguments })
const bare = await startChild('./bare-server.mjs', {})
const catalog = tempFolder()
writeLocales(catalog, SIZE)
const files = readdirSync(join(catalog, 'locales'), { recursive: true })
  .filter((name) => name.endsWith('.json'))
  .map((name) => join('locales', name))
const bodies = files.map((file) => readFileSync(join(catalog, file)))

/** What was measured, by step and then by build. */
const found = new Map()
for (let round = 0; round < ROUNDS; round++) {
  await measureFloors()
  for (const build of cli) await measureCommands(build)
}
print()
process.exit()

async function measureCommands(build) {
  const run = (what, { root, headers }, args) => measureCommand(what, build, root, headers, args)
  const imported = await newProject(true)
  await run('import of all files', imported, ['import', '--quiet', ...files])
  removeFolder(imported.root)

  const one = await newProject(true)
  await run('push of everything', one, ['push', '--quiet', '--create-languages'])
  await run('push, nothing changed', one, ['push', '--quiet'])
  await run('diff, nothing changed', one, ['diff', '--quiet'])
  edit(one.root, 1, 'one text edited')
  await run('push, one text changed', one, ['push', '--quiet'])
  edit(one.root, 10, 'edited')
  await run('diff, 10 % changed', one, ['diff', '--quiet'])
  await run('push, 10 % changed', one, ['push', '--quiet'])
  // A folder without base and files.
  putAside(join(one.root, 'locales'), join(one.root, '.localization'))
  await run('pull into an empty folder', one, ['pull', '--quiet'])
  await run('pull, nothing changed', one, ['pull', '--quiet'])
  const checkout = tempFolder()
  cpSync(join(one.root, 'locales'), join(checkout, 'locales'), { recursive: true })
  edit(checkout, 10, 'translated')
  for (const file of files) await upload(service.baseUrl, one.headers, file, readFileSync(join(checkout, file)))
  await run('pull, 10 % changed', one, ['pull', '--quiet'])
  removeFolder(checkout)
  removeFolder(one.root)
}

/** The requests alone, without this package's client: plain fetch, the answers parsed as JSON. */
async function measureFloors() {
  const project = await newProject(false)
  const uploads = (baseUrl) => async () => {
    for (const [i, file] of files.entries()) await upload(baseUrl, project.headers, file, bodies[i])
  }
  await tell({ status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') })
  await measureHere('uploads to a bare server', bare, uploads(bare.baseUrl))
  await measureHere('uploads to the import endpoint', service, uploads(service.baseUrl))
  const pages = []
  const query = async () => {
    for (let page = 0; page * PAGE < textCount(SIZE); page++) {
      const address = `${service.baseUrl}/api/v2/translations?page=${page}&size=${PAGE}`
      pages.push(await call(address, { headers: project.headers }))
    }
  }
  await measureHere('query, page after page', service, query)
  const body = Buffer.from(JSON.stringify(pages[0]))
  await tell({ status: 200, headers: { 'content-type': 'application/json' }, body })
  await measureHere('as many pages from a bare server', bare, async () => {
    for (let page = 0; page < pages.length; page++) await call(bare.baseUrl)
  })
  await measureHere('export v4 and its downloads', service, async () => {
    const form = 'downloadFormat=single-language-json&downloadOptions=SPLIT_BY_NAMESPACES'
    const split = `${form}&downloadOptions=SPLIT_BY_LANGUAGES`
    const { data } = await call(`${service.baseUrl}/api/v4/export?${split}`, { headers: project.headers })
    for (const { url } of data.files) JSON.parse(String(await download(url)))
  })
  removeFolder(project.root)
}

async function newProject(withFiles) {
  const root = tempFolder()
  const project = await createProject(service)
  for (const name of languageNames(SIZE.languages).slice(1)) {
    await call(`${service.baseUrl}/api/v2/import?uploadFormat=single-language-json&languageKey=${name}`, {
      method: 'POST',
      headers: project.headers,
      body: formOf('{}'),
    })
  }
  writeFileSync(join(root, 'package.json'), '{}')
  if (withFiles) cpSync(join(catalog, 'locales'), join(root, 'locales'), { recursive: true })
  return { root, ...project }
}

/** Changes every n-th text of each file (10), or one text of the first file (1). */
function edit(root, percent, suffix) {
  for (const file of percent === 1 ? files.slice(0, 1) : files) {
    const path = join(root, file)
    const texts = Object.entries(JSON.parse(readFileSync(path, 'utf8')))
    const changed = texts.map(([key, text], i) => {
      const isChanged = percent === 1 ? i === 0 : i % 10 === 0
      return [key, isChanged ? `${text}, ${suffix}` : text]
    })
    writeFileSync(path, `${JSON.stringify(Object.fromEntries(changed), null, 2)}\n`)
  }
}

function formOf(text) {
  const body = new FormData()
  body.set('file', new Blob([text]), 'texts.json')
  return body
}

function upload(baseUrl, headers, file, text) {
  const [language, ...rest] = relative('locales', file).split(/[/\\]/)
  const namespace = encodeURIComponent(rest.join('/').replace(/\.json$/, ''))
  const address = `${baseUrl}${IMPORT}&languageKey=${language}&namespace=${namespace}`
  return call(address, { method: 'POST', headers, body: formOf(text) })
}

async function measureCommand(what, build, root, headers, args) {
  // The later steps need the project that the first push fills.
  if (!what.includes(only) && !args.includes('--create-languages') && !what.startsWith('pull into')) return
  const name = what.replaceAll(/\W+/g, '-')
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${join(resolve(profile), name)}`] : []
  const node = [...profiling, '--import', AT_EXIT, resolve(build), ...args]
  const env = {
    PATH: process.env.PATH,
    LOCALIZATION_BASE_URL: service.baseUrl,
    LOCALIZATION_API_KEY: headers['X-Service-Token'],
  }
  if (profile) mkdirSync(join(resolve(profile), name), { recursive: true })
  await measure(what, build, service, async () => {
    const said = await new Promise((done, fail) => {
      const options = { cwd: root, env, maxBuffer: 2 ** 28 }
      execFile(process.execPath, node, options, (error, _out, err) => (error ? fail(new Error(err)) : done(err)))
    })
    return JSON.parse(/^usage (.*)$/m.exec(said)[1])
  })
}

function measureHere(what, server, work) {
  return measure(what, 'floor', server, async () => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return { cpu: (user + system) / 1e3, peak: undefined }
  })
}

async function measure(what, build, server, work) {
  forgetPeak(server.pid)
  const [cpuBefore, startedAt] = [cpuSeconds(server.pid), performance.now()]
  const { cpu, peak } = await work()
  const ms = performance.now() - startedAt
  const serverCpu = (cpuSeconds(server.pid) - cpuBefore) * 1000
  const builds = found.get(what) ?? new Map()
  found.set(what, builds)
  builds.set(build, [...(builds.get(build) ?? []), { ms, cpu, serverCpu, peak, serverPeak: peakMemory(server.pid) }])
}

function tell(answer) {
  return new Promise((done) => {
    bare.child.once('message', done)
    bare.child.send(answer)
  })
}

function print() {
  const rows = []
  for (const [what, builds] of found) {
    const middle = (build, name) => median(builds.get(build).map((run) => run[name]))
    const last = cli.at(-1)
    for (const build of builds.keys()) {
      const cpu = middle(build, 'cpu')
      rows.push([
        what,
        build === 'floor' ? '-' : cli.indexOf(build) + 1,
        seconds(middle(build, 'ms')),
        seconds(cpu),
        seconds(middle(build, 'serverCpu')),
        megabytes(builds.get(build)[0].peak === undefined ? undefined : middle(build, 'peak')),
        megabytes(middle(build, 'serverPeak')),
        build === 'floor' ? '-' : ratio(cpu, middle(last, 'cpu')),
      ])
    }
  }
  for (const [i, build] of cli.entries()) console.log(`build ${i + 1}: ${build}`)
  printTable(
    `${textCount(SIZE).toLocaleString('en')} texts in ${files.length} files, medians of ${ROUNDS}`,
    ['what', 'build', 'seconds', 'CPU s', 'service CPU s', 'peak MB', 'service peak MB', 'CPU / last build'],
    rows,
  )
}
