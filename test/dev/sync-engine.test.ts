import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import type { TranslationQuery } from '../../src/api/schemas.ts'
import { createCatalog } from '../../src/catalog/model.ts'
import { FileIndex } from '../../src/files/file-index.ts'
import { journalPath, journalStamp } from '../../src/sync/journal.ts'
import { createSyncLock } from '../../src/sync/lock.ts'
import { SyncStore } from '../../src/sync/store.ts'
import { createManualClock } from '../helpers/manual-clock.ts'
import { startProject } from '../helpers/project.ts'
import { clientOf, configOf, startEngine } from '../helpers/sync.ts'
import { readJson, tempFolder, writeTree } from '../helpers/temp.ts'
import { testThoroughly } from '../helpers/test-thoroughly.ts'

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const untilAsync = (check: () => Promise<unknown>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })

const FILE = 'locales/en/common.json'
const TEXTS: Readonly<Record<string, string>> = { title: 'Hello', bye: 'Bye' }

/** A file, and what the service has. */
const bothSides = (inFile = TEXTS, onService = inFile) =>
  startProject({ files: { [FILE]: inFile }, service: { texts: { 'en/common': onService } } })

const save = (root: string, texts: object, name = FILE) => writeTree(root, { [name]: texts })

/** Started, and the first reading has come in. */
async function startSettled(setup: Parameters<typeof startEngine>[0]) {
  const started = await startEngine(setup)
  await started.engine.refresh()
  return started
}

test('an edit reaches the page at once and the service a moment later, as one PATCH', async () => {
  const { root, ...service } = await bothSides()
  const { engine, files, lines } = await startSettled({ root, service })
  await save(root, { title: 'Hello there', bye: 'Bye' })
  await untilAsync(async () => expect(await service.texts('en')).toEqual({ title: 'Hello there', bye: 'Bye' }))
  expect(service.count('PATCH')).toBe(1)
  expect(files().catalog.messages('en', 'common')?.get('title')).toBe('Hello there')
  await until(() => expect(engine.status().outbox).toEqual([]))
  await until(() => expect(lines.join('\n')).toMatch(/pushed 1 text \(en\/common\)/))
})

test('without a watch: the log says so, and scans find edits', async () => {
  const { root, ...service } = await bothSides()
  const clock = createManualClock()
  const { lines } = await startSettled({ root, service, clock, watch: false })
  expect(lines.join('\n')).toContain('the dev server is not watching files; the files are scanned every 30 s')
  await save(root, { title: 'Scanned', bye: 'Bye' })
  const title = async () => {
    clock.advance(1_000)
    return (await service.texts('en')).title
  }
  await expect.poll(title).toBe('Scanned')
})

testThoroughly('more texts than a stack holds: read and compared', async () => {
  const texts = Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`key${i}`, `Text ${i}`]))
  const { root } = await startProject({ files: { [FILE]: texts } })
  const service = { baseUrl: 'http://127.0.0.1:1', apiKey: 'none' }
  const unasked = () => Promise.reject(new Error('not asked for'))
  const rows = Object.entries(texts).map(([key, text]) => ({ key, namespace: 'common', language: 'en', text }))
  const query = async ({ page = 0, size = 100 }: TranslationQuery = {}) => ({
    translations: rows.slice(page * size, (page + 1) * size),
    pageDetails: { totalElements: rows.length, hasNext: (page + 1) * size < rows.length },
  })
  const { engine, files, lines } = await startSettled({
    root,
    service,
    openClient: () => ({
      translations: { set: unasked, query },
      keys: { create: unasked },
      imports: { upload: unasked },
      conditionalWrites: false,
      reserve: unasked,
      close: () => Promise.resolve(),
    }),
  })
  expect(lines).toEqual([])
  expect(engine.status()).toMatchObject({ conflicts: [], holds: [], failure: undefined })
  await rm(join(root, 'locales/en/common.json'))
  await engine.rescan()
  expect(files().catalog.parts).toEqual([])
  expect(lines).toEqual([])
})

