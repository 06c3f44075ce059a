/** Names that differ in case alone, where they are one file. `npm run test:case` brings such a disk to Linux. */
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyEdits } from '../../src/files/edit.ts'
import { lockFolder } from '../../src/service/lock/folder-lock.ts'
import { ignoresCase } from '../helpers/file-system.ts'
import { scanFiles } from '../helpers/files.ts'
import { resolveConfig } from '../helpers/resolve-config.ts'
import { readJson, save, tempFolder } from '../helpers/temp.ts'

const testCase = test.runIf(ignoresCase)

async function open() {
  const root = await tempFolder()
  await save(join(root, 'locales/en/shop.json'), { title: 'Shop' })
  return { root, files: await scanFiles(resolveConfig({ source: 'files' }, { root, ci: false })) }
}

testCase.each([
  ['EN', 'shop'],
  ['en', 'Shop'],
])('texts of %s/%s do not go into the file of en/shop', async (language, namespace) => {
  const { root, files } = await open()
  const edits = [{ ref: { language, namespace, key: 'title' }, text: 'Other', expected: undefined }]
  await expect(applyEdits(files, edits)).rejects.toMatchObject({ code: 'FILE_NAME_COLLISION' })
  expect(await readJson(root, 'locales/en/shop.json')).toEqual({ title: 'Shop' })
})

testCase('a rename of case alone: the texts have the new name, once', async () => {
  const { root, files } = await open()
  await files.index.watch()
  files.index.follow({ onSnapshot: () => files.take() })
  await rename(join(root, 'locales/en/shop.json'), join(root, 'locales/en/Shop.json'))
  const names = () => [...files.seen.files.values()].map(({ file }) => file.namespace)
  await expect.poll(names).toEqual(['Shop'])
  expect(files.seen.text({ language: 'en', namespace: 'Shop', key: 'title' })).toBe('Shop')
})

// Not with a watcher: through FUSE, each spelling is a file of its own to the system.
testCase('an event that names the file in another spelling brings its new text', async () => {
  const { root, files } = await open()
  const other = join(root, 'locales/en/SHOP.json')
  await writeFile(other, '{ "title": "Saved" }')
  await files.scan({ changed: [other], isHasty: true })
  expect(files.seen.text({ language: 'en', namespace: 'shop', key: 'title' })).toBe('Saved')
  expect(await readdir(join(root, 'locales/en'))).toEqual(['shop.json'])
})

testCase('two spellings of a data folder are one', async () => {
  const folder = join(await tempFolder(), 'Łódź')
  await mkdir(folder)
  const lock = await lockFolder(folder)
  await expect(lockFolder(join(folder, '../łÓDŹ'))).rejects.toMatchObject({
    code: 'SERVICE_LOCKED',
  })
  await lock.release()
})
