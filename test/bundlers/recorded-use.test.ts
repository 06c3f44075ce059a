/** Recorded keys in builds: they are kept, and not one byte of what records them is in what a production build writes. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundlers, repository } from '../helpers/bundlers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const MARKS = [/observ/i, /record/i, /__localization(?:Recorded|\/)/, /left[ -]?out/i, /Proxy/]

const MAIN = `import { load, onUpdate } from 'virtual:translations'
import * as translations from 'virtual:translations'
import english from 'virtual:translations/en/common'
import { createBackend } from '${join(repository, 'dist/i18next.js')}'
import { createIntlStore } from '${join(repository, 'dist/react-intl.js')}'
import { createLanguageLoader } from '${join(repository, 'dist/vue-i18n.js')}'
const i18n = { global: { locale: 'en', setLocaleMessage() {} } }
globalThis.collect = async () => {
  createBackend(translations)
  createIntlStore(translations)
  await createLanguageLoader(i18n, translations).setLanguage('en')
  onUpdate(() => {})
  return [english.title, (await load('en', 'common')).title]
}
`

describe.each(bundlers)('$name', (bundler) => {
  async function build(sources: Readonly<Record<string, string>>, options = {}) {
    const root = await tempFolder()
    const texts = { title: 'Title', unused: 'Nobody' }
    await writeTree(root, { 'main.js': MAIN, 'locales/en/common.json': texts, ...sources })
    const { files } = await bundler.build({
      root,
      entries: { main: 'main.js' },
      options: { configFile: false, report: false, ...options },
      minify: false,
    })
    return { root, files }
  }

  it('holds nothing of it, though keys were recorded', async () => {
    const keys = [{ namespace: 'common', key: 'title' }]
    const recorded = { 'localization.used.json': JSON.stringify({ version: 1, keys }) }
    const { files } = await build(recorded, { prune: { onUnknown: 'ignore', perChunk: true } })
    expect(files.size).toBeGreaterThan(0)
    for (const [name, content] of files)
      for (const mark of MARKS) expect(mark.test(content.toString()), `${mark} in ${name}`).toBe(false)
  })

  it('holds it where the switch is on', async () => {
    const { files } = await build({ '.env': 'LOCALIZATION_RECORD=1\n' })
    expect([...files.values()].some((content) => content.includes('__localizationRecorded'))).toBe(true)
  })

  if (!bundler.hasPrebuiltChunks) return
  it('keeps recorded keys, and notes which keys were left out', async () => {
    const keys = [{ namespace: 'common', key: 'unused' }]
    const main =
      "import { load } from 'virtual:translations'\nglobalThis.collect = async () => (await load('en', 'common')).title\n"
    const texts = JSON.stringify({ title: 'Title', unused: 'Recorded text', old: 'Old text' })
    const { root, files } = await build(
      {
        'main.js': main,
        'locales/en/common.json': texts,
        'localization.used.json': JSON.stringify({ version: 1, keys }),
      },
      { prune: true },
    )
    const holds = (text: string) => [...files.values()].some((content) => content.includes(text))
    expect([holds('Recorded text'), holds('Old text')]).toEqual([true, false])
    const leftOut = JSON.parse(await readFile(join(root, '.localization/left-out.json'), 'utf8'))
    expect(leftOut).toEqual({ version: 1, keys: { common: ['old'] } })
  })
})
