import { appendFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { textId } from '../../../src/catalog/text-id.ts'
import { BaseStore } from '../../../src/sync/base.ts'
import { Journal, type JournalAccess } from '../../../src/sync/journal.ts'
import { Outbox } from '../../../src/sync/outbox.ts'
import { repeats } from '../../helpers/repeats.ts'
import { tempFolder } from '../../helpers/temp.ts'

const ref = (key: string) => ({ language: 'en', namespace: 'common', key })
const edit = (key: string, text: string, assumedBase?: string) => ({ ref: ref(key), text, assumedBase })
const noTrouble = (error: unknown) => expect(error).toBeUndefined()

async function openOutbox(folder: string, onTrouble: (error: unknown) => void = noTrouble) {
  const problems: string[] = []
  const outbox = new Outbox({ folder, access: 'own', onProblem: (problem) => problems.push(problem), onTrouble })
  onTestFinished(() => outbox.close())
  await outbox.load()
  return { outbox, problems }
}

async function openBase(folder: string, access: JournalAccess = 'own') {
  const problems: string[] = []
  const base = new BaseStore({ folder, access, onProblem: (problem) => problems.push(problem), onTrouble: noTrouble })
  onTestFinished(() => base.close())
  await base.load()
  return { base, problems }
}

test('edits are on the disk when put resolves, the last text of each, in order', async () => {
  const folder = await tempFolder()
  const { outbox } = await openOutbox(folder)
  await outbox.put([edit('a', '1', '0'), edit('b', '1')])
  for (let i = 2; i <= 10; i++) await outbox.put([edit('a', String(i), 'later')])
  // No close: the process is gone.
  const { outbox: again, problems } = await openOutbox(folder)
  expect(problems).toEqual([])
  expect(again.entries().map(({ ref: { key }, text, assumedBase }) => [key, text, assumedBase])).toEqual([
    ['b', '1', undefined],
    ['a', '10', '0'],
  ])
  // Any of the earlier texts may have been sent before the end.
  expect(again.get(textId(ref('a')))?.sent).toEqual(['3', '4', '5', '6', '7', '8', '9', '10'])
})

test('what is acknowledged is gone for good, a newer edit stays', async () => {
  const folder = await tempFolder()
  const { outbox } = await openOutbox(folder)
  await outbox.put([edit('a', 'one'), edit('b', 'one')])
  const [a, b] = outbox.entries()
  await outbox.put([edit('a', 'two')])
  for (const entry of [a, b]) if (entry) outbox.remove(entry)
  const forget = outbox.takeRemovals()
  // An edit between the acknowledgement and its note must survive it.
  await outbox.put([edit('b', 'three')])
  await forget()
  const { outbox: again } = await openOutbox(folder)
  expect(again.entries().map(({ ref: { key }, text }) => [key, text])).toEqual([
    ['a', 'two'],
    ['b', 'three'],
  ])
})

test('a torn last line is cut and told, the rest replays', async () => {
  const folder = await tempFolder()
  const { outbox } = await openOutbox(folder)
  await outbox.put([edit('a', 'one')])
  await outbox.put([edit('b', 'two')])
  const file = join(folder, 'outbox.jsonl')
  await truncate(file, (await stat(file)).size - 5)
  const { outbox: again, problems } = await openOutbox(folder)
  expect(problems.join()).toMatch(/last entry of the outbox was cut short/)
  expect(again.entries().map(({ text }) => text)).toEqual(['one'])
  await again.put([edit('c', 'three')])
  expect((await openOutbox(folder)).outbox.entries().map(({ text }) => text)).toEqual(['one', 'three'])
})

test('damaged lines are left out and told; another version is set aside', async () => {
  const folder = await tempFolder()
  const { outbox } = await openOutbox(folder)
  await outbox.put([edit('a', 'one'), edit('b', 'two')])
  const file = join(folder, 'outbox.jsonl')
  await writeFile(file, (await readFile(file, 'utf8')).replace('one', 'ONE'))
  const { outbox: again, problems } = await openOutbox(folder)
  expect(problems.join()).toMatch(/1 entries of the outbox are damaged/)
  expect(again.entries().map(({ text }) => text)).toEqual(['two'])
  await writeFile(file, 'something else\n')
  const { outbox: fresh, problems: others } = await openOutbox(folder)
  expect(others.join()).toMatch(/outbox\.jsonl\.old was written by another version/)
  expect(fresh.size).toBe(0)
  expect(await readFile(`${file}.old`, 'utf8')).toBe('something else\n')
})

test('the outbox does not keep its history', async () => {
  const folder = await tempFolder()
  const { outbox } = await openOutbox(folder)
  for (let round = 0; round < 30; round++) {
    await outbox.put(Array.from({ length: 50 }, (_, i) => edit(`key${i}`, `${round}`)))
  }
  expect((await openOutbox(folder)).outbox.size).toBe(50)
  expect((await readFile(join(folder, 'outbox.jsonl'), 'utf8')).split('\n').length).toBeLessThan(60)
  expect((await openOutbox(folder)).outbox.size).toBe(50)
})

test('a folder that cannot be written: told once, kept in memory, and put down when it can be', async () => {
  const folder = join(await tempFolder(), 'sync')
  await writeFile(folder, 'in the way')
  const troubles: boolean[] = []
  const { outbox } = await openOutbox(folder, (error) => troubles.push(error !== undefined))
  await outbox.put([edit('a', 'one')])
  await outbox.put([edit('b', 'two')])
  expect(outbox.size).toBe(2)
  expect(troubles).toEqual([true])
  await rm(folder)
  await outbox.put([edit('c', 'three')])
  expect(troubles).toEqual([true, false])
  expect((await openOutbox(folder)).outbox.entries().map(({ text }) => text)).toEqual(['one', 'two', 'three'])
})

test('the base survives without a close, and forgets what is forgotten', async () => {
  const folder = await tempFolder()
  const { base } = await openBase(folder)
  base.set('a', 'one')
  base.set('b', 'two')
  base.set('__proto__', 'three')
  await base.flush()
  base.set('b', undefined)
  base.set('a', 'four')
  await base.flush()
  const { base: again, problems } = await openBase(folder)
  expect(problems).toEqual([])
  expect([...again.ids()].map((id) => [id, again.get(id)])).toEqual([
    ['a', 'four'],
    ['__proto__', 'three'],
  ])
})

test('a base that is damaged anywhere counts as none: an older text in it could undo an edit', async () => {
  const folder = await tempFolder()
  const { base } = await openBase(folder)
  for (const text of ['one', 'two', 'three']) {
    base.set('a', text)
    await base.flush()
  }
  const file = join(folder, 'base.jsonl')
  await writeFile(file, (await readFile(file, 'utf8')).replace('three', 'THREE'))
  const { base: again, problems } = await openBase(folder)
  expect(problems.join()).toMatch(/damaged \(1 lines\)/)
  expect([...again.ids()]).toEqual([])
  expect((await openBase(folder)).problems).toEqual([])
})

test('a base that another process changed is read anew, one that is gone is written anew', async () => {
  const folder = await tempFolder()
  const { base, problems } = await openBase(folder)
  base.set('a', 'one')
  await base.flush()
  const { base: other } = await openBase(folder)
  other.set('a', 'two')
  await other.flush()
  expect((await base.readAppended())()).toEqual(['a'])
  expect(base.get('a')).toBe('two')
  await rm(join(folder, 'base.jsonl'))
  expect((await base.readAppended())()).toEqual([])
  expect((await openBase(folder)).base.get('a')).toBe('two')
  await appendFile(join(folder, 'base.jsonl'), 'half a li')
  expect((await base.readAppended())()).toEqual([])
  expect(problems.join()).toMatch(/cut short/)
})

test('a command appends beside a process that has had nothing to write', async () => {
  const folder = await tempFolder()
  const { base } = await openBase(folder)
  const { base: beside } = await openBase(folder, 'append')
  beside.set(textId(ref('a')), 'pulled')
  await beside.flush()
  expect((await base.readAppended())()).toEqual([textId(ref('a'))])
  expect(base.get(textId(ref('a')))).toBe('pulled')
})

test('what a command appends counts where its base is still the base', async () => {
  const folder = await tempFolder()
  const { base } = await openBase(folder)
  for (const id of ['taken', 'newer', 'gone', 'quiet']) base.set(id, 'old')
  await base.flush()
  const { base: beside } = await openBase(folder, 'append')
  base.set('newer', 'newer')
  beside.set('taken', 'first')
  await beside.flush()
  for (const [id, text] of [
    ['taken', 'second'],
    ['newer', 'other'],
    ['gone', undefined],
    ['made', 'new'],
  ] as const)
    beside.set(id, text)
  await beside.flush()
  expect((await base.readAppended())().toSorted()).toEqual(['gone', 'made', 'taken'])
  const expected = { taken: 'second', newer: 'newer', quiet: 'old', made: 'new' }
  expect(Object.fromEntries([...base.ids()].map((id) => [id, base.get(id)]))).toEqual(expected)
  const { base: again } = await openBase(folder, 'read')
  expect(Object.fromEntries([...again.ids()].map((id) => [id, again.get(id)]))).toEqual(expected)
})

test('a base that is set while the file is read is not undone by what was read', async () => {
  const folder = await tempFolder()
  const { base } = await openBase(folder)
  for (const id of ['both', 'mine', 'theirs']) base.set(id, 'old')
  await base.flush()
  const { base: beside } = await openBase(folder, 'append')
  for (const id of ['both', 'theirs']) beside.set(id, 'other process')
  await beside.flush()
  const apply = await base.readAppended()
  expect(base.get('theirs')).toBe('old')
  base.set('both', 'set meanwhile')
  base.set('mine', undefined)
  base.set('new', 'set meanwhile')
  expect(apply()).toEqual(['theirs'])
  const expected = { both: 'set meanwhile', theirs: 'other process', new: 'set meanwhile' }
  const all = (one: BaseStore) => Object.fromEntries([...one.ids()].map((id) => [id, one.get(id)]))
  expect(all(base)).toEqual(expected)
  // What is set later is no part of that reading any more.
  base.set('new', 'later')
  await base.flush()
  expect(all((await openBase(folder)).base)).toEqual({ ...expected, new: 'later' })
  expect((await base.readAppended())()).toEqual([])
})

test('each base that moves is told with what it was, and one that stays is not', async () => {
  const moves: unknown[] = []
  const options = { folder: await tempFolder(), access: 'own', onProblem: noTrouble, onTrouble: noTrouble } as const
  const base = new BaseStore(options, (id, before) => moves.push([id, before, base.get(id)]))
  onTestFinished(() => base.close())
  await base.load()
  base.set('a', 'one')
  base.set('a', 'one')
  base.set('a', 'two')
  base.set('a', undefined)
  base.set('none', undefined)
  expect(moves).toEqual([
    ['a', undefined, undefined],
    ['a', 'one', 'one'],
    ['a', 'two', 'two'],
  ])
})

test('the base does not keep its history', async () => {
  const folder = await tempFolder()
  const { base } = await openBase(folder)
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < 1_000; i++) base.set(`key${i}`, `${round}`)
    await base.flush()
  }
  const lines = async () => (await readFile(join(folder, 'base.jsonl'), 'utf8')).split('\n').length - 2
  await openBase(folder)
  expect(await lines()).toBe(6_000)
  for (let i = 0; i < 1_000; i++) base.set(`key${i}`, undefined)
  base.set('key0', 'last')
  await base.flush()
  const { base: again } = await openBase(folder)
  expect(await lines()).toBe(1)
  expect([...again.ids()].map((id) => [id, again.get(id)])).toEqual([['key0', 'last']])
})

