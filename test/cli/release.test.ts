/** `localization release`: what it writes, what it refuses, and that no kill leaves a folder without a whole version. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { releaseResult } from '../../src/cli/commands/release.ts'
import type { RequestInfo } from '../../src/service/options.ts'
import { folderId } from '../../src/shared/folder-id.ts'
import { hashOf } from '../../src/shared/hash.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { CLI, runCli } from '../helpers/cli.ts'
import { hashesOf } from '../helpers/live-pages.ts'
import { startProcess } from '../helpers/processes.ts'
import { type Project, startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { noMounts, onDisk } from '../helpers/small-disk.ts'
import { save } from '../helpers/temp.ts'
import { forwardTo, listen } from '../helpers/throwaway-server.ts'

const TEXTS = { a: 'A', b: 'B', c: 'C', item_one: '{{count}} item', item_other: '{{count}} items' }
const CONFIG = { delivery: 'live', defaultLanguage: 'en', defaultNamespace: 'common', types: false }
const FILES = {
  'package.json': { type: 'module' },
  'localization.config.json': CONFIG,
  'locales/en/common.json': TEXTS,
  'locales/pl/common.json': { a: 'A pl' },
  'locales/en/shop.json': { buy: 'Buy' },
  'main.js': "import { load } from 'virtual:translations'\nglobalThis.load = load\n",
}
const TABLE = 'dist/assets/localization/table.json'

type FilesProject = Project<{ files: typeof FILES }>

async function startBuilt(more: Readonly<Record<string, object | string>> = {}): Promise<FilesProject> {
  const project = await startProject({ files: { ...FILES, ...more } })
  const { build } = await import('vite')
  const plugins = [(await builtPlugin('vite', {})) as never]
  const rollupOptions = { input: join(project.root, 'main.js') }
  await build({ root: project.root, configFile: false, logLevel: 'silent', plugins, build: { rollupOptions } })
  return project as never
}

const edit = ({ root }: FilesProject, texts: object) =>
  save(join(root, 'locales/en/common.json'), { ...TEXTS, ...texts })

async function released(project: FilesProject, ...args: readonly string[]) {
  const run = await project.run('release', 'dist', '--json', ...args)
  expect(run.stderr, run.output).not.toContain('error')
  const { outputs, upload } = run.json(releaseResult)
  return { ...(outputs[0] as (typeof outputs)[number]), upload, code: run.code }
}

const tableOf = async ({ root }: FilesProject) =>
  JSON.parse(await readFile(join(root, TABLE), 'utf8')) as { readonly version: string; readonly hashes: string }

test('--dry-run and --check change nothing and say what would change; a release changes the table last', async () => {
  const project = await startBuilt()
  expect((await project.run('release', 'dist', '--check')).code).toBe(0)
  await edit(project, { a: 'A2', c: 'C2' })
  const before = await hashesOf(join(project.root, 'dist'))
  const dry = await project.run('release', 'dist', '--dry-run')
  expect(dry.stdout).toContain('en/common "a"\n  - "A"\n  + "A2"\n')
  expect(dry.stdout).toContain('3 texts: 3 changed')
  expect((await project.run('release', 'dist', '--check')).code).toBe(1)
  expect(await hashesOf(join(project.root, 'dist'))).toEqual(before)

  const done = await released(project)
  expect(done.changes).toEqual([
    { language: 'en', namespace: 'common', key: 'a', before: 'A', after: 'A2' },
    { language: 'en', namespace: 'common', key: 'c', before: 'C', after: 'C2' },
    { language: 'pl', namespace: 'common', key: 'c', before: 'C', after: 'C2' },
  ])
  expect(done.written.at(-1)).toBe(TABLE)
  const listed = (await project.run('release', 'dist', '--list')).stdout.trim().split('\n')
  expect(listed).toEqual(done.upload)
  expect(listed.at(-1)).toBe(TABLE)
  // What a host gets in this order is a whole build.
  const host = join(project.root, 'host')
  for (const path of [...before.keys()].filter((name) => !name.endsWith('table.json')))
    await cp(join(project.root, 'dist', path), join(host, path))
  for (const path of listed) await cp(join(project.root, path), join(host, path.slice('dist/'.length)))
  await expectWhole(join(host, 'assets/localization'))
  expect((await project.run('release', 'dist', '--check')).code).toBe(0)
})

test('--previous goes back step by step, and a later release goes on from there', async () => {
  const project = await startBuilt()
  const versions = [(await tableOf(project)).version]
  for (const text of ['1', '2', '3']) {
    await edit(project, { a: text })
    versions.push((await released(project)).version)
  }
  const [built, first, second] = versions
  expect((await released(project, '--previous')).version).toBe(second)
  expect((await released(project, '--previous')).version).toBe(first)
  await edit(project, { a: '4' })
  await released(project)
  expect((await released(project, '--previous')).version).toBe(first)
  expect((await released(project, '--previous')).version).toBe(built)
  const { code, stderr } = await project.run('release', 'dist', '--previous')
  expect([code, stderr]).toEqual([1, expect.stringContaining('there is no earlier version')])
})

test('--previous refuses a version whose files are gone, and names one', async () => {
  const project = await startBuilt()
  await edit(project, { a: '1' })
  const { written } = await released(project)
  await edit(project, { a: '2' })
  await released(project)
  const file = written.find((path) => path.includes('en/common')) as string
  await rm(join(project.root, file))
  const before = await hashesOf(join(project.root, 'dist'))
  const run = await project.run('release', 'dist', '--previous')
  expect([run.code, run.stderr]).toEqual([1, expect.stringMatching(/lacks the file .*en.common\.[0-9a-f]{8}\.js/)])
  expect(await hashesOf(join(project.root, 'dist'))).toEqual(before)
})

test('texts of an earlier commit than those that have been live need --allow-older', async () => {
  const project = await startBuilt()
  const { root } = project
  const git = (date: string, ...args: readonly string[]) => {
    const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date, GIT_CONFIG_GLOBAL: '/dev/null' }
    const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
    return promisify(execFile)('git', [...who, ...args], { cwd: root, env })
  }
  const commit = async (date: string, texts: object) => {
    await edit(project, texts)
    await git(date, 'add', 'locales')
    await git(date, 'commit', '-m', 'texts')
  }
  await git('2024-01-01T00:00:00Z', 'init')
  await commit('2024-01-01T00:00:00Z', { a: '1' })
  await commit('2024-02-01T00:00:00Z', { a: '2' })
  // Git is set to show signatures, and this commit has one.
  await writeFile(join(root, 'gpg'), '#!/bin/sh\necho no key >&2\nexit 1\n', { mode: 0o755 })
  await git('', 'config', 'gpg.program', join(root, 'gpg'))
  await git('', 'config', 'log.showSignature', 'true')
  const { stdout } = await git('', 'cat-file', 'commit', 'HEAD')
  await writeFile(join(root, 'signed'), stdout.replace('\n\n', '\ngpgsig -----BEGIN PGP SIGNATURE-----\n\n'))
  const signed = await git('', 'hash-object', '-t', 'commit', '-w', 'signed')
  await git('', 'reset', '--soft', signed.stdout.trim())
  await released(project)
  // Going back does not forget which texts were the newest.
  await released(project, '--previous')
  await git('2024-03-01T00:00:00Z', 'checkout', 'HEAD~1')
  const run = await project.run('release', 'dist')
  expect([run.code, run.stderr]).toEqual([
    1,
    expect.stringContaining('but texts from 2024-02-01T00:00:00.000Z have already gone live'),
  ])
  expect((await released(project, '--allow-older')).changes).not.toEqual([])
})

test('--keep removes the files of old versions, and never those of the build', async () => {
  const project = await startBuilt()
  const folder = join(project.root, 'dist')
  const built = [...(await hashesOf(folder)).keys()]
  const history = async (change: (text: string) => string) => {
    const [name] = [...(await hashesOf(folder)).keys()].filter((path) => path.includes('history-'))
    const path = join(folder, name as string)
    await writeFile(path, change(await readFile(path, 'utf8')))
  }
  for (const text of ['1', '2', '3', '4']) {
    await edit(project, { a: text })
    await released(project, '--keep', '2')
    // Two days later.
    await history((json) => json.replace(/"at":"[^"]*"/g, '"at":"2020-01-01T00:00:00.000Z"'))
  }
  await edit(project, { a: '5' })
  const { removed } = await released(project, '--keep', '2')
  expect(removed.length).toBeGreaterThan(0)
  const left = [...(await hashesOf(folder)).keys()]
  expect(left).toEqual(expect.arrayContaining(built))
  await expectWhole(join(folder, 'assets/localization'))
  await released(project, '--previous')
  await expectWhole(join(folder, 'assets/localization'))
})

test('a damaged version never leads out of the folder', async () => {
  const project = await startBuilt({ '.env.local': 'SECRET=1' })
  await edit(project, { a: 'A2' })
  const { version } = await released(project)
  const path = join(project.root, `dist/assets/localization/releases/${version}.json`)
  const stored = JSON.parse(await readFile(path, 'utf8')) as { files: string[] }
  await writeFile(path, JSON.stringify({ ...stored, files: [...stored.files, '../../../.env.local'] }))
  expect((await project.run('release', 'dist', '--list')).output).not.toContain('.env.local')
})

test('refuses other folders, other builds, other versions, other projects and missing texts, and changes nothing', async () => {
  const project = await startBuilt()
  const { root } = project
  const refuse = async (message: string | RegExp, ...args: readonly string[]) => {
    const before = await hashesOf(join(root, 'dist'))
    const run = await project.run('release', 'dist', ...args)
    expect(run.code, run.output).toBe(1)
    expect(run.stderr).toMatch(message)
    expect(await hashesOf(join(root, 'dist'))).toEqual(before)
  }
  expect((await project.run('release', 'locales')).stderr).toContain("no build with delivery: 'live'")
  const path = join(root, 'dist/assets/localization/build.json')
  const record = await readFile(path, 'utf8')
  await writeFile(path, record.replace('"package":"', '"package":"9'))
  await refuse(/with version 9\S+ of this package/)
  await writeFile(path, record.slice(0, 100))
  await refuse('damaged or from another version')
  await writeFile(path, record)
  const table = await readFile(join(root, TABLE), 'utf8')
  await writeFile(join(root, TABLE), table.replace(/"build":"\w+"/, '"build":"f00f00"'))
  await refuse('from another build')
  await writeFile(join(root, TABLE), table)
  const { build } = JSON.parse(table) as { readonly build: string }
  const history = join(root, `dist/assets/localization/releases/history-${build}.json`)
  await save(history, '{')
  await refuse('is damaged or cannot be read')
  await rm(history)
  const { b: _, ...rest } = TEXTS
  await save(join(root, 'locales/en/common.json'), rest)
  await refuse(/lacks 1 of the 6 keys that this build uses: common:b/)
  expect((await released(project, '--allow-missing')).changes).toHaveLength(2)
  await save(join(root, 'locales/en/common.json'), { other: 'Other' })
  await save(join(root, 'locales/en/shop.json'), { other: 'Other' })
  await refuse('another project')
  await save(join(root, 'locales/en/common.json'), TEXTS)
  await rm(join(root, 'locales/pl'), { recursive: true })
  await refuse('has texts in pl, but the source does not')
})

test('has the checks of a build', async () => {
  const coverage = { minimum: { pl: 0.1 }, onMissing: 'error' }
  const project = await startBuilt({ 'localization.config.json': { ...CONFIG, coverage } })
  await save(join(project.root, 'locales/pl/common.json'), { a: '' })
  const run = await project.run('release', 'dist')
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('too few translations')])
  await save(join(project.root, 'locales/pl/common.json'), '{ "a": ')
  expect((await project.run('release', 'dist')).code).toBe(1)
})

test('uses the keys and the shape of the build, whatever the configuration says now', async () => {
  const options = { ...CONFIG, shape: 'nested', prune: { functions: ['t'] } }
  const project = await startBuilt({
    'localization.config.json': options,
    'main.js':
      "import { load } from 'virtual:translations'\nimport { t } from './t.js'\n" +
      "load('en').then(() => console.log(t('common:a'), t('common:item_one'), t('common:deep.x')))\n",
    't.js': 'export const t = (key) => globalThis.messages[key]\n',
    'locales/en/common.json': { ...TEXTS, deep: { x: 'X', y: 'Y' } },
  })
  await save(join(project.root, 'localization.config.json'), { ...CONFIG, shape: 'flat' })
  await save(join(project.root, 'locales/en/common.json'), { ...TEXTS, a: 'A2', b: 'B2', deep: { x: 'X2', y: 'Y2' } })
  const { changes, written } = await released(project)
  expect(changes.map(({ language, key }) => `${language} ${key}`)).toEqual(['en a', 'en deep.x', 'pl deep.x'])
  const file = written.find((path) => /en.common\./.test(path)) as string
  expect(await readFile(join(project.root, file), 'utf8')).toContain('"deep":{"x":"X2"}')
})

test('reads only the namespaces that changed, and writes what a release of everything writes', async () => {
  const more = { pseudo: 'en-XA', customers: ['acme'], customer: 'acme', fallback: { de: ['pl'] } }
  const project = await startBuilt({
    'localization.config.json': { ...CONFIG, ...more, files: 'locales/{language}/{namespace}.json' },
    'locales/de/common.json': { b: 'B de' },
    'locales/pl/shop.json': { buy: 'Kup', steps: ['Raz', 'Dwa'] },
    'locales/en/shop.json': { buy: 'Buy', steps: ['One', 'Two', 'Three'] },
    'locales/en/views/cart.json': { total: 'Total' },
  })
  const { root } = project
  const rounds: readonly (readonly [namespaces: number, files: Readonly<Record<string, object>>])[] = [
    [0, {}],
    [1, { 'locales/en/common.json': { ...TEXTS, a: 'A2' } }],
    [1, { 'locales/pl/common.json': { a: 'A pl', b: 'B pl' } }],
    [2, { 'locales/pl/shop.json': { buy: '' }, 'locales/de/views/cart.json': { total: 'Summe' } }],
    [1, { 'locales/de/views/cart.json': { total: '' } }],
    [1, { 'locales/pl/shop.json': { buy: 'Kup', steps: ['Raz', 'Dwa'] } }],
  ]
  for (const [count, files] of rounds) {
    for (const [path, texts] of Object.entries(files)) await save(join(root, path), texts)
    await rm(join(root, 'whole'), { recursive: true, force: true })
    await cp(join(root, 'dist'), join(root, 'whole'), { recursive: true })
    const run = await project.run('release', 'dist', '--verbose')
    expect(run.code, run.output).toBe(0)
    expect(/(\d+) changed\)/.exec(run.stderr)?.[1] ?? '0', run.stderr).toBe(String(count))
    await forgetMade(join(root, 'whole'))
    const whole = await project.run('release', 'whole', '--verbose')
    expect(whole.stderr).not.toContain('changed)')
    const [own, expected] = await Promise.all(['dist', 'whole'].map((name) => filesOf(join(root, name))))
    expect(own).toEqual(expected)
  }
  // A file that was lost is made again, although no text has changed.
  const [name] = [...(await filesOf(join(root, 'dist'))).keys()].filter((path) => /en.shop\./.test(path))
  await rm(join(root, 'dist', name as string))
  await project.run('release', 'dist')
  await stat(join(root, 'dist', name as string))
})

/** Removes what tells a release that texts have not changed. */
async function forgetMade(folder: string): Promise<void> {
  for (const path of (await hashesOf(folder)).keys()) if (/made-\w+\.json$/.test(path)) await rm(join(folder, path))
  const path = join(folder, 'assets/localization/build.json')
  const { made: _, ...record } = JSON.parse(await readFile(path, 'utf8')) as { readonly made: object }
  await writeFile(path, JSON.stringify(record))
}

