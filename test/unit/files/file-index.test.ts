/** One index of the project's files, and several who follow it: each gets every change once, whoever looked. */
import { mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { applyEdits } from '../../../src/files/edit.ts'
import { compareSnapshots } from '../../../src/files/snapshot.ts'
import { noLinks } from '../../helpers/file-system.ts'
import { readerOf, type ScannedFiles, scanFiles } from '../../helpers/files.ts'
import { createManualClock } from '../../helpers/manual-clock.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { readJson, tempFolder, writeTree } from '../../helpers/temp.ts'

const FILE = 'locales/en/common.json'
const part = { language: 'en', namespace: 'common' }
const ref = (key: string) => ({ ...part, key })
const change = (key: string, before: string | undefined, after: string | undefined) => ({
  ref: ref(key),
  before,
  after,
})

const write = (files: ScannedFiles, texts: Readonly<Record<string, string>>) =>
  files.index.write(files, part, new Map(Object.entries(texts)))

const DAY = 86_400_000

/** The clock of this process is that far from the disk's until the test is over. */
function shiftClock(shift: number): void {
  const { now } = Date
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + shift)
  onTestFinished(() => clock.mockRestore())
}

async function open(texts: object | string = { a: 'A', b: 'B' }, options: Parameters<typeof scanFiles>[1] = {}) {
  const root = await tempFolder()
  const save = (content: object | string, name = FILE) => writeTree(root, { [name]: content })
  await save(texts)
  const files = await scanFiles(resolveConfig({ source: 'files' }, { root, ci: false }), options)
  return { root, save, files, path: join(root, FILE) }
}

/** Calls `onChange` with each change, until the test is over or the follower leaves. */
function follow(files: ScannedFiles, onChange: (change: ReturnType<ScannedFiles['take']>) => void) {
  const onSnapshot = () => {
    const change = files.take()
    if (change.before !== change.after) onChange(change)
  }
  const leave = files.index.follow({ onSnapshot })
  onTestFinished(leave)
  return leave
}