test('what changes in a large project comes as often as asked for, though reading everything would take longer', async () => {
  const texts = Object.fromEntries(Array.from({ length: 1_100 }, (_, i) => [`key${i}`, `Text ${i}`]))
  const { root, ...service } = await bothSides(texts)
  const clock = createManualClock()
  const { engine } = await startSettled({ root, service, clock, options: { pull: { intervalMs: 100, write: false } } })
  for (const text of ['first', 'second']) {
    await service.setText('en', 'common', 'key7', text)
    const from = clock.now()
    // Everything takes three requests, and is read at most once in so many seconds.
    const shown = () => {
      if (clock.now() - from < 2_000) clock.advance(100)
      return engine.serviceCatalog().messages('en', 'common')?.get('key7')
    }
    await expect.poll(shown).toBe(text)
  }
})

test('a text that the file could not take is written when it can', async () => {
  const { root, ...service } = await startProject({
    files: { [FILE]: { steps: ['One'] } },
    service: { texts: { 'en/common': { 'steps.0': 'One' } } },
  })
  const options = { pull: { intervalMs: 100, write: true } }
  const { lines } = await startSettled({ root, service, options })
  await service.importTexts('en', 'common', { 'steps.2': 'Three', title: 'Title' })
  await until(() => expect(lines.join('\n')).toContain('cannot be written into the file'))
  await expect.poll(() => readJson(root, FILE), { timeout: 60_000 }).toEqual({ steps: ['One'], title: 'Title' })
  await service.setText('en', 'common', 'steps.1', 'Two')
  const steps = ['One', 'Two', 'Three']
  await expect.poll(() => readJson(root, FILE), { timeout: 60_000 }).toEqual({ steps, title: 'Title' })
  expect(lines.filter((line) => line.includes('cannot be written into the file'))).toHaveLength(1)
})

test('a file whose name the disk keeps decomposed is that of the composed namespace, and keeps its name', async () => {
  const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301']
  const file = `locales/en/${decomposed}.json`
  const { root, ...service } = await startProject({
    files: { [file]: TEXTS },
    service: { texts: { [`en/${composed}`]: TEXTS } },
  })
  const options = { pull: { intervalMs: 100, write: true }, namespaces: [composed] }
  const { engine, lines } = await startSettled({ root, service, options })
  expect(engine.status()).toMatchObject({ conflicts: [], holds: [] })

  await service.setText('en', composed, 'title', 'Welcome')
  await untilAsync(async () => expect(await readJson(root, file)).toEqual({ title: 'Welcome', bye: 'Bye' }))
  await save(root, { title: 'Welcome', bye: 'So long' }, file)
  await untilAsync(async () =>
    expect(await service.texts('en', composed)).toEqual({ title: 'Welcome', bye: 'So long' }),
  )
  const ref = { language: 'en', namespace: composed, key: 'bye' }
  expect(await engine.edit([{ ref, text: undefined, expected: 'So long' }])).toEqual(['written'])
  expect(await readJson(root, file)).toEqual({ title: 'Welcome' })
  // One file, one namespace, nothing made beside them.
  expect(await readdir(join(root, 'locales/en'))).toEqual([`${decomposed}.json`])
  const all = new Set<string>()
  for await (const { namespace } of clientOf(service).translations.queryAll({})) all.add(namespace)
  expect([...all]).toEqual([composed])
  expect(lines.filter((line) => /warning|error/.test(line))).toEqual([])
})

test('a new key in a new namespace and language is created once and set', async () => {
  const { root, ...service } = await bothSides()
  await startSettled({ root, service })
  await save(root, { 'save.now': 'Save' }, 'locales/en/buttons/main.json')
  await save(root, { 'save.now': 'Zapisz' }, 'locales/pl/buttons/main.json')
  await untilAsync(async () => {
    expect(await service.texts('en', 'buttons/main')).toEqual({ 'save.now': 'Save' })
    expect(await service.texts('pl', 'buttons/main')).toEqual({ 'save.now': 'Zapisz' })
  })
  expect(service.count('PATCH')).toBe(2)
  expect(service.count('POST')).toBe(1)
})

