/** The files of a build are read once, whole, and several at a time where the disk is slow. */
import fs, { writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readFiles } from '../../../src/files/read-files.ts'
import { tempFolder } from '../../helpers/temp.ts'

async function project(names: readonly string[], contentOf: (name: string) => string | Buffer) {
  const root = await tempFolder()
  for (const name of names) writeFileSync(join(root, name), contentOf(name))
  const read = (paths = names) =>
    readFiles(
      paths.map((name) => ({
        path: join(root, name),
        pattern: '{language}.json',
        language: name,
        languageInPath: name,
        namespace: 'common',
      })),
      { root, keySeparator: '.', values: 'keep' },
    )
  return { root, read }
}

test('a file with an error, a folder, an absent file, and files that only one of the parsers reads', async () => {
  const contents: Record<string, string> = {
    'a.json': '{"a": "x", "list": ["y"]}',
    'broken.json': '{',
    'number.json': '{"a": "x", "n": 1.0}',
    'twice.json': '{"a": "x", "a": "y"}',
    'a.yaml': 'a: x\nb:\n  c: y\n',
  }
  const { root, read } = await project(Object.keys(contents), (name) => contents[name] as string)
  fs.mkdirSync(join(root, 'folder.json'))
  const [good, broken, number, twice, yaml, folder, absent] = await read([
    ...Object.keys(contents),
    'folder.json',
    'absent.json',
  ])
  expect([...(good?.texts?.messages ?? [])]).toEqual([
    ['a', 'x'],
    ['list.0', 'y'],
  ])
  expect([...(good?.texts?.values ?? [])]).toEqual([['list', { kind: 'array', length: 1 }]])
  expect(broken).toMatchObject({ texts: undefined, diagnostics: [{ code: 'FILE_SYNTAX' }] })
  expect([...(number?.texts?.values ?? [])]).toEqual([['n', { kind: 'scalar', json: '1.0' }]])
  expect(twice).toMatchObject({
    texts: undefined,
    diagnostics: [{ code: 'FILE_DUPLICATE_KEY', place: { file: 'twice.json', line: 1, column: 12 } }],
  })
  expect([...(yaml?.texts?.messages ?? [])]).toEqual([
    ['a', 'x'],
    ['b.c', 'y'],
  ])
  expect(folder).toMatchObject({ texts: undefined, diagnostics: [{ code: 'FILE_READ' }] })
  expect(absent).toBeUndefined()
})

/** Watches the disk below a folder. `onRead` is called before the bytes are read. */
function watchDisk(folder: string, onRead: (path: string, how: 'sync' | 'async') => void) {
  const { readFileSync } = fs
  const { readFile } = fs.promises
  fs.readFileSync = ((path: string, ...more: []) => {
    if (String(path).startsWith(folder)) onRead(path, 'sync')
    return readFileSync(path, ...more)
  }) as typeof readFileSync
  fs.promises.readFile = ((path: string, ...more: []) => {
    if (String(path).startsWith(folder)) onRead(path, 'async')
    return readFile(path, ...more)
  }) as typeof readFile
  syncBuiltinESMExports()
  onTestFinished(() => {
    fs.readFileSync = readFileSync
    fs.promises.readFile = readFile
    syncBuiltinESMExports()
  })
}

test('a file that changes while it is read is read again', async () => {
  const { root, read } = await project(['a.json'], () => '{"a": "before"}')
  let reads = 0
  watchDisk(root, (path) => {
    if (reads++ === 0) writeFileSync(path, '{"a": "longer than before"}')
  })
  expect([...((await read())[0]?.texts?.messages ?? [])]).toEqual([['a', 'longer than before']])
  expect(reads).toBe(2)
})

test('a file that always changes is an error', async () => {
  const { root, read } = await project(['a.json'], () => '{}')
  let text = '{}'
  watchDisk(root, (path) => {
    text += '\n'
    writeFileSync(path, text)
  })
  expect((await read())[0]?.diagnostics[0]?.message).toContain('keeps changing while it is being read')
})

test('a slow disk reads several files at a time, each of them once', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `${i}.json`)
  const { root, read } = await project(names, (name) => (name === '30.json' ? '{' : `{"key": "text ${name}"}`))
  const seen = { sync: [] as string[], async: [] as string[] }
  watchDisk(root, (path, how) => {
    seen[how].push(path)
    if (how === 'sync') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
  })
  const found = await read()
  expect(seen.sync.length).toBeLessThan(4)
  expect([...seen.sync, ...seen.async].sort()).toEqual(names.map((name) => join(root, name)).sort())
  for (const [i, file] of found.entries()) {
    if (i === 30) expect(file?.diagnostics).toMatchObject([{ code: 'FILE_SYNTAX' }])
    else expect(file?.texts?.messages.get('key')).toBe(`text ${i}.json`)
  }
})
