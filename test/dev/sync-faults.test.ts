/** Sync against real trouble: killed processes, a service that limits and fails, branch switches, a second server, a disk that refuses. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/api/client.ts'
import { createTestClock } from '../helpers/api-client.ts'
import { startEngine, startService, type TestService } from '../helpers/sync.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const FILE = 'locales/en/common.json'
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const untilAsync = (check: () => Promise<unknown>) => vi.waitFor(check, { timeout: 60_000, interval: 100 })

function makeTexts(count: number, text: (i: number) => string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, text(i)]))
}

/** Puts texts on the service as one import: the test's own requests would fill the counts. */
async function fill(service: TestService, texts: object, language = 'en', namespace = 'common') {
  const client = createClient({ baseUrl: service.baseUrl, apiKey: service.project.apiKey, proxy: false })
  await client.imports.upload({
    uploadFormat: 'single-language-json',
    languageKey: language,
    namespace,
    file: Buffer.from(JSON.stringify(texts)),
  })
  await client.close()
}

async function startChild(root: string, service: TestService): Promise<ChildProcess> {
  const script = resolve(import.meta.dirname, '../helpers/sync-child.ts')
  const child = spawn(
    process.execPath,
    ['--import', 'jiti/register', script, root, service.baseUrl, service.project.apiKey],
    { cwd: resolve(import.meta.dirname, '../..'), stdio: ['ignore', 'pipe', 'pipe'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  await new Promise<void>((ready, reject) => {
    child.stdout?.on('data', (chunk) => String(chunk).includes('ready writer') && ready())
    child.once('exit', () => reject(new Error(`the child ended: ${output}`)))
  })
  return child
}

test('kill -9 in mid-push, ten times: everything saved arrives, once', async () => {
  const root = await tempFolder()
  const service = await startService({ faults: [{ method: 'PATCH', delayMs: 5 }] })
  const perRound = 40
  let texts = makeTexts(perRound, (i) => `Text ${i}`)
  await fill(service, texts)
  await writeTree(root, { [FILE]: texts })
  for (let round = 1; round <= 10; round++) {
    const child = await startChild(root, service)
    await until(() => expect(service.count('PATCH')).toBeGreaterThanOrEqual((round - 1) * perRound))
    texts = makeTexts(perRound, (i) => `Text ${i}, round ${round}`)
    await writeTree(root, { [FILE]: texts })
    await until(() => expect(service.count('PATCH')).toBeGreaterThan((round - 1) * perRound + round * 3))
    const exit = new Promise((gone) => child.once('exit', gone))
    child.kill('SIGKILL')
    await exit
    const next = await startChild(root, service)
    await untilAsync(async () => expect(await service.texts('en')).toEqual(texts))
    next.kill('SIGKILL')
  }
  expect(service.count('PATCH')).toBe(10 * perRound)
})

test('a limit of 60 requests a minute: everything arrives, little is asked in vain', async () => {
  const root = await tempFolder()
  const clock = createTestClock()
  const service = await startService({ rateLimit: 60, now: () => clock.wallNow() })
  const texts = makeTexts(90, (i) => `Text ${i}`)
  await fill(service, texts)
  await writeTree(root, { [FILE]: texts })
  const { apiKey } = service.project
  const { engine } = await startEngine({
    root,
    service,
    openClient: () => createClient({ baseUrl: service.baseUrl, apiKey, proxy: false, clock }),
  })
  await engine.refresh()
  const edited = makeTexts(90, (i) => `Text ${i}, edited`)
  await writeTree(root, { [FILE]: edited })
  await until(() => expect(service.count('PATCH')).toBeGreaterThan(0))
  await until(() => expect(engine.status().outbox).toEqual([]))
  expect(service.count('PATCH')).toBeLessThan(90 * 1.4)
  expect(clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(25_000)
  await clock.sleep(600_000, new AbortController().signal)
  expect(await service.texts('en')).toEqual(edited)
})

test('a service that fails half of the time: everything arrives, the last text of each', async () => {
  const root = await tempFolder()
  const failing = Array.from({ length: 200 }, () => ({ method: 'PATCH', after: 1, times: 1, status: 500 }))
  const service = await startService({ faults: failing })
  const texts = makeTexts(60, (i) => `Text ${i}`)
  await fill(service, texts)
  await writeTree(root, { [FILE]: texts })
  const { apiKey } = service.project
  const { engine } = await startEngine({
    root,
    service,
    openClient: () =>
      createClient({ baseUrl: service.baseUrl, apiKey, proxy: false, retries: 1, clock: createTestClock() }),
  })
  await engine.refresh()
  for (const edit of ['one', 'two']) {
    await writeTree(root, { [FILE]: makeTexts(60, (i) => `Text ${i} ${edit}`) })
    await engine.rescan()
  }
  await until(() => expect(engine.status().outbox).toEqual([]))
  expect(await service.texts('en')).toEqual(makeTexts(60, (i) => `Text ${i} two`))
  expect(engine.status()).toMatchObject({ conflicts: [], holds: [] })
})

test('a branch switch with 500 other texts: the page follows, nothing is pushed, one line says why', async () => {
  const root = await tempFolder()
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd: root })
  const files = (branch: string) =>
    Object.fromEntries(
      Array.from({ length: 5 }, (_, n) => [`locales/en/part${n}.json`, makeTexts(100, (i) => `${branch} ${n} ${i}`)]),
    )
  await writeFile(join(root, '.gitignore'), '.localization\n')
  await git('init', '-b', 'main')
  await writeTree(root, files('main'))
  await git('add', '.')
  await git('commit', '-m', 'main')
  await git('checkout', '-b', 'other')
  await writeTree(root, files('other'))
  await git('commit', '-am', 'other')
  await git('checkout', 'main')
  const service = await startService()
  for (const [name, texts] of Object.entries(files('main'))) {
    await fill(service, texts, 'en', name.slice('locales/en/'.length, -'.json'.length))
  }
  const { engine, lines, updates } = await startEngine({ root, service })
  await engine.refresh()
  expect(engine.status()).toMatchObject({ conflicts: [], holds: [] })
  await git('checkout', 'other')
  await until(() => expect(engine.status().holds).toHaveLength(500))
  await engine.push()
  expect(engine.localCatalog().messages('en', 'part4')?.get('key99')).toBe('other 4 99')
  expect(new Set(updates.flatMap(({ parts }) => parts.map(({ namespace }) => namespace))).size).toBe(5)
  await until(() => expect(lines.filter((line) => line.includes('held'))).toHaveLength(1))
  expect(lines.find((line) => line.includes('held'))).toMatch(/500 texts .*localization push/)
  // An edit on the other branch is an edit.
  await writeTree(root, { 'locales/en/part0.json': { ...files('other')['locales/en/part0.json'], key0: 'Edited' } })
  await untilAsync(async () => expect((await service.texts('en', 'part0')).key0).toBe('Edited'))
  expect(service.count('PATCH')).toBe(1)
  // Back again, what was held is as it was agreed.
  await rm(join(root, 'locales/en/part0.json'))
  await git('checkout', '-f', 'main')
  await until(() => expect(engine.status().holds.map(({ ref }) => ref.key)).toEqual(['key0']))
  expect(service.count('PATCH')).toBe(1)
})

test('a second server reads only, says whose process syncs, and takes over when that ends', async () => {
  const root = await tempFolder()
  const service = await startService()
  await fill(service, { title: 'Hello' })
  await writeTree(root, { [FILE]: { title: 'Hello' } })
  const first = await startEngine({ root, service })
  await first.engine.refresh()
  const second = await startEngine({ root, service })
  expect(second.engine.status()).toMatchObject({ role: 'reader', owner: { pid: process.pid } })
  expect(second.lines.join('\n')).toMatch(new RegExp(`read-only: process ${process.pid} syncs`))
  await writeTree(root, { [FILE]: { title: 'Hello you' } })
  await untilAsync(async () => expect((await service.texts('en')).title).toBe('Hello you'))
  await until(() => expect(second.updates).not.toEqual([]))
  expect(service.count('PATCH')).toBe(1)
  await first.engine.close()
  await until(() => expect(second.engine.status().role).toBe('writer'))
  await second.engine.refresh()
  await writeTree(root, { [FILE]: { title: 'Hello again' } })
  await untilAsync(async () => expect((await service.texts('en')).title).toBe('Hello again'))
  expect(service.count('PATCH')).toBe(2)
  expect(second.engine.status()).toMatchObject({ holds: [], conflicts: [] })
})

test('a disk that takes no outbox: one warning, and edits are sent all the same', async () => {
  const root = await tempFolder()
  const service = await startService()
  await fill(service, { title: 'Hello' })
  await writeTree(root, { [FILE]: { title: 'Hello' }, '.localization': 'a file where the folder would be' })
  const { engine, lines } = await startEngine({ root, service })
  await engine.refresh()
  for (const title of ['one', 'two']) {
    await writeTree(root, { [FILE]: { title } })
    await untilAsync(async () => expect((await service.texts('en')).title).toBe(title))
  }
  expect(lines.filter((line) => line.includes('cannot write to'))).toHaveLength(1)
  expect(await readFile(join(root, '.localization'), 'utf8')).toBe('a file where the folder would be')
})

test('10,000 files: an edit in one of them is found', async () => {
  const root = await tempFolder()
  const tree: Record<string, object> = {}
  for (let i = 0; i < 10_000; i++) tree[`locales/en/part${i % 100}/file${i}.json`] = { title: `Title ${i}` }
  await writeTree(root, tree)
  const { engine, updates } = await startEngine({ root })
  expect(engine.localCatalog().textCount).toBe(10_000)
  await writeTree(root, { 'locales/en/part42/file4242.json': { title: 'Edited' } })
  await until(() =>
    expect(updates.map(({ files }) => files)).toEqual([[join(root, 'locales/en/part42/file4242.json')]]),
  )
})
