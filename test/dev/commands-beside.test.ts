/**
 * Commands beside a running dev server, which stands by meanwhile: what they wrote counts before the server has read
 * anything.
 */
import type { ChildProcess } from 'node:child_process'
import { readFile, rename } from 'node:fs/promises'
import { dirname, join, relative, resolve as resolvePath } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/api/client.ts'
import { textId } from '../../src/catalog/text-id.ts'
import { journalPath } from '../../src/sync/journal.ts'
import { createSyncLock } from '../../src/sync/lock.ts'
import type { SyncClient } from '../../src/sync/remote.ts'
import { SyncStore } from '../../src/sync/store.ts'
import { createApp, serviceHas, startDevProcess } from '../helpers/dev-process.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { command } from '../helpers/hostile-build.ts'
import { startProcess, TYPESCRIPT } from '../helpers/processes.ts'
import { type Project, startProject } from '../helpers/project.ts'
import { configOf, startEngine } from '../helpers/sync.ts'
import { readJson, save, tempFolder, writeTree } from '../helpers/temp.ts'

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const untilAsync = (check: () => Promise<unknown>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })
const FILE = 'locales/en/common.json'
const idOf = (key: string) => textId({ language: 'en', namespace: 'common', key })
type Found = Readonly<Record<string, string | undefined>>
const fail = (problem: unknown) => expect(problem).toBeUndefined()

/**
 * A client whose readings of everything, or look-ups, or PATCHes wait behind a gate; they have asked the service by
 * then.
 */
function gatedClient(service: Project) {
  const gates = { reading: Promise.resolve(), lookUp: Promise.resolve(), set: Promise.resolve() }
  const waiting = { reading: 0, lookUp: 0, set: 0 }
  const client = createClient({ proxy: false, baseUrl: service.baseUrl, apiKey: service.apiKey })
  const pass = async (gate: keyof typeof gates, signal: AbortSignal | undefined) => {
    waiting[gate]++
    await Promise.race([gates[gate], new Promise((resolve) => signal?.addEventListener('abort', resolve))])
    signal?.throwIfAborted()
  }
  const gated: SyncClient = {
    keys: client.keys,
    imports: client.imports,
    // So that every text is looked up before it is sent.
    conditionalWrites: false,
    reserve: client.reserve,
    close: () => client.close(),
    translations: {
      async query(query, options) {
        const page = await client.translations.query(query, options)
        if (query?.namespace !== undefined) await pass('lookUp', options?.signal)
        else if (query?.sortBy === undefined) await pass('reading', options?.signal)
        return page
      },
      async set(request, options) {
        await pass('set', options?.signal)
        return client.translations.set(request, options)
      },
    },
  }
  return {
    gated,
    waiting,
    /** Gives what opens it again. */
    shut(gate: keyof typeof gates) {
      let open = () => {}
      gates[gate] = new Promise<void>((resolve) => {
        open = resolve
      })
      onTestFinished(() => open())
      return open
    },
  }
}

/** A dev server's engine that has compared equal sides, and the end of a command beside it. */
async function start(texts: Readonly<Record<string, string>>, write = false) {
  const root = await tempFolder()
  await writeTree(root, { [FILE]: texts })
  const service = await startProject({ service: true })
  await service.importTexts('en', 'common', texts)
  const client = gatedClient(service)
  const pull = { intervalMs: 3_600_000, write }
  const started = await startEngine({ root, service, options: { pull }, openClient: () => client.gated })
  await started.engine.refresh()
  const config = configOf(root, service)
  const open = async (access: 'own' | 'read') => {
    const store = new SyncStore(config, access, fail)
    await store.load()
    return store
  }
  return {
    ...started,
    ...client,
    root,
    service,
    /** What a command does: it finds that both sides have these texts. `work`: what else, before it ends. */
    async handOver(found: Found, work: () => Promise<unknown> = async () => {}) {
      const lock = createSyncLock(root)
      await lock.borrow(new AbortController().signal, () => {})
      const store = await open('own')
      for (const [key, text] of Object.entries(found)) store.base.meet(idOf(key), { ours: text, theirs: text })
      await work()
      await store.close()
      await lock.release()
    },
    /** Resolves when the server has taken in what was handed over: it has this text of the service. */
    taken: (key: string, text: string) =>
      until(() => expect(started.engine.serviceText({ language: 'en', namespace: 'common', key }).text).toBe(text)),
    /** The base on the disk, as a command would read it now. */
    async base() {
      const { base } = await open('read')
      const texts = Array.from(base.values.keys(), (id) => [(JSON.parse(id) as string[])[2], base.get(id)] as const)
      return Object.fromEntries(texts.filter(([, text]) => text !== undefined))
    },
  }
}

