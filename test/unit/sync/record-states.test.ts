/** The state of each text after edits, readings and decisions: over real files and stores, the service as a list. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type TextRef, textId } from '../../../src/catalog/text-id.ts'
import { FileIndex } from '../../../src/files/file-index.ts'
import { ACTIONS, decide } from '../../../src/sync/decide.ts'
import type { OutboxEntry } from '../../../src/sync/outbox.ts'
import { isSendable } from '../../../src/sync/project.ts'
import { applyReading, isNews, keyIsGone, knowsKey } from '../../../src/sync/reader.ts'
import { TextRecords } from '../../../src/sync/records.ts'
import { isConflict, keepOurs } from '../../../src/sync/resolve.ts'
import { SyncStore } from '../../../src/sync/store.ts'
import { readerOf } from '../../helpers/files.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

type Texts = Readonly<Record<string, string | undefined>>

const ref = (key: string, language = 'en'): TextRef => ({ language, namespace: 'common', key })
const id = (key: string, language = 'en') => textId(ref(key, language))
const given = (texts: Texts) =>
  Object.entries(texts).flatMap(([key, text]) => (text === undefined ? [] : [[key, text] as const]))
const keysOf = (all: Iterable<{ readonly ref: TextRef }>) => Array.from(all, ({ ref: { key } }) => key).sort()

interface Setup {
  readonly files?: Texts
  readonly base?: Texts
  readonly push?: boolean
  readonly root?: string
  readonly others?: Readonly<Record<string, object>>
}

async function open({ files = {}, base = {}, push = true, root, others = {} }: Setup) {
  const folder = root ?? (await tempFolder())
  const file = 'locales/en/common.json'
  if (root === undefined) await writeTree(folder, { [file]: Object.fromEntries(given(files)), ...others })
  const noProblem = (problem: unknown) => expect(problem).toBeUndefined()
  const customers = ['locales/{language}/{namespace}.json', 'of/{customer}/{language}/{namespace}.json']
  const config = resolveConfig({ source: 'files', files: customers }, { root: folder, ci: false })
  const store = new SyncStore(config, 'own', noProblem)
  await store.load()
  const { base: bases, outbox } = store
  for (const [key, text] of given(base)) bases.set(id(key), text)
  const index = readerOf(new FileIndex(config))
  const close = () => store.close()
  onTestFinished(close)
  const records = new TextRecords(index, bases, outbox, push)
  await index.scan()
  records.settleAll()
  const scan = async () => (await index.scan({ everything: true })).changes
  return {
    root: folder,
    store,
    records,
    outbox,
    bases,
    index,
    close,
    scan,
    path: join(folder, file),
    /** The files change, as a person saves them. */
    async save(texts: Texts, as: 'live' | 'batch' = 'live') {
      await writeTree(folder, { [file]: Object.fromEntries(given(texts)) })
      await records.accept(await scan(), as)
    },
    /** The service has these texts and no others. */
    read(texts: Texts, { mark = records.mark(), modifiedAt, shown = false }: ReadOptions = {}) {
      const found = given(texts).map(([key, text]) => ({ id: id(key), ref: ref(key), text, modifiedAt }))
      return applyReading(records, { texts: found, seen: new Set(found.map((text) => text.id)), mark, shown })
    },
    /** These texts of the service changed; the others were not asked for. */
    readNews(texts: Texts, { mark = records.mark(), modifiedAt, shown = false }: ReadOptions = {}) {
      const found = Object.entries(texts).map(([key, text]) => {
        return { id: id(key), ref: ref(key), text: text ?? '', modifiedAt }
      })
      return applyReading(records, { texts: found, mark, shown })
    },
    state: (key: string) => records.get(id(key))?.state ?? 'equal',
    queued: () => outbox.entries().map(({ ref: { key }, text, parked }) => [key, text, parked?.kind]),
    travelling: () => keysOf(outbox.entries().filter((entry) => records.maySend(entry))),
  }
}

interface ReadOptions {
  readonly mark?: number
  readonly modifiedAt?: number
  readonly shown?: boolean
}

function onlyEntry({ outbox }: SyncStore): OutboxEntry {
  const [entry] = outbox.entries()
  if (!entry || outbox.size > 1) return expect.fail('one edit waits')
  return entry
}

