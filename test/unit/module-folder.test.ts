/** The folder of generated modules, written by several runs at once. */
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { writeModules } from '../../src/generate/module-folder.ts'
import { tempFolder } from '../helpers/temp.ts'

test('the files of a run that is writing are neither manual edits nor files of another program', async () => {
  const root = await tempFolder()
  const write = (folder: string, text: string, dryRun = false) => {
    const files = Array.from({ length: 5 }, (_, at) => ({
      path: `en/n${at}.js`,
      content: `export default '${text}'\n`,
    }))
    return writeModules(folder, files, new AbortController().signal, { dryRun })
  }
  for (let round = 0; round < 10; round++) {
    const folder = join(root, String(round))
    // The first run makes the folder, the others change its files.
    for (const text of ['a', 'b', 'c']) {
      let isWriting = true
      const look = async () => {
        for (; isWriting; await setImmediate()) expect((await write(folder, 'other', true)).edited).toEqual([])
      }
      const writer = write(folder, text).finally(() => {
        isWriting = false
      })
      const [{ written, edited }] = await Promise.all([writer, look(), look(), look()])
      expect([written.length, edited]).toEqual([5, []])
    }
  }
})