test('pulled: it is the base on the disk when the command ends, before any reading', async () => {
  const { root, service, engine, lines, shut, handOver, base } = await start({ title: 'old', bye: 'Bye' })
  const open = shut('reading')
  await service.setText('en', 'common', 'title', 'new')
  await save(join(root, FILE), { title: 'new', bye: 'Bye' })
  await handOver({ title: 'new' })
  expect(await base()).toEqual({ title: 'new', bye: 'Bye' })
  // The service goes on, and the readings with it.
  await service.setText('en', 'common', 'title', 'newer')
  open()
  await untilAsync(async () => {
    await engine.refresh()
    expect(engine.serviceCatalog().messages('en', 'common')?.get('title')).toBe('newer')
  })
  expect(engine.status()).toMatchObject({ conflicts: [], holds: [], outbox: [] })
  expect(lines.filter((line) => /conflict|held/.test(line))).toEqual([])
  expect(service.count('PATCH')).toBe(0)
})

test('pulled and edited at once: the edit is sent', async () => {
  const { root, service, engine, lines, shut, handOver } = await start({ title: 'old' })
  shut('reading')
  await service.setText('en', 'common', 'title', 'new')
  // The watcher may have seen neither, the first or both by then.
  await save(join(root, FILE), { title: 'new' })
  await save(join(root, FILE), { title: 'mine' })
  await handOver({ title: 'new' })
  await untilAsync(async () => expect(await service.texts('en')).toEqual({ title: 'mine' }))
  await until(() => expect(engine.status()).toMatchObject({ conflicts: [], holds: [], outbox: [] }))
  expect(await readJson(root, FILE)).toEqual({ title: 'mine' })
  expect(service.count('PATCH')).toBe(1)
  expect(lines.filter((line) => /held/.test(line))).toEqual([])
})

test('pulled and put back before the server looked: it is held, not overwritten and not sent unasked', async () => {
  const { root, service, engine, handOver, base } = await start({ title: 'old' }, true)
  await service.setText('en', 'common', 'title', 'new')
  await handOver({ title: 'new' })
  await engine.refresh()
  expect(engine.status().holds.map(({ text }) => text)).toEqual(['old'])
  expect(await readJson(root, FILE)).toEqual({ title: 'old' })
  expect(await base()).toEqual({ title: 'new' })
  expect(service.count('PATCH')).toBe(0)
})

test('pushed by the command while the same edit waits in the outbox', async () => {
  const { root, service, engine, waiting, shut, handOver } = await start({ title: 'old' })
  const [openLookUps] = [shut('lookUp'), shut('reading')]
  await save(join(root, FILE), { title: 'mine' })
  await until(() => expect(waiting.lookUp).toBe(1))
  await service.setText('en', 'common', 'title', 'mine')
  await handOver({ title: 'mine' })
  await until(() => expect(engine.status()).toMatchObject({ conflicts: [], holds: [], outbox: [] }))
  openLookUps()
  await engine.push()
  expect(engine.status()).toMatchObject({ conflicts: [], holds: [], outbox: [] })
  expect(service.count('PATCH')).toBe(0)
})

test('what was looked up before is looked up again', async () => {
  const { root, service, engine, lines, waiting, shut, handOver, taken } = await start({ title: 'old' })
  const [openLookUps] = [shut('lookUp'), shut('reading')]
  await save(join(root, FILE), { title: 'first' })
  await until(() => expect(waiting.lookUp).toBe(1))
  await service.setText('en', 'common', 'title', 'first')
  await save(join(root, FILE), { title: 'second' })
  await handOver({ title: 'first' })
  await taken('title', 'first')
  openLookUps()
  await untilAsync(async () => expect(await service.texts('en')).toEqual({ title: 'second' }))
  await until(() => expect(engine.status()).toMatchObject({ conflicts: [], holds: [], outbox: [] }))
  expect(service.count('PATCH')).toBe(1)
  expect(lines.filter((line) => /conflict/.test(line))).toEqual([])
})