describe('several readers', () => {
  test('what one of them found reaches each of them once', async () => {
    const { save, files } = await open()
    const [page, sync] = [readerOf(files.index), readerOf(files.index)]
    await save({ a: 'A1', b: 'B' })
    expect((await page.scan()).changes).toEqual([change('a', 'A', 'A1')])
    expect(sync.seen.text(ref('a'))).toBe('A')
    expect((await sync.scan()).changes).toEqual([change('a', 'A', 'A1')])
    expect([sync.seen.text(ref('a')), files.seen.text(ref('a'))]).toEqual(['A1', 'A'])
    for (const reader of [page, sync]) expect((await reader.scan()).files).toEqual([])
    expect(files.take().changes).toEqual([change('a', 'A', 'A1')])
    expect(files.take().changes).toEqual([])
  })

  test('changes that another one has seen come by come together; what came back did not change', async () => {
    const { save, files, path } = await open({ a: 'A', b: 'B', c: 'C' })
    const page = readerOf(files.index)
    await save({ a: 'A1', b: 'B1', d: 'D' })
    await page.scan()
    await save({ a: 'A2', b: 'B', c: 'C1' })
    expect(await files.scan()).toMatchObject({
      changes: [change('a', 'A', 'A2'), change('c', 'C', 'C1')],
      files: [path],
    })
    await save({ a: 'A3' })
    await page.scan()
    await save({ a: 'A2', b: 'B', c: 'C1' })
    expect(await files.scan()).toMatchObject({ changes: [], files: [] })
  })

  test('two scans as one', async () => {
    const { save, files } = await open({ a: 'A', b: 'B', c: 'C' })
    await save({ a: 'A1', b: 'B1', c: 'C' })
    const { before } = await files.scan()
    await save({ a: 'A2', b: 'B', d: 'D' })
    expect(compareSnapshots(before, await files.index.scan()).changes).toEqual([
      change('a', 'A', 'A2'),
      change('d', undefined, 'D'),
      change('c', 'C', undefined),
    ])
  })

  test('a file that was broken from the start has no changes: its texts are found', async () => {
    const { save, files } = await open('{ "a": "A",')
    const other = readerOf(files.index)
    expect(files.seen.isUnknown(part)).toBe(true)
    await save({ a: 'A1', b: 'B' })
    await other.scan()
    await save({ a: 'A2' })
    expect(await files.scan()).toMatchObject({
      changes: [],
      found: [change('a', undefined, 'A2')],
    })
    expect(files.seen.isUnknown(part)).toBe(false)
  })

  test('a text that moves to another file of its part is one change', async () => {
    const root = await tempFolder()
    await writeTree(root, { 'one/en/common.json': { a: 'A' } })
    const patterns = ['one/{language}/{namespace}.json', 'two/{language}/{namespace}.json']
    const files = await scanFiles(resolveConfig({ source: 'files', files: patterns }, { root, ci: false }))
    await mkdir(join(root, 'two/en'), { recursive: true })
    await rename(join(root, 'one/en/common.json'), join(root, 'two/en/common.json'))
    const { changes, files: changed } = await files.scan()
    expect([changes, changed.length]).toEqual([[], 2])
  })

  test('what one writes all are told at once; the writer has seen it, the others have not before they take it', async () => {
    const { files, root } = await open()
    const [page, sync] = [readerOf(files.index), readerOf(files.index)]
    const told: string[] = []
    for (const [name, { index }] of Object.entries({ page, sync })) {
      const leave = index.follow({ onSnapshot: (snapshot) => told.push(`${name} ${snapshot.text(ref('a'))}`) })
      onTestFinished(leave)
    }
    expect(await write(sync, { a: 'A1' })).toBe('written')
    expect(await readJson(root, FILE)).toEqual({ a: 'A1', b: 'B' })
    expect(told).toEqual(['page A1', 'sync A1'])
    expect([sync.seen.text(ref('a')), page.seen.text(ref('a'))]).toEqual(['A1', 'A'])
    expect(sync.seen).toBe(files.index.snapshot)
    expect(page.take().changes).toEqual([change('a', 'A', 'A1')])
    expect((await sync.scan()).files).toEqual([])
  })

  test('nobody writes over what another one has seen and they have not', async () => {
    const { files, root, save } = await open()
    const [page, sync] = [readerOf(files.index), readerOf(files.index)]
    await save({ a: 'typed', b: 'B' })
    await page.scan()
    expect(await write(sync, { a: 'pulled' })).toBe('changed')
    const edits = [{ ref: ref('a'), text: 'decided', expected: 'A' }]
    expect((await applyEdits(sync, edits)).outcomes).toEqual(['changed'])
    expect(await readJson(root, FILE)).toEqual({ a: 'typed', b: 'B' })
    expect((await sync.scan()).changes).toEqual([change('a', 'A', 'typed')])
    expect(await write(sync, { a: 'pulled' })).toBe('written')
  })

  test('scans that were asked for at once are one, and writes wait for them', async () => {
    const { files, save } = await open()
    await save({ a: 'A1', b: 'B' })
    const readers = Array.from({ length: 20 }, () => readerOf(files.index))
    const results = await Promise.all(readers.map((reader) => reader.scan()))
    expect(new Set(results.map(({ after }) => after)).size).toBe(1)
    const [scanned, written] = await Promise.all([files.scan(), write(readerOf(files.index, files.seen), { b: 'B1' })])
    expect([scanned.changes, written]).toEqual([[change('a', 'A', 'A1')], 'changed'])
  })
})