const VALUES = [undefined, 'one', 'two', 'three']
const COMBINATIONS = VALUES.flatMap((base) =>
  VALUES.flatMap((ours) => VALUES.map((theirs) => ({ base, ours, theirs }))),
)
const nameOf = ({ base, ours, theirs }: (typeof COMBINATIONS)[number]) =>
  [base, ours, theirs].map((v) => v ?? '-').join()
const column = (name: 'base' | 'ours' | 'theirs') =>
  Object.fromEntries(COMBINATIONS.map((values) => [nameOf(values), values[name]]))
const namesOf = (...actions: string[]) =>
  COMBINATIONS.filter((values) => actions.includes(ACTIONS[decide(values.base, values)]))
    .map(nameOf)
    .sort()

describe.each([true, false])('a first reading, push: %s', (push) => {
  test('decides every text by its three values, and only lists what a person must know', async () => {
    const { records, bases, outbox, read, state } = await open({
      files: column('ours'),
      base: column('base'),
      push,
    })
    expect(records.hasRead).toBe(false)
    expect(read(column('theirs'))).toBe(true)
    expect(records.hasRead).toBe(true)
    for (const values of COMBINATIONS) {
      const name = nameOf(values)
      expect([name, state(name)]).toEqual([name, decide(values.base, values)])
      expect([name, records.theirs(id(name))]).toEqual([name, values.theirs])
      const isEqual = values.ours === values.theirs
      expect([name, bases.get(id(name))]).toEqual([name, isEqual ? values.ours : values.base])
    }
    expect(keysOf(records.differences())).toEqual(namesOf('send', 'write', 'keep', 'ask'))
    expect(keysOf(records.holds())).toEqual(push ? namesOf('send') : [])
    expect(keysOf(records.differences('ask'))).toEqual(namesOf('ask'))
    expect(keysOf(records.differences('write'))).toEqual(namesOf('write'))
    expect(keysOf(records.page.shown())).toEqual(namesOf('write'))
    // Nothing is sent by itself.
    expect(outbox.size).toBe(0)
  })

  test('with what the page has already shows no text of the service in a gap of the files', async () => {
    const { records, read } = await open({ files: column('ours'), base: column('base'), push })
    read(column('theirs'), { shown: true })
    const fillsGap = (name: string) =>
      COMBINATIONS.some((values) => nameOf(values) === name && decide(values.base, values) === 'new-there')
    expect(keysOf(records.page.shown())).toEqual(namesOf('write').filter((name) => !fillsGap(name)))
  })
})