test('a reading that began before does not bring back what was', async () => {
  const { root, service, engine, waiting, shut, handOver, taken } = await start({ title: 'old', bye: 'Bye' }, true)
  const open = shut('reading')
  const before = waiting.reading
  const reading = engine.refresh()
  await until(() => expect(waiting.reading).toBe(before + 1))
  await service.setText('en', 'common', 'title', 'mine')
  await save(join(root, FILE), { title: 'mine', bye: 'Bye' })
  await handOver({ title: 'mine' })
  await taken('title', 'mine')
  open()
  await reading
  expect(await readJson(root, FILE)).toEqual({ title: 'mine', bye: 'Bye' })
  // And another one follows it, which has the rest.
  await service.setText('en', 'common', 'bye', 'So long')
  await engine.refresh()
  await untilAsync(async () => expect(await readJson(root, FILE)).toEqual({ title: 'mine', bye: 'So long' }))
  expect(engine.status()).toMatchObject({ conflicts: [], holds: [], outbox: [] })
})

test('a text that is being sent arrives before the command begins', async () => {
  const { root, service, waiting, shut, handOver, base } = await start({ title: 'old' })
  const open = shut('set')
  await save(join(root, FILE), { title: 'mine' })
  await until(() => expect(waiting.set).toBe(1))
  const handingOver = handOver({}, async () => expect(await service.texts('en')).toEqual({ title: 'mine' }))
  open()
  await handingOver
  expect(await base()).toEqual({ title: 'mine' })
})

test('while a command works, nothing is sent, read or written; then everything follows', async () => {
  const { root, service, engine, waiting, handOver, base } = await start({ title: 'old' }, true)
  const ref = { language: 'en', namespace: 'common', key: 'title' }
  let readings = 0
  const decided = await new Promise<Promise<unknown>>((resolve, reject) => {
    handOver({}, async () => {
      readings = waiting.reading
      await save(join(root, FILE), { title: 'mine' })
      const waits = [
        engine.push(),
        engine.refresh(),
        engine.release(),
        engine.edit([{ ref, text: 'x', expected: 'y' }]),
      ]
      resolve(Promise.all(waits))
      expect(await Promise.race([...waits, new Promise((later) => setTimeout(later, 300, 'waits'))])).toBe('waits')
      expect([waiting.reading, await service.texts('en')]).toEqual([readings, { title: 'old' }])
    }).catch(reject)
  })
  await decided
  await untilAsync(async () => expect(await base()).toEqual({ title: 'mine' }))
  expect(await service.texts('en')).toEqual({ title: 'mine' })
  expect(waiting.reading).toBeGreaterThan(readings)
})

test('the command is killed: the server goes on with what is on the disk', async () => {
  const { root, service, base } = await start({ title: 'old' })
  const child = await holdInChild(root)
  await save(join(root, FILE), { title: 'mine' })
  child.kill('SIGKILL')
  await untilAsync(async () => expect(await base()).toEqual({ title: 'mine' }))
  expect(await service.texts('en')).toEqual({ title: 'mine' })
})

test('the server ends while a command works: the command keeps the folder', async () => {
  const { root, engine, handOver, base } = await start({ title: 'old' })
  await handOver({ title: 'new' }, async () => {
    await engine.close()
    expect(await createSyncLock(root).acquire()).toMatchObject({ pid: process.pid, isCommand: true })
  })
  expect(await base()).toEqual({ title: 'new' })
})

test('a command of a newer release leaves a journal that this one does not know: nothing is synced any more', async () => {
  const { root, service, engine, lines, handOver } = await start({ title: 'old' })
  const text = JSON.stringify({ format: 'localization-sync', version: 9 })
  const content = `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`
  await handOver({}, () =>
    writeTree(root, { [relative(root, join(journalPath(configOf(root, service)), '../new'))]: content }),
  )
  const path = journalPath(configOf(root, service))
  await handOver({}, () => rename(join(dirname(path), 'new'), path))
  await until(() => expect(lines.join('\n')).toMatch(/syncing has stopped: .*version 9/))
  expect(engine.status().role).toBe('watching')
  await save(join(root, FILE), { title: 'mine' })
  await engine.rescan()
  expect([await service.texts('en'), await readFile(path, 'utf8')]).toEqual([{ title: 'old' }, content])
})