test('ten edits of one text while the service is away are one PATCH with the last text', async () => {
  const dataDir = join(await tempFolder(), 'data')
  const { root, ...service } = await startProject({
    files: { [FILE]: TEXTS },
    service: { dataDir, texts: { 'en/common': TEXTS } },
  })
  const { engine, lines } = await startSettled({ root, service, options: { service: { retries: 0 } } })
  const port = Number(new URL(service.baseUrl).port)
  await service.close()
  for (let i = 1; i <= 10; i++) {
    await save(root, { title: `Hello ${i}`, bye: 'Bye' })
    await engine.rescan()
  }
  await until(() => expect(engine.status().failure).toBeDefined())
  expect(engine.status().outbox).toMatchObject([{ text: 'Hello 10' }])
  const back = await startProject({ service: { dataDir, port } })
  await untilAsync(async () => expect((await back.texts('en')).title).toBe('Hello 10'))
  expect(back.count('PATCH')).toBe(1)
  expect(lines.filter((line) => line.includes('retrying automatically'))).toHaveLength(1)
})

test('what a translator changes reaches the page, and with write the file, and nothing goes back', async () => {
  const { root, ...service } = await bothSides()
  const file = join(root, 'locales/en/common.json')
  await writeFile(file, '\uFEFF{\r\n\t"title": "Hello",\r\n\t"bye": "Bye"\r\n}')
  const options = { pull: { intervalMs: 100, write: true } }
  const { engine, shown } = await startSettled({ root, service, options })
  await service.setText('en', 'common', 'title', 'Welcome')
  await untilAsync(async () =>
    expect(await readFile(file, 'utf8')).toBe('\uFEFF{\r\n\t"title": "Welcome",\r\n\t"bye": "Bye"\r\n}'),
  )
  await engine.rescan({ everything: true })
  await engine.push()
  expect(shown[0]).toMatchObject({ language: 'en', namespace: 'common', key: 'title' })
  expect(service.count('PATCH')).toBe(0)
  expect(engine.status()).toMatchObject({ outbox: [], conflicts: [], holds: [] })
})

test('a YAML file: an edit is sent, a pull writes one line, and a file with an error pushes nothing', async () => {
  const text = '# greetings\ntitle: Hello # short\n\nbye: "Bye"\n'
  const { root, ...service } = await startProject({
    files: { 'locales/en/common.yaml': text },
    service: { texts: { 'en/common': TEXTS } },
  })
  const file = join(root, 'locales/en/common.yaml')
  const options = { files: 'locales/{language}/{namespace}.yaml', pull: { intervalMs: 100, write: true } }
  const { engine, files } = await startSettled({ root, service, options })
  await service.setText('en', 'common', 'title', 'Welcome: you')
  const pulled = text.replace('Hello', '"Welcome: you"')
  await untilAsync(async () => expect(await readFile(file, 'utf8')).toBe(pulled))
  await writeFile(file, pulled.replace('"Bye"', '"So long"'))
  await untilAsync(async () => expect((await service.texts('en')).bye).toBe('So long'))
  await writeFile(file, pulled.replace('"Bye"', '&anchor "Never sent"'))
  await engine.rescan({ everything: true })
  await until(() => expect(files().findings[0]?.message).toBe('an anchor (&)'))
  await engine.push()
  expect(files().text({ language: 'en', namespace: 'common', key: 'bye' })).toBe('So long')
  expect((await service.texts('en')).bye).toBe('So long')
})

test('without write the page alone shows the service text', async () => {
  const { root, ...service } = await bothSides()
  const { engine } = await startSettled({ root, service, options: { pull: { intervalMs: 100, write: false } } })
  await service.setText('en', 'common', 'title', 'Welcome')
  await until(() => expect(engine.serviceCatalog().messages('en', 'common')?.get('title')).toBe('Welcome'))
  expect(await readJson(root, 'locales/en/common.json')).toEqual({ title: 'Hello', bye: 'Bye' })
  expect(service.count('PATCH')).toBe(0)
})