describe('edits of files', () => {
  const texts = { a: 'A', b: 'B', c: 'C' }

  test('go into the outbox when they are live; gaps, and what the base or the service has, do not', async () => {
    const { records, save, read, queued, travelling, state } = await open({ files: texts, base: texts })
    read({ ...texts, c: 'C2' })
    const travels = (key: string, after: string | undefined) =>
      isSendable(records, { ref: ref(key), before: undefined, after })
    expect([travels('a', 'A1'), travels('a', 'A'), travels('a', ''), travels('a', undefined)]).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect([travels('c', 'C2'), travels('c', 'C'), travels('new', 'N')]).toEqual([false, false, true])
    await save({ a: 'A1', b: '', c: 'C2', d: 'D' })
    expect(queued()).toEqual([
      ['a', 'A1', undefined],
      ['d', 'D', undefined],
    ])
    expect(travelling()).toEqual(['a', 'd'])
    expect([state('a'), state('b'), state('c'), state('d')]).toEqual([
      'edited-here',
      'deleted-here',
      'equal',
      'new-here',
    ])
    expect(keysOf(records.holds())).toEqual([])
  })

  test('that are taken back before they were sent leave the outbox', async () => {
    const { save, read, queued } = await open({ files: texts, base: texts })
    read(texts)
    await save({ a: 'A1', b: 'B1', c: 'C1' })
    expect(queued()).toHaveLength(3)
    await save({ a: 'A', b: '', c: 'C2' })
    expect(queued()).toEqual([['c', 'C2', undefined]])
  })

  test('that are taken back after they may have been sent are sent back', async () => {
    const { save, read, queued, outbox } = await open({ files: texts, base: texts })
    read(texts)
    await save({ ...texts, a: 'A1' })
    outbox.sending(id('a'))
    await save(texts)
    expect(queued()).toEqual([['a', 'A', undefined]])
  })

  test('are held when many come at once, with the reason, until they are queued', async () => {
    const { records, save, read, queued, state } = await open({ files: texts, base: texts })
    read(texts)
    await save({ a: 'A1', b: 'B1', c: 'C' }, 'batch')
    expect([...records.holds()].map(({ ref: { key }, hold, ours }) => [key, hold, ours])).toEqual([
      ['a', 'batch', 'A1'],
      ['b', 'batch', 'B1'],
    ])
    expect(queued()).toEqual([])
    expect(await records.queue([id('a'), id('c'), id('unknown')])).toBe(1)
    expect(keysOf(records.holds())).toEqual(['b'])
    // What waits already is not queued once more.
    expect(await records.queue()).toBe(1)
    expect(await records.queue()).toBe(0)
    expect(queued()).toEqual([
      ['a', 'A1', undefined],
      ['b', 'B1', undefined],
    ])
    expect([state('a'), keysOf(records.holds())]).toEqual(['edited-here', []])
  })

  test('that are queued by a person leave out conflicts and what the service has newer', async () => {
    const { records, read, queued } = await open({ files: { ...texts, a: 'A1', b: 'B1' }, base: texts })
    read({ a: 'A2', b: 'B', c: 'C2' })
    expect(await records.queue()).toBe(1)
    expect(queued()).toEqual([['b', 'B1', undefined]])
  })

  test('that stood at the start are held for that; a live edit of a held text is sent', async () => {
    const { records, save, read, queued } = await open({ files: { ...texts, a: 'A1' }, base: texts })
    read(texts)
    expect([...records.holds()].map(({ hold }) => hold)).toEqual(['start'])
    await save({ ...texts, a: 'A2' })
    expect(queued()).toEqual([['a', 'A2', undefined]])
    expect(keysOf(records.holds())).toEqual([])
  })

  test('are neither held nor queued without push', async () => {
    const { records, save, read, queued, state } = await open({ files: texts, base: texts, push: false })
    read(texts)
    await save({ ...texts, a: 'A1' })
    await save({ ...texts, a: 'A1', b: 'B1' }, 'batch')
    expect([state('a'), state('b'), queued(), keysOf(records.holds())]).toEqual(['edited-here', 'edited-here', [], []])
  })

  test('of the text that the file had before there was a base are no conflict with it', async () => {
    const { save, read, queued, travelling, state } = await open({ files: { a: 'typed', b: 'typed' } })
    await save({ a: 'corrected', b: 'corrected' })
    read({ a: 'typed', b: 'other' })
    expect([state('a'), state('b')]).toEqual(['edited-here', 'conflict'])
    expect(queued()).toEqual([
      ['a', 'corrected', undefined],
      ['b', 'corrected', 'conflict'],
    ])
    expect(travelling()).toEqual(['a'])
  })
})

describe('an outbox that is older than the files', () => {
  const start = { other: 'old', gone: 'old', base: 'old', sent: 'old', same: 'old' }

  /** Edits are on the disk; the files change while nobody watches. */
  async function restart(files: Texts) {
    const first = await open({ files: start, base: start })
    first.read(start)
    await first.save({ ...Object.fromEntries(Object.keys(start).map((key) => [key, 'edit'])), fresh: 'edit' })
    await first.store.commit()
    await first.close()
    await writeTree(first.root, { 'locales/en/common.json': Object.fromEntries(given(files)) })
    return open({ root: first.root })
  }
  const files = { other: 'another', base: 'old', sent: 'old', same: 'edit' }

  test('follows them: other texts replace its own, texts that are gone go, and what may have been sent is sent back', async () => {
    const second = await restart(files)
    // After a restart nobody knows what was sent: everything in it may have been.
    expect(second.outbox.get(id('sent'))?.sent).toEqual(['edit'])
    await second.store.followFiles(second.index.seen)
    expect(second.queued().sort()).toEqual([
      ['base', 'old', undefined],
      ['other', 'another', undefined],
      ['same', 'edit', undefined],
      ['sent', 'old', undefined],
    ])
  })

  test('before the service is known follows only the texts that have their base', async () => {
    const second = await restart(files)
    await second.store.followFiles(second.index.seen, true)
    expect(second.queued().sort()).toEqual([
      ['base', 'old', undefined],
      ['fresh', 'edit', undefined],
      ['gone', 'edit', undefined],
      ['other', 'edit', undefined],
      ['same', 'edit', undefined],
      ['sent', 'old', undefined],
    ])
  })

  test('forgets an edit that was never sent and is undone', async () => {
    const { save, read, queued, records, root, index, outbox, store } = await open({ files: start, base: start })
    read(start)
    await save({ ...start, base: 'edit', other: 'edit' })
    await writeTree(root, { 'locales/en/common.json': { ...start, other: 'next' } })
    await index.scan({ everything: true })
    await store.followFiles(index.seen)
    expect(queued()).toEqual([['other', 'next', undefined]])
    // What was refused as it is stays refused.
    outbox.park(id('other'), { kind: 'refused', reason: 'too long' })
    await store.followFiles(index.seen)
    records.settle([ref('other')])
    expect(queued()).toEqual([['other', 'next', 'refused']])
  })

  test('keeps the edits of a file that cannot be read', async () => {
    const second = await restart(files)
    await second.close()
    await writeFile(second.path, '{ "other": ')
    const third = await open({ root: second.root })
    expect(third.index.seen.isUnknown(ref('other'))).toBe(true)
    await third.store.followFiles(third.index.seen)
    expect(third.queued()).toHaveLength(6)
    expect(third.queued().every(([, text]) => text === 'edit')).toBe(true)
  })
})