test('commands at the same time work one after the other', async () => {
  const { root, service, handOver } = await start({ title: 'old', bye: 'Bye' })
  const order: number[] = []
  const command = (i: number) =>
    handOver({ [`key${i}`]: `${i}` }, async () => {
      order.push(i)
      await new Promise((resolve) => setTimeout(resolve, 20))
      order.push(i)
    })
  await Promise.all([command(0), command(1), command(2)])
  for (const at of [0, 2, 4]) expect(order[at]).toBe(order[at + 1])
  // The texts are on neither side: the server may have noted that already. The lines are there all the same.
  const journal = await readFile(journalPath(configOf(root, service)), 'utf8')
  for (const i of [0, 1, 2]) expect(journal).toContain(JSON.stringify(['base', idOf(`key${i}`), `${i}`]))
})

test('deleted on both sides: a text that comes anew is not one that was deleted here', async () => {
  const { root, service, engine, shut, handOver, base } = await start({ title: 'old', bye: 'Bye' })
  const open = shut('reading')
  await service.deleteKey('common', 'title')
  await save(join(root, FILE), { bye: 'Bye' })
  await handOver({ title: undefined })
  expect(await base()).toEqual({ bye: 'Bye' })
  await service.setText('en', 'common', 'title', 'again')
  open()
  await untilAsync(async () => {
    await engine.refresh()
    expect(engine.serviceCatalog().messages('en', 'common')?.get('title')).toBe('again')
  })
  expect(engine.status()).toMatchObject({ conflicts: [], holds: [], outbox: [] })
})

test('the real command beside a real dev server that cannot read the service', async () => {
  const project = await startProject({ service: { languages: ['pl'] } })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  const texts = (word: string) => ({ 'en/common': { title: `${word} title`, bye: `${word} bye` } })
  await project.fill(texts('old'))
  const root = await createApp(texts('old'), proxy)
  // The command has a way of its own to the service.
  await save(join(root, 'localization.config.json'), { source: 'files', defaultLanguage: 'en' })
  const env = { LOCALIZATION_BASE_URL: proxy.baseUrl }
  const server = await startDevProcess(root, project.apiKey, proxy, { env })
  await save(join(root, 'locales/en/first.json'), { first: 'first' })
  await serviceHas(project, { ...texts('old'), 'en/first': { first: 'first' } })
  await proxy.close()
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(root, project.baseUrl, args, { apiKey: project.apiKey })
    expect({ args, code }, stdout + stderr).toEqual({ args, code: 0 })
  }
  for (const word of ['new', 'newer']) {
    await project.fill(texts(word))
    await run('pull')
    expect(await readJson(root, 'locales/en/common.json')).toEqual(texts(word)['en/common'])
  }
  // Both changed, and a person decides: one for each side.
  await save(join(root, 'locales/en/common.json'), { title: 'my title', bye: 'my bye' })
  await project.fill(texts('their'))
  expect(await command(root, project.baseUrl, ['pull'], { apiKey: project.apiKey })).toMatchObject({ code: 1 })
  await run('resolve', '--ours', 'title')
  await run('resolve', '--theirs', 'bye')
  expect(await readJson(root, 'locales/en/common.json')).toEqual({ title: 'my title', bye: 'their bye' })
  await project.fill(texts('last'))
  await run('pull')
  expect(await readJson(root, 'locales/en/common.json')).toEqual(texts('last')['en/common'])
  expect(server.lines().filter((line) => /conflict in/.test(line) && !/their/.test(line))).toEqual([])
  await server.kill()
})

async function holdInChild(root: string): Promise<ChildProcess> {
  const script = resolvePath(import.meta.dirname, '../helpers/lock-child.ts')
  const { child, firstLine } = startProcess([...TYPESCRIPT, script, root])
  expect(await firstLine).toBe('held')
  return child
}