test('edited on both sides: nothing is overwritten, and base, ours and theirs are shown', async () => {
  const { root, ...service } = await bothSides()
  const { engine, lines } = await startSettled({ root, service })
  await service.setText('en', 'common', 'title', 'Welcome')
  await save(root, { title: 'Good day', bye: 'Bye' })
  await until(() => expect(engine.status().conflicts).toHaveLength(1))
  expect(engine.status().conflicts[0]).toMatchObject({ base: 'Hello', ours: 'Good day', theirs: 'Welcome' })
  expect((await service.texts('en')).title).toBe('Welcome')
  // What the service was expected to have it had no longer.
  expect(service.count('PATCH')).toBe(1)
  await until(() =>
    expect(lines.join('\n')).toMatch(
      /locales\/en\/common\.json:2:3: conflict in en\/common "title": base "Hello", file "Good day", service "Welcome".*localization resolve/,
    ),
  )
  // Resolved by hand: the file takes over the service's text.
  await save(root, { title: 'Welcome', bye: 'Bye' })
  await until(() => expect(engine.status().conflicts).toEqual([]))
  await save(root, { title: 'Welcome!', bye: 'Bye' })
  await untilAsync(async () => expect((await service.texts('en')).title).toBe('Welcome!'))
})

test('what stood different at the start is held, and released on request', async () => {
  const { root, ...service } = await bothSides({ title: 'Hello', fresh: 'New' }, TEXTS)
  const first = await startSettled({ root, service })
  expect(first.engine.status().holds).toMatchObject([{ ref: { key: 'fresh' }, reason: 'start' }])
  expect(first.lines.join('\n')).toMatch(/held, not pushed: 1 text .*localization push/)
  await first.engine.push()
  expect(service.count('PATCH')).toBe(0)
  expect(await first.engine.release()).toBe(1)
  await untilAsync(async () => expect((await service.texts('en')).fresh).toBe('New'))
  await until(() => expect(first.engine.status().holds).toEqual([]))
})

test('a catalog that was read just now saves the first reading', async () => {
  const { root, ...service } = await bothSides({ title: 'Hello', bye: 'Ciao', fresh: 'New' }, TEXTS)
  const remote = createCatalog({
    parts: [
      { language: 'en', namespace: 'common', messages: Object.entries({ title: 'Hello', bye: 'Bye', more: 'More' }) },
    ],
  })
  service.requests.length = 0
  const { engine, shown } = await startEngine({ root, service, remote: { catalog: remote, stamp: '' } })
  expect(engine.status()).toMatchObject({
    holds: [{ ref: { key: 'fresh' } }],
    conflicts: [{ ref: { key: 'bye' }, base: undefined, ours: 'Ciao', theirs: 'Bye' }],
  })
  expect(service.requests).toEqual([])
  expect(shown).toEqual([])
  // What both sides had is the base, on the disk: the next start needs no service to know an edit.
  await engine.close()
  await save(root, { title: 'Hello!', bye: 'Ciao', fresh: 'New' })
  const again = await startSettled({ root, service })
  expect(again.engine.status().conflicts.map(({ ref }) => ref.key)).toEqual(['bye'])
  expect(
    again.engine
      .status()
      .holds.map(({ ref }) => ref.key)
      .sort(),
  ).toEqual(['fresh', 'title'])
})

test('a catalog that was read before a command sent a newer text is not believed', async () => {
  const { root, ...service } = await bothSides({ title: 'Hello' }, { title: 'Hello' })
  const first = await startSettled({ root, service })
  await first.engine.close()
  const messages = Object.entries({ title: 'Hello' })
  const catalog = createCatalog({ parts: [{ language: 'en', namespace: 'common', messages }] })
  const stamp = await journalStamp(configOf(root, service))
  await save(root, { title: 'Mine' })
  const command = await startSettled({ root, service })
  await command.engine.release()
  await untilAsync(async () => expect(await service.texts('en')).toEqual({ title: 'Mine' }))
  await command.engine.close()
  const { engine } = await startEngine({ root, service, remote: { catalog, stamp } })
  expect(engine.serviceCatalog().textCount).toBe(0)
  await engine.refresh()
  expect([engine.serviceCatalog().textCount, engine.status().conflicts, engine.status().holds]).toEqual([0, [], []])
})