/** The message files and the table's hashes. */
async function filesOf(folder: string): Promise<Map<string, string>> {
  const files = [...(await hashesOf(folder))].filter(([path]) => /\.[0-9a-f]{8}\.js$/.test(path))
  const { hashes } = JSON.parse(await readFile(join(folder, 'assets/localization/table.json'), 'utf8'))
  return new Map([...files, ['hashes', hashes]])
}

test('repairs a table that was cut, a file that a full disk has cut, and compressed copies of the table', async () => {
  const project = await startBuilt()
  const { root } = project
  await edit(project, { a: 'A2' })
  const { written, version } = await released(project)
  const text = await readFile(join(root, TABLE), 'utf8')
  await writeFile(join(root, TABLE), text.slice(0, 40))
  await writeFile(join(root, `${TABLE}.gz`), 'old')
  const again = await released(project)
  expect([again.from, again.version]).toEqual([null, version])
  await expect(stat(join(root, `${TABLE}.gz`))).rejects.toThrow('ENOENT')
  const file = join(root, written.find((path) => path.includes('en/common')) as string)
  await writeFile(file, 'export def')
  await released(project)
  expect(await readFile(file, 'utf8')).toContain('A2')
  await expectWhole(join(root, 'dist/assets/localization'))
})

test('two releases at once: one waits for the other', async () => {
  const project = await startBuilt()
  await edit(project, { a: 'A2' })
  const runs = await Promise.all([1, 2, 3].map(() => project.start('release', 'dist', '--json').run))
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
  const changed = runs.filter((run) => (run.json(releaseResult).outputs[0]?.written.length ?? 0) > 0)
  expect(changed).toHaveLength(1)
  await expectWhole(join(project.root, 'dist/assets/localization'))
})