describe('content decides', () => {
  test('an old time, a new time, the same content: no change; other content with the old time is one', async () => {
    const { files, save, path } = await open()
    const long = new Date(Date.now() - 86_400_000)
    await utimes(path, long, long)
    await save({ a: 'A', b: 'B' })
    expect((await files.scan()).files).toEqual([])
    await save({ a: 'A', b: 'C' })
    await utimes(path, long, long)
    expect((await files.scan()).changes).toEqual([change('b', 'B', 'C')])
  })

  test.each([0, DAY, -DAY])(
    "any number of texts of one length in one tick of a disk's clock, %d ms off",
    async (shift) => {
      shiftClock(shift)
      const { files, save } = await open()
      for (let i = 10; i < 99; i++) {
        await save({ a: `${i}` })
        await files.scan()
        expect(files.seen.text(ref('a'))).toBe(`${i}`)
      }
    },
  )

  test('files that come and go', async () => {
    const { files, save, root } = await open()
    await save({ x: 'X' }, 'locales/de/other.json')
    const other = { language: 'de', namespace: 'other' }
    expect((await files.scan()).changes).toEqual([{ ref: { ...other, key: 'x' }, before: undefined, after: 'X' }])
    expect([files.seen.text({ ...other, key: 'x' }), files.seen.files.size]).toEqual(['X', 2])
    await rm(join(root, 'locales/de'), { recursive: true })
    expect((await files.scan()).changes).toEqual([{ ref: { ...other, key: 'x' }, before: 'X', after: undefined }])
    expect(files.seen.files.size).toBe(1)
  })
})

describe('half-written content', () => {
  test('shows no error unless it stays', async () => {
    const { files, path, save } = await open()
    for (let i = 0; i < 5; i++) {
      await writeFile(path, `{ "a": "A${i}`)
      expect(await files.scan({ changed: [path], isHasty: true })).toMatchObject({ files: [] })
      expect(files.seen.findings).toEqual([])
    }
    await save({ a: 'A1', b: 'B' })
    expect((await files.scan({ changed: [path], isHasty: true })).changes).toEqual([change('a', 'A', 'A1')])
    expect(files.seen.findings).toEqual([])

    await writeFile(path, '{ "a": "A2')
    expect(await files.scan()).toMatchObject({ changes: [], files: [path] })
    expect(files.seen.findings).toMatchObject([{ code: 'FILE_SYNTAX', place: { file: FILE, line: 1 } }])
    expect(files.seen.text(ref('a'))).toBe('A1')
    expect(await write(files, { a: 'A3' })).toBe('broken')
  })

  test('is looked at again with no further event, on the clock that was given', async () => {
    const clock = createManualClock()
    const { files, path, root } = await open(undefined, { clock })
    const told: string[] = []
    follow(files, (change) => told.push(...change.files))
    await writeFile(path, '{ "a": "A1')
    await mkdir(join(root, 'locales/de'), { recursive: true })
    await files.scan({ isHasty: true })
    expect([told, files.seen.findings]).toEqual([[], []])
    await expect
      .poll(() => {
        clock.advance(100)
        return told
      })
      .toEqual([path])
    expect(files.seen.findings).toHaveLength(1)
  })
})

describe('a missing file', () => {
  test.each([5, 50, 150, 300])('that is back after %d ms was never gone, whoever looks meanwhile', async (gapMs) => {
    const clock = createManualClock()
    const { files, path, save } = await open(undefined, { clock })
    await rm(path)
    for (let passed = 0; passed < gapMs; passed += 5) {
      clock.advance(5)
      const changed = passed % 50 === 0 && passed <= 100 ? [path] : undefined
      expect(await files.scan({ changed, isHasty: true })).toMatchObject({ files: [] })
      expect(files.seen.findings).toEqual([])
    }
    await save({ a: 'A', b: 'B' })
    expect((await files.scan({ isHasty: true })).files).toEqual([])
    await save({ a: 'A1', b: 'B' })
    expect((await files.scan({ isHasty: true })).changes).toEqual([change('a', 'A', 'A1')])
  })

  test('that stays away takes its texts along', async () => {
    const { files, path } = await open()
    await rm(path)
    expect((await files.scan()).changes).toEqual([change('a', 'A', undefined), change('b', 'B', undefined)])
  })
})

