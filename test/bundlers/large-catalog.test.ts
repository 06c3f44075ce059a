/** 36 MB of texts, some of them with characters that a script must escape. */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { bundlers } from '../helpers/bundlers.ts'
import { repeats } from '../helpers/repeats.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const LANGUAGES = Array.from({ length: 36 }, (_, i) => `q${i < 26 ? 'a' : 'b'}${String.fromCharCode(97 + (i % 26))}`)
const KEYS = 100

/** A megabyte for each language, some of them with what has to be escaped in a script. */
const textsOf = (language: string) =>
  Object.fromEntries(
    Array.from({ length: KEYS }, (_, i) => [
      `key${i}`,
      `${language} ${i} ${i % 10 === 0 && language < 'qad' ? '</script> \u2028 ' : ''}${'ein langer Text – '.repeat(520)}`,
    ]),
  )

// The bytes are made in one place, whatever bundler takes them. Farm has no prebuilt chunks.
const prebuilding = bundlers.filter(({ hasPrebuiltChunks }) => hasPrebuiltChunks)
describe.each(repeats(prebuilding.slice(0, 1), prebuilding))('$name', (bundler) => {
  it('writes every text of every language', async () => {
    const root = await tempFolder()
    await writeTree(root, {
      'main.js': "import { load } from 'virtual:translations'\nglobalThis.load = load\n",
      ...Object.fromEntries(LANGUAGES.map((language) => [`locales/${language}/common.json`, textsOf(language)])),
    })
    const { files } = await bundler.build({ root, entries: { main: 'main.js' }, options: { configFile: false } })
    const late = [...files].filter(([name]) => name.includes('localization/'))
    expect(late).toHaveLength(LANGUAGES.length)
    for (const [name, content] of late) {
      const [, language = ''] = /localization\/([^/]+)\/common\.[0-9a-f]{8}\.m?js$/.exec(name) ?? []
      const [, json = ''] = /^export default (.*)\n$/s.exec(content.toString()) ?? []
      expect(json).not.toContain('</script')
      // Not by a difference, which would be a megabyte long.
      expect([name, json.length, isDeepStrictEqual(JSON.parse(json || '{}'), textsOf(language))]).toEqual([
        name,
        json.length,
        true,
      ])
    }
  })
})
