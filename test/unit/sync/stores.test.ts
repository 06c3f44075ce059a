import { readFileSync } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { textId } from '../../../src/catalog/text-id.ts'
import type { JournalAccess } from '../../../src/sync/journal.ts'
import { journalPath } from '../../../src/sync/journal.ts'
import { SyncStore } from '../../../src/sync/store.ts'
import { repeats } from '../../helpers/repeats.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { tempFolder } from '../../helpers/temp.ts'

const ref = (key: string) => ({ language: 'en', namespace: 'common', key })
const id = (key: string) => textId(ref(key))
const edit = (key: string, text: string, assumedBase?: string) => ({ ref: ref(key), text, assumedBase })
const configOf = (root: string) => resolveConfig({ source: 'files' }, { root, ci: false })
const journalOf = (root: string) => journalPath(configOf(root))
const lineOf = (value: unknown) => {
  const text = JSON.stringify(value)
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`
}

async function open(root: string, access: JournalAccess = 'own') {
  const problems: string[] = []
  const store = new SyncStore(configOf(root), access, (problem) => problems.push(problem))
  onTestFinished(() => store.close())
  await store.load()
  return { store, problems }
}

function contentOf({ base, outbox, sources, held }: SyncStore) {
  const names = (ids: Iterable<string>) => Array.from(ids, (one) => [one, JSON.parse(one)[2]] as const)
  return {
    base: Object.fromEntries(names(base.values.keys()).map(([one, key]) => [key, base.common(one)])),
    outbox: outbox.entries().map(({ ref: { key }, text }) => [key, text]),
    made: Object.fromEntries(names(sources.ids()).map(([one, key]) => [key, sources.get(one)])),
    held: names(held).map(([, key]) => key),
  }
}

test('edits are on the disk when put resolves, the last text of each, in order', async () => {
  const root = await tempFolder()
  const { store } = await open(root)
  await store.outbox.put([edit('a', '1', '0'), edit('b', '1')])
  for (let i = 2; i <= 10; i++) {
    store.outbox.sending(id('a'))
    await store.outbox.put([edit('a', String(i), 'later')])
  }
  // No close: the process is gone.
  const { store: again, problems } = await open(root)
  expect(problems).toEqual([])
  expect(again.outbox.entries().map(({ ref: { key }, text, assumedBase }) => [key, text, assumedBase])).toEqual([
    ['b', '1', undefined],
    ['a', '10', '0'],
  ])
  // The service may have any of the sent texts, and the last one may have been sent before the end.
  expect(again.outbox.get(id('a'))?.sent).toEqual(['3', '4', '5', '6', '7', '8', '9', '10'])
})

test('what is acknowledged is gone for good, a newer edit stays', async () => {
  const root = await tempFolder()
  const { store } = await open(root)
  await store.outbox.put([edit('a', 'one'), edit('b', 'one')])
  const [a, b] = store.outbox.entries()
  await store.outbox.put([edit('a', 'two')])
  for (const entry of [a, b]) store.outbox.remove(entry)
  // An edit between the acknowledgement and its line must survive it.
  await store.outbox.put([edit('b', 'three')])
  await store.commit()
  const { store: again } = await open(root)
  expect(contentOf(again).outbox).toEqual([
    ['a', 'two'],
    ['b', 'three'],
  ])
})

test('an edit behind a text that was acknowledged just now: the base is on the disk with it', async () => {
  const root = await tempFolder()
  const { store } = await open(root)
  await store.outbox.put([edit('a', 'one', 'old')])
  store.outbox.sending(id('a'))
  store.outbox.remove(store.outbox.get(id('a')))
  store.base.set(id('a'), 'one')
  await store.outbox.put([edit('a', 'two')])
  // No commit: the process is gone.
  const { store: again } = await open(root)
  expect(contentOf(again)).toMatchObject({ base: { a: 'one' }, outbox: [['a', 'two']] })
})

test('base, sources of translations and held texts survive without a close, and forget what is forgotten', async () => {
  const root = await tempFolder()
  const { store } = await open(root)
  for (const [key, text] of Object.entries({ a: 'one', b: 'two', __proto__x: 'three' })) store.base.set(id(key), text)
  store.base.meet(id('met'), { ours: 'x', theirs: 'y' })
  store.base.meet(id('gone'), { ours: 'z', theirs: 'z' })
  store.sources.set(id('a'), { source: 'Source', digest: '1' })
  store.sources.set(id('b'), { source: 'Source', digest: '2' })
  await store.commit()
  await store.hold([
    { id: id('a'), hold: 'batch' },
    { id: id('b'), hold: 'start' },
  ])
  store.base.set(id('b'), undefined)
  store.base.set(id('a'), 'four')
  store.base.meet(id('gone'), { ours: undefined, theirs: undefined })
  store.sources.set(id('b'), undefined)
  await store.commit()
  await store.hold([{ id: id('b'), hold: 'start' }])
  for (const access of ['read', 'own'] as const) {
    const { store: again, problems } = await open(root, access)
    expect(problems).toEqual([])
    expect(contentOf(again)).toEqual({
      base: { a: 'four', __proto__x: 'three', met: { met: ['x', 'y'] }, gone: { gone: ['z'] } },
      outbox: [],
      made: { a: { source: 'Source', digest: '1' } },
      held: ['b'],
    })
  }
})

test('the lines of one commit are in an order in which each beginning of them is safe', async () => {
  const root = await tempFolder()
  const { store } = await open(root)
  await store.outbox.put([edit('a', 'new')])
  store.outbox.remove(store.outbox.get(id('a')))
  store.base.set(id('a'), 'new')
  store.sources.set(id('pl'), { source: 'old', digest: '1' })
  await store.commit()
  const lines = (await readFile(journalOf(root), 'utf8')).split('\n').slice(2, -1)
  expect(lines.map((line) => (JSON.parse(line.slice(9)) as string[])[0])).toEqual(['made', 'base', 'outbox'])
})

test('an unfinished last line is cut off and reported, the rest counts', async () => {
  const root = await tempFolder()
  const { store } = await open(root)
  await store.outbox.put([edit('a', 'one')])
  await store.outbox.put([edit('b', 'two')])
  await truncate(journalOf(root), (await stat(journalOf(root))).size - 5)
  const { store: again, problems } = await open(root)
  expect(problems.join()).toMatch(/the last write to .* was cut short; dropped its \d+ bytes?/)
  expect(contentOf(again).outbox).toEqual([['a', 'one']])
  await again.outbox.put([edit('c', 'three')])
  expect(contentOf((await open(root)).store).outbox.map(([, text]) => text)).toEqual(['one', 'three'])
})

test('damaged anywhere: no base, because an older one could undo an edit; the other edits stay', async () => {
  const root = await tempFolder()
  const { store } = await open(root)
  await store.outbox.put([edit('a', 'one'), edit('b', 'two')])
  for (const text of ['one', 'two', 'three']) {
    store.base.set(id('base'), text)
    await store.commit()
  }
  await writeFile(journalOf(root), (await readFile(journalOf(root), 'utf8')).replace('three', 'THREE'))
  const { store: again, problems } = await open(root)
  expect(problems.join()).toMatch(/damaged \(1 line\): texts that differ become conflicts/)
  expect(contentOf(again)).toMatchObject({
    base: {},
    outbox: [
      ['a', 'one'],
      ['b', 'two'],
    ],
  })
  expect((await open(root)).problems).toEqual([])
})

test('another file in its place is set aside; a newer version is refused and left alone', async () => {
  const root = await tempFolder()
  await mkdir(dirname(journalOf(root)), { recursive: true })
  await writeFile(journalOf(root), 'something else\n')
  const { problems } = await open(root)
  expect(problems.join()).toMatch(/journal\.jsonl\.old was not written by this package/)
  expect(await readFile(`${journalOf(root)}.old`, 'utf8')).toBe('something else\n')
  const newer = `${lineOf({ format: 'localization-sync', version: 7 })}what it says\n`
  await writeFile(journalOf(root), newer)
  for (const access of ['own', 'read'] as const)
    await expect(open(root, access)).rejects.toMatchObject({ code: 'SYNC_VERSION', message: /version 7/ })
  expect(await readFile(journalOf(root), 'utf8')).toBe(newer)
})

test('the journal does not keep its history', async () => {
  const root = await tempFolder()
  const { store } = await open(root)
  for (let round = 0; round < 120; round++)
    await store.outbox.put(Array.from({ length: 50 }, (_, i) => edit(`key${i}`, `${round}`)))
  expect((await open(root)).store.outbox.size).toBe(50)
  expect((await readFile(journalOf(root), 'utf8')).split('\n').length).toBeLessThan(60)
  expect((await open(root)).store.outbox.size).toBe(50)
})

test('a folder that cannot be written: reported once, kept in memory, and written when it can be', async () => {
  const root = await tempFolder()
  await writeFile(join(root, '.localization'), 'in the way')
  const { store, problems } = await open(root)
  await store.outbox.put([edit('a', 'one')])
  await store.outbox.put([edit('b', 'two')])
  expect(store.outbox.size).toBe(2)
  expect(problems).toEqual([expect.stringContaining('cannot write to')])
  await rm(join(root, '.localization'))
  await store.outbox.put([edit('c', 'three')])
  expect(problems).toHaveLength(1)
  expect(contentOf((await open(root)).store).outbox.map(([, text]) => text)).toEqual(['one', 'two', 'three'])
})

test('who commits waits for the lines that another call has taken', async () => {
  const root = await tempFolder()
  const { store } = await open(root)
  const held = [{ id: id('a'), hold: 'start' }] as const
  const first = store.hold(held)
  await store.hold(held)
  expect(readFileSync(journalOf(root), 'utf8')).toContain('["held"')
  await first
})

test('a process that the lock does not see, in another container: its lines stay, and it is reported once', async () => {
  for (const isFirst of [false, true]) {
    const root = await tempFolder()
    const { store, problems } = await open(root)
    if (!isFirst) await store.outbox.put([edit('a', 'one')])
    const { store: other } = await open(root)
    await other.outbox.put([edit('b', 'theirs')])
    for (const text of ['two', 'three']) await store.outbox.put([edit('a', text)])
    expect(problems).toEqual([expect.stringContaining('in another container or on another machine')])
    expect(contentOf(store).outbox).toContainEqual(['a', 'three'])
    await other.outbox.put([edit('c', 'theirs')])
    const { store: later } = await open(root)
    expect(contentOf(later).outbox.map(([key]) => key)).toEqual([...(isFirst ? [] : ['a']), 'b', 'c'])
  }
})

test('a journal that somebody removed is written again', async () => {
  const root = await tempFolder()
  const { store } = await open(root)
  store.base.set(id('a'), 'one')
  await store.commit()
  await rm(join(root, '.localization'), { recursive: true })
  store.base.set(id('b'), 'two')
  await store.commit()
  expect(contentOf((await open(root)).store).base).toEqual({ a: 'one', b: 'two' })
})

test.each(['appends', 'writes the journal again', 'is killed while it writes'])(
  'a process that stood by takes over what the other one wrote: that one %s',
  async (how) => {
    const root = await tempFolder()
    const { store } = await open(root)
    for (const key of ['same', 'changed', 'gone']) store.base.set(id(key), 'old')
    await store.outbox.put([edit('sent', 'new'), edit('mine', 'new')])
    await store.commit()
    const parked = { kind: 'refused', reason: 'too long' } as const
    store.outbox.park(id('mine'), parked)
    const { store: other } = await open(root)
    other.base.set(id('changed'), 'new')
    other.base.set(id('gone'), undefined)
    other.outbox.remove(other.outbox.get(id('sent')))
    await other.outbox.put([edit('theirs', 'new')])
    await other.close()
    if (how === 'writes the journal again') {
      const copy = `${journalOf(root)}.copy`
      await writeFile(copy, await readFile(journalOf(root)))
      await rename(copy, journalOf(root))
    }
    if (how === 'is killed while it writes') await appendFile(journalOf(root), 'half a li')
    const touched = await store.resume()
    expect(touched).toEqual(expect.arrayContaining(['changed', 'gone', 'sent', 'theirs'].map(id)))
    expect(touched).not.toContain(id('same'))
    const expected = {
      base: { same: 'old', changed: 'new' },
      outbox: [
        ['mine', 'new'],
        ['theirs', 'new'],
      ],
    }
    expect(contentOf(store)).toMatchObject(expected)
    // The other process may have sent it.
    expect(store.outbox.get(id('mine'))).toMatchObject({ sent: ['new'], parked })
    store.base.set(id('later'), 'more')
    await store.commit()
    const { store: again, problems } = await open(root)
    expect(problems).toEqual([])
    expect(contentOf(again)).toMatchObject({ ...expected, base: { ...expected.base, later: 'more' } })
  },
)

test('to read: nothing is made on the disk, and an unfinished line stays', async () => {
  const root = await tempFolder()
  const { store: none } = await open(root, 'read')
  none.base.set(id('a'), 'one')
  await none.commit()
  expect(await readdir(root)).toEqual([])
  const { store } = await open(root)
  store.base.set(id('a'), 'one')
  await store.outbox.put([edit('b', 'two')])
  await store.close()
  await appendFile(journalOf(root), 'half a li')
  const before = await readFile(journalOf(root), 'utf8')
  const { store: again, problems } = await open(root, 'read')
  await again.close()
  // The outbox belongs to the process that writes.
  expect([contentOf(again), problems]).toMatchObject([{ base: { a: 'one' }, outbox: [] }, []])
  expect(await readFile(journalOf(root), 'utf8')).toBe(before)
})

/** As an earlier release left it: two journals and two files, with an unfinished last line, and lines of a command. */
async function formerFolder(): Promise<string> {
  const root = await tempFolder()
  const folder = dirname(journalPath(configOf(root)))
  await mkdir(folder, { recursive: true })
  const base = [
    { format: 'localization-base', version: 1 },
    [id('a'), 'old'],
    [id('b'), 'b'],
    [id('a'), 'new', 'old'],
    [id('b'), 'other', 'not the base'],
    [id('c'), 'c'],
    [id('c'), null],
  ]
  const outbox = [
    { format: 'localization-outbox', version: 1 },
    ['put', id('a'), 1, 'newer', null, ['new']],
    ['put', id('d'), 2, 'sent', null, []],
    ['done', id('d'), 2],
  ]
  const made = { version: 1, language: 'en', texts: [] as object[] }
  made.texts.push({ namespace: 'common', key: 'a', madeFrom: 'Source', translations: { pl: 'digest' } })
  await writeFile(join(folder, 'base.jsonl'), `${base.map(lineOf).join('')}half a li`)
  await writeFile(join(folder, 'outbox.jsonl'), outbox.map(lineOf).join(''))
  await writeFile(join(folder, 'made-from.json'), JSON.stringify(made))
  const state = { version: 1, conflicts: [], holds: [{ ...ref('b'), text: 'b', reason: 'switch' }] }
  await writeFile(join(folder, 'state.json'), JSON.stringify(state))
  return root
}

test.each(['read', 'own', 'cut short'] as const)('a folder of an earlier release is taken over: %s', async (how) => {
  const root = await formerFolder()
  const folder = dirname(journalOf(root))
  const expected = {
    base: { a: 'new', b: 'b' },
    outbox: how === 'read' ? [] : [['a', 'newer']],
    made: { a: { source: 'Source', digest: 'digest' } },
    held: ['b'],
  }
  const files = (await readdir(folder)).sort()
  if (how === 'cut short') {
    // Killed between the two: the journal is there, and the earlier files are too.
    const copies = await Promise.all(files.map(async (name) => [name, await readFile(join(folder, name))] as const))
    const { store } = await open(root)
    store.base.set(id('b'), 'later')
    await store.close()
    for (const [name, content] of copies) await writeFile(join(folder, name), content)
    expected.base.b = 'later'
  }
  const { store, problems } = await open(root, how === 'read' ? 'read' : 'own')
  expect([contentOf(store), problems]).toEqual([expected, []])
  expect((await readdir(folder)).sort()).toEqual(how === 'read' ? files : ['journal.jsonl'])
  if (how !== 'read') expect(contentOf((await open(root)).store)).toEqual(expected)
})

test('an earlier base that is damaged counts as none', async () => {
  const root = await formerFolder()
  const path = join(dirname(journalOf(root)), 'base.jsonl')
  await writeFile(path, (await readFile(path, 'utf8')).replace('"new"', '"NEW"'))
  const { store, problems } = await open(root)
  expect(problems.join()).toMatch(/the base is damaged \(1 line\): texts that differ become conflicts/)
  expect(contentOf(store)).toMatchObject({ base: {}, outbox: [['a', 'newer']] })
})

test('the ordered outbox lines of an earlier journal are taken over', async () => {
  const root = await tempFolder()
  const folder = dirname(journalPath(configOf(root)))
  await mkdir(folder, { recursive: true })
  const lines = [
    { format: 'localization-sync', version: 1 },
    ['base', id('a'), 'old'],
    ['put', id('a'), 1, 'one', 'file', []],
    ['put', id('b'), 2, 'sent', null, []],
    ['put', id('a'), 3, 'two', 'one', []],
    ['done', id('b'), 2],
    ['put', id('c'), 4, 'three', 'base', []],
    ['put', id('c'), 5, 'four', null, ['three']],
    ['done', id('c'), 4],
  ]
  await writeFile(journalOf(root), lines.map(lineOf).join(''))
  const { store, problems } = await open(root)
  expect(problems).toEqual([])
  const entries = store.outbox.entries().map(({ ref, text, assumedBase, sent }) => [ref.key, text, assumedBase, sent])
  expect(entries).toEqual([
    ['a', 'two', 'file', ['one', 'two']],
    ['c', 'four', undefined, ['four']],
  ])
})

test('many texts: the journal loads', async () => {
  const count = repeats(20_000, 200_000)
  const root = await tempFolder()
  const { store } = await open(root)
  for (let i = 0; i < count; i++) store.base.set(id(`key${i}`), `Text number ${i}`)
  await store.commit()
  const { store: again } = await open(root)
  expect([...again.base.values.keys()]).toHaveLength(count)
  expect(again.base.get(id(`key${count - 1}`))).toBe(`Text number ${count - 1}`)
})
