/** Not one byte of the inspector, or of the editor in the page, in what a production build writes. */
import { describe, expect, it } from 'vitest'
import { loadingEverything } from '../helpers/apps.ts'
import { allBundlers } from '../helpers/bundlers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const MARKS = ['/__localization', '__localizationParts', 'localization-edit', 'localization-token']

describe.each(allBundlers)('$name', (bundler) => {
  it('holds nothing of it, though both options are on', async () => {
    const root = await tempFolder()
    await writeTree(root, { 'main.js': loadingEverything, 'locales/en/common.json': { title: 'Title' } })
    const { files } = await bundler.build({
      root,
      entries: { main: 'main.js' },
      options: { configFile: false, inspector: 'network', edit: true },
      sourcemap: true,
    })
    expect(files.size).toBeGreaterThan(0)
    for (const [name, content] of files) {
      for (const mark of MARKS) expect(content.includes(mark), `${mark} in ${name}`).toBe(false)
    }
  })
})
