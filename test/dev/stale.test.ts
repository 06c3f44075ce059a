/** Stale translations in a running dev server and its inspector. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { SyncEngine } from '../../src/sync/engine.ts'
import { createSyncLock } from '../../src/sync/lock.ts'
import { confirmStale, type StaleText } from '../../src/sync/stale.ts'
import { SyncStore } from '../../src/sync/store.ts'
import { startProject } from '../helpers/project.ts'
import { configOf, startEngine } from '../helpers/sync.ts'
import { writeTree } from '../helpers/temp.ts'

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const untilAsync = (check: () => Promise<unknown>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })
const EN = 'locales/en/common.json'
const PL = 'locales/pl/common.json'
const OPTIONS = { defaultLanguage: 'en', staleFile: 'localization.stale.json' }

const ENGLISH = { title: 'Your cart', bye: 'Bye' }
const POLISH = { title: 'Twój koszyk', bye: 'Pa' }
const BOTH_SIDES = {
  files: { [EN]: ENGLISH, [PL]: POLISH },
  service: { texts: { 'en/common': ENGLISH, 'pl/common': POLISH } },
}

const staleOf = (engine: SyncEngine) =>
  engine
    .staleTexts('en')
    .map(({ ref: { language, key }, text, madeFrom, source }) => [language, key, text, madeFrom, source].join(' | '))

async function start(options = {}, watch = true) {
  const { root, engine, lines, ...service } = await startProject({
    ...BOTH_SIDES,
    engine: { options: { ...OPTIONS, ...options }, watch },
  })
  await engine.refresh()
  const stale = () => staleOf(engine)
  /** Nothing waits to be sent. */
  const sent = () => until(() => expect(engine.status().outbox).toEqual([]))
  return {
    root,
    service,
    engine,
    lines,
    stale,
    sent,
    save: (path: string, texts: object) => writeTree(root, { [path]: texts }),
  }
}

const TITLE = 'pl | title | Twój koszyk | Your cart | Your basket'

test('an edit of the source makes a translation stale, and an edit of the translation ends it', async () => {
  const { root, service, stale, sent, save } = await start()
  expect(stale()).toEqual([])
  await save(EN, { title: 'Your basket', bye: 'Bye' })
  await until(() => expect(stale()).toEqual([TITLE]))
  await untilAsync(async () => expect(await service.texts('en')).toMatchObject({ title: 'Your basket' }))
  await sent()
  expect(stale()).toEqual([TITLE])
  await untilAsync(async () =>
    expect(await readFile(join(root, OPTIONS.staleFile), 'utf8')).toContain('"madeFrom":"Your cart"'),
  )
  await save(PL, { title: 'Twój kosz', bye: 'Pa' })
  await until(() => expect(stale()).toEqual([]))
  await untilAsync(async () => expect(await service.texts('pl')).toMatchObject({ title: 'Twój kosz' }))
  await untilAsync(async () => expect(await readFile(join(root, OPTIONS.staleFile), 'utf8')).toContain('"texts": []'))
  expect(stale()).toEqual([])
})

test('both in one save, and a source that is set back: nothing is stale', async () => {
  // One scan finds both.
  const { root, service, engine, stale, sent, save } = await start({}, false)
  await writeTree(root, { [PL]: { title: 'Twój kosz', bye: 'Pa' }, [EN]: { title: 'Your basket', bye: 'Bye' } })
  await engine.rescan()
  await untilAsync(async () => {
    expect(await service.texts('en')).toMatchObject({ title: 'Your basket' })
    expect(await service.texts('pl')).toMatchObject({ title: 'Twój kosz' })
  })
  await sent()
  expect(stale()).toEqual([])
  await save(EN, { title: 'Your basket', bye: 'Goodbye' })
  await engine.rescan()
  expect(stale()).toHaveLength(1)
  await sent()
  expect(stale()).toHaveLength(1)
  await save(EN, { title: 'Your basket', bye: 'Bye' })
  await engine.rescan()
  expect(stale()).toEqual([])
  await sent()
  await engine.refresh()
  expect(stale()).toEqual([])
})

test('a translator follows on the service: not stale from the reading on, though the file is older', async () => {
  const { service, engine, stale, sent, save } = await start()
  await save(EN, { title: 'Your basket', bye: 'Bye' })
  await until(() => expect(stale()).toEqual([TITLE]))
  await sent()
  await service.setText('pl', 'common', 'title', 'Twój kosz')
  await engine.refresh()
  expect(stale()).toEqual([])
})

