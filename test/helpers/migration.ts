/**
 * Follows the pages `docs/migrate*.md` to the letter, from small projects (`test/fixtures/migrate`). Only this package
 * comes from its tarball, and the other packages have the versions that the test names.
 */
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { launchChromium, openPage, serveFolder } from './browser.ts'
import { repository } from './bundlers.ts'
import { expectShown, followBlock, runCommand, shownCommands } from './follow-page.ts'
import { type CodeBlock, codeBlocks } from './markdown.ts'
import { npmInstall, packTarball } from './tarball.ts'
import { tempFolder, writeTree } from './temp.ts'

/** The app with TypeScript that the pages about Vite assume. */
export const VITE_PROJECT: Readonly<Record<string, string | object>> = {
  'package.json': { private: true, type: 'module' },
  'index.html':
    '<!doctype html><html lang="en"><head><link rel="icon" href="data:,"></head><body><script type="module" src="/src/main.ts"></script></body></html>',
  'vite.config.ts': "import { defineConfig } from 'vite'\n\nexport default defineConfig({\n})\n",
  'tsconfig.json': {
    compilerOptions: {
      target: 'es2023',
      module: 'esnext',
      moduleResolution: 'bundler',
      moduleDetection: 'force',
      lib: ['ES2023', 'DOM'],
      types: ['vite/client'],
      jsx: 'react-jsx',
      resolveJsonModule: true,
      strict: true,
      noUnusedLocals: true,
      skipLibCheck: true,
      noEmit: true,
    },
    include: ['src'],
  },
}

export interface MigrationOptions {
  /** The file in `test/fixtures/migrate` whose blocks are the files of the project. */
  readonly fixture: string
  readonly project?: Readonly<Record<string, string | object>>
  /** Installed before the migration: `name@version`. */
  readonly before: readonly string[]
  /** The versions of what the page installs. */
  readonly after?: readonly string[]
}

export interface Migration {
  readonly root: string
  /** Follows the blocks of a section, in order. */
  follow(section: string): Promise<void>
  /** A command of a reader, in the project's folder. */
  run(command: string): Promise<string>
}

/** The project before the migration, with what it needs from npm. */
export async function startMigration(page: string, options: MigrationOptions): Promise<Migration> {
  const { fixture, project = VITE_PROJECT, before, after = [] } = options
  const blocks = await blocksOf(page)
  const own = await blocksOf(`test/fixtures/migrate/${fixture}`)
  const root = await tempFolder()
  const isShown = (name: string) => own.some((block) => block.name === name)
  await writeTree(root, Object.fromEntries(Object.entries(project).filter(([name]) => !isShown(name))))
  for (const block of own) await followBlock(root, block)
  await npmInstall(root, ...before)
  const pinned = new Map([...before, ...after].map((name) => [name.replace(/(?<=.)@.*$/, ''), name]))
  pinned.set('unplugin-localization', await packTarball())
  const run = (command: string) => runCommand(installing(command, pinned), { cwd: root })
  return {
    root,
    run,
    async follow(section) {
      const wanted = blocks.filter((block) => block.section === section)
      expect(wanted.length, `${page}: ${section}`).toBeGreaterThan(0)
      for (const block of wanted) await followStep(root, block, run)
    },
  }
}

async function blocksOf(page: string): Promise<readonly CodeBlock[]> {
  return codeBlocks(page, await readFile(join(repository, page), 'utf8'))
}

async function followStep(root: string, block: CodeBlock, run: Migration['run']): Promise<void> {
  if (block.language === 'sh') for (const line of block.code.trimEnd().split('\n')) await run(line)
  else if (block.language !== 'console') await followBlock(root, block)
  else
    for (const { command, shown } of shownCommands(block))
      expectShown(await run(command), shown, `${block.page}:${block.line}`)
}

function installing(command: string, pinned: ReadonlyMap<string, string>): string {
  if (!command.startsWith('npm install')) return command
  const words = command.split(' ').map((word) => pinned.get(word) ?? word)
  return `${words.join(' ')} --ignore-scripts --no-fund`
}

/** Type-checks and builds an app of Vite. */
export async function buildApp({ run }: Migration): Promise<void> {
  await run('npx tsc -p .')
  await run('npx vite build')
}

/** What the built page shows in Chromium to a visitor with that language. */
export async function shownTo({ root }: Migration, locale: string): Promise<string> {
  const server = await serveFolder(join(root, 'dist'))
  const { page, problems, close } = await openPage(await launchChromium(), `${server.origin}/`, { locale })
  await expect.poll(() => page.textContent('body'), { timeout: 60_000 }).toMatch(/\w/)
  const text = (await page.innerText('body')).trim()
  expect(problems).toEqual([])
  await close()
  await server.close()
  return text
}

/** Neither the project's package.json nor its node_modules has them. */
export async function expectGone({ root }: Migration, ...packages: readonly string[]): Promise<void> {
  const text = await readFile(join(root, 'package.json'), 'utf8')
  for (const name of packages) {
    expect(text).not.toContain(`"${name}"`)
    expect(existsSync(join(root, 'node_modules', name)), name).toBe(false)
  }
}

/** A file with that code does not compile, with that message. */
export async function expectTypeError({ root, run }: Migration, code: string, message: string): Promise<void> {
  const path = join(root, 'src/wrong.ts')
  await writeFile(path, code)
  await expect(run('npx tsc -p .')).rejects.toThrow(message)
  await rm(path)
}

/** What a reader has before the migration: a clean working tree. */
export async function commitProject({ root, run }: Migration): Promise<void> {
  await writeTree(root, { '.gitignore': 'node_modules\ndist\n' })
  await run('git init --quiet')
  await run('git config user.email reader@example.com && git config user.name Reader')
  await run('git add --all && git commit --quiet --message "Before the migration"')
}

/** Follows the section "Go back" of docs/migrate.md. */
export async function goBack({ root, run }: Migration): Promise<void> {
  const back = (await blocksOf('docs/migrate.md')).filter(({ section }) => section === 'Go back')
  expect(back).toHaveLength(2)
  for (const block of back) await followStep(root, block, run)
}