test.runIf(process.platform === 'linux')(
  'a release waits for whoever has the folder of the build, whatever folder it is given',
  async () => {
    const project = await startBuilt()
    const { root } = project
    const waiting = new Set<Socket>()
    const holder = createServer((socket) => {
      waiting.add(socket.on('error', () => {}).on('close', () => waiting.delete(socket)))
      socket.write(`${JSON.stringify({ pid: process.pid })}\n`)
    })
    const folder = join(root, 'dist/assets/localization')
    const address = `\0localization-sync-${hashOf(folderId(folder), 16)}`
    await new Promise<void>((ready) => holder.listen(address, ready))
    const runs = ['dist', 'dist/assets', '.'].map((given) => project.start('release', given, '--json').run)
    await expect.poll(() => waiting.size).toBe(runs.length)
    await edit(project, { a: 'A2' })
    holder.close()
    for (const socket of waiting) socket.destroy()
    const written = (await Promise.all(runs)).flatMap((run) => run.json(releaseResult).outputs[0]?.written ?? [])
    expect(written.filter((path) => path === TABLE)).toEqual([TABLE])
    await expectWhole(folder)
  },
)

test('a build during a release keeps its own texts and table, and the next release works', async () => {
  const project = await startProject({
    files: { ...FILES, 'localization.config.json': { ...CONFIG, source: 'query' } },
    service: { languages: ['pl'], texts: { 'en/common': TEXTS, 'en/shop': { buy: 'Buy' } } },
  })
  const { root, baseUrl, apiKey } = project
  const localization = join(root, 'dist/assets/localization')
  const buildAgain = async () => {
    const { build } = await import('vite')
    const plugins = [(await builtPlugin('vite', { service: { baseUrl, apiKey } })) as never]
    const rollupOptions = { input: join(root, 'main.js') }
    await build({ root, configFile: false, logLevel: 'silent', plugins, build: { rollupOptions } })
    return hashesOf(localization)
  }
  await buildAgain()
  await project.setText('en', 'common', 'a', 'A2')
  let built: Awaited<ReturnType<typeof buildAgain>> | undefined
  const slow = createHttpServer(
    forwardTo(baseUrl, async (_, pass) => {
      const answer = await pass()
      if (!built) {
        built = new Map()
        await project.setText('en', 'common', 'new', 'New')
        built = await buildAgain()
      }
      return answer
    }),
  )
  const address = `http://127.0.0.1:${await listen(slow)}`
  await save(join(root, 'localization.config.json'), { ...CONFIG, source: 'query', service: { baseUrl: address } })
  const run = await runCli(['release', 'dist'], { cwd: root, env: { LOCALIZATION_API_KEY: apiKey } })
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('was built again during the release')])
  expect(await hashesOf(localization)).toEqual(built)
  await project.setText('en', 'common', 'a', 'A3')
  expect((await released(project)).changes).toHaveLength(1)
})