test('a base of another version is set aside and told, and the texts are compared anew', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'base.jsonl'), 'something else\n')
  const { base, problems } = await openBase(folder)
  expect(problems.join()).toMatch(/base\.jsonl\.old was written by another version and is not used/)
  expect([...base.ids()]).toEqual([])
  base.set('a', 'one')
  await base.flush()
  expect((await openBase(folder)).base.get('a')).toBe('one')
})

test('beside another process a base is read once, and only added to', async () => {
  const folder = await tempFolder()
  const { base } = await openBase(folder)
  base.set('a', 'one')
  await base.flush()
  const { base: reader } = await openBase(folder, 'read')
  const { base: beside } = await openBase(folder, 'append')
  base.set('b', 'one')
  await base.flush()
  for (const one of [reader, beside]) {
    expect(await one.hasAppended()).toBe(false)
    expect((await one.readAppended())()).toEqual([])
    expect(one.get('b')).toBeUndefined()
  }
  beside.set('a', 'two')
  beside.set('a', undefined)
  await beside.flush()
  base.set('c', 'one')
  await base.flush()
  expect(await beside.hasAppended()).toBe(false)
  reader.set('b', 'of a reader')
  await reader.flush()
  expect(await base.hasAppended()).toBe(true)
  expect((await base.readAppended())()).toEqual(['a'])
  expect([await base.hasAppended(), await beside.hasAppended()]).toEqual([false, false])
  expect([base.get('a'), base.get('b')]).toEqual([undefined, 'one'])
})

