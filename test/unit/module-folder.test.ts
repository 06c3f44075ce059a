/** The folder of generated modules, written by several runs at once. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeModules } from '../../src/generate/module-folder.ts'
import { tempFolder } from '../helpers/temp.ts'

test('no run takes the files of a run that is writing for files of another program', async () => {
  const root = await tempFolder()
  const files = Array.from({ length: 5 }, (_, at) => ({ path: `en/n${at}.js`, content: `export default ${at}\n` }))
  for (let round = 0; round < 10; round++) {
    const folder = join(root, String(round))
    const write = (dryRun: boolean) => writeModules(folder, files, new AbortController().signal, { dryRun })
    let isWriting = true
    const readers = Array.from({ length: 8 }, async () => {
      while (isWriting) expect((await write(true)).edited).toEqual([])
    })
    const writer = write(false).finally(() => {
      isWriting = false
    })
    const [{ written }] = await Promise.all([writer, ...readers])
    expect(written).toHaveLength(files.length)
    expect((await write(true)).written).toEqual([])
  }
})
