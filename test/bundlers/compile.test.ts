/** `compile: 'icu'` in every bundler: syntax trees in the modules, strings where there is nothing to compile. */
import { parse } from '@formatjs/icu-messageformat-parser'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { importing } from '../helpers/apps.ts'
import { bundlers } from '../helpers/bundlers.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = '{count, plural, one {# file} other {<b>#</b> files </script>}}'.replace('</script>', "'</script>'")
const BROKEN = '{count, plural, one {x'
const EN = { title: 'Title', greeting: 'Hello, {name}!', deep: { files: FILES }, broken: BROKEN }
const DE = { title: 'Titel', greeting: "Hallo, '{'{name}'}'!" }
const PROJECT = {
  'locales/en/common.json': EN,
  'locales/de/common.json': DE,
  'main.js': importing([
    'virtual:translations/en/common',
    'virtual:translations/de/common',
    'virtual:translations/xx/common',
    'virtual:translations/de',
  ]),
}
const OPTIONS: PluginOptions = { configFile: false, defaultLanguage: 'en', pseudo: 'xx', compile: 'icu' }

const tree = (text: string) => JSON.parse(JSON.stringify(parse(text))) as unknown
const en = { title: 'Title', greeting: tree(EN.greeting), 'deep.files': tree(FILES), broken: BROKEN }
const de = { ...en, title: 'Titel', greeting: tree(DE.greeting) }

describe.each(bundlers)('$name', (bundler) => {
  // Shapes are the generated module's, in every bundler.
  const shapes = ['flat', 'nested'] as const
  test.each(repeats(bundler === bundlers[0] ? shapes : ['flat' as const], shapes))('%s', async (shape) => {
    const root = await tempFolder()
    await writeTree(root, PROJECT)
    const lines: string[] = []
    const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0)
    onTestFinished(() => spy.mockRestore())
    const options = { ...OPTIONS, shape }
    const { entryFile } = await bundler.build({ root, entries: { main: 'main.js' }, options })
    const [english, german, pseudo, whole] = await runEntry<unknown[]>(entryFile('main'))
    expect([english, german]).toEqual([en, de].map((messages) => (shape === 'flat' ? messages : nested(messages))))
    expect(whole).toEqual({ common: german })
    expect(pseudo).toMatchObject({ greeting: tree('[Ĥééļļöö, {name}!]') })
    if (bundler.hasOwnProcess) return
    const warnings = lines
      .join('')
      .split('\n')
      .filter((line) => line.includes('not a valid ICU message'))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/en\/common.*broken.*kept as a string: expect argument closing brace/)
  })
})

function nested({ 'deep.files': files, ...messages }: Readonly<Record<string, unknown>>) {
  return { ...messages, deep: { files } }
}