test.each([true, false])(
  'an edit between the first reading of the files and the first of the service is no conflict, texts given: %s',
  async (isGiven) => {
    const { root, ...service } = await bothSides({ title: 'Hello', bye: 'Ciao' }, TEXTS)
    const index = new FileIndex(configOf(root, service))
    const files = { index, seen: await index.scan() }
    files.seen.catalog.messages('en', 'common')
    await save(root, { title: 'Hello there', bye: 'Ciao', fresh: 'New' })
    const messages = Object.entries({ title: 'Hello', bye: 'Bye' })
    const remote = createCatalog({ parts: [{ language: 'en', namespace: 'common', messages }] })
    const { engine } = await startEngine({
      root,
      service,
      files,
      ...(isGiven && { remote: { catalog: remote, stamp: '' } }),
    })
    await untilAsync(async () =>
      expect(await service.texts('en')).toEqual({ title: 'Hello there', bye: 'Bye', fresh: 'New' }),
    )
    await untilAsync(async () => expect(engine.status().conflicts.map(({ ref }) => ref.key)).toEqual(['bye']))
    expect(engine.status().holds).toEqual([])
  },
)

test('a text that is deleted between the first reading of the files and the start is no new text of the service', async () => {
  const { root, ...service } = await bothSides({ title: 'Hello', bye: 'Bye' }, TEXTS)
  const index = new FileIndex(configOf(root, service))
  const files = { index, seen: await index.scan() }
  files.seen.catalog.messages('en', 'common')
  await save(root, { title: 'Hello' })
  const messages = Object.entries({ title: 'Hello', bye: 'Bye' })
  const remote = createCatalog({ parts: [{ language: 'en', namespace: 'common', messages }] })
  const { engine } = await startEngine({ root, service, files, remote: { catalog: remote, stamp: '' } })
  expect(engine.status().deletions).toMatchObject([{ ref: { key: 'bye' }, state: 'deleted-here' }])
})

test('a process that takes over sends nothing that it saw before it waited', async () => {
  const { root, ...service } = await bothSides()
  const first = await startSettled({ root, service })
  const index = new FileIndex(configOf(root, service))
  const files = { index, seen: await index.scan() }
  files.seen.catalog.messages('en', 'common')
  await save(root, { title: 'Edited', bye: 'Bye' })
  const second = await startEngine({ root, service, files })
  expect(second.engine.status().role).toBe('reader')
  await save(root, { title: 'Edited again', bye: 'Bye' })
  await untilAsync(async () => expect((await service.texts('en')).title).toBe('Edited again'))
  await until(() => expect(first.engine.status().outbox).toEqual([]))
  const sent = service.count('PATCH')
  await first.engine.close()
  await until(() => expect(second.engine.status().role).toBe('writer'))
  await second.engine.push()
  await second.engine.refresh()
  expect(second.engine.status()).toMatchObject({ outbox: [], conflicts: [], holds: [] })
  expect(service.count('PATCH')).toBe(sent)
  expect(await service.texts('en')).toEqual({ title: 'Edited again', bye: 'Bye' })
})

test('what is held is on the disk for the command line, as long as it is held', async () => {
  const { root, ...service } = await bothSides({ title: 'Good day', bye: 'Bye', fresh: 'New' }, TEXTS)
  const { engine } = await startSettled({ root, service })
  const fail = (problem: unknown) => expect(problem).toBeUndefined()
  const held = async () => {
    const config = configOf(root, service)
    const store = new SyncStore(config, 'read', fail)
    await store.load()
    return [...store.held]
  }
  expect(await held()).toEqual(['["en","common","fresh"]'])
  // Resolved elsewhere: the server looks again after a command.
  await service.setText('en', 'common', 'title', 'Good day')
  const lock = createSyncLock(root)
  await lock.borrow(new AbortController().signal, () => {})
  await lock.release()
  await until(() => expect(engine.status().conflicts).toEqual([]))
  await engine.release()
  expect(await held()).toEqual([])
})