test('what a command appends does not count where this process moved the base before', async () => {
  const folder = await tempFolder()
  const { base } = await openBase(folder)
  for (const id of ['moved', 'removed']) base.set(id, 'old')
  await base.flush()
  const { base: beside } = await openBase(folder, 'append')
  base.set('moved', 'newer')
  base.set('removed', undefined)
  base.set('made', 'mine')
  await base.flush()
  for (const id of ['moved', 'removed', 'made']) beside.set(id, 'of the command')
  await beside.flush()
  const expected = { moved: 'newer', made: 'mine' }
  expect((await base.readAppended())()).toEqual([])
  const { base: again } = await openBase(folder, 'read')
  for (const one of [base, again])
    expect(Object.fromEntries([...one.ids()].map((id) => [id, one.get(id)]))).toEqual(expected)
})

test('whole lines that are no bases are none', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'base.jsonl')
  const journal = new Journal({
    path,
    format: 'localization-base',
    version: 1,
    access: 'own',
    snapshot: () => [],
    onTrouble: noTrouble,
  })
  await journal.load(() => {})
  await journal.append([{}, 'text', ['a'], [1, 'x'], ['b', 5], ['c', null], ['d', ['x']], ['kept', 'one']])
  await journal.close()
  const { base, problems } = await openBase(folder)
  expect([[...base.ids()], base.get('kept'), problems]).toEqual([['kept'], 'one', []])
})

