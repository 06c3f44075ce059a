/**
 * Commands beside a running dev server, which keeps the base: what they append to it counts before the server has read
 * anything.
 */
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/api/client.ts'
import { textId } from '../../src/catalog/text-id.ts'
import { BaseStore } from '../../src/sync/base.ts'
import { Journal } from '../../src/sync/journal.ts'
import { askToRefresh } from '../../src/sync/lock.ts'
import type { SyncClient } from '../../src/sync/remote.ts'
import { syncFolder } from '../../src/sync/state-file.ts'
import { createApp, serviceHas, startDevProcess } from '../helpers/dev-process.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { command } from '../helpers/hostile-build.ts'
import { type Project, startProject } from '../helpers/project.ts'
import { configOf, startEngine } from '../helpers/sync.ts'
import { readJson, save, tempFolder, writeTree } from '../helpers/temp.ts'

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const untilAsync = (check: () => Promise<unknown>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })
const FILE = 'locales/en/common.json'
const idOf = (key: string) => textId({ language: 'en', namespace: 'common', key })
type Found = Readonly<Record<string, readonly [before: string | undefined, text: string | undefined]>>
const fail = (problem: unknown) => expect(problem).toBeUndefined()

/**
 * A client whose readings of everything, or look-ups, or PATCHes wait behind a gate; they have asked the service by
 * then.
 */