describe('conflicts', () => {
  const base = { a: 'old', b: 'old', c: 'old' }
  const openConflicts = async (more: Partial<Setup> = {}) => {
    const one = await open({ files: { a: 'mine', b: 'mine' }, base, ...more })
    one.read({ a: 'theirs', b: 'theirs', c: 'theirs' })
    expect(keysOf(one.records.differences('ask'))).toEqual(['a', 'b', 'c'])
    return one
  }

  test('end with the file’s text only where both sides are what the person saw', async () => {
    const { records, queued, travelling, state, bases } = await openConflicts()
    for (const seen of [
      { ours: 'mine', theirs: 'earlier' },
      { ours: 'earlier', theirs: 'theirs' },
      { ours: undefined, theirs: 'theirs' },
      { ours: 'mine', theirs: undefined },
    ]) {
      expect(isConflict(records, id('a'), seen)).toBe(false)
      await keepOurs(records, id('a'), seen)
    }
    await keepOurs(records, id('unknown'), { ours: undefined, theirs: undefined })
    expect(isConflict(records, id('unknown'), { ours: undefined, theirs: undefined })).toBe(false)
    expect([queued(), state('a'), bases.get(id('a'))]).toEqual([[], 'conflict', 'old'])
    expect(isConflict(records, id('a'), { ours: 'mine', theirs: 'theirs' })).toBe(true)
    await keepOurs(records, id('a'), { ours: 'mine', theirs: 'theirs' })
    expect(queued()).toEqual([['a', 'mine', undefined]])
    expect([travelling(), state('a'), bases.get(id('a'))]).toEqual([['a'], 'edited-here', 'theirs'])
    expect(keysOf(records.differences('ask'))).toEqual(['b', 'c'])
    expect(isConflict(records, id('a'), { ours: 'mine', theirs: 'theirs' })).toBe(false)
  })

  test('over a text that the file deleted end with the deletion, which is not sent', async () => {
    const { records, queued, state, bases } = await openConflicts()
    expect(isConflict(records, id('c'), { ours: '', theirs: 'theirs' })).toBe(true)
    await keepOurs(records, id('c'), { ours: undefined, theirs: 'theirs' })
    expect([queued(), state('c'), bases.get(id('c'))]).toEqual([[], 'deleted-here', 'theirs'])
  })

  test('end without a request where nothing is pushed', async () => {
    const { records, queued, state, bases } = await openConflicts({ push: false })
    await keepOurs(records, id('a'), { ours: 'mine', theirs: 'theirs' })
    expect([queued(), state('a'), bases.get(id('a'))]).toEqual([[], 'edited-here', 'theirs'])
  })

  test('in the outbox wait there, and go on when the person has decided', async () => {
    const { save, read, records, queued, travelling } = await open({ files: base, base })
    read(base)
    await save({ ...base, a: 'mine' })
    read({ ...base, a: 'theirs' })
    expect(queued()).toEqual([['a', 'mine', 'conflict']])
    expect(travelling()).toEqual([])
    await keepOurs(records, id('a'), { ours: 'mine', theirs: 'theirs' })
    expect(queued()).toEqual([['a', 'mine', undefined]])
    expect(travelling()).toEqual(['a'])
  })

  test('end where both sides agree, on either side', async () => {
    const { save, read, records, bases } = await openConflicts()
    await save({ a: 'theirs', b: 'mine' })
    expect([keysOf(records.differences('ask')), bases.get(id('a'))]).toEqual([['b', 'c'], 'theirs'])
    read({ a: 'theirs', b: 'mine', c: 'theirs' })
    expect([keysOf(records.differences('ask')), bases.get(id('b'))]).toEqual([['c'], 'mine'])
  })

  test('do not end by an older answer of a cache, but by a newer text of the service', async () => {
    const { records, readNews, state } = await open({ files: { a: 'mine' }, base })
    readNews({ a: 'theirs' }, { modifiedAt: 2000 })
    expect(state('a')).toBe('conflict')
    // The cache has the base still.
    readNews({ a: 'old' }, { modifiedAt: 1000 })
    expect([state('a'), records.theirs(id('a')), records.staleReads]).toEqual(['conflict', 'theirs', 1])
    // Without a time, nothing says that it is newer.
    readNews({ a: 'old' })
    records.settle([ref('a')])
    expect(state('a')).toBe('conflict')
    readNews({ a: 'other' }, { modifiedAt: 3000 })
    expect(state('a')).toBe('conflict')
    readNews({ a: 'old' }, { modifiedAt: 3000 })
    expect(state('a')).toBe('conflict')
    readNews({ a: 'another' }, { modifiedAt: 3500 })
    // Somebody restored the text there.
    readNews({ a: 'old' }, { modifiedAt: 4000 })
    expect(state('a')).toBe('edited-here')
  })

  test('are none where the service has an earlier text of ours', async () => {
    const { save, read, state, queued, travelling, outbox } = await open({ files: base, base })
    read(base)
    await save({ ...base, a: 'first', b: 'first' })
    outbox.sending(id('a'))
    await save({ ...base, a: 'second', b: 'second' })
    // The first one arrived, though nobody was told. That of b never left.
    read({ ...base, a: 'first', b: 'first' })
    expect([state('a'), state('b')]).toEqual(['edited-here', 'conflict'])
    expect(queued()).toEqual([
      ['a', 'second', undefined],
      ['b', 'second', 'conflict'],
    ])
    expect(travelling()).toEqual(['a'])
  })

  test('that a person overrules with the file’s text in sight begin from the service’s text', async () => {
    const { records, bases } = await openConflicts()
    records.see(id('a'))
    records.see(id('unknown'))
    expect([bases.get(id('a')), bases.get(id('b')), bases.get(id('unknown'))]).toEqual(['theirs', 'old', undefined])
  })
})

