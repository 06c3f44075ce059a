/** The project of `docs/testing.md`, run by Vitest as it stands there, and its service in a test of node:test. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { installPackage } from '../helpers/consumer.ts'
import { runScript, startScript } from '../helpers/frameworks.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const VITEST = 'node_modules/vitest/vitest.mjs'
const TESTS = 5
/** Mocks one namespace of one language, as the page says. */
const MOCK_OF_ONE = `import { expect, test, vi } from 'vitest'
import { heading } from './heading.js'

vi.mock('virtual:translations/en/common', () => ({ default: { title: 'Mocked' } }))

test('through load', async () => {
  expect(await heading('en')).toBe('<h1>Mocked</h1>')
  expect(await heading('pl')).toBe('<h1>Herbaty</h1>')
})
`

/** A build that reads from the page's service. */
const BUILD = `import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import localization from 'unplugin-localization/esbuild'
import { startService } from './service.js'

test('the build contains the texts from the service', async (t) => {
  const { baseUrl, apiKey, close } = await startService({ en: { title: 'Teas' }, pl: { title: 'Herbaty z usługi' } })
  t.after(close)
  const folder = await mkdtemp(join(tmpdir(), 'build-test-'))
  t.after(() => rm(folder, { recursive: true }))
  const outfile = join(folder, 'heading.mjs')
  await build({
    entryPoints: ['src/heading.js'],
    bundle: true,
    format: 'esm',
    outfile,
    plugins: [localization({ configFile: false, service: { baseUrl, apiKey }, defaultLanguage: 'en' })],
  })
  const { heading } = await import(pathToFileURL(outfile))
  assert.equal(await heading('pl'), '<h1>Herbaty z usługi</h1>')
})
`

/** Its code blocks, each a file named behind the block's language. */
async function installProject(): Promise<string> {
  const page = await readFile(join(repository, 'docs/testing.md'), 'utf8')
  const blocks = [...page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => [name, text])
  expect(blocks.length).toBeGreaterThan(7)
  const root = await tempFolder()
  await writeTree(root, {
    'package.json': { type: 'module' },
    'src/heading.one.test.js': MOCK_OF_ONE,
    'test/build.node.js': BUILD,
    ...Object.fromEntries(blocks),
  })
  await installPackage(root)
  return root
}

test('vitest run', async () => {
  const root = await installProject()
  expect(await runScript([VITEST, 'run'], { root })).toMatch(new RegExp(`Tests +${TESTS} passed`))
})

// Without the files that mock: in this pool Vitest gives what one file mocked to the next one too.
test('vitest run --pool=vmThreads', async () => {
  const root = await installProject()
  const files = ['src/heading.test.js', 'test/save.test.js']
  expect(await runScript([VITEST, 'run', '--pool=vmThreads', ...files], { root })).toMatch(/Tests +3 passed/)
})

test('vitest --watch: an edited file runs what shows it', async () => {
  const root = await installProject()
  const files = ['src/heading.test.js', 'src/heading.mocked.test.js']
  const { output } = startScript([VITEST, '--watch', ...files], { root })
  const wait = { timeout: 60_000, interval: 50 }
  await expect.poll(output, wait).toMatch(/Tests +2 passed[\s\S]*Waiting for file changes/)
  await writeTree(root, { 'locales/pl/common.json': { title: 'Nasze herbaty' } })
  await expect.poll(output, wait).toMatch(/Received: .*Nasze herbaty/)
  await writeTree(root, { 'locales/pl/common.json': { title: 'Herbaty' } })
  await expect.poll(output, wait).toMatch(/Nasze herbaty[\s\S]*Tests +\d passed/)
})

test('node --test: a build that reads from the service', async () => {
  const root = await installProject()
  const output = await runScript(['--test', 'test/build.node.js'], { root })
  expect(output).toMatch(/pass 1\b[\s\S]*fail 0\b/)
})
