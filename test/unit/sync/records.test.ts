import { expect, onTestFinished, test } from 'vitest'
import { textId } from '../../../src/catalog/text-id.ts'
import { FileIndex } from '../../../src/files/file-index.ts'
import { isSendable } from '../../../src/sync/project.ts'
import { applyReading } from '../../../src/sync/reader.ts'
import { TextRecords } from '../../../src/sync/records.ts'
import { keepOurs } from '../../../src/sync/resolve.ts'
import { SyncStore } from '../../../src/sync/store.ts'
import { readerOf } from '../../helpers/files.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { readJson, tempFolder, writeTree } from '../../helpers/temp.ts'

const FILE = 'locales/en/common.json'
const part = { language: 'en', namespace: 'common' }
const ref = (key: string) => ({ ...part, key })
const id = (key: string) => textId(ref(key))

/** Real files and stores, the service a list of texts: it has the base, as far as is known. */
async function openRecords(texts: Readonly<Record<string, string>>, known: Readonly<Record<string, string>>) {
  const root = await tempFolder()
  await writeTree(root, { [FILE]: texts })
  const fail = (problem: unknown) => expect(problem).toBeUndefined()
  const config = resolveConfig({ source: 'files' }, { root, ci: false })
  const store = new SyncStore(config, 'own', fail)
  onTestFinished(() => store.close())
  await store.load()
  const { base, outbox } = store
  for (const [key, text] of Object.entries(known)) base.set(id(key), text)
  const files = readerOf(new FileIndex(config))
  const records = new TextRecords(files, base, outbox, true)
  await files.scan()
  records.settleAll()
  const scan = async () => records.accept((await files.scan({ everything: true })).changes, 'live')
  const save = async (changed: Readonly<Record<string, string>>) => {
    await writeTree(root, { [FILE]: changed })
    await scan()
  }
  const read = (known: Readonly<Record<string, string>>, mark = records.mark()) =>
    applyReading(records, {
      texts: Object.entries(known).map(([key, text]) => ({ id: id(key), ref: ref(key), text })),
      seen: new Set(Object.keys(known).map(id)),
      mark,
    })
  return { root, store, base, outbox, records, files, save, read }
}

const quiet = { holds: 0, conflicts: 0, outbox: 0, shown: 0 }
const sizes = ({ records, outbox }: Awaited<ReturnType<typeof openRecords>>) => ({
  holds: [...records.holds()].length,
  conflicts: [...records.differences('ask')].length,
  outbox: outbox.size,
  shown: [...records.page.shown()].length,
})

test.each([
  ['what it was', 'old', { a: 'old' }],
  ['something else', 'third', { a: 'third' }],
  ['nothing', undefined, {}],
])(
  'the service goes on to %s while its text is written into a file: that is its change, not an edit of the file',
  async (_what, theirs, next) => {
    const one = await openRecords({ a: 'old' }, { a: 'old' })
    one.read({ a: 'old' })
    one.read({ a: 'new' })
    const written = [...one.records.differences('write')].map(({ ref, theirs }) => ({ ref, text: theirs }))
    expect(written).toEqual([{ ref: ref('a'), text: 'new' }])
    const writing = one.files.index.write(one.files, part, new Map([['a', 'new']]))
    one.read(next)
    expect(await writing).toBe('written')
    one.records.wrote(written)
    expect(await readJson(one.root, FILE)).toEqual({ a: 'new' })
    expect(one.base.get(id('a'))).toBe('new')
    expect(one.records.theirs(id('a'))).toBe(theirs)
    expect(sizes(one)).toEqual({ ...quiet, shown: theirs === undefined ? 0 : 1 })
    expect([...one.records.differences('write')]).toMatchObject(theirs === undefined ? [] : [{ ref: ref('a'), theirs }])
  },
)

test('somebody saves the file right behind it: nothing says that the service text was seen', async () => {
  const one = await openRecords({ a: 'old' }, { a: 'old' })
  one.read({ a: 'old' })
  one.read({ a: 'new' })
  const written = [{ ref: ref('a'), text: 'new' }]
  await one.files.index.write(one.files, part, new Map([['a', 'new']]))
  await one.save({ a: 'mine' })
  one.records.wrote(written)
  expect(one.base.get(id('a'))).toBe('old')
  expect([...one.records.differences('ask')]).toMatchObject([
    { ref: ref('a'), base: 'old', ours: 'mine', theirs: 'new' },
  ])
})

/** What the base store does with the lines of a command. */
function rebase(
  one: Awaited<ReturnType<typeof openRecords>>,
  found: readonly { key: string; text?: string | undefined }[],
) {
  for (const { key, text } of found) one.base.set(id(key), text)
  return one.records.rebase(found.map(({ key }) => id(key)))
}