describe('sending', () => {
  const texts = { a: 'old', b: 'old' }
  const openEdited = async () => {
    const one = await open({ files: texts, base: texts })
    one.read(texts)
    await one.save({ a: 'new', b: 'old' })
    return { ...one, entry: onlyEntry(one.store) }
  }

  test('an acknowledged text is the base, and a reading from before it is not believed', async () => {
    const { records, bases, queued, entry, readNews, state, read } = await openEdited()
    const mark = records.mark()
    expect(records.movedSince(id('a'), mark)).toBe(false)
    records.sending(id('a'))
    expect(records.movedSince(id('a'), mark)).toBe(true)
    expect(readNews({ a: 'old' })).toBe(false)
    records.sent(id('a'))
    records.acknowledge(entry)
    expect([queued(), bases.get(id('a')), state('a')]).toEqual([[], 'new', 'equal'])
    expect(keysOf(records.differences())).toEqual([])
    expect([...records.changedThere()]).toEqual([{ ref: ref('a'), text: 'new' }])
    expect(readNews({ a: 'old', b: 'news' }, { mark })).toBe(false)
    expect([records.theirs(id('a')), records.theirs(id('b'))]).toEqual(['new', 'news'])
    // Nor is it believed that the text is gone.
    read({ b: 'news' }, { mark })
    expect(records.theirs(id('a'))).toBe('new')
    expect(readNews({ a: 'later' })).toBe(true)
    expect([records.theirs(id('a')), state('a')]).toEqual(['later', 'edited-there'])
  })

  test('a text that was refused is compared anew, with what is read after that', async () => {
    const { records, readNews, state, outbox } = await openEdited()
    records.sending(id('a'))
    records.sent(id('a'))
    records.sent(id('unknown'))
    expect(readNews({ a: 'other' })).toBe(true)
    expect(state('a')).toBe('conflict')
    expect(outbox.get(id('a'))?.parked).toEqual({ kind: 'conflict', reason: 'both sides changed' })
  })

  test('a text that arrived without an answer has arrived, as soon as the service is read', async () => {
    const { records, readNews, queued, bases, root, index } = await openEdited()
    records.sending(id('a'))
    records.sent(id('a'))
    // The file goes on: what is read has to become its base, or the next edit would be a conflict.
    await writeTree(root, { 'locales/en/common.json': { a: 'newer', b: 'old' } })
    await index.scan({ everything: true })
    readNews({ a: 'new' })
    expect([queued(), bases.get(id('a'))]).toEqual([[], 'new'])
    expect(records.get(id('a'))).toMatchObject({ state: 'edited-here', ours: 'newer', theirs: 'new' })
  })

  test('an edit that was taken back makes room for the text of the service', async () => {
    const { records, save, queued, bases } = await openEdited()
    records.sending(id('a'))
    await save(texts)
    expect(records.applyRead(ref('a'), 'other', undefined)).toBe('edited-there')
    expect([queued(), bases.get(id('a')), records.theirs(id('a'))]).toEqual([[], 'old', 'other'])
  })

  test('an entry that was replaced, parked or removed is not queued any more', async () => {
    const { store, records, entry, save, outbox } = await openEdited()
    expect([records.isQueued(entry), records.maySend(entry)]).toEqual([true, true])
    outbox.park(id('a'), { kind: 'refused', reason: 'too long' })
    expect([records.isQueued(entry), records.maySend(entry)]).toEqual([false, false])
    outbox.park(id('a'), undefined)
    await save({ a: 'newer', b: 'old' })
    expect(records.isQueued(entry)).toBe(false)
    const next = onlyEntry(store)
    expect(records.maySend(next)).toBe(true)
    outbox.remove(next)
    expect([records.isQueued(next), records.maySend(next)]).toEqual([false, false])
  })

  test('an edit behind a sent text stays uncertain until the service is read', async () => {
    const { records, save, queued, read, travelling } = await openEdited()
    records.sending(id('a'))
    await save({ a: 'old', b: 'old' })
    // The service may have "new", though the last answer said "old".
    records.sent(id('a'))
    records.settle([ref('a')])
    expect(queued()).toEqual([['a', 'old', undefined]])
    expect(travelling()).toEqual([])
    expect(records.applyRead(ref('a'), 'old', undefined)).toBe('equal')
    expect(queued()).toEqual([])
    read(texts)
    expect(keysOf(records.differences())).toEqual([])
  })

  test('a text that was read just now tells its state, or that it is too old', async () => {
    const { records } = await open({ files: texts, base: texts })
    expect(records.applyRead(ref('a'), 'there', 2000)).toBe('edited-there')
    expect(records.applyRead(ref('a'), 'before', 1000)).toBe(false)
    expect([records.theirs(id('a')), records.staleReads]).toEqual(['there', 1])
    // The same text in an older answer is no older text.
    expect(records.applyRead(ref('a'), 'there', 1000)).toBe('edited-there')
    expect(records.applyRead(ref('a'), '', undefined)).toBe('deleted-there')
    expect(records.applyRead(ref('a'), 'old', 3000)).toBe('equal')
    expect(records.staleReads).toBe(1)
  })

  test('both sides have a text, or neither: the base says so', async () => {
    const { records, bases, state } = await open({ files: { a: 'same' }, base: { a: 'old', b: 'old' } })
    records.setEqual(ref('a'), 'same')
    records.setEqual(ref('b'), undefined)
    expect([bases.get(id('a')), bases.get(id('b'))]).toEqual(['same', undefined])
    expect([state('a'), state('b')]).toEqual(['equal', 'equal'])
  })
})

