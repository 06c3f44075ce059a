/** The same catalog in each file format: the same output, byte for byte. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FILE_ENDINGS, type FileEnding } from '../../src/shared/file-pattern.ts'
import { type CollectedManifest, loadingEverything } from '../helpers/apps.ts'
import { bundlers } from '../helpers/bundlers.ts'
import { PRINTERS, type TextTree } from '../helpers/file-formats.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const CATALOG: Readonly<Record<string, TextTree>> = {
  'en/common': {
    title: 'Title',
    menu: { open: 'Open: "it"', close: "Don't" },
    no: 'no',
    1: '1',
    gap: 'in English',
    list: ['one', { a: 'two', n: 3 }, 'no'],
    on: true,
    nothing: null,
    size: 1.5,
  },
  'en/long': { text: 'one\n\n  two\nthree\n', last: '# no comment // here, \u2028{count, plural, other {#}}' },
  'de/common': { menu: { close: 'Zu', open: 'Öffnen' }, no: 'nein', gap: '', title: 'Titel' },
}

// Formats are read before any bundler is asked.
describe.each(repeats(bundlers.slice(0, 1), bundlers))('$name', ({ build }) => {
  it(`builds the same of ${FILE_ENDINGS.join(', ')}`, async () => {
    const root = await tempFolder()
    await writeTree(root, { 'main.js': loadingEverything })
    const buildFrom = async (ending: FileEnding) => {
      await rm(join(root, 'locales'), { recursive: true, force: true })
      const files = Object.entries(CATALOG).map(([name, tree]) => [`locales/${name}${ending}`, PRINTERS[ending](tree)])
      await writeTree(root, Object.fromEntries(files))
      const options = { configFile: false as const, files: `locales/{language}/{namespace}${ending}` }
      const output = await build({ root, entries: { main: 'main.js' }, options, outDir: `dist${ending}` })
      return { output, run: await runEntry<CollectedManifest>(output.entryFile('main')) }
    }
    const json = await buildFrom('.json')
    expect(json.run.texts.de?.common).toMatchObject({ no: 'nein', 'menu.open': 'Öffnen', gap: 'in English' })
    expect(json.run.texts.en?.common).toMatchObject({ list: ['one', { a: 'two', n: 3 }, 'no'], on: true, size: 1.5 })
    expect(json.run.texts.en?.long).toEqual(CATALOG['en/long'])
    for (const ending of FILE_ENDINGS.slice(1)) {
      const other = await buildFrom(ending)
      expect(other.run).toEqual(json.run)
      expect(Object.fromEntries(textOf(other.output.files))).toEqual(Object.fromEntries(textOf(json.output.files)))
    }
  })
})

const textOf = (files: ReadonlyMap<string, Buffer>) => [...files].map(([name, bytes]) => [name, bytes.toString()])