describe('watched', () => {
  test('an event is told once it is quiet, to everybody who has not seen the change', async () => {
    const { files, save } = await open()
    const changes: string[][] = []
    const [leavePage] = [readerOf(files.index), readerOf(files.index)].map((reader) =>
      follow(reader, (change) => changes.push(change.changes.map(({ after }) => after ?? ''))),
    )
    await files.index.watch()
    await save({ a: 'A1', b: 'B' })
    await expect.poll(() => changes).toEqual([['A1'], ['A1']])
    await leavePage?.()
    await save({ a: 'A2', b: 'B' })
    await expect.poll(() => changes).toEqual([['A1'], ['A1'], ['A2']])
  })

  test.each([0, DAY])(
    'a second save that no watcher reports, %d ms off, also after a look at another file',
    async (shift) => {
      shiftClock(shift)
      const { files, save, root, path } = await open()
      const other = join(root, 'locales/en/other.json')
      const texts: (string | undefined)[] = []
      follow(readerOf(files.index), ({ after }) => texts.push(after.text(ref('a'))))
      await files.index.watch()
      for (let i = 1; i <= 10; i++) {
        await save({ a: `first ${i}` })
        await save({ b: `${i}` }, 'locales/en/other.json')
        // As a bundler does that saw both events.
        await files.scan({ changed: [path], isHasty: true })
        await files.scan({ changed: [other], isHasty: true })
        expect(files.seen.text(ref('a'))).toBe(`first ${i}`)
        await save({ a: `again ${i}` })
        await files.scan({ changed: [other], isHasty: true })
        await expect.poll(() => texts.at(-1), { timeout: 10_000 }).toBe(`again ${i}`)
      }
    },
  )

  test('a file that is deleted and written again was never gone', async () => {
    const { files, save, path } = await open({ a: 'A', b: 'B' })
    const reader = readerOf(files.index)
    const changes: unknown[] = []
    follow(reader, (change) => changes.push(...change.changes))
    await files.index.watch()
    for (let i = 1; i <= 5; i++) {
      await rm(path)
      // Any reader may look at this moment: at all files, or at what an event names.
      const looked = await files.scan(i % 2 === 0 ? { isHasty: true } : { changed: [path], isHasty: true })
      expect(looked.changes.filter(({ after }) => after === undefined)).toEqual([])
      await save({ a: `A${i}`, b: 'B' })
      await expect.poll(() => reader.seen.text(ref('a'))).toBe(`A${i}`)
    }
    expect(changes).toEqual([1, 2, 3, 4, 5].map((i) => change('a', i === 1 ? 'A' : `A${i - 1}`, `A${i}`)))
    await rm(path)
    await expect.poll(() => changes.slice(5)).toEqual([change('a', 'A5', undefined), change('b', 'B', undefined)])
  })

  test('a folder that is removed and recreated in one go', async () => {
    const { files, save, path } = await open()
    follow(files, () => {})
    await files.index.watch()
    for (let round = 1; round <= 3; round++) {
      await rm(dirname(dirname(path)), { recursive: true, maxRetries: 10 })
      await save({ a: `A${round}` })
      await expect.poll(() => files.seen.text(ref('a'))).toBe(`A${round}`)
      await save({ a: `A${round}!` })
      await expect.poll(() => files.seen.text(ref('a'))).toBe(`A${round}!`)
    }
  })
})

test.skipIf(noLinks)('a root that is a link', async () => {
  const folder = await tempFolder()
  const [real, root] = [join(folder, 'real'), join(folder, 'link')]
  await writeTree(real, { [FILE]: { a: 'A' } })
  await symlink(real, root)
  const files = await scanFiles(resolveConfig({ source: 'files' }, { root, ci: false }))
  follow(files, () => {})
  await files.index.watch()
  for (const text of ['A1', 'A2', 'A3']) {
    await writeTree(real, { [FILE]: { a: text } })
    // The periodic scan comes later.
    await expect.poll(() => files.seen.text(ref('a')), { timeout: 10_000 }).toBe(text)
  }
  expect([...files.seen.files.keys()]).toEqual([join(root, FILE)])
})

test.skipIf(noLinks)('a link to a link is no file, whatever events name it', async () => {
  const { files, root, save, path } = await open()
  const [first, second] = ['other', 'more'].map((name) => join(root, `locales/en/${name}.json`)) as [string, string]
  await symlink(path, first)
  await symlink(first, second)
  follow(readerOf(files.index), () => {})
  await files.index.watch()
  for (const changed of [undefined, [first, second]]) {
    await files.scan({ changed, isHasty: true })
    expect([[...files.seen.files.keys()], files.seen.findings.map(({ place }) => place?.file)]).toEqual([
      [path],
      ['locales/en/more.json', 'locales/en/other.json'],
    ])
  }
  await save({ a: 'through the file itself' })
  expect((await files.scan({ changed: [second, path] })).files).toEqual([path])
})

