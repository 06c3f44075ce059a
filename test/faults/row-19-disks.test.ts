/** Row 19: read-only disk, full disk, EACCES: goes on from memory with a warning, and truncates nothing. */
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { runCli } from '../helpers/cli.ts'
import {
  createApp,
  fileTexts,
  serviceHas,
  serviceTexts,
  startDevProcess,
  startDevServer,
} from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { buildFrom, startExportService } from '../helpers/hostile-build.ts'
import { runProcess, runToSuccess } from '../helpers/processes.ts'
import { startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { noMounts, onDisk } from '../helpers/small-disk.ts'
import { save, tempFolder } from '../helpers/temp.ts'

const row = faultRow(19)
const isRoot = process.getuid?.() === 0
const agreed = { 'en/common': { title: 'Title' } }

async function setup(texts: Record<string, Record<string, string>> = agreed) {
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  await project.fill(texts)
  const root = await createApp(texts, proxy)
  await mkdir(join(root, '.localization'))
  return { project, proxy, root }
}

/** Two edits, each of which arrives though nothing can be put down. */
async function syncsFromMemory(
  { project, root }: Awaited<ReturnType<typeof setup>>,
  server: { lines(): readonly string[] },
) {
  for (const title of ['one', 'two']) {
    await save(join(root, 'locales/en/common.json'), { title })
    await serviceHas(project, { 'en/common': { title } })
  }
  row.kept(await serviceTexts(project), { 'en/common': { title: 'two' } })
  const warnings = server.lines().filter((line) => line.includes('cannot write to'))
  expect(warnings).toHaveLength(1)
  expect(server.lines().filter((line) => line.includes('error:'))).toEqual([])
}

/** Disks of both kinds in `.ci/run`; `npm test` has one of them for each test, and all errors at the code that writes. */
const DISKS = [
  ['full', 'size=60k'],
  ['read-only', 'ro,size=1m'],
] as const

test.skipIf(noMounts).each(repeats<readonly (typeof DISKS)[number][]>([], DISKS))(
  'a dev server whose folder for data is %s',
  async (_, options) => {
    const at = await setup()
    const folder = join(at.root, '.localization')
    await writeFile(join(folder, 'filler'), Buffer.alloc(60 * 1024))
    const within = onDisk(folder, options)
    const server = await startDevProcess(at.root, at.project.apiKey, at.proxy, { within })
    await syncsFromMemory(at, server)
    server.signal('SIGTERM')
  },
)

test('a dev server that finds a file where its folder should be', async () => {
  const at = await setup()
  await rm(join(at.root, '.localization'), { recursive: true })
  await writeFile(join(at.root, '.localization'), 'a file')
  await syncsFromMemory(at, await startDevServer(at.root, at.project.apiKey, at.proxy))
  expect(await readFile(join(at.root, '.localization'), 'utf8')).toBe('a file')
})

const big = { 'en/common': Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`key${i}`, `Text number ${i}`])) }
const bigger = {
  'en/common': Object.fromEntries(
    Array.from({ length: 1500 }, (_, i) => [`key${i}`, `Text number ${i}, ${'longer '.repeat(20)}`]),
  ),
}

const LARGER_DISKS = [
  ['full', 'size=120k'],
  ['read-only', 'ro,size=8m'],
] as const

test.skipIf(noMounts).each(repeats<readonly (typeof LARGER_DISKS)[number][]>(LARGER_DISKS.slice(0, 1), LARGER_DISKS))(
  'pull on a disk that is %s: the old file stays whole',
  async (_, options) => {
    const { project, root } = await setup(big)
    const env = { LOCALIZATION_API_KEY: project.apiKey, LOCALIZATION_BASE_URL: project.baseUrl }
    expect(await runCli(['push'], { cwd: root, env })).toMatchObject({ code: 0 })
    await project.fill(bigger)
    const kept = await tempFolder()
    const onSmallDisk = onDisk(join(root, 'locales'), options, kept)
    const pull = [...onSmallDisk, process.execPath, join(repository, 'dist/cli.js'), 'pull', '--root', root]
    const failed = await runProcess(pull, { cwd: root, env: { ...process.env, ...env } })
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ENOSPC|EROFS|read-only|no space|free some space/i),
    })
    expect(await readdir(join(kept, 'en'))).toEqual(['common.json'])
    row.kept({ 'en/common': JSON.parse(await readFile(join(kept, 'en/common.json'), 'utf8')) }, big)
    // The same command on the real disk brings everything.
    expect(await runCli(['pull'], { cwd: root, env })).toMatchObject({ code: 0 })
    row.kept(await fileTexts(root, ['en/common']), bigger)
  },
)

test.skipIf(noMounts).each(repeats<readonly (typeof DISKS)[number][]>(DISKS.slice(1), DISKS))(
  'a build whose .localization is on a disk that is %s',
  async (_, options) => {
    const service = await startExportService()
    const root = await tempFolder()
    await mkdir(join(root, '.localization'))
    await writeFile(join(root, '.localization/filler'), Buffer.alloc(60 * 1024))
    await writeFile(
      join(root, 'build.mjs'),
      `import { rollup } from ${JSON.stringify(import.meta.resolve('rollup'))}
     import localization from ${JSON.stringify(join(repository, 'dist/rollup.js'))}
     const bundle = await rollup({ input: 'virtual:translations/en/default', plugins: [localization({ root: ${JSON.stringify(root)}, configFile: false, service: { baseUrl: ${JSON.stringify(service.url)}, apiKey: 'canary-disk-key' } })] })
     const { output } = await bundle.generate({ format: 'es' })
     console.log(output[0].code)`,
    )
    const build = [...onDisk(join(root, '.localization'), options), process.execPath, join(root, 'build.mjs')]
    const { stdout, stderr } = await runToSuccess(build, { cwd: root })
    row.kept({ title: /"title":"(\w+)"/.exec(stdout.replaceAll('\\', ''))?.[1] ?? '' }, { title: 'Title' })
    expect(stderr).toMatch(/warning: .*(snapshot|cannot write)/)
  },
)

test.skipIf(isRoot)('EACCES: a locale folder and a data folder that may not be written', async () => {
  const { project, root } = await setup()
  await chmod(join(root, '.localization'), 0o555)
  const { texts } = await buildFrom(project.baseUrl, { service: { apiKey: project.apiKey } }, root)
  row.kept(texts ?? {}, {})
  await chmod(join(root, '.localization'), 0o755)
})
if (isRoot) process.stdout.write('skipped: EACCES (root may write everything; EROFS is what it meets above)\n')