describe('readings', () => {
  const texts = { a: 'A', b: 'B' }

  test('of what changed leave the other texts alone; those of everything tell what is gone', async () => {
    const { readNews, read, state, records } = await open({ files: texts, base: texts })
    readNews({ a: 'A2' })
    expect([state('a'), state('b'), records.hasRead]).toEqual(['edited-there', 'equal', false])
    read({})
    expect([state('a'), state('b'), records.hasRead]).toEqual(['deleted-there', 'deleted-there', true])
    expect(keysOf(records.differences('write'))).toEqual([])
    read(texts)
    expect([...records.differences()]).toEqual([])
  })

  test('keep the newest time of a text, and count older answers', async () => {
    const { readNews, records } = await open({ files: texts, base: texts })
    readNews({ a: 'A2' }, { modifiedAt: 2000 })
    readNews({ a: 'A2' }, { modifiedAt: 3000 })
    readNews({ a: 'A2' }, { modifiedAt: 1000 })
    // The same text without a time tells nothing new.
    readNews({ a: 'A2' })
    readNews({ a: 'A1' }, { modifiedAt: 2500 })
    expect([records.theirs(id('a')), records.staleReads]).toEqual(['A2', 1])
    readNews({ a: 'A3' }, { modifiedAt: 3000 })
    expect([records.theirs(id('a')), records.staleReads]).toEqual(['A3', 1])
    // Another text without a time is believed; it leaves the time that was known.
    readNews({ a: 'A4' })
    readNews({ a: 'A1' }, { modifiedAt: 2500 })
    expect([records.theirs(id('a')), records.staleReads]).toEqual(['A4', 2])
    // After a deletion nothing is older.
    readNews({ a: undefined })
    readNews({ a: 'A1' }, { modifiedAt: 500 })
    expect([records.theirs(id('a')), records.staleReads]).toEqual(['A1', 2])
  })

  test('bring news where the text, or what is known of it, is not simply equal', async () => {
    const { records, readNews } = await open({ files: texts, base: texts })
    const isNew = (key: string, text: string, mark = records.mark()) => isNews(records, { id: id(key), text }, mark)
    expect([isNew('a', 'A'), isNew('a', 'A2'), isNew('new', 'N'), isNew('new', '')]).toEqual([false, true, true, false])
    readNews({ a: 'A2' })
    expect([isNew('a', 'A2'), isNew('b', 'B')]).toEqual([true, false])
  })

  test('tell which texts changed on the service since it was first read', async () => {
    const { records, read } = await open({ files: { a: 'A', b: 'B', gap: '' }, base: texts })
    read({ ...texts, gap: 'filled' })
    const changed = () => Array.from(records.changedThere(), ({ ref: { key }, text }) => [key, text]).sort()
    expect(changed()).toEqual([])
    records.applyRead(ref('a'), 'A', undefined)
    records.setEqual(ref('b'), 'B')
    expect(changed()).toEqual([])
    read({ a: 'A2', gap: 'other' })
    expect(changed()).toEqual([
      ['a', 'A2'],
      ['b', undefined],
      ['gap', 'other'],
    ])
  })

  test('tell which texts change in the page: those that it shows, and gaps', async () => {
    const { records, read, save } = await open({ files: { a: 'A', b: 'B', gap: '' }, base: texts })
    const shown = () => keysOf([...records.page.takeChanges().values()].map((one) => ({ ref: one })))
    read({ ...texts, gap: 'filled' })
    expect(shown()).toEqual(['gap'])
    read({ ...texts, a: 'A2', gap: 'other' })
    expect(shown()).toEqual(['a', 'gap'])
    expect(shown()).toEqual([])
    read({ ...texts, a: 'A2', gap: 'other' })
    expect(shown()).toEqual([])
    // The file takes over what the page shows.
    await save({ a: 'A2', b: 'B', gap: '' })
    expect(shown()).toEqual(['a'])
    read({ a: 'A2', b: 'B' })
    expect(shown()).toEqual(['gap'])
    // The page goes on to show the file's text where the service has none any more.
    read({ a: 'A2' })
    records.settle([ref('a'), ref('b'), ref('gap')])
    expect(shown()).toEqual([])
    read({ a: 'A3', gap: 'shown before' }, { shown: true })
    expect(shown()).toEqual(['a', 'gap'])
    expect([...records.page.shown()]).toEqual([{ ref: ref('a'), text: 'A3' }])
  })
})

