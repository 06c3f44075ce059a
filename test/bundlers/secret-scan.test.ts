/** Secrets that come into the output past the app's modules, and the personal token of the project's local service. */
import { access, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { importing } from '../helpers/apps.ts'
import { type BuildInput, builtPlugin, bundlers, repository } from '../helpers/bundlers.ts'
import { guardSecret } from '../helpers/canary.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const API_KEY = guardSecret('canary-key-of-copied-files/+7')
const TOKEN = guardSecret('canary-token-of-a-local-service/+8')

const FILES = {
  'package.json': { type: 'module' },
  'main.js': importing(['virtual:translations/en/common']),
  'locales/en/common.json': { title: 'Title' },
}

const ANNOUNCED = '.localization/service/service.json'

const OPTIONS = { configFile: false, source: 'files', service: { apiKey: API_KEY } } as const

const messageOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => expect.fail('the build went through'),
    (error: Error) => error.message,
  )

async function outputHolds(root: string, secret: string): Promise<boolean> {
  const entries = await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (entry.isFile() && (await readFile(join(entry.parentPath, entry.name))).includes(secret)) return true
  }
  return false
}

/** They alone have such a folder. */
describe.each(bundlers.filter(({ name }) => /vite|farm|rsbuild/.test(name)))('$name', ({ build }) => {
  const attempt = async (root: string, more: Partial<BuildInput> = {}) =>
    build({ root, entries: { main: 'main.js' }, options: OPTIONS, ...more })

  test.each([
    ['public/config.json', `{ "a": 1,\n  "key": "${API_KEY}" }`, /public\/config\.json:2:11, which the build copies/],
    ['public/deep/er/.hidden', `key=${encodeURIComponent(API_KEY)}`, /public\/deep\/er\/\.hidden:1:/],
    ['public/image.png', Buffer.concat([Buffer.alloc(20_000_000), Buffer.from(API_KEY)]), /at byte 20000000, which/],
    ['public/.localization/service/service.json', JSON.stringify({ personalToken: API_KEY }), /service\.json:1:/],
  ])('a secret in %s fails the build before anything is copied', async (name, content, message) => {
    const root = await tempFolder()
    await writeTree(root, { ...FILES, [name]: '' })
    await writeFile(join(root, name), content)
    expect(await messageOf(attempt(root))).toMatch(message)
    expect(await outputHolds(root, API_KEY)).toBe(false)
    await writeFile(join(root, name), 'nothing')
    await attempt(root)
    await access(join(root, 'dist', name.slice('public/'.length)))
  })

  test('a secret behind a link fails the build', async () => {
    const root = await tempFolder()
    const elsewhere = await tempFolder()
    await writeTree(root, FILES)
    await mkdir(join(root, 'public'))
    await writeFile(join(elsewhere, 'a.txt'), API_KEY)
    await symlink(elsewhere, join(root, 'public/linked'))
    expect(await messageOf(attempt(root))).toMatch(/public\/linked\/a\.txt:1:1, which/)
    await writeFile(join(elsewhere, 'a.txt'), '')
  })
})

describe.each(bundlers)('$name', ({ build }) => {
  test('the personal token of the local service is found, although nothing in the configuration names it', async () => {
    const root = await tempFolder()
    await writeTree(root, {
      ...FILES,
      'main.js': `import m from 'virtual:translations/en/common'\nglobalThis.collect = () => [m, __LEAKED__]\n`,
      [ANNOUNCED]: { personalToken: TOKEN },
    })
    const attempt = build({
      root,
      entries: { main: 'main.js' },
      options: { configFile: false, source: 'files', root },
      define: { __LEAKED__: JSON.stringify(TOKEN) },
    })
    expect(await messageOf(attempt)).toMatch(
      /the output contains a secret of the localization service \(ca\S+, plain\): /,
    )
    expect(await outputHolds(root, TOKEN)).toBe(false)
    await writeTree(root, { [ANNOUNCED]: {} })
  })
})

const vite = bundlers.find(({ name }) => name === 'vite')

test.skipIf(!vite)("baseUrl: 'local': the token of the service that the build joins is found", async () => {
  const root = await tempFolder()
  const { joinLocalService } = await import(join(repository, 'dist/service.js'))
  const service = await joinLocalService({ dataDir: join(root, '.localization/service'), personalToken: TOKEN })
  onTestFinished(() => service.close())
  await writeTree(root, FILES)
  await mkdir(join(root, 'public'))
  await writeFile(join(root, 'public/notes.txt'), TOKEN)
  const options = { configFile: false, source: 'files', service: { baseUrl: 'local' } } as const
  expect(await messageOf(Promise.resolve(vite?.build({ root, entries: { main: 'main.js' }, options })))).toContain(
    'public/notes.txt:1:1',
  )
  await writeFile(join(root, 'public/notes.txt'), '')
})

interface CompilerOf {
  readonly webpack?: unknown
  run(done: (error: Error | null, stats?: { toString(options: object): string; hasErrors(): boolean }) => void): void
  close(done: () => void): void
}

test.each(['webpack', '@rspack/core'])('%s: what a plugin copies into the output', async (name) => {
  const root = await tempFolder()
  await writeTree(root, FILES)
  await mkdir(join(root, 'copied'))
  await writeFile(join(root, 'copied/notes.txt'), `key: ${API_KEY}`)
  const isRspack = name !== 'webpack'
  const module = await import(name)
  const bundle = (module.rspack ?? module.default) as ((options: object) => CompilerOf) & {
    CopyRspackPlugin: new (options: object) => object
    sources: { RawSource: new (text: string) => object }
  }
  // As copy-webpack-plugin does.
  const copy = {
    // biome-ignore lint/suspicious/noExplicitAny: two bundlers' compilers
    apply(compiler: any) {
      // biome-ignore lint/suspicious/noExplicitAny: two bundlers' compilations
      compiler.hooks.thisCompilation.tap('copy', (compilation: any) => {
        compilation.hooks.processAssets.tapPromise({ name: 'copy', stage: -2000 }, async () => {
          const text = await readFile(join(root, 'copied/notes.txt'), 'utf8')
          compilation.emitAsset('notes.txt', new compiler.webpack.sources.RawSource(text))
        })
      })
    },
  }
  const compiler = bundle({
    context: root,
    mode: 'production',
    entry: join(root, 'main.js'),
    output: { path: join(root, 'dist') },
    plugins: [
      isRspack ? new bundle.CopyRspackPlugin({ patterns: [{ from: 'copied' }] }) : copy,
      await builtPlugin(isRspack ? 'rspack' : 'webpack', OPTIONS),
    ],
  })
  const said = await new Promise<string>((resolve, reject) => {
    compiler.run((error, stats) =>
      error ? reject(error) : resolve(stats?.toString({ all: false, errors: true }) ?? ''),
    )
  })
  await new Promise<void>((resolve) => compiler.close(resolve))
  expect(said).toMatch(/: notes\.txt:1:6/)
  expect(await outputHolds(root, API_KEY)).toBe(false)
  await writeFile(join(root, 'copied/notes.txt'), '')
})