test('a journal of a newer release is left alone, and nothing is synced', async () => {
  const { root, ...service } = await bothSides(TEXTS, TEXTS)
  const config = configOf(root, service)
  const path = journalPath(config)
  const line = JSON.stringify({ format: 'localization-sync', version: 2 })
  const content = `${crc32(line).toString(16).padStart(8, '0')} ${line}\nwhatever\n`
  await writeTree(root, { [relative(root, path)]: content })
  const { engine, lines } = await startEngine({ root, service })
  expect(engine.status().role).toBe('watching')
  expect(lines.join('\n')).toMatch(/not syncing: .*journal\.jsonl has format version 2/)
  expect(await readFile(path, 'utf8')).toBe(content)
})

test('a deleted key, an emptied text and a deleted file never reach the service', async () => {
  const { root, ...service } = await bothSides()
  const { engine, files } = await startSettled({ root, service })
  await save(root, { title: '' })
  await until(() => expect(files().catalog.messages('en', 'common')?.get('bye')).toBeUndefined())
  await rm(join(root, 'locales'), { recursive: true })
  await until(() => expect(files().catalog.textCount).toBe(0))
  await engine.push()
  expect(await service.texts('en')).toEqual({ title: 'Hello', bye: 'Bye' })
  expect(service.count('PATCH') + service.count('DELETE')).toBe(0)
  const deletions = engine.status().deletions.map(({ ref: { key }, state }) => [key, state])
  expect(deletions.sort()).toEqual([
    ['bye', 'deleted-here'],
    ['title', 'deleted-here'],
  ])
})

test('a folder that is removed and recreated in one go is still watched', async () => {
  const { root, ...service } = await bothSides()
  const { engine } = await startSettled({ root, service })
  for (let round = 1; round <= 2; round++) {
    await rm(join(root, 'locales'), { recursive: true })
    await save(root, { title: 'Hello', bye: `Bye ${round}` })
    await untilAsync(async () => expect((await service.texts('en')).bye).toBe(`Bye ${round}`))
    await save(root, { title: 'Hello', bye: `Bye ${round}!` })
    await untilAsync(async () => expect((await service.texts('en')).bye).toBe(`Bye ${round}!`))
  }
  expect(engine.status()).toMatchObject({ conflicts: [], holds: [] })
})

test('half-typed JSON: last good kept, nothing pushed, reported, cleared by itself', async () => {
  const { root, ...service } = await bothSides()
  const { engine, files } = await startSettled({ root, service })
  const findings = () => files().findings.map(({ code, place }) => `${code} ${place?.file}:${place?.line}`)
  await writeFile(join(root, 'locales/en/common.json'), '{\n  "title": "Hel')
  await until(() => expect(findings()).toEqual(['FILE_SYNTAX locales/en/common.json:2']))
  expect(files().catalog.messages('en', 'common')?.get('title')).toBe('Hello')
  await engine.push()
  expect(service.count('PATCH')).toBe(0)
  await save(root, { title: 'Hello!', bye: 'Bye' })
  await untilAsync(async () => expect((await service.texts('en')).title).toBe('Hello!'))
  expect(findings()).toEqual([])
  expect(service.count('PATCH')).toBe(1)
})

test('a file that is broken at the start has lost nothing: mended, it is what it was', async () => {
  const { root, ...service } = await bothSides()
  const first = await startSettled({ root, service })
  await first.engine.close()
  await writeFile(join(root, 'locales/en/common.json'), '{ "title": "Hel')
  await service.deleteKey('common', 'bye')
  const { engine, files } = await startSettled({ root, service })
  expect(files().findings).toHaveLength(1)
  await save(root, { title: 'Hello', bye: 'Bye' })
  await until(() => expect(files().findings).toEqual([]))
  await engine.push()
  // Deleted on the service, unchanged here: it does not come back by itself.
  expect(await service.texts('en')).toEqual({ title: 'Hello' })
  expect(service.count('PATCH')).toBe(0)
  expect(engine.status()).toMatchObject({ holds: [], conflicts: [] })
})

