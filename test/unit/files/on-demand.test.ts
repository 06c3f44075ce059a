/** A dev server's index knows which files there are, and reads each at the first use of its content. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FilesSnapshot } from '../../../src/files/snapshot.ts'
import { scanFiles } from '../../helpers/files.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

async function open() {
  const root = await tempFolder()
  await writeTree(root, {
    'locales/en/common.json': { title: 'Title' },
    'locales/en/other.json': { word: 'word' },
    'locales/de/common.json': { title: 'Titel' },
  })
  const files = await scanFiles(resolveConfig({}, { root }), { isOnDemand: true })
  const unread = () =>
    [...files.seen.files.values()]
      .filter(({ isRead }) => !isRead)
      .map(({ file }) => `${file.language}/${file.namespace}`)
  return { root, files, unread, pathOf: (name: string) => join(root, 'locales', name) }
}

const textOf = ({ catalog }: FilesSnapshot, namespace: string) =>
  catalog.messages('en', namespace)?.values().next().value

test('names need no content; a text needs its own file only', async () => {
  const { files, unread } = await open()
  const { languages, namespaces } = files.seen.catalog
  expect([languages.map(({ key }) => key), namespaces]).toEqual([
    ['de', 'en'],
    ['common', 'other'],
  ])
  expect(unread()).toHaveLength(3)
  expect(textOf(files.seen, 'common')).toBe('Title')
  expect(unread().sort()).toEqual(['de/common', 'en/other'])
  expect(files.seen.catalog.textCount).toBe(3)
  expect(unread()).toEqual([])
})

test('an edit before the first use shows, and is no change; an edit after it is one', async () => {
  const { files, unread, pathOf } = await open()
  await writeFile(pathOf('en/common.json'), '{"title":"Edited"}')
  expect((await files.scan()).changes).toEqual([])
  expect(unread()).toHaveLength(3)
  expect(textOf(files.seen, 'common')).toBe('Edited')
  await writeFile(pathOf('en/common.json'), '{"title":"Edited again"}')
  const { changes } = await files.scan()
  expect(changes.map(({ before, after }) => [before, after])).toEqual([['Edited', 'Edited again']])
})

test('a file that goes before its first use has no texts, and is gone after the next scan', async () => {
  const { files, pathOf } = await open()
  await rm(pathOf('en/other.json'))
  expect(textOf(files.seen, 'other')).toBeUndefined()
  expect(files.seen.findings).toEqual([])
  await files.scan()
  expect(files.seen.catalog.namespaces).toEqual(['common'])
})

test('findings are those of the files that were read; `readAll` reads the others', async () => {
  const { files, unread, pathOf } = await open()
  await writeFile(pathOf('de/common.json'), '{ broken')
  expect(files.seen.findings).toEqual([])
  await files.seen.readAll()
  expect(unread()).toEqual([])
  expect(files.seen.findings.map(({ code, place }) => [code, place?.file])).toEqual([
    ['FILE_SYNTAX', 'locales/de/common.json'],
  ])
  expect(files.seen.isUnknown({ language: 'de', namespace: 'common' })).toBe(true)
})
