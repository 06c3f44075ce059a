/** What the plugin for Bun does beside building: the suites of the project `bun` build with it. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BUNDLERS } from '../../src/plugin/bundlers.ts'
import { bunBinary, Unavailable } from '../helpers/package-managers.ts'
import { npmInstall, packTarball, runNode } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const [OLDEST = ''] = /[\d.]+/.exec(BUNDLERS.bun.versions) ?? []

const isMissing = await bunBinary().then(
  () => false,
  (error: Error) => {
    if (process.env.CI || !(error instanceof Unavailable)) throw error
    process.stdout.write(`tests of Bun skipped: ${error.message}\n`)
    return true
  },
)

const FILES = {
  'main.js': `import { load } from 'virtual:translations'
import pl from 'virtual:translations/pl/common'
console.log(JSON.stringify([pl, await load('en', 'common')]))
`,
  'locales/en/common.json': { title: 'Hello', unused: 'Not used' },
  'locales/pl/common.json': { title: 'Witaj', unused: 'Nieużyte' },
  'build.mjs': `import localization from 'unplugin-localization/bun'
const options = JSON.parse(process.env.OPTIONS ?? '{}')
await Bun.build({ entrypoints: ['main.js'], splitting: true, outdir: 'dist', naming: { entry: '[name].mjs' }, plugins: [localization(options)] })
`,
  'run.mjs': `import localization from 'unplugin-localization/bun'
Bun.plugin(localization())
await import('./main.js')
`,
}

async function project(version?: string) {
  const root = await tempFolder()
  await writeTree(root, { 'package.json': { private: true, type: 'module' } })
  await npmInstall(root, await packTarball())
  await writeTree(root, FILES)
  const bun = await bunBinary(version)
  const run = (file: string, options: object = {}) =>
    runNode(bun, [file], { cwd: root, env: { OPTIONS: JSON.stringify(options) } })
  return { root, run }
}

async function showsEveryText(root: string): Promise<void> {
  const { stdout } = await runNode(process.execPath, [join(root, 'dist/main.mjs')], { cwd: root })
  expect(JSON.parse(stdout)).toEqual([FILES['locales/pl/common.json'], FILES['locales/en/common.json']])
}

test.skipIf(isMissing).each([
  ['the newest', undefined],
  ['the oldest', OLDEST],
])('%s Bun builds with the packed package', async (_, version) => {
  const { root, run } = await project(version)
  const { code, output } = await run('build.mjs')
  expect(code, output).toBe(0)
  await showsEveryText(root)
})

test.skipIf(isMissing)('prune keeps every key, and says so', async () => {
  const { root, run } = await project()
  for (const prune of [true, { perChunk: true }]) {
    const { code, output } = await run('build.mjs', { prune })
    expect(code, output).toBe(0)
    expect(output).toContain('prune: Bun keeps every key')
    await showsEveryText(root)
  }
})

test.skipIf(isMissing)('Bun.plugin(), which builds nothing, is refused', async () => {
  const { run } = await project()
  const { code, output } = await run('run.mjs')
  expect(code).not.toBe(0)
  expect(output).toContain('the Bun plugin works only in Bun.build()')
})
