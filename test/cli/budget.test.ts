/** `localization budget` after real builds: which code made a page heavier. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { budgetResult } from '../../src/cli/commands/budget.ts'
import { bundlers } from '../helpers/bundlers.ts'
import { runCli } from '../helpers/cli.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const MAIN = `import { t } from './i18n'

interface Row { readonly label: string }

console.log(t('title'))
export const open = () => import('./shop')
`
const CONFIG = {
  prune: { perChunk: true, ignoreIn: ['src/i18n.ts'] },
  defaultNamespace: 'common',
  budgets: { 'src/main.ts': '100 B', 'src/*': '1 KB' },
  report: false,
}
const FILES = {
  'package.json': { type: 'module' },
  'localization.config.json': CONFIG,
  'src/i18n.ts': `import { load } from 'virtual:translations'
const texts: Record<string, string> = await load('en', 'common')
export const t = (key: string) => texts[key]
`,
  'src/main.ts': MAIN,
  'src/shop.ts': "import { t } from './i18n'\nexport const show = () => t('cart')\n",
  'locales/en/common.json': { title: 'Title', cart: 'Your cart is empty', 'menu.a': 'First', 'menu.b': 'Second' },
  'locales/de/common.json': {
    title: 'Titel',
    cart: 'Ihr Warenkorb ist leer. Legen Sie doch etwas hinein',
    'menu.a': 'Das Erste von allen',
    'menu.b': 'Das Zweite',
  },
}

let cwd: string
beforeAll(async () => {
  cwd = await tempFolder()
  await writeTree(cwd, FILES)
})

async function build(main: string): Promise<void> {
  await writeTree(cwd, { 'src/main.ts': main })
  const esbuild = bundlers.find(({ name }) => name === 'esbuild')
  await esbuild?.build({ root: cwd, entries: { main: 'src/main.ts' } })
}

const budget = (...args: readonly string[]) => runCli(['budget', ...args], { cwd })

test('a call that is added breaks the budget, and is named with its place in the source', async () => {
  const first = await budget()
  expect(first.code).toBe(1)
  expect(first.stderr).toMatch(/there is no report: .*report\.json\. Build the app/)

  await build(MAIN)
  const within = await budget()
  expect(within).toMatchObject({ code: 0 })
  expect(within.stdout).toMatch(/src\/main\.ts +1 +33 B +de +100 B\nsrc\/shop\.ts +1 +\d+ B +de +1\.0 KB\nok: 0 chunks/)

  await build(`${MAIN}export const menu = (rows: Row[]) => rows.map((row) => t(row.label))\n`)
  const over = await budget()
  expect(over.code).toBe(1)
  expect(over.stdout).toContain('New since the report within the budgets:\n  src/main.ts:7:56: +1')
  expect(over.stdout).toContain('3 keys of common, only by a call whose key is not known: t(row.label)\n')
  expect(over.stdout).toContain('not ok: 1 chunk of 2 over the budget')
  const { ok, chunks } = (await budget('--json')).json(budgetResult)
  expect(ok).toBe(false)
  expect(chunks.map(({ name, kind, ok: isOk }) => [name, kind, isOk])).toEqual([
    ['src/main.ts', 'entry', false],
    ['src/shop.ts', 'lazy', true],
  ])
  expect(chunks[0]).toMatchObject({ compared: true, language: 'de', limit: 100 })
  expect(chunks[0]?.causes).toMatchObject([{ code: 't(row.label)', file: 'src/main.ts', line: 7, column: 56, keys: 3 }])

  // Nothing to compare with: the largest cause comes first.
  await rm(join(cwd, '.localization/report-within-budgets.json'))
  const annotations = await budget('--reporter', 'github')
  expect(annotations.code).toBe(1)
  expect(annotations.stdout).toMatch(
    /^::error file=src\/main\.ts,line=7,col=56,title=localization budget::src\/main\.ts/,
  )
  expect(annotations.stdout).toContain('What costs most')
})

test('what is wrong with the budgets or the report is said', async () => {
  const configure = (more: object) => writeTree(cwd, { 'localization.config.json': { ...CONFIG, ...more } })
  await configure({})
  await build(MAIN)
  await configure({ budgets: { 'src/mian.ts': '1 MB', '*': 500_000 } })
  const unknown = await budget()
  expect(unknown.code).toBe(1)
  expect(unknown.stdout).toContain('error budgets: "src/mian.ts" is no entry')
  expect(unknown.stdout).toContain('Did you mean "src/main.ts"?')
  expect((await budget('--reporter', 'github')).stdout).toMatch(/^::error title=localization budget::budgets: /)

  await configure({ budgets: { '*': '20 bananas' } })
  expect((await budget()).stderr).toContain(
    'budgets["*"]: expected a size such as "20 KB", "1.5 MB" or a number of bytes, given "20 bananas"',
  )
  await configure({ prune: true })
  expect((await budget()).stderr).toContain('budgets: needs prune.perChunk')
  await configure({ budgets: {} })
  expect((await budget()).stderr).toContain('no budget is set')
  await configure({})
  expect((await budget('--compare', 'gone.json')).stderr).toMatch(/there is no report: .*gone\.json/)
  await writeTree(cwd, { '.localization/report.json': { version: 1, files: 2 } })
  expect((await budget()).stderr).toContain('does not tell which texts come with which code')
  await writeTree(cwd, { '.localization/report.json': '{' })
  expect((await budget()).stderr).toMatch(/report\.json: is no report of a build\. Build the app again/)
})