test('killed at any moment, the folder has one whole version, and the next release repairs it', async () => {
  const project = await startBuilt()
  const folder = join(project.root, 'dist/assets/localization')
  await edit(project, { a: 'A first' })
  const startedAt = performance.now()
  expect((await project.start('release', 'dist').run).code).toBe(0)
  const longest = performance.now() - startedAt
  for (let round = 0; round < repeats(4, 50); round++) {
    await edit(project, { a: `A ${round}`, b: `B ${round}` })
    const running = project.start('release', 'dist')
    await new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random())))
    running.child.kill('SIGKILL')
    await running.ended
    await expectWhole(folder)
    if (round % 4 === 3) await released(project)
    await expectWhole(folder)
  }
  await released(project)
  const en = await messagesOf(folder)
  expect(en.get('en/common')).toMatchObject({ a: `A ${repeats(4, 50) - 1}` })
})

test.skipIf(noMounts)('a disk that fills between files keeps the version that was live', async () => {
  const project = await startBuilt()
  const { root } = project
  const size = 'size=100k'
  await edit(project, { a: 'x'.repeat(200_000) })
  await mkdir(join(root, 'kept'))
  const within = onDisk(join(root, 'dist'), size, join(root, 'kept'))
  const command = [...within, process.execPath, CLI, 'release', join(root, 'dist'), '--root', root]
  const run = await startProcess(command, { cwd: root }).ended
  expect(run.code).not.toBe(0)
  const { hashes } = await tableOf(project)
  expect(JSON.parse(await readFile(join(root, 'kept/assets/localization/table.json'), 'utf8')).hashes).toBe(hashes)
  await expectWhole(join(root, 'kept/assets/localization'))
})