test('a translation was made from the source in its file, also where the file could not be read before', async () => {
  const { root, service, engine } = await start({}, false)
  await engine.close()
  await writeFile(join(root, EN), '{')
  const again = await startEngine({ root, service, options: OPTIONS, watch: false })
  await service.setText('pl', 'common', 'title', 'Twój kosz')
  await again.engine.refresh()
  // One scan finds the repaired source, and a translation that both sides have then.
  await writeTree(root, { [EN]: { title: 'Your basket', bye: 'Bye' }, [PL]: { title: 'Twój kosz', bye: 'Pa' } })
  await again.engine.rescan()
  expect(again.engine.status().holds.map(({ text }) => text)).toEqual(['Your basket'])
  expect(staleOf(again.engine)).toEqual([])
})

test('the service changes the source, and the file takes it', async () => {
  const { service, engine, stale } = await start({ pull: { write: true } })
  await service.setText('en', 'common', 'title', 'Your basket')
  await service.setText('en', 'common', 'bye', 'Goodbye')
  await service.setText('pl', 'common', 'bye', 'Do widzenia')
  await engine.refresh()
  expect(stale()).toEqual([TITLE])
})

test('a person takes a translation for right, here or beside, and only as it was shown', async () => {
  const { root, service, engine, stale, sent, save } = await start()
  await save(EN, { title: 'Your basket', bye: 'Goodbye' })
  await until(() => expect(stale()).toHaveLength(2))
  await sent()
  const seen = engine.staleTexts('en')
  const [bye] = seen.filter(({ ref }) => ref.key === 'bye')
  await save(EN, { title: 'Your trolley', bye: 'Goodbye' })
  await until(() => expect(stale().join()).toContain('trolley'))
  expect((await engine.confirmStale(seen)).map(({ ref }) => ref.key)).toEqual(['title'])
  expect(stale()).toEqual([TITLE.replace('basket', 'trolley')])
  expect(bye).toMatchObject({ madeFrom: 'Bye', source: 'Goodbye' })
  await sent()
  // Another process, as `resolve --stale` does it.
  const fail = (problem: unknown) => expect(problem).toBeUndefined()
  const lock = createSyncLock(root)
  await lock.borrow(new AbortController().signal, () => {})
  const config = configOf(root, service, OPTIONS)
  const store = new SyncStore(config, 'own', fail)
  await store.load()
  const texts = engine.staleTexts('en')
  expect(confirmStale(store.sources, texts, texts)).toEqual([])
  await store.sources.save()
  await store.close()
  await lock.release()
  await until(() => expect(stale()).toEqual([]))
})

test('Git brings the records of a colleague', async () => {
  const { root, engine, stale, lines } = await start()
  await writeFile(join(root, OPTIONS.staleFile), 'merge conflict')
  await engine.rescan()
  expect(stale()).toEqual([])
  expect(lines.filter((line) => line.includes('localization.stale.json cannot be read'))).toHaveLength(1)
  const other = await start()
  await other.save(EN, { title: 'Your cart', bye: 'Goodbye' })
  await other.sent()
  await untilAsync(async () => {
    const content = await readFile(join(other.root, OPTIONS.staleFile), 'utf8')
    await writeFile(join(root, OPTIONS.staleFile), content.replace('"Bye"', '"So long"'))
  })
  await engine.rescan()
  expect(stale()).toEqual(['pl | bye | Pa | So long | Bye'])
})

test('the inspector finds and shows stale translations, and takes one for right', async () => {
  const { root, inspector } = await startProject({ ...BOTH_SIDES, inspector: { options: OPTIONS } })
  const { engine, get, post } = inspector
  await engine.refresh()
  await writeTree(root, { [EN]: { title: 'Your basket', bye: 'Bye' } })
  const overview = async () => (await get('overview')).json.stale as number
  await untilAsync(async () => expect(await overview()).toBe(1))
  const { total, rows } = (await get('rows?filter=stale')).json
  expect(total).toBe(1)
  expect(rows[0].cells.map(({ isStale = false }: { isStale?: boolean }) => isStale)).toEqual([false, true])
  const keyOf = async () => (await get('key?namespace=common&key=title')).json.texts
  const [english, polish] = await keyOf()
  expect(english.stale).toBeUndefined()
  const item: StaleText = polish.stale
  expect(item).toMatchObject({ text: 'Twój koszyk', madeFrom: 'Your cart', source: 'Your basket' })
  const other = await post('confirm', { ...item, source: 'Your bag' })
  expect(other.json).toMatchObject({
    done: 0,
    problems: [expect.stringContaining('someone changed it in the meantime')],
  })
  expect(await overview()).toBe(1)
  expect((await post('confirm', item)).json).toEqual({ done: 1, problems: [] })
  await untilAsync(async () => expect(await overview()).toBe(0))
  expect((await keyOf())[1].stale).toBeUndefined()
})
