/** Edits of texts in their files: which are written, what is told of each, and what stops them. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { applyEdits, type EditOptions, type TextEdit } from '../../../src/files/edit.ts'
import { noLinks } from '../../helpers/file-system.ts'
import { scanFiles } from '../../helpers/files.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { readJson, tempFolder, writeTree } from '../../helpers/temp.ts'

const edit = (name: string, text: string | undefined, expected?: string): TextEdit => {
  const [namespace = '', key = ''] = name.split(' ')
  return { ref: { language: 'en', namespace, key }, text, expected }
}

const FILES = {
  'locales/en/one.json': { a: 'A', b: 'B', gap: '' },
  'locales/en/two.json': { a: 'A', b: 'B' },
}

async function open(given: Readonly<Record<string, object>> = FILES) {
  const root = await tempFolder()
  await writeTree(root, given)
  const files = await scanFiles(resolveConfig({ source: 'files' }, { root, ci: false }))
  return {
    root,
    files,
    names: () => readdir(join(root, 'locales/en')),
    path: (name: string) => join(root, `locales/en/${name}.json`),
    texts: (name: string) => readJson(root, `locales/en/${name}.json`),
    apply: (edits: readonly TextEdit[], options?: EditOptions) => applyEdits(files, edits, options),
  }
}

describe('what is written', () => {
  test('edits of several files, in any order: one outcome for each, in the order of the edits', async () => {
    const { apply, texts, path } = await open()
    const { outcomes, changes, files } = await apply([
      edit('two a', 'A2', 'A'),
      edit('one a', 'mine', 'something else'),
      edit('new x', 'X'),
      { ...edit('one a', 'C'), ref: { language: 'en', namespace: 'one', key: 'a', customer: 'acme' } },
      edit('one gap', 'filled'),
      edit('two b', undefined, 'B'),
      edit('one b', 'B1', 'B'),
    ])
    expect(outcomes).toEqual(['written', 'changed', 'written', 'unmatched', 'written', 'written', 'written'])
    expect(await texts('one')).toEqual({ a: 'A', b: 'B1', gap: 'filled' })
    expect(await texts('two')).toEqual({ a: 'A2' })
    expect(await texts('new')).toEqual({ x: 'X' })
    expect(files).toEqual([path('two'), path('new'), path('one')])
    expect(changes.map(({ ref: { namespace, key }, before, after }) => [namespace, key, before, after])).toEqual([
      ['two', 'a', 'A', 'A2'],
      ['two', 'b', 'B', undefined],
      ['new', 'x', undefined, 'X'],
      ['one', 'gap', '', 'filled'],
      ['one', 'b', 'B', 'B1'],
    ])
  })

  test('an edit to the text that the file has is done without a write', async () => {
    const { apply, path } = await open()
    const before = await readFile(path('one'), 'utf8')
    const same = await apply([edit('one a', 'A', 'A'), edit('none x', undefined)])
    expect(same).toEqual({ outcomes: ['written', 'written'], changes: [], files: [] })
    expect(await readFile(path('one'), 'utf8')).toBe(before)
    const mixed = await apply([edit('one a', 'A', 'A'), edit('one b', 'B1', 'B')])
    expect(mixed.outcomes).toEqual(['written', 'written'])
    expect(mixed.changes).toMatchObject([{ ref: { key: 'b' }, before: 'B', after: 'B1' }])
  })

  test('a gap and an absent text are the same expectation, an unexpected text is not', async () => {
    const { apply, texts } = await open()
    const { outcomes } = await apply([edit('one gap', 'X'), edit('one none', 'Y', ''), edit('one a', 'Z')])
    expect(outcomes).toEqual(['written', 'written', 'changed'])
    expect(await texts('one')).toEqual({ a: 'A', b: 'B', gap: 'X', none: 'Y' })
  })

  test('a further condition holds back the edits that it refuses, and no others', async () => {
    const { apply, texts } = await open()
    const isCurrent = ({ ref }: TextEdit) => ref.key !== 'a'
    const { outcomes } = await apply([edit('one a', 'A1', 'A'), edit('one b', 'B1', 'B')], { isCurrent })
    expect(outcomes).toEqual(['changed', 'written'])
    expect(await texts('one')).toMatchObject({ a: 'A', b: 'B1' })
  })

  test('a file that somebody saved meanwhile keeps all of its texts', async () => {
    const { root, apply, texts } = await open()
    await writeTree(root, { 'locales/en/one.json': { a: 'saved', b: 'B' } })
    const { outcomes, changes, files } = await apply([edit('one b', 'B1', 'B'), edit('two b', 'B1', 'B')])
    expect(outcomes).toEqual(['changed', 'written'])
    expect([changes.length, files.length]).toEqual([1, 1])
    expect(await texts('one')).toEqual({ a: 'saved', b: 'B' })
  })
})

describe('what stops edits', () => {
  const BLOCKED = { ...FILES, 'locales/en/blocked.json': { a: ['x'] } }

  test('an error of one text is thrown, or told with the text while the others go on', async () => {
    const { apply, texts } = await open(BLOCKED)
    const edits = [edit('blocked a', 'text'), edit('blocked b', 'text'), edit('one a', 'A1', 'A')]
    await expect(apply(edits)).rejects.toMatchObject({ code: 'FILE_KEY_COLLISION' })
    expect(await texts('one')).toMatchObject({ a: 'A' })
    const errors: unknown[] = []
    const done: number[] = []
    const { outcomes, files } = await apply(edits, {
      onError: (refs, error) => errors.push([refs.map(({ key }) => key), (error as { code?: string }).code]),
      onProgress: (count) => done.push(count),
    })
    expect(errors).toEqual([[['a'], 'FILE_KEY_COLLISION']])
    expect(outcomes).toEqual([undefined, 'written', 'written'])
    expect(files).toHaveLength(2)
    expect(done).toEqual([1, 2, 3])
    expect(await texts('blocked')).toEqual({ a: ['x'], b: 'text' })
  })

  test('names of new files that a disk may not tell apart stop all edits before the first write', async () => {
    const { apply, texts, names } = await open()
    const edits = [edit('one a', 'A1', 'A'), edit('TWO a', 'x'), edit('New a', 'x'), edit('new a', 'x')]
    await expect(apply(edits)).rejects.toMatchObject({ code: 'FILE_NAME_COLLISION' })
    expect(await texts('one')).toMatchObject({ a: 'A' })
    const removing = [edit('one a', 'A1', 'A'), edit('TWO none', undefined), edit('TWO a', 'x')]
    await expect(apply(removing)).rejects.toMatchObject({ code: 'FILE_NAME_COLLISION' })
    expect(await texts('one')).toMatchObject({ a: 'A' })
    // With each error told, only these files are left out.
    const failed: string[] = []
    const onError: EditOptions['onError'] = (refs) => failed.push(...refs.map(({ namespace }) => namespace))
    expect((await apply(edits, { onError })).outcomes).toEqual(['written', undefined, 'written', undefined])
    expect(failed).toEqual(['TWO', 'new'])
    expect((await names()).sort()).toEqual(['New.json', 'one.json', 'two.json'])
  })

  test('the removal of a text that no file has makes no file, whatever its name', async () => {
    const { apply, names } = await open()
    expect((await apply([edit('TWO a', undefined), edit('one a', undefined, 'A')])).outcomes).toEqual([
      'written',
      'written',
    ])
    expect((await names()).sort()).toEqual(['one.json', 'two.json'])
  })

  test('a signal stops between two files; progress counts the edits that need no write', async () => {
    const { apply, texts } = await open()
    const stop = new AbortController()
    const done: number[] = []
    const { outcomes, changes } = await apply(
      [edit('one a', 'x', 'another'), edit('one b', 'B1', 'B'), edit('two a', 'A1', 'A')],
      {
        signal: stop.signal,
        onProgress: (count) => {
          done.push(count)
          stop.abort()
        },
      },
    )
    expect(outcomes).toEqual(['changed', 'written', undefined])
    expect(changes).toHaveLength(1)
    expect(done).toEqual([2])
    expect(await texts('two')).toEqual({ a: 'A', b: 'B' })
  })
})

describe('names from a browser or the service', () => {
  test('reach existing and new files and folders of the patterns', async () => {
    const { apply, texts } = await open()
    const { outcomes } = await apply([edit('one a', 'A1', 'A'), edit('deep/er/new a', 'x'), edit('../../up a', 'y')])
    expect(outcomes).toEqual(['written', 'written', 'written'])
    expect([await texts('deep/er/new'), await texts('%2E%2E/%2E%2E/up')]).toEqual([{ a: 'x' }, { a: 'y' }])
  })

  test.skipIf(noLinks)('do not follow a link out of the folder: nothing is written there', async () => {
    const outside = await tempFolder()
    const { root, apply } = await open()
    await mkdir(join(root, 'locales/en/deep'))
    await symlink(outside, join(root, 'locales/en/deep/link'))
    const edits = [edit('deep/link/x a', 'x')]
    await expect(apply(edits)).rejects.toMatchObject({
      code: 'FILE_WRITE',
      place: { file: 'locales/en/deep/link/x.json' },
    })
    await expect(apply([edit('deep/link/new/x a', 'x')])).rejects.toMatchObject({ code: 'FILE_WRITE' })
    await expect(apply(edits)).rejects.toThrow('outside the folders in the option "files"')
    expect(existsSync(join(outside, 'x.json'))).toBe(false)
    expect(existsSync(join(outside, 'new'))).toBe(false)
    // An edit that changes nothing is none.
    expect((await apply([edit('deep/link/x a', undefined)])).outcomes).toEqual(['written'])
  })

  test('that no pattern covers are told as such; a file of any pattern is reached', async () => {
    const root = await tempFolder()
    await writeTree(root, { 'one/en/common.json': { a: 'A' }, 'two/en.json': { a: 'A' } })
    const patterns = ['one/{language}/{namespace}.json', 'two/{language}.json']
    const config = resolveConfig({ source: 'files', files: patterns }, { root, ci: false })
    const files = await scanFiles(config)
    const ref = { language: 'en', namespace: 'default', key: 'a' }
    const edits = [
      { ref, text: 'A1', expected: 'A' },
      { ref: { ...ref, customer: 'acme' }, text: 'x', expected: undefined },
    ]
    expect((await applyEdits(files, edits)).outcomes).toEqual(['written', 'unmatched'])
    expect(await readJson(root, 'two/en.json')).toEqual({ a: 'A1' })
  })

  test.skipIf(noLinks)('may go through a link that is the folder of the patterns itself', async () => {
    const [root, elsewhere] = [await tempFolder(), await tempFolder()]
    await writeTree(elsewhere, { 'en/one.json': { a: 'A' } })
    await symlink(elsewhere, join(root, 'locales'))
    const files = await scanFiles(resolveConfig({ source: 'files' }, { root, ci: false }))
    const edits = [edit('one a', 'A1', 'A'), edit('new a', 'x')]
    expect((await applyEdits(files, edits)).outcomes).toEqual(['written', 'written'])
    expect(await readJson(elsewhere, 'en/new.json')).toEqual({ a: 'x' })
  })
})
