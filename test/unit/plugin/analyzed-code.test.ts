/** Which code of a module the analysis reads: the file, the compiled code, or both. */
import { expect, test } from 'vitest'
import { analyzeModule } from '../../../src/plugin/analyzed-code.ts'
import { createAnalyzer } from '../../../src/usage/analyze.ts'

const IMPORT = "import { t } from 'i18next'\n"

async function read(id: string, file: string | undefined, code: string) {
  const analyzer = createAnalyzer()
  const usage = await analyzeModule({ id, code, readFile: async () => file }, analyzer, analyzer.mayUseKeys)
  const calls = usage.unknown.map(({ code: call }) => call)
  return { keys: [...new Set(usage.uses.map(({ key }) => key))], calls }
}

const FILE = `${IMPORT}t('title'); t(key)`
/** A helper's local. */
const COMPILED = `${IMPORT}function h(e) { var t = e; return t(h[e]()) }\nt("title"); t(key)`

test.each(['/app/a.js', '/app/a.tsx', '/app/a.mts', 'C:\\app\\a.cjs'])('%s: the file', async (id) => {
  expect(await read(id, FILE, COMPILED)).toEqual({ keys: ['title'], calls: ['t(key)'] })
})

test.each(['/app/a.js?raw', '/app/a.vue', '\0virtual:a.js', 'virtual:a.js', '/app/a.vue?vue&type=script&lang.ts'])(
  '%s: the compiled code',
  async (id) => {
    expect((await read(id, FILE, COMPILED)).calls).toContain('t(h[e]())')
  },
)

test('files that do not exist, or that only the compiler can read: the compiled code', async () => {
  expect((await read('/app/a.js', undefined, COMPILED)).calls).toContain('t(h[e]())')
  expect((await read('/app/a.js', `${FILE} |> = 1`, COMPILED)).calls).toContain('t(h[e]())')
})

test('a text that the file does not have', async () => {
  const generated = COMPILED.replace('t("title")', 't("title", "a1B2"); t("put.in")')
  expect(await read('/app/a.js', FILE, generated)).toEqual({ keys: ['title', 'put.in'], calls: ['t(key)'] })
})

test('a name of a library that the file does not have', async () => {
  const code = `import { useI18n } from 'vue-i18n'\nconst { t: tr } = useI18n()\nexport const a = (x) => tr(x)`
  expect((await read('/app/a.js', 'export const a = (x) => tr(x)', code)).calls).toEqual(['tr(x)'])
})

test('compiled code that cannot be read: texts that the file does not have may be keys', async () => {
  const deep = `${IMPORT}t("title"); t("put.in"); t(${'('.repeat(3000)}key${')'.repeat(3000)})`
  expect(await read('/app/a.js', FILE, deep)).toEqual({ keys: ['title', 'put.in'], calls: ['t(key)'] })
})