test('what a reading found for a file that cannot be read shows when the file is mended', async () => {
  const { root, ...service } = await bothSides()
  const first = await startSettled({ root, service })
  await first.engine.close()
  await writeFile(join(root, 'locales/en/common.json'), '{ "title": "Hel')
  await service.setText('en', 'common', 'title', 'Hi')
  const { engine } = await startSettled({ root, service })
  await service.close()
  await save(root, { title: 'Hello', bye: 'Bye' })
  await until(() => expect(engine.serviceCatalog().messages('en', 'common')?.get('title')).toBe('Hi'))
})

test('atomic saves and truncate-then-write come through', async () => {
  const { root, ...service } = await bothSides()
  await startSettled({ root, service })
  const file = join(root, 'locales/en/common.json')
  await writeFile(`${file}.tmp`, JSON.stringify({ title: 'Atomic', bye: 'Bye' }))
  await rename(`${file}.tmp`, file)
  await untilAsync(async () => expect((await service.texts('en')).title).toBe('Atomic'))
  await writeFile(file, '')
  await writeFile(file, JSON.stringify({ title: 'Twice', bye: 'Bye' }))
  await untilAsync(async () => expect((await service.texts('en')).title).toBe('Twice'))
})

test('refused texts are told with file and line and not sent again until they change', async () => {
  const { root, ...service } = await bothSides()
  await clientOf(service).keys.create({ key: 'short', namespace: 'common', charactersLimit: 3 })
  const { engine, lines } = await startSettled({ root, service })
  await save(root, { title: 'Hello', bye: 'Bye', short: 'too long' })
  await save(root, { word: 'Wort' }, 'locales/xx/common.json')
  await until(() => expect(lines.filter((line) => line.includes('the service refused'))).toHaveLength(2))
  expect(lines.join('\n')).toMatch(/locales\/en\/common\.json:4:3: the service refused "short": .*3 characters/)
  expect(lines.join('\n')).toMatch(/locales\/xx\/common\.json:2:3: the service refused "word": .*xx/)
  const before = service.count('PATCH')
  await engine.push()
  await engine.push()
  expect(service.count('PATCH')).toBe(before)
  await save(root, { title: 'Hello', bye: 'Bye', short: 'ok' })
  await untilAsync(async () => expect((await service.texts('en')).short).toBe('ok'))
})

test('a change of white space alone keeps the review, any other resets it', async () => {
  const { root, ...service } = await bothSides()
  const client = clientOf(service)
  await client.translations.set({
    key: 'title',
    namespace: 'common',
    language: 'en',
    text: 'Hello',
    reviewStatus: 'REVIEWED',
  })
  await startSettled({ root, service })
  const status = async (text: string) => {
    await save(root, { title: text, bye: 'Bye' })
    await untilAsync(async () => expect((await service.texts('en')).title).toBe(text))
    return (await client.translations.query({ key: 'title', namespace: 'common' })).translations[0]?.reviewStatus
  }
  expect(await status('Hello ')).toBe('REVIEWED')
  expect(await status('Hello you')).toBe('NOT_REVIEWED')
})

test('many edits are looked up together: far fewer requests than texts', async () => {
  const texts = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`key${i}`, `Text ${i}`]))
  const { root, ...service } = await bothSides(texts)
  const { engine } = await startSettled({ root, service })
  service.requests.length = 0
  const before = service.count('PATCH')
  await save(root, Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, `${text}!`])))
  await until(() => expect(service.count('PATCH') - before).toBe(60))
  await until(() => expect(engine.status().outbox).toEqual([]))
  expect(service.requests.filter((line) => line.startsWith('GET ')).length).toBeLessThanOrEqual(3)
})

