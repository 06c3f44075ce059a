/**
 * Messages as files of their own: where they are, how they are addressed, and that nothing but the texts decides their
 * names.
 */
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type CollectedManifest, loadingEverything } from '../helpers/apps.ts'
import { bundlers } from '../helpers/bundlers.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

/** More than the manifest holds by itself: each language has a file with its addresses. */
const MANY = { languages: 3, namespaces: 43 }
const FEW = { languages: 3, namespaces: 2 }

const languageOf = (index: number) => (index === 0 ? 'en' : `qa${String.fromCharCode(96 + index)}`)
const namespaceOf = (index: number) => (index === 0 ? 'common' : `views/part ${index}`)

function locales({ languages, namespaces }: typeof MANY): Record<string, object> {
  const files: Record<string, object> = {}
  for (let l = 0; l < languages; l++) {
    for (let n = 0; n < namespaces; n++) {
      files[`locales/${languageOf(l)}/${namespaceOf(n)}.json`] = { where: `${languageOf(l)} ${namespaceOf(n)}` }
    }
  }
  return files
}

describe.each(bundlers)('$name', (bundler) => {
  const { hasPrebuiltChunks } = bundler

  it('keys that cannot nest in many modules are one line, and names that Windows keeps for devices are in no path', async () => {
    const root = await tempFolder()
    const names = ['con', 'NUL', 'com1', ...Array.from({ length: 5 }, (_, i) => `part${i}`)]
    const files = names.map((name) => [`locales/con/${name}.json`, { a: name, 'a.b': 'and a branch' }] as const)
    await writeTree(root, { 'main.js': loadingEverything, ...Object.fromEntries(files) })
    let said = ''
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      said += String(text)
      return true
    })
    onTestFinished(() => write.mockRestore())
    const options = { configFile: false, defaultLanguage: 'con', shape: 'nested' } as const
    const output = await bundler.build({ root, entries: { main: 'main.js' }, options })
    const { texts } = await runEntry<CollectedManifest>(output.entryFile('main'))
    expect(Object.keys(texts.con ?? {}).sort()).toEqual([...names].sort())
    for (const file of output.files.keys())
      expect(file).not.toMatch(/(?:^|\/)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.[^/]*)?(?:\/|$)/i)
    if (bundler.hasOwnProcess) return
    await expect.poll(() => said).toContain('cannot nest')
    expect(said.match(/cannot nest/g)).toHaveLength(1)
    expect(said).toMatch(/8 modules have such keys, also \S+ and \S+; localization check --verbose lists them/)
    expect(said).toMatch(/^\[unplugin-localization\] warning: /m)
  })

  // "many languages" of `prune.test.ts` has indexes in every bundler.
  const isWhole = repeats(bundler === bundlers[0], true)
  it.each([['few', FEW] as const, ...(isWhole ? [['many', MANY] as const] : [])])(
    '%s languages and namespaces',
    async (_name, size: typeof MANY) => {
      const root = await tempFolder()
      await writeTree(root, { 'main.js': loadingEverything, ...locales(size) })
      const build = (outDir: string) =>
        bundler.build({ root, entries: { main: 'main.js' }, options: { configFile: false }, outDir, sourcemap: true })
      const first = await build('one')
      const { texts } = await runEntry<CollectedManifest>(first.entryFile('main'))
      for (let l = 0; l < size.languages; l++) {
        for (let n = 0; n < size.namespaces; n++) {
          const where = `${languageOf(l)} ${namespaceOf(n)}`
          expect(texts[languageOf(l)]?.[namespaceOf(n)]).toEqual({ where })
        }
      }
      if (!hasPrebuiltChunks) return
      const lateNames = (files: ReadonlyMap<string, Buffer>) =>
        [...files.keys()].filter((name) => name.includes('localization/')).sort()
      const { languages, namespaces } = size
      expect(lateNames(first.files)).toHaveLength(languages * namespaces + (size === MANY ? languages : 0))

      // The folder as a whole goes anywhere.
      await mkdir(join(root, 'elsewhere'))
      await rename(join(root, 'one'), join(root, 'elsewhere/app'))
      const moved = first.entryFile('main').replace(`${root}/one`, `${root}/elsewhere/app`)
      expect((await runEntry<CollectedManifest>(moved)).texts).toEqual(texts)

      // One text: one file has another name, and what leads there.
      await writeTree(root, { 'locales/en/common.json': { where: 'changed' } })
      const second = await build('two')
      const before = lateNames(first.files)
      const changed = lateNames(second.files).filter((name) => !before.includes(name))
      expect(changed.map((name) => name.replace(/\.[0-9a-f]{8}\./, '.').split('localization/')[1])).toEqual(
        size === MANY ? ['en.mjs', 'en/common.mjs'] : ['en/common.mjs'],
      )
      const main = (files: ReadonlyMap<string, Buffer>) =>
        [...files].filter(([name]) => /\.m?js$/.test(name) && !name.includes('localization/'))
      expect(main(second.files)).not.toEqual(main(first.files))
      expect((await runEntry<CollectedManifest>(second.entryFile('main'))).texts.en?.common).toEqual({
        where: 'changed',
      })
      expect(dirname(changed[0] as string)).toContain('localization')
    },
  )
})