test('what a command found is the base, and what the service has next is its change alone', async () => {
  const one = await openRecords({ a: 'old' }, { a: 'old' })
  one.read({ a: 'old' })
  await writeTree(one.root, { 'locales/en/common.json': { a: 'new' } })
  const { changes } = await one.files.scan({ everything: true })
  expect(rebase(one, [{ key: 'a', text: 'new' }])).toEqual([ref('a')])
  expect(changes.filter((change) => isSendable(one.records, change))).toEqual([])
  await one.records.accept(changes, 'live')
  one.records.settle([ref('a')])
  expect(sizes(one)).toEqual(quiet)
  one.read({ a: 'newer' })
  expect(sizes(one)).toEqual({ ...quiet, shown: 1 })
})

test('a reading that began before tells nothing of these texts', async () => {
  const one = await openRecords({ a: 'old', b: 'old' }, { a: 'old', b: 'old' })
  one.read({ a: 'old', b: 'old' })
  const mark = one.records.mark()
  rebase(one, [{ key: 'a', text: 'new' }])
  await one.save({ a: 'new', b: 'old' })
  expect(one.read({ a: 'old', b: 'other' }, mark)).toBe(false)
  expect(one.records.movedSince(id('a'), mark)).toBe(true)
  expect([...one.records.page.shown()]).toEqual([{ ref: ref('b'), text: 'other' }])
  expect(one.records.theirs(id('a'))).toBe('new')
})

test('the same edit in the outbox has arrived, a newer one is an edit of what the command found, and a conflict over it is none', async () => {
  const texts = { same: 'old', newer: 'old', parked: 'old' }
  const one = await openRecords(texts, texts)
  one.read(texts)
  await one.save({ same: 'new', newer: 'newer', parked: 'newer' })
  one.read({ ...texts, parked: 'new' })
  expect(sizes(one)).toEqual({ ...quiet, outbox: 3, conflicts: 1 })
  one.records.settle(
    rebase(
      one,
      Object.keys(texts).map((key) => ({ key, text: 'new' })),
    ),
  )
  expect(sizes(one)).toEqual({ ...quiet, outbox: 2 })
  expect(one.outbox.entries().map(({ ref: { key }, text, parked }) => ({ key, text, parked }))).toEqual([
    { key: 'newer', text: 'newer', parked: undefined },
    { key: 'parked', text: 'newer', parked: undefined },
  ])
})

test('deleted on both sides: what comes anew is new', async () => {
  const one = await openRecords({ a: 'old', b: 'old' }, { a: 'old', b: 'old' })
  one.read({ a: 'old', b: 'old' })
  rebase(one, [{ key: 'a', text: undefined }])
  await one.save({ b: 'old' })
  one.records.settle([ref('a')])
  expect(one.base.get(id('a'))).toBeUndefined()
  expect(sizes(one)).toEqual(quiet)
  one.read({ a: 'again', b: 'old' })
  expect([...one.records.page.shown()]).toEqual([{ ref: ref('a'), text: 'again' }])
})

test('the file takes over the service text of a conflict: what is edited next begins from it', async () => {
  const one = await openRecords({ a: 'old' }, { a: 'old' })
  one.read({ a: 'old' })
  await one.save({ a: 'mine' })
  one.records.sending(id('a'))
  one.records.sent(id('a'))
  // The service refused it: it has another text by now.
  one.records.applyRead(ref('a'), 'theirs', undefined)
  expect(sizes(one)).toMatchObject({ conflicts: 1 })
  await one.save({ a: 'theirs' })
  expect(sizes(one)).toMatchObject({ conflicts: 0 })
  // Nothing was read in between.
  await one.save({ a: 'theirs and mine' })
  expect(sizes(one)).toEqual({ ...quiet, outbox: 1 })
  expect(one.outbox.entries().map((entry) => one.records.maySend(entry))).toEqual([true])
})

test('an edit that met a deletion, and then vanished with its file, does not come back as new', async () => {
  const one = await openRecords({ a: 'old' }, { a: 'old' })
  one.read({ a: 'old' })
  await one.save({ a: 'mine' })
  one.read({})
  expect([...one.records.differences('ask')]).toMatchObject([{ base: 'old', ours: 'mine', theirs: undefined }])
  await one.save({})
  expect(sizes(one)).toEqual(quiet)
  for (const text of ['mine', 'old']) {
    await one.save({ a: text })
    expect([...one.records.differences()]).toMatchObject([{ state: 'deleted-there' }])
    expect(one.outbox.size).toBe(0)
  }
  await one.save({ a: 'another' })
  expect(one.outbox.size).toBe(1)
})

test('what met without a base is remembered after a restart, and ends with a decision', async () => {
  const one = await openRecords({ a: 'mine', b: 'mine' }, {})
  one.read({ a: 'theirs', b: 'theirs' })
  await one.store.commit()
  await one.store.load()
  expect(one.base.common(id('a'))).toEqual({ met: ['mine', 'theirs'] })
  expect(one.records.theirs(id('a'))).toBe('theirs')
  await keepOurs(one.records, id('a'), { ours: 'mine', theirs: 'theirs' })
  expect(one.outbox.entries()).toMatchObject([{ ref: { key: 'a' }, text: 'mine' }])
  one.read({ a: 'theirs' })
  expect([...one.records.differences()]).toMatchObject([{ state: 'edited-here' }, { state: 'deleted-there' }])
})
