/** A dev server's index knows which files there are, and reads each at the first use of its content. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFileIndex, type FileIndex } from '../../../src/files/file-index.ts'
import { isUnread } from '../../../src/files/snapshot.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

async function open() {
  const root = await tempFolder()
  await writeTree(root, {
    'locales/en/common.json': { title: 'Title' },
    'locales/en/other.json': { word: 'word' },
    'locales/de/common.json': { title: 'Titel' },
  })
  const index = createFileIndex(resolveConfig({}, { root }))
  const first = await index.scan({ isOnDemand: true })
  const unread = () =>
    [...index.take().after.files.values()].filter(isUnread).map(({ file }) => `${file.language}/${file.namespace}`)
  return { root, index, first, unread, pathOf: (name: string) => join(root, 'locales', name) }
}

const textOf = (index: FileIndex, namespace: string) => index.catalog().messages('en', namespace)?.values().next().value

test('names need no content; a text needs its own file only', async () => {
  const { index, unread } = await open()
  const { languages, namespaces } = index.catalog()
  expect([languages.map(({ key }) => key), namespaces]).toEqual([
    ['de', 'en'],
    ['common', 'other'],
  ])
  expect(unread()).toHaveLength(3)
  expect(textOf(index, 'common')).toBe('Title')
  expect(unread().sort()).toEqual(['de/common', 'en/other'])
  expect(index.catalog().textCount).toBe(3)
  expect(unread()).toEqual([])
})

test('an edit before the first use shows, and is no change; an edit after it is one', async () => {
  const { index, unread, pathOf } = await open()
  await writeFile(pathOf('en/common.json'), '{"title":"Edited"}')
  expect((await index.scan()).changes).toEqual([])
  expect(unread()).toHaveLength(3)
  expect(textOf(index, 'common')).toBe('Edited')
  await writeFile(pathOf('en/common.json'), '{"title":"Edited again"}')
  const { changes } = await index.scan()
  expect(changes.map(({ before, after }) => [before, after])).toEqual([['Edited', 'Edited again']])
})

test('a file that goes before its first use has no texts, and is gone after the next scan', async () => {
  const { index, pathOf } = await open()
  await rm(pathOf('en/other.json'))
  expect(textOf(index, 'other')).toBeUndefined()
  expect(index.findings()).toEqual([])
  await index.scan()
  expect(index.catalog().namespaces).toEqual(['common'])
})

test('findings are those of the files that were read; `readAll` reads the others', async () => {
  const { index, unread, pathOf } = await open()
  await writeFile(pathOf('de/common.json'), '{ broken')
  expect(index.findings()).toEqual([])
  await index.readAll()
  expect(unread()).toEqual([])
  expect(index.findings().map(({ code, place }) => [code, place?.file])).toEqual([
    ['FILE_SYNTAX', 'locales/de/common.json'],
  ])
  expect(index.isUnknown({ language: 'de', namespace: 'common' })).toBe(true)
})