function gatedClient(service: Project) {
  const gates = { reading: Promise.resolve(), lookUp: Promise.resolve(), set: Promise.resolve() }
  const waiting = { reading: 0, lookUp: 0, set: 0 }
  const client = createClient({ proxy: false, baseUrl: service.baseUrl, apiKey: service.apiKey })
  const pass = async (gate: keyof typeof gates) => {
    waiting[gate]++
    await gates[gate]
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
        if (query?.namespace !== undefined) await pass('lookUp')
        return page
      },
      async set(...given) {
        await pass('set')
        return client.translations.set(...given)
      },
      async *queryAll(query, options) {
        const rows = []
        for await (const row of client.translations.queryAll(query, options)) rows.push(row)
        await pass('reading')
        yield* rows
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
  const folder = syncFolder(configOf(root, service))
  /** What a command writes before it asks the server to refresh. */
  const append = async (found: Found) => {
    const path = join(folder, 'base.jsonl')
    const format = { path, format: 'localization-base', version: 1, snapshot: () => [] }
    const journal = new Journal({ ...format, access: 'append', onTrouble: fail })
    await journal.load(() => {})
    await journal.append(
      Object.entries(found).map(([key, [before, text]]) => [idOf(key), text ?? null, before ?? null]),
    )
    await journal.close()
  }
  return {
    ...started,
    ...client,
    root,
    service,
    folder,
    append,
    async handOver(found: Found) {
      await append(found)
      expect(await askToRefresh(root)).toEqual({ pid: process.pid })
    },
    /** Resolves when the server has taken in what was handed over: it has this text of the service. */
    taken: (key: string, text: string) =>
      until(() => expect(started.engine.serviceText({ language: 'en', namespace: 'common', key }).text).toBe(text)),
    /** The base on the disk, as a command would read it now. */
    async base() {
      const base = new BaseStore({ folder, access: 'read', onProblem: fail, onTrouble: fail })
      await base.load()
      return Object.fromEntries([...base.ids()].map((id) => [(JSON.parse(id) as string[])[2], base.get(id)]))
    },
  }
}

test('pulled: it is the base on the disk when the command ends, before any reading', async () => {
  const { root, service, engine, lines, shut, handOver, base } = await start({ title: 'old', bye: 'Bye' })
  const open = shut('reading')
  await service.setText('en', 'common', 'title', 'new')
  await save(join(root, FILE), { title: 'new', bye: 'Bye' })
  await handOver({ title: ['old', 'new'] })
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
  await handOver({ title: ['old', 'new'] })
  await untilAsync(async () => expect(await service.texts('en')).toEqual({ title: 'mine' }))
  await until(() => expect(engine.status()).toMatchObject({ conflicts: [], holds: [], outbox: [] }))
  expect(await readJson(root, FILE)).toEqual({ title: 'mine' })
  expect(service.count('PATCH')).toBe(1)
  expect(lines.filter((line) => /held/.test(line))).toEqual([])
})

test('pulled and put back before the server looked: it is held, not overwritten and not sent unasked', async () => {
  const { root, service, engine, handOver, base } = await start({ title: 'old' }, true)
  await service.setText('en', 'common', 'title', 'new')
  await handOver({ title: ['old', 'new'] })
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
  await handOver({ title: ['old', 'mine'] })
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
  await handOver({ title: ['old', 'first'] })
  await taken('title', 'first')
  openLookUps()
  await untilAsync(async () => expect(await service.texts('en')).toEqual({ title: 'second' }))
  await until(() => expect(engine.status()).toMatchObject({ conflicts: [], holds: [], outbox: [] }))
  expect(service.count('PATCH')).toBe(1)
  expect(lines.filter((line) => /conflict/.test(line))).toEqual([])
})

test('what a command has just appended is taken in before a conflict is reported', async () => {
  const { root, service, engine, lines, waiting, shut, append } = await start({ title: 'old' })
  const open = shut('lookUp')
  await service.edit('title', 'en', 'new')
  await save(join(root, FILE), { title: 'mine' })
  await until(() => expect(waiting.lookUp).toBe(1))
  // The command has seen both texts. It has not asked the server to look.
  await append({ title: ['old', 'new'] })
  open()
  await untilAsync(async () => expect(await service.texts('en')).toEqual({ title: 'mine' }))
  await until(() => expect(engine.status()).toMatchObject({ conflicts: [], holds: [], outbox: [] }))
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
  await handOver({ title: ['old', 'mine'] })
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

test('a text that is being sent is not taken in', async () => {
  const { root, service, engine, waiting, shut, handOver, base } = await start({ title: 'old' })
  const open = shut('set')
  await save(join(root, FILE), { title: 'mine' })
  await until(() => expect(waiting.set).toBe(1))
  const readings = waiting.reading
  await handOver({ title: ['old', 'theirs'] })
  await until(() => expect(waiting.reading).toBe(readings + 1))
  expect(engine.serviceText({ language: 'en', namespace: 'common', key: 'title' }).text).toBe('old')
  open()
  await untilAsync(async () => expect(await base()).toEqual({ title: 'mine' }))
  expect(await service.texts('en')).toEqual({ title: 'mine' })
  expect(engine.status().outbox).toEqual([])
})

test('deleted on both sides: a text that comes anew is not one that was deleted here', async () => {
  const { root, service, engine, shut, handOver, base } = await start({ title: 'old', bye: 'Bye' })
  const open = shut('reading')
  await service.deleteKey('common', 'title')
  await save(join(root, FILE), { bye: 'Bye' })
  await handOver({ title: ['old', undefined] })
  expect(await base()).toEqual({ bye: 'Bye' })
  await service.setText('en', 'common', 'title', 'again')
  open()
  await untilAsync(async () => {
    await engine.refresh()
    expect(engine.serviceCatalog().messages('en', 'common')?.get('title')).toBe('again')
  })
  expect(engine.status()).toMatchObject({ conflicts: [], holds: [], outbox: [] })
})

test('a command that knows less than the server by now changes nothing', async () => {
  const { engine, handOver, base } = await start({ title: 'old' })
  await handOver({ title: ['older', 'other'], fresh: ['once', 'again'] })
  await engine.refresh()
  expect(engine.status()).toMatchObject({ conflicts: [], holds: [], outbox: [] })
  expect(await base()).toEqual({ title: 'old' })
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
  expect(server.lines().filter((line) => /conflict over/.test(line) && !/their/.test(line))).toEqual([])
  await server.kill()
})