/** The messages that a page gets with the table, by path. */
async function messagesOf(folder: string): Promise<Map<string, object>> {
  const { hashes } = JSON.parse(await readFile(join(folder, 'table.json'), 'utf8')) as { readonly hashes: string }
  const names = ['en/common', 'pl/common', 'en/shop', 'pl/shop']
  const messages = new Map<string, object>()
  for (const [at, name] of names.entries()) {
    const hash = hashes.slice(at * 8, at * 8 + 8)
    const code = await readFile(join(folder, `${name}.${hash}.js`), 'utf8')
    messages.set(name, JSON.parse(/^export default (.*)\s*$/.exec(code)?.[1] as string) as object)
  }
  return messages
}

/** Both texts of a round are in one version. */
async function expectWhole(folder: string): Promise<void> {
  const messages = await messagesOf(folder)
  const { a, b } = messages.get('en/common') as { readonly a: string; readonly b: string }
  const [, round] = /^A (\d+)$/.exec(a) ?? []
  if (round !== undefined) expect(b).toBe(`B ${round}`)
}

test('a release imports no message file, because Node would keep it until --watch ends', async () => {
  const project = await startBuilt({
    'imports.mjs': `
      import { Session } from 'node:inspector'
      const session = new Session()
      session.connect()
      session.on('Debugger.scriptParsed', ({ params }) => {
        if (/^data:|\\/localization\\/en\\//.test(params.url)) console.error('imported', params.url)
      })
      session.post('Debugger.enable')
    `,
  })
  await edit(project, { a: 'A2' })
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(join(project.root, 'imports.mjs'))}` }
  const { stdout, stderr } = await runCli(['release', 'dist'], { cwd: project.root, env })
  expect(stdout).toContain('1 text: 1 changed')
  expect(stderr).not.toContain('imported')
})

test("--watch with source 'query' reads all texts only after a change", async () => {
  const queries: URLSearchParams[] = []
  const onRequest = ({ method, path, query }: RequestInfo) => {
    if (method === 'GET' && path.endsWith('/translations')) queries.push(query)
  }
  const project = await startProject({
    files: { ...FILES, 'localization.config.json': { ...CONFIG, source: 'query' } },
    service: { onRequest, languages: ['pl'], texts: { 'en/common': TEXTS, 'en/shop': { buy: 'Buy' } } },
  })
  await project.setText('pl', 'common', 'a', 'A pl')
  const { root, baseUrl, apiKey } = project
  const { build } = await import('vite')
  const plugins = [(await builtPlugin('vite', { service: { baseUrl, apiKey } })) as never]
  await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins,
    build: { rollupOptions: { input: join(root, 'main.js') } },
  })
  const watching = project.start('release', 'dist', '--watch')
  await expect.poll(() => watching.output()).toContain('watching the texts')
  const sorted = () => queries.filter((query) => query.has('sortBy')).length
  const whole = () => queries.length - sorted()
  // The second round reads everything again: it cannot tell changes of the same moment.
  await expect.poll(sorted).toBeGreaterThan(8)
  const [before, first] = [whole(), sorted()]
  await expect.poll(sorted).toBeGreaterThan(first + 3)
  expect(whole()).toBe(before)
  await project.setText('en', 'common', 'a', 'Changed')
  await expect.poll(() => watching.output()).toContain('1 text: 1 changed')
  await save(join(root, 'locales/en/shop.json'), { buy: 'Buy', more: 'More' })
  await expect.poll(whole).toBeGreaterThan(before + 1)
  watching.child.kill('SIGINT')
  expect((await watching.ended).code).toBe(0)
})

test("with source 'hosting', reads only the resources that were published anew", async () => {
  const project = await startProject({
    files: { ...FILES, 'localization.config.json': { ...CONFIG, source: 'hosting' } },
    service: { languages: ['pl'], texts: { 'en/common': TEXTS, 'en/shop': { buy: 'Buy' } } },
  })
  const { root, baseUrl, apiKey, cdnUrl } = project
  await project.publish()
  const { build } = await import('vite')
  const service = { baseUrl, cdnUrl, apiKey }
  const plugins = [(await builtPlugin('vite', { service })) as never]
  const input = join(root, 'main.js')
  await build({ root, configFile: false, logLevel: 'silent', plugins, build: { rollupOptions: { input } } })
  const release = async (...args: readonly string[]) => {
    const run = await project.run('release', 'dist', '--verbose', ...args)
    expect(run.code, run.output).toBe(0)
    return run.output
  }
  await project.setText('en', 'shop', 'buy', 'Buy now')
  // Not published yet.
  expect(await release()).toContain('current, version')
  await project.publish()
  const output = await release()
  expect(output).toContain(', 1 changed)')
  expect(output).toContain('+ "Buy{+ now+}"')
  // A file fills a gap of the service.
  await save(join(root, 'locales/pl/common.json'), { b: 'B z pliku' })
  expect(await release()).toMatch(/, 1 changed\)[\s\S]*\+ "B.*z pliku/)
  expect(await release()).toContain('current, version')
})
