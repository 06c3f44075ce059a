/** Another program saves a file after it was read, and before its new content replaces it. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CommandContext } from '../../../src/cli/command.ts'
import { saveKey } from '../../../src/cli/commands/projects.ts'
import { applyChanges } from '../../../src/cli/init/changes.ts'
import { editFile } from '../../../src/shared/atomic-write.ts'
import { writeGenerated } from '../../../src/shared/generated-file.ts'
import { SyncStore } from '../../../src/sync/store.ts'
import { parseSources } from '../../../src/sync/translation-sources.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { tempFolder } from '../../helpers/temp.ts'

/** Runs once, when the next temporary file of `a.txt` is open. */
const other = vi.hoisted(() => ({ save: undefined as (() => void) | undefined }))
vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>()
  const open: typeof real.open = async (path, ...rest) => {
    const handle = await real.open(path, ...rest)
    if (!/\.a\.txt\..*\.tmp$/.test(String(path))) return handle
    const { save } = other
    other.save = undefined
    save?.()
    return handle
  }
  return { ...real, open }
})

let folder: string
let path: string
beforeEach(async () => {
  folder = await tempFolder()
  path = join(folder, 'a.txt')
})
afterEach(async () => {
  expect(other.save, 'the other program has not saved').toBeUndefined()
  expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([])
})
const content = () => readFile(path, 'utf8')

test.each([undefined, 'old '])('a file with the content %j is edited again', async (before) => {
  if (before !== undefined) await writeFile(path, before)
  other.save = () => appendFileSync(path, 'theirs ')
  expect(await editFile(path, (current = Buffer.of()) => `${current}ours`)).toBe(true)
  expect(await content()).toBe(`${before ?? ''}theirs ours`)
})

test('an edit that the new content refuses writes nothing', async () => {
  other.save = () => writeFileSync(path, 'theirs')
  expect(await editFile(path, (current) => (current ? undefined : 'ours'))).toBe(false)
  expect(await content()).toBe('theirs')
})

test('--save-key keeps the lines that a script added', async () => {
  await writeFile(path, 'A=1\n')
  other.save = () => appendFileSync(path, 'B=2\nLOCALIZATION_API_KEY=old\n')
  const warn = vi.fn()
  await saveKey({ out: { warn }, globals: { root: folder } } as unknown as CommandContext, 'a.txt', 'new', '')
  expect(await content()).toBe('A=1\nB=2\nLOCALIZATION_API_KEY=new\n')
  expect(warn).toHaveBeenCalledWith('replaced the API key in a.txt')
})

test('init overwrites no file that an editor saves', async () => {
  await writeFile(path, 'old')
  other.save = () => writeFileSync(path, 'theirs')
  const changes = [
    { path: 'new.txt', before: undefined, after: 'new' },
    { path: 'a.txt', before: 'old', after: 'ours' },
  ]
  await expect(applyChanges(folder, changes)).rejects.toThrow(
    'a.txt cannot be written: another program changed it in the meantime. Nothing was changed.',
  )
  expect(await content()).toBe('theirs')
  expect(await readdir(folder)).toEqual(['a.txt'])
})

test('init undoes no file that an editor saves', async () => {
  await writeFile(path, 'old')
  const undo = await applyChanges(folder, [{ path: 'a.txt', before: 'old', after: 'ours' }])
  other.save = () => writeFileSync(path, 'theirs')
  expect(await undo()).toEqual(['a.txt'])
  expect(await content()).toBe('theirs')
})

test('a file that is not generated is not overwritten with declarations', async () => {
  other.save = () => writeFileSync(path, 'theirs')
  await expect(writeGenerated(path, '// mark\nours', '// mark')).rejects.toThrow('not overwritten')
  expect(await content()).toBe('theirs')
})

test('the translation sources that git brings stay', async () => {
  const config = resolveConfig(
    { source: 'files', staleFile: 'a.txt', defaultLanguage: 'en' },
    { root: folder, ci: true },
  )
  const warn = vi.fn()
  const store = new SyncStore(config, 'own', warn)
  await store.load()
  const line = { namespace: 'common', key: 'a', madeFrom: 'A', translations: { pl: '0123' } }
  other.save = () => writeFileSync(path, JSON.stringify({ version: 1, language: 'en', texts: [line] }))
  store.sources.set('["de","common","b"]', { source: 'B', digest: '4567' })
  await store.sources.save()
  await store.close()
  expect([...parseSources(await content())]).toEqual([
    [expect.stringContaining('"pl"'), { source: 'A', digest: '0123' }],
    [expect.stringContaining('"de"'), { source: 'B', digest: '4567' }],
  ])
  expect(warn).not.toHaveBeenCalled()
})