describe('a new file has the layout', () => {
  const openFiles = async (files: Record<string, string>) => {
    const root = await tempFolder()
    await writeTree(root, files)
    const read = await scanFiles(resolveConfig({ source: 'files', defaultLanguage: 'en' }, { root, ci: false }))
    return async (language: string, namespace: string, keys: readonly string[]) => {
      await applyEdits(
        read,
        keys.map((key) => ({ ref: { language, namespace, key }, text: key, expected: undefined })),
      )
      return readFile(join(root, `locales/${language}/${namespace}.json`), 'utf8')
    }
  }

  test('of the default language, not of a language before it', async () => {
    const write = await openFiles({
      'locales/cs/common.json': '{"a.b":"x","a.a":"y"}',
      'locales/en/common.json': '{\n\t"a": {\n\t\t"b": "x",\n\t\t"a": "y"\n\t}\n}\n',
      'locales/en/broken.json': '{',
    })
    expect(await write('pl', 'common', ['a.a', 'a.b'])).toBe('{\n\t"a": {\n\t\t"b": "a.b",\n\t\t"a": "a.a"\n\t}\n}\n')
    expect(await write('pl', 'broken', ['a.a'])).toBe('{\n\t"a": {\n\t\t"a": "a.a"\n\t}\n}\n')
  })

  test('of a language that has the namespace, else of another namespace', async () => {
    const write = await openFiles({
      'locales/en/other.json': '{\n "o": "O"\n}\n',
      'locales/en/common.json': '{\n   "a.c": "C"\n}',
      'locales/cs/only.json': '{\n    "b": {\n        "c": "x"\n    }\n}\n',
      'locales/cs/menu.json': '{\n\t"m": "M"\n}\n',
    })
    expect(await write('pl', 'only', ['b.c'])).toBe('{\n    "b": {\n        "c": "b.c"\n    }\n}\n')
    expect(await write('cs', 'more', ['b'])).toBe('{\n   "b": "b"\n}')
  })
})

describe('files named by the keys of languageMap', () => {
  const openMapped = async (tree: Record<string, object>) => {
    const root = await tempFolder()
    await writeTree(root, tree)
    const options = { source: 'files', languageMap: { pt_BR: 'pt-BR', zh_CN: 'zh-CN' } } as const
    return { root, files: await scanFiles(resolveConfig(options, { root, ci: false })) }
  }
  const text = (language: string) => ({ language, namespace: 'common', key: 'a' })

  test('are read and written under the code of the app', async () => {
    const { root, files } = await openMapped({ 'locales/pt_BR/common.json': { a: 'A' } })
    expect(files.seen.text(text('pt-BR'))).toBe('A')
    await applyEdits(files, [
      { ref: text('pt-BR'), text: 'B', expected: 'A' },
      { ref: { ...text('pt-BR'), namespace: 'more' }, text: 'C', expected: undefined },
      { ref: text('zh-CN'), text: 'D', expected: undefined },
      { ref: text('pl'), text: 'E', expected: undefined },
    ])
    const names = ['pt_BR/common', 'pt_BR/more', 'zh_CN/common', 'pl/common']
    const read = names.map((name) => readJson(root, `locales/${name}.json`))
    expect(await Promise.all(read)).toEqual(['B', 'C', 'D', 'E'].map((a) => ({ a })))
  })

  test('are made with the code of the app where the files use it', async () => {
    const { root, files } = await openMapped({ 'locales/pt-BR/common.json': { a: 'A' } })
    await applyEdits(files, [{ ref: text('zh-CN'), text: 'B', expected: undefined }])
    expect(await readJson(root, 'locales/zh-CN/common.json')).toEqual({ a: 'B' })
  })
})
