import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type KnownAgreement, readAgreed, removeAgreed, sweepAgreed, writeAgreed } from '../../../src/sync/agreed.ts'
import { id, openRecords, quiet, ref, sizes } from '../../helpers/records.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const agreement = (key: string, before: string | undefined, text: string | undefined): KnownAgreement => ({
  id: id(key),
  ref: ref(key),
  before,
  text,
})

test('what is written is read by its name, by its owner only, and gone when removed', async () => {
  const folder = await tempFolder()
  const agreed = [
    agreement('a', 'old', 'new'),
    agreement('__proto__', undefined, 'new'),
    agreement('c', 'old', undefined),
  ]
  const name = await writeAgreed(folder, agreed)
  if (process.platform !== 'win32') {
    expect((await stat(join(folder, `agreed-${name}.json`))).mode & 0o777).toBe(0o600)
  }
  expect(await readAgreed(folder, name)).toEqual(agreed)
  await removeAgreed(folder, name)
  expect(await readAgreed(folder, name)).toEqual([])
  expect(await readdir(folder)).toEqual([])
})

test('a name that could be another file is no name', async () => {
  const folder = await tempFolder()
  await writeTree(folder, { 'agreed-x.json': { version: 1, agreed: [[id('a'), null, 'new']] } })
  for (const name of ['x', '../x', '', 'A'.repeat(32)]) expect(await readAgreed(folder, name)).toEqual([])
})

test.each([
  ['no JSON', '{'],
  ['another version', '{"version":2,"agreed":[]}'],
  ['another shape', '{"version":1,"agreed":[["a"]]}'],
  ['a text that is none', `{"version":1,"agreed":[[${JSON.stringify(id('a'))},null,1]]}`],
  ['no id', '{"version":1,"agreed":[["en/common/a",null,"new"]]}'],
  ['too short an id', '{"version":1,"agreed":[["[\\"en\\",\\"common\\"]",null,"new"]]}'],
  ['an id written otherwise', '{"version":1,"agreed":[["[\\"en\\", \\"common\\", \\"a\\"]",null,"new"]]}'],
  ['one good id and one bad', `{"version":1,"agreed":[[${JSON.stringify(id('a'))},null,"new"],["null",null,"new"]]}`],
])('%s: nothing of it is used', async (_what, content) => {
  const folder = await tempFolder()
  const name = 'a'.repeat(32)
  await writeFile(join(folder, `agreed-${name}.json`), content)
  await expect(readAgreed(folder, name)).rejects.toThrow()
})

test('what commands left behind is swept, and nothing else', async () => {
  const folder = await tempFolder()
  await writeAgreed(folder, [agreement('a', 'old', 'new')])
  await writeAgreed(folder, [agreement('b', 'old', 'new')])
  await writeFile(join(folder, 'base.jsonl'), '')
  await sweepAgreed(folder)
  expect(await readdir(folder)).toEqual(['base.jsonl'])
  await sweepAgreed(join(folder, 'nowhere'))
})

test('what was agreed on is the base, and what the service has next is its change alone', async () => {
  const one = await openRecords({ a: 'old' }, { a: 'old' })
  one.read({ a: 'old' })
  await writeTree(one.root, { 'locales/en/common.json': { a: 'new' } })
  const { changes } = await one.files.scan({ everything: true })
  expect(one.records.takeIn([agreement('a', 'old', 'new')])).toEqual([ref('a')])
  expect(changes.filter((change) => one.records.wouldTravel(change))).toEqual([])
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
  one.records.takeIn([agreement('a', 'old', 'new')])
  await one.save({ a: 'new', b: 'old' })
  expect(one.read({ a: 'old', b: 'other' }, mark)).toBe(false)
  expect(one.records.movedSince(id('a'), mark)).toBe(true)
  expect([...one.records.shown()]).toEqual([{ ref: ref('b'), text: 'other' }])
  expect(one.records.theirs(id('a'))).toBe('new')
})

test('the same edit in the outbox has arrived, a newer one is an edit of what was agreed on, and a conflict over it is none', async () => {
  const texts = { same: 'old', newer: 'old', parked: 'old' }
  const one = await openRecords(texts, texts)
  one.read(texts)
  await one.save({ same: 'new', newer: 'newer', parked: 'newer' })
  one.read({ ...texts, parked: 'new' })
  expect(sizes(one)).toEqual({ ...quiet, outbox: 3, conflicts: 1 })
  one.records.settle(one.records.takeIn(Object.keys(texts).map((key) => agreement(key, 'old', 'new'))))
  expect(sizes(one)).toEqual({ ...quiet, outbox: 2 })
  expect(one.outbox.entries().map(({ ref: { key }, text, parked }) => ({ key, text, parked }))).toEqual([
    { key: 'newer', text: 'newer', parked: undefined },
    { key: 'parked', text: 'newer', parked: undefined },
  ])
})

test('a text that is being sent is left alone, and so is one that was agreed on otherwise since', async () => {
  const one = await openRecords({ sent: 'mine', since: 'later' }, { sent: 'old', since: 'later' })
  one.read({ sent: 'old', since: 'later' })
  await one.records.queue()
  one.records.sending(id('sent'))
  const agreed = [agreement('sent', 'old', 'new'), agreement('since', 'old', 'new'), agreement('fresh', 'old', 'new')]
  expect(one.records.takeIn(agreed)).toEqual([])
  expect(['sent', 'since', 'fresh'].map((key) => one.base.get(id(key)))).toEqual(['old', 'later', undefined])
  expect(one.outbox.get(id('sent'))?.text).toBe('mine')
})

test('deleted on both sides: the base forgets it, and what comes anew is new', async () => {
  const one = await openRecords({ a: 'old', b: 'old' }, { a: 'old', b: 'old' })
  one.read({ a: 'old', b: 'old' })
  one.records.takeIn([agreement('a', 'old', undefined)])
  await one.save({ b: 'old' })
  one.records.settle([ref('a')])
  expect(one.base.get(id('a'))).toBeUndefined()
  expect(sizes(one)).toEqual(quiet)
  one.read({ a: 'again', b: 'old' })
  expect([...one.records.shown()]).toEqual([{ ref: ref('a'), text: 'again' }])
})
