/** Options whose values are objects, lists, functions and patterns, in the output of the commands that name them. */
import { expect, test } from 'vitest'
import { runCli } from '../helpers/cli.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const CONFIG = `export default () => ({
  service: { baseUrl: 'https://localization.example.com', headers: { 'X-Team': { env: 'TEAM' } }, names: { PROVIDER_A: 'X' } },
  source: 'files',
  files: ['locales/{language}/{namespace}.json', { pattern: 'shared/{language}/{namespace}.yaml', root: 'texts.{language}' }],
  languages: ['en', 'pl'],
  defaultLanguage: 'en',
  languageMap: { 'pl-PL': 'pl' },
  fallback: { pl: ['en'] },
  coverage: { minimum: { pl: 1 }, onMissing: 'warn' },
  keySeparator: false,
  push: { holdAbove: 10 },
  prune: { keep: ['common:*', 'nothing:*'] },
  usage: { files: ['src/**', 'nowhere/**'], functions: ['translate'] },
  preload: ['common'],
  types: { file: 'localization.d.ts', i18next: true },
})
`

const COMMANDS = ['status', 'status --offline', 'check', 'check --unused', 'doctor', 'diff', 'pull', 'push', 'types']

test('no command prints an object or undefined', async () => {
  const folder = await tempFolder()
  const root = `${folder}/app`
  await writeTree(root, {
    'package.json': { type: 'module' },
    'localization.config.js': CONFIG,
    'locales/en/common.json': { title: 'Hello', 'a.b': 'Flat' },
    'locales/en/extra.json': { unused: 'Never' },
    'shared/pl/shop.yaml': 'texts:\n  pl:\n    open: Otwórz\n',
    'src/main.js': "import { load } from 'virtual:translations'\nload('pl', 'common')\n",
  })
  const env = { LOCALIZATION_API_KEY: 'key-of-the-test', https_proxy: 'http://127.0.0.1:9' }
  const runs = [...COMMANDS, 'extract --dry-run', 'init --dry-run --yes', 'generate'].map(async (line) => {
    const run = await runCli([...line.split(' '), '--verbose'], { cwd: root, env })
    return [line, run.stdout + run.stderr] as const
  })
  for (const [line, output] of await Promise.all(runs)) {
    expect(output, line).not.toMatch(/^$|CONFIG_INVALID|expected a/)
    expect([line, output.split('\n').filter((each) => /\[object|undefined/.test(each))]).toEqual([line, []])
  }
})