test('a base that was damaged under a running process is what the process knows', async () => {
  const folder = await tempFolder()
  const { base } = await openBase(folder)
  base.set('a', 'one')
  await base.flush()
  for (const content of ['damaged\n', 'something else\n']) {
    await (content === 'damaged\n' ? appendFile : writeFile)(join(folder, 'base.jsonl'), content)
    expect((await base.readAppended())()).toEqual([])
    expect((await openBase(folder)).base.get('a')).toBe('one')
  }
})

test.each(['append', 'read'] as const)(
  '%s: without a base nothing is made on the disk, and a torn end stays',
  async (access) => {
    const folder = await tempFolder()
    const { base: none } = await openBase(folder, access)
    none.set('a', 'one')
    await none.flush()
    expect(await readdir(folder)).toEqual([])
    const { base } = await openBase(folder)
    base.set('a', 'one')
    await base.close()
    await appendFile(join(folder, 'base.jsonl'), 'half a li')
    const before = await readFile(join(folder, 'base.jsonl'), 'utf8')
    const { base: again, problems } = await openBase(folder, access)
    await again.close()
    expect([again.get('a'), problems]).toEqual(['one', []])
    expect(await readFile(join(folder, 'base.jsonl'), 'utf8')).toBe(before)
  },
)

test('many texts: the base loads', async () => {
  const count = repeats(20_000, 200_000)
  const folder = await tempFolder()
  const { base } = await openBase(folder)
  for (let i = 0; i < count; i++) base.set(textId(ref(`key${i}`)), `Text number ${i}`)
  await base.flush()
  const { base: again } = await openBase(folder)
  expect([...again.ids()]).toHaveLength(count)
  expect(again.get(textId(ref(`key${count - 1}`)))).toBe(`Text number ${count - 1}`)
})