describe('a file that cannot be read', () => {
  const texts = { a: 'A', b: 'B' }

  test('changes no state, forgets no text of the service, and goes on when it is mended', async () => {
    const { root, path, close } = await open({ files: texts, base: texts })
    await close()
    await writeFile(path, '{ "a": "A",')
    const one = await open({ root, base: texts })
    one.read({ a: 'A2', b: 'B' })
    expect([one.state('a'), one.records.theirs(id('a'))]).toEqual(['equal', 'A2'])
    expect(one.bases.get(id('a'))).toBe('A')
    expect(one.records.applyRead(ref('a'), 'A2', undefined)).toBe('equal')
    // That neither side seems to have a text is no reason to forget the base.
    one.readNews({ b: undefined })
    expect(one.bases.get(id('b'))).toBe('B')
    one.read({ a: 'A2', b: 'B' })
    expect(one.records.theirs(id('a'))).toBe('A2')
    await writeTree(root, { 'locales/en/common.json': texts })
    await one.scan()
    one.records.settleAll()
    expect([one.state('a'), one.state('b')]).toEqual(['edited-there', 'equal'])
    expect(one.bases.get(id('a'))).toBe('A')
  })
})

describe('keys and languages', () => {
  const others = {
    'locales/de/common.json': { a: 'A de', only: 'O' },
    'locales/de/other.json': { a: 'x' },
    'of/acme/en/common.json': { a: 'A acme' },
  }
  const acme = { ...ref('a'), customer: 'acme' }

  test('a key is known where the service has it in any language; a customer’s key where everybody has it', async () => {
    const { records, index } = await open({ files: { a: 'A' }, others })
    const read = (one: TextRef, text: string) => records.applyRead(one, text, undefined)
    expect(knowsKey(records, ref('only'))).toBe(false)
    read(ref('only', 'de'), 'O')
    expect([knowsKey(records, ref('only')), knowsKey(records, { ...ref('only'), customer: 'acme' })]).toEqual([
      true,
      true,
    ])
    expect(knowsKey(records, { ...ref('only'), namespace: 'other' })).toBe(false)
    read(acme, 'A acme')
    expect(knowsKey(records, ref('a'))).toBe(false)
    expect([...index.seen.languages()].sort()).toEqual(['de', 'en'])
  })

  test('a key that is gone has no text in any language; that of a customer says nothing', async () => {
    const { records } = await open({ files: { a: 'A' }, others })
    const all = [ref('a'), ref('a', 'de'), acme, ref('only', 'de'), { ...ref('a', 'de'), namespace: 'other' }]
    for (const one of all) records.applyRead(one, 'there', undefined)
    const theirs = () => all.map((one) => records.theirs(textId(one)))
    keyIsGone(records, acme)
    expect(theirs()).toEqual(all.map(() => 'there'))
    keyIsGone(records, ref('a'))
    expect(theirs()).toEqual([undefined, undefined, 'there', 'there', 'there'])
  })

  test('follow the files', async () => {
    const { records, index, root, scan, save } = await open({ files: { a: 'A' } })
    expect([...index.seen.languages()]).toEqual(['en'])
    await writeTree(root, { 'locales/pl/common.json': { a: 'A pl' } })
    await records.accept(await scan(), 'batch')
    expect([...index.seen.languages()].sort()).toEqual(['en', 'pl'])
    records.applyRead(ref('a', 'pl'), 'there', undefined)
    expect(knowsKey(records, ref('a'))).toBe(true)
    await save({ a: 'A' })
  })
})

test('what was sent is forgotten only when its base is on the disk', async () => {
  const one = await open({ files: { a: 'old' }, base: { a: 'old' } })
  one.read({ a: 'old' })
  await one.store.commit()
  await one.save({ a: 'new' })
  one.records.acknowledge(onlyEntry(one.store))
  // The process ends before the commit: the edit is there once more.
  const copy = await open({ root: one.root })
  expect(copy.queued()).toEqual([['a', 'new', undefined]])
  expect(copy.bases.get(id('a'))).toBe('old')
  await copy.close()
  await one.store.commit()
  const after = await open({ root: one.root })
  expect([after.queued(), after.bases.get(id('a'))]).toEqual([[], 'new'])
})