test('customers: their files, their texts', async () => {
  const { root, ...service } = await startProject({
    files: { 'c/acme/en/common.json': { title: 'Hello Acme' }, [FILE]: { title: 'Hello' } },
    service: { customers: ['acme'], texts: { 'en/common': { title: 'Hello' } } },
  })
  const client = clientOf(service)
  await client.translations.set({
    key: 'title',
    namespace: 'common',
    language: 'en',
    text: 'Hello Acme',
    customerId: 'acme',
  })
  const files = ['c/{customer}/{language}/{namespace}.json', 'locales/{language}/{namespace}.json']
  const { engine } = await startSettled({ root, service, options: { files, customers: ['acme'] } })
  expect(engine.status()).toMatchObject({ holds: [], conflicts: [] })
  await save(root, { title: 'Hi Acme' }, 'c/acme/en/common.json')
  await untilAsync(async () => {
    const { translations } = await client.translations.query({ key: 'title', namespace: 'common', customerId: 'acme' })
    expect(translations[0]?.text).toBe('Hi Acme')
  })
  expect((await service.texts('en')).title).toBe('Hello')
})

test('the default namespace and mapped languages carry the service names on the wire', async () => {
  const { root, ...service } = await startProject({
    files: { 'i18n/pt-BR.json': { title: 'Oi' } },
    service: { languages: ['pt_BR'], texts: { pt_BR: { title: 'Oi' } } },
  })
  const options = { files: 'i18n/{language}.json', languageMap: { pt_BR: 'pt-BR' } }
  const { engine } = await startSettled({ root, service, options })
  expect(engine.status()).toMatchObject({ holds: [], conflicts: [] })
  await save(root, { title: 'Olá' }, 'i18n/pt-BR.json')
  await untilAsync(async () => expect(await service.texts('pt_BR', '')).toEqual({ title: 'Olá' }))
})

test('no key and source files: it watches, and makes nothing on the disk', async () => {
  const { root, engine, files } = await startProject({ files: { [FILE]: TEXTS }, engine: true })
  expect(engine.status().role).toBe('watching')
  await save(root, { title: 'Hello!', bye: 'Bye' })
  await until(() => expect(files().catalog.messages('en', 'common')?.get('title')).toBe('Hello!'))
  await expect(readFile(join(root, '.localization'))).rejects.toThrow(/ENOENT/)
})

test('close leaves nothing behind that keeps a process alive or sees changes', async () => {
  const { root, ...service } = await bothSides()
  const { engine, files, shown } = await startSettled({ root, service, options: { pull: true } })
  await engine.close()
  await engine.close()
  expect(engine.status().role).toBe('closed')
  await mkdir(join(root, 'locales/pl'), { recursive: true })
  await save(root, { title: 'x' })
  const again = await startSettled({ root, service })
  expect(again.engine.status().role).toBe('writer')
  expect(files().catalog.messages('en', 'common')?.get('title')).toBe('Hello')
  expect(shown).toEqual([])
})

test('elements of arrays travel as texts, other values never', async () => {
  const english = { title: 'Hello', steps: ['One', 2, 'Three'], on: true, none: null }
  const { root, ...service } = await bothSides(TEXTS, { title: 'Hello', 'steps.0': 'One', 'steps.2': 'Three' })
  await save(root, english)
  await save(root, { title: 'Cześć' }, 'locales/pl/common.json')
  await service.setText('pl', 'common', 'title', 'Cześć')
  const { engine, files } = await startSettled({ root, service, options: { pull: { intervalMs: 50, write: true } } })
  await save(root, { ...english, steps: ['Uno', 3, 'Three', 'Four'], on: false })
  const now = { title: 'Hello', 'steps.0': 'Uno', 'steps.2': 'Three', 'steps.3': 'Four' }
  await untilAsync(async () => expect(await service.texts('en')).toEqual(now))
  await until(() => expect(engine.status().outbox).toEqual([]))
  expect(files().catalog.textCount).toBe(5)

  // A change comes into its place; where a language has no array yet, into one like that of the other files.
  await service.setText('en', 'common', 'steps.2', 'Tres')
  await service.setText('pl', 'common', 'steps.2', 'Trzy')
  const read = (language: string) => readFile(join(root, `locales/${language}/common.json`), 'utf8')
  await untilAsync(async () => {
    expect(await read('en')).toBe(
      `${JSON.stringify({ ...english, steps: ['Uno', 3, 'Tres', 'Four'], on: false }, null, 2)}\n`,
    )
    expect(JSON.parse(await read('pl'))).toEqual({ title: 'Cześć', steps: ['', '', 'Trzy'] })
  })
})
