/**
 * docs/ci.md, followed to the letter as far as a machine without that CI service can: its jobs run from a fresh
 * checkout.
 */
import { cp, readFile, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { followBlock, runCommand } from '../helpers/follow-page.ts'
import { type CodeBlock, codeBlocks } from '../helpers/markdown.ts'
import { startProject } from '../helpers/project.ts'
import { npmInstall, packTarball } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const blocks = codeBlocks('docs/ci.md', await readFile(join(repository, 'docs/ci.md'), 'utf8'))
const { devDependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
  devDependencies: Readonly<Record<string, string>>
}
const ADDRESS = 'https://localization.example.com'
const CONFIG = 'localization.config.ts'

test('docs/ci.md', async () => {
  const service = await startProject({ service: { languages: ['pl'] } })
  await service.importTexts('en', 'common', { title: 'Hello', greeting: 'Hello, {name}' })
  await service.importTexts('pl', 'common', { title: 'Witaj', greeting: 'Witaj, {name}' })
  const env = { LOCALIZATION_API_KEY: service.apiKey }
  const root = await startingProject()
  const [configuration, once, texts, build, snapshot, commands, ...more] = blocks as [CodeBlock, ...CodeBlock[]]
  expect([configuration, once, texts, build, snapshot, commands].map((block) => block?.name)).toEqual([
    CONFIG,
    undefined,
    '.github/workflows/texts.yml',
    '.github/workflows/build.yml',
    CONFIG,
    undefined,
  ])
  expect(more).toEqual([])
  await followBlock(root, { ...configuration, code: configuration.code.replace(ADDRESS, service.baseUrl) })
  await runCommand(codeOf(once), { cwd: root, env })

  // Texts: no key in that job.
  const installed = await runJob(root, texts)
  const changed = await checkout(root, installed)
  await writeTree(changed, { 'locales/pl/common.json': { title: 'Witaj', greeting: 'Witaj' } })
  await expect(runJob(changed, texts, { installed })).rejects.toThrow('lacks {name}')
  await writeTree(changed, {
    'locales/en/common.json': { title: 'Hello', greeting: 'Hello, {name}', bye: 'Bye' },
    'locales/pl/common.json': { title: 'Witaj', greeting: 'Witaj, {name}', bye: 'Pa' },
  })
  await expect(runJob(changed, texts, { installed })).rejects.toThrow('npx localization types --check ended with 1')

  // A build: the texts of the service. Then it fails, first with the default, then with a download and without one.
  await service.importTexts('pl', 'common', { title: 'Witaj z usługi' })
  const built = await runJob(root, build, { env })
  expect(await textsOf(built)).toContain('Witaj z usługi')
  // The secret that CI does not have: an empty variable.
  const keyless = { env: { LOCALIZATION_API_KEY: '' }, installed, restored: built }
  await expect(runJob(root, build, keyless)).rejects.toThrow('LOCALIZATION_API_KEY is not set')
  await followBlock(root, snapshot as CodeBlock)
  await expect(runJob(root, build, keyless)).rejects.toThrow('LOCALIZATION_API_KEY is not set')
  const kept = await runJob(root, build, { env, installed })
  await runCommand(codeOf(commands), { cwd: root, env })
  await service.close()
  const offline = await runJob(root, build, { env, installed, restored: kept })
  expect(await textsOf(offline)).toContain('Witaj z usługi')
  await expect(runJob(root, build, { env, installed })).rejects.toThrow('no snapshot at')
  await expect(runJob(built, build, { env, installed, restored: kept })).rejects.toThrow(
    "Set onServiceError: 'snapshot' to build from the last successful download.",
  )
})

/** An app on Vite with the package in its package.json, and a lockfile. */
async function startingProject(): Promise<string> {
  const root = await tempFolder()
  await writeTree(root, {
    'package.json': { private: true, type: 'module' },
    'index.html':
      '<!doctype html><html lang="en"><body><script type="module" src="/src/main.ts"></script></body></html>',
    'src/main.ts': "import { load } from 'virtual:translations'\n\nconsole.log((await load('pl', 'common')).title)\n",
    'vite.config.ts':
      "import localization from 'unplugin-localization/vite'\nexport default { plugins: [localization()] }\n",
    'locales/en/common.json': { title: 'Hello' },
    'locales/pl/common.json': { title: 'Witaj' },
  })
  await npmInstall(root, '--save-dev', await packTarball(), `vite@${devDependencies.vite}`)
  return root
}

interface JobOptions {
  readonly env?: Readonly<Record<string, string>>
  /** A checkout whose installed packages are taken, instead of another `npm ci`. */
  readonly installed?: string
  /** A checkout whose cached folder is restored. */
  readonly restored?: string
}

/** Runs the steps of a workflow in a fresh checkout, and resolves to it. */
async function runJob(
  root: string,
  workflow: CodeBlock | undefined,
  { env, installed, restored }: JobOptions = {},
): Promise<string> {
  const folder = await checkout(root, installed)
  const steps = codeOf(workflow).split('\n')
  let count = 0
  for (const [index, step] of steps.entries()) {
    const [, command] = /^ +- run: (.+)$/.exec(step) ?? []
    const [, cached] =
      /^ +- uses: actions\/cache@\S+\n +with: \{ path: (\S+),/.exec(`${step}\n${steps[index + 1]}`) ?? []
    if (cached !== undefined && restored !== undefined)
      await cp(join(restored, cached), join(folder, cached), { recursive: true })
    if (command === undefined) continue
    count++
    if (command === 'npm ci' && installed !== undefined) continue
    await runCommand(command, { cwd: folder, env: { CI: 'true', ...env } })
  }
  expect(count).toBeGreaterThan(1)
  return folder
}

/** What git would have: nothing that is installed, built or of one machine. */
async function checkout(root: string, installed?: string): Promise<string> {
  const folder = await tempFolder()
  const left = ['node_modules', '.localization', 'dist']
  await cp(root, folder, { recursive: true, filter: (path) => !left.includes(basename(path)) })
  if (installed !== undefined) await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function codeOf(block: CodeBlock | undefined): string {
  if (!block) throw new Error('docs/ci.md has fewer blocks')
  return block.code
}

/** The message files of the build. */
async function textsOf(folder: string): Promise<string> {
  return runCommand('cat dist/assets/localization/pl/*.js', { cwd: folder })
}
