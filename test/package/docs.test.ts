/**
 * What README.md and docs/ show is true: each page's blocks are put into one project, in which its configurations
 * build, its programs
 * run, its commands are carried out and its types hold. `ts src/main.ts` names the file a block is; `text` is for what
 * cannot run.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { transform } from 'esbuild'
import { parse as parseSvelte } from 'svelte/compiler'
import { beforeAll, describe, expect, test } from 'vitest'
import { compileScript, parse as parseVue } from 'vue/compiler-sfc'
import { repository } from '../helpers/bundlers.ts'
import { runCli } from '../helpers/cli.ts'
import { startJobs } from '../helpers/job-process.ts'
import { type CodeBlock, codeBlocks } from '../helpers/markdown.ts'
import { bareEnvironment, type Ended, runToSuccess, startProcess } from '../helpers/processes.ts'
import { startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { runNode } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { checkProject } from '../helpers/typescript.ts'

const PAGES = ['README.md', ...(await readdir(join(repository, 'docs'))).sort().map((name) => `docs/${name}`)]
const BLOCKS = (
  await Promise.all(PAGES.map(async (page) => codeBlocks(page, await readFile(join(repository, page), 'utf8'))))
).flat()

/** Pages whose blocks make one project and are carried out. Blocks of the others are parsed. */
const PROJECTS: Readonly<Record<string, { readonly service: boolean }>> = {
  'README.md': { service: true },
  'docs/build.md': { service: false },
  'docs/bundlers.md': { service: false },
  'docs/client.md': { service: true },
  'docs/commands.md': { service: true },
  'docs/development.md': { service: true },
  'docs/glue.md': { service: false },
  'docs/inspector.md': { service: false },
  'docs/local-service.md': { service: false },
  'docs/types.md': { service: false },
}

/**
 * Blocks that cannot run, by page: what was before a migration, a terminal on which somebody types answers, and the
 * output of another machine.
 */
const TEXT: Readonly<Record<string, number>> = {
  'docs/build.md': 2,
  'docs/commands.md': 1,
}

/** Lines that other tests carry out. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'npm ci && npm start': 'test/browser/playground-start.test.ts',
  'npm ci && npm test': '.ci/run',
  'npm ci': '.ci/run',
  'npm install --save-dev unplugin-localization': 'test/compatibility/start-page.test.ts',
}

const SCRIPT = new Set(['ts', 'tsx', 'js', 'mjs', 'jsx'])
const FILE = new Set([...SCRIPT, 'json', 'vue', 'svelte'])
const CHECKED = new Set([...SCRIPT, 'json', 'vue', 'svelte', 'sh', 'console', 'yaml', 'text', 'diff', 'mermaid'])
/** A path of the repository in a page: below a folder, or one of the files at its top. */
const PATH =
  /(?<![\w/.-])(?:(?:\.ci|\.github|api|assembly|bench|docs|playground|scripts|src|test)\/[\w./-]+|[\w.-]+\.(?:c?js|m?ts|json|md)(?![\w/]))/g

const CLI = join(repository, 'dist/cli.js')
const ADDRESS = 'https://localization.example.com'
const FILES = {
  'package.json': { private: true, type: 'module' },
  'index.html': '<!doctype html><html lang="en"><body><script type="module" src="/src/main.ts"></script></body></html>',
  'src/main.ts': "import { load } from 'virtual:translations'\nload('pl', 'common').then(console.log)\n",
  'vite.config.ts':
    "import localization from 'unplugin-localization/vite'\nexport default { plugins: [localization()] }\n",
  'locales/en/common.json': { title: 'Hello', greeting: 'Hello, {name}' },
  'locales/pl/common.json': { title: 'Witaj', greeting: 'Witaj, {name}' },
}

describe('every block', () => {
  test('is of a language that is checked, and the ones that cannot run are counted', () => {
    const counts: Record<string, number> = {}
    for (const { language } of BLOCKS) counts[language] = (counts[language] ?? 0) + 1
    process.stdout.write(
      `code blocks in ${PAGES.length} pages: ${Object.entries(counts)
        .map(([name, number]) => `${number} ${name}`)
        .join(', ')}\n`,
    )
    expect(BLOCKS.filter(({ language }) => !CHECKED.has(language)).map(placeOf)).toEqual([])
    for (const page of PAGES) {
      const cannotRun = BLOCKS.filter((block) => block.page === page && block.language === 'text')
      expect(cannotRun.map(placeOf), page).toHaveLength(TEXT[page] ?? cannotRun.length * Number(!(page in PROJECTS)))
    }
  })

  test.each(BLOCKS.map((block) => [placeOf(block), block] as const))('%s', async (_place, block) => {
    await checkSyntax(block)
  })
})

test.each(Object.entries(ELSEWHERE))('%s is carried out by %s', async (_line, file) => {
  expect(await readFile(join(repository, file), 'utf8')).not.toBe('')
})

test('docs/next.md shows the app that test/frameworks builds', async () => {
  const app = join(repository, 'test/frameworks/apps/next')
  const blocks = BLOCKS.filter(({ page, name }) => page === 'docs/next.md' && name !== undefined)
  expect(blocks.map(({ name }) => name)).toEqual([
    'next.config.mjs',
    ...['page', 'help'].map((name) => `app/[language]/${name}.js`),
    'app/localization/[...path]/route.js',
  ])
  for (const { name, code } of blocks) expect(code, name).toBe(await readFile(join(app, name ?? ''), 'utf8'))
})

test.each([
  ['React Router', 'react-router', ['vite.config.js', 'app/routes/language.jsx']],
  ['TanStack Start', 'tanstack-start', ['vite.config.js']],
])('docs/frameworks.md shows the app of %s that test/frameworks builds', async (title, app, names) => {
  const blocks = BLOCKS.filter(({ page, section }) => page === 'docs/frameworks.md' && section === title)
  expect(blocks.map(({ name }) => name)).toEqual(names)
  for (const { name = '', code } of blocks)
    expect(code, name).toBe(await readFile(join(repository, 'test/frameworks/apps', app, name), 'utf8'))
})

/** A folder for each page, with the blocks that have a file. */
let home: string
const rootOf = (page: string) => join(home, 'pages', basename(page, '.md'))

beforeAll(async () => {
  home = await tempFolder()
  await installModules()
  for (const page of Object.keys(PROJECTS)) {
    await writeTree(rootOf(page), FILES)
    await writeTree(rootOf(page), Object.fromEntries(fileBlocks(page).map((block) => [fileOf(block), block.code])))
  }
})

test('the types of every page hold', async () => {
  const blocks = Object.keys(PROJECTS).flatMap(fileBlocks)
  const files = blocks.map((block) => join(rootOf(block.page), fileOf(block))).filter((name) => /\.tsx?$/.test(name))
  // Large, and no page has to do with them.
  const paths = Object.fromEntries(['csstype', '@babel/types', 'lightningcss'].map((name) => [name, ['./none.d.ts']]))
  const compilerOptions = {
    paths,
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'bundler',
    moduleDetection: 'force',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: ['vite/client', 'node', 'unplugin-localization/virtual'],
    jsx: 'react-jsx',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  }
  await writeTree(join(home, 'pages'), { 'tsconfig.json': { compilerOptions, files }, 'none.d.ts': '' })
  expect(checkProject(join(home, 'pages'))).toBe('')
})

describe.each(Object.entries(PROJECTS))('%s', (page, { service }) => {
  test('builds and runs', async () => {
    const root = rootOf(page)
    const env: Record<string, string> = { CI: '' }
    const names = fileBlocks(page).map(fileOf)
    if (service) {
      const project = await startProject({ service: { languages: ['pl'] } })
      for (const language of ['en', 'pl'] as const)
        await project.importTexts(language, 'common', FILES[`locales/${language}/common.json`])
      env.LOCALIZATION_BASE_URL = project.baseUrl
      env.LOCALIZATION_CDN_URL = project.cdnUrl
      env.LOCALIZATION_API_KEY = project.apiKey
      env.LOCALIZATION_PERSONAL_TOKEN = project.personalToken
      for (const name of names) {
        const text = await readFile(join(root, name), 'utf8')
        await writeFile(join(root, name), text.replaceAll(ADDRESS, project.baseUrl))
      }
    }
    for (const name of names) await build(root, name, env)
    for (const name of names) await runProgram(root, name, env)
    for (const block of BLOCKS.filter((block) => block.page === page)) {
      if (block.language === 'console') await replay(root, block, env)
      for (const line of commandLines(block)) await runLine(root, line, env)
    }
  })
})

test('every error code has an entry in docs/troubleshooting.md, and every entry is a code', async () => {
  const source = await readFile(join(repository, 'src/errors.ts'), 'utf8')
  const union = /export type ErrorCode =([\s\S]*?)\n\n/.exec(source)?.[1] ?? ''
  const codes = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code)
  expect(codes.length).toBeGreaterThan(30)
  const page = await readFile(join(repository, 'docs/troubleshooting.md'), 'utf8')
  expect([...page.matchAll(/^### `([A-Z_]+)`$/gm)].map(([, code]) => code).sort()).toEqual(codes.sort())
})

test('docs/commands.md lists the commands of the help', async () => {
  await runToSuccess([process.execPath, join(repository, 'scripts/commands.mjs'), '--check'])
})

test.each(['CONTRIBUTING.md', 'docs/architecture.md'])('each path in %s exists', async (page) => {
  const text = await readFile(join(repository, page), 'utf8')
  const paths = new Set(text.match(PATH)?.map((path) => path.replace(/[.,:]$/, '')))
  expect(paths.size).toBeGreaterThan(30)
  expect([...paths].filter((path) => !existsSync(join(repository, path)))).toEqual([])
})

test.each(['docs/architecture.md', 'test/README.md'])('%s names each directory of src', async (path) => {
  const page = await readFile(join(repository, path), 'utf8')
  const entries = await readdir(join(repository, 'src'), { withFileTypes: true })
  const directories = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  expect([...page.matchAll(/^\| `src\/([a-z]+)` \|/gm)].map(([, name]) => name).sort()).toEqual(directories.sort())
})

describe('test/README.md', async () => {
  const page = await readFile(join(repository, 'test/README.md'), 'utf8')
  const section = (title: string) => page.split(/^## /m).find((text) => text.startsWith(title)) ?? ''
  const codeIn = (text: string) => Array.from(text.matchAll(/`([^`]+)`/g), ([, code = '']) => code)
  const cellsOf = (title: string, cell: number) =>
    [...section(title).matchAll(/^\| .*$/gm)].flatMap(([row]) => codeIn(row.split(' | ')[cell] ?? ''))
  const projects = cellsOf('The projects', 0)

  test('names each project', async () => {
    const configs = await Promise.all(
      ['vitest.config.ts', 'vitest.ci.config.ts'].map((name) => import(join(repository, name))),
    )
    type Project = { readonly test: { readonly name: string } }
    const names = configs.flatMap((config) => config.default.test.projects.map(({ test }: Project) => test.name))
    // `thorough` is the nightly run. `postgres` is only a project where PostgreSQL is installed.
    expect([...projects, 'thorough'].sort()).toEqual([...new Set([...names, 'postgres'])].sort())
  })

  test('names filters that match files', async () => {
    const tests = (await readdir(join(repository, 'test'), { recursive: true })).filter((name) =>
      name.endsWith('.test.ts'),
    )
    const runs = cellsOf('Which test', 1).map((run) => run.split(' '))
    expect(runs.length).toBeGreaterThan(30)
    for (const [project = '', ...filters] of runs) {
      expect([...projects, '.ci/run']).toContain(project)
      for (const filter of filters)
        expect(
          tests.some((file) => `test/${file}`.includes(filter)),
          filter,
        ).toBe(true)
    }
  })

  test('names helpers and what they export', async () => {
    const helpers = [...section('A project').matchAll(/`([\w-]+\.ts)`((?:[:,] `\w+`)*)/g)]
    expect(helpers.length).toBeGreaterThan(10)
    for (const [, file = '', names = ''] of helpers) {
      const source = await readFile(join(repository, 'test/helpers', file), 'utf8')
      for (const name of codeIn(names))
        expect(source, file).toMatch(new RegExp(`export (?:async )?(?:function|const) ${name}\\b`))
    }
  })
})

test('README.md has at most 150 lines and names how to begin', async () => {
  const readme = await readFile(join(repository, 'README.md'), 'utf8')
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  expect(readme).toContain('npm ci && npm start')
  expect(readme).toContain('npm ci && npm test')
})

function placeOf({ page, line, language, name = '' }: CodeBlock): string {
  return `${page}:${line} ${language} ${name}`.trimEnd()
}

async function checkSyntax(block: CodeBlock): Promise<void> {
  const { language, code } = block
  if (SCRIPT.has(language)) {
    const loader = language === 'mjs' ? 'js' : (language as 'ts')
    await transform(code, { loader, format: 'esm', jsx: 'preserve', logLevel: 'silent' })
  } else if (language === 'json') JSON.parse(code)
  else if (language === 'svelte') parseSvelte(code, { modern: true })
  else if (language === 'vue') {
    const { descriptor, errors } = parseVue(code)
    expect(errors).toEqual([])
    if (descriptor.script || descriptor.scriptSetup) compileScript(descriptor, { id: 'block' })
  } else if (language === 'sh' || language === 'yaml') {
    if (block.page in PROJECTS) expect(commandLines(block)).not.toEqual([])
  } else if (language === 'console') expect(code).toMatch(/^\$ /)
  else if (language === 'diff') expect(code).toMatch(/^(?:(?:[-+ ].*)?\n)+$/)
}

/** What a page's project has as a file, whether the page names it or not. */
const fileBlocks = (page: string) => BLOCKS.filter((block) => block.page === page && FILE.has(block.language))
const fileOf = ({ name, line, language }: CodeBlock) => name ?? `src/line-${line}.${language}`

/** As an installation would have it: everything this repository has, and the package itself. */
async function installModules(): Promise<void> {
  await mkdir(join(home, 'pages/node_modules'), { recursive: true })
  await symlink(join(repository, 'node_modules'), join(home, 'node_modules'))
  await symlink(repository, join(home, 'pages/node_modules/unplugin-localization'))
}

const jobs = startJobs('docs-job.mjs')

/** What builds in `npm test`: loading the others takes longer than all of its builds. */
const BUNDLERS = repeats(['vite', 'rollup', 'webpack'], ['vite', 'rollup', 'webpack', 'rsbuild', 'farm'])

async function build(root: string, name: string, env: Readonly<Record<string, string>>): Promise<void> {
  const bundler = /^(\w+)\.config\.[jt]s$/.exec(name)?.[1]
  if (bundler === undefined || !BUNDLERS.includes(bundler)) return
  const main = await readFile(join(root, 'src/main.ts'), 'utf8')
  const { code } = await transform(main, { loader: 'ts', format: 'esm' })
  await writeTree(root, { 'src/main.js': code })
  // A dist of its own: what another bundler left there proves nothing.
  await rm(join(root, 'dist'), { recursive: true, force: true })
  const run = await jobs.run({ input: { bundler, name }, cwd: root, env: bareEnvironment(root, env) })
  expect(run.code, `${name}: ${run.output}`).toBe(0)
  const title = (JSON.parse(await readFile(join(root, 'locales/pl/common.json'), 'utf8')) as { title: string }).title
  expect(await contents(join(root, 'dist')), `${name}: ${run.output}`).toContain(title)
}

/** Programs at the root: they run to their end. */
async function runProgram(root: string, name: string, env: Readonly<Record<string, string>>): Promise<void> {
  if (name.includes('/') || name.includes('.config.') || !SCRIPT.has(extname(name).slice(1))) return
  const source = await readFile(join(root, name), 'utf8')
  const { code } = await transform(source, { loader: 'ts', format: 'esm' })
  await writeFile(join(root, `${name}.mjs`), code)
  const run = await jobs.run({ input: { name: `${name}.mjs` }, cwd: root, env: bareEnvironment(root, env) })
  expect(run.code, `${name}: ${run.output}`).toBe(0)
}

function commandLines({ language, code }: CodeBlock): string[] {
  const lines = code.split('\n').map((line) => line.replace(/\s+#.*$/, '').trim())
  if (language === 'sh') return lines.filter((line) => line !== '')
  return language === 'yaml' ? lines.flatMap((line) => /^- run: (.+)$/.exec(line)?.[1] ?? []) : []
}

async function runLine(root: string, line: string, env: Readonly<Record<string, string>>): Promise<void> {
  if (line in ELSEWHERE) return
  const run = await carryOut(root, line.replace(/^npx /, ''), env)
  expect(run.code, `${line}\n${run.output}`).toBe(0)
}

async function carryOut(root: string, line: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const [program, ...args] = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  if (program === 'vite')
    return runNode(process.execPath, [join(repository, 'node_modules/vite/bin/vite.js'), ...args], { cwd: root, env })
  if (program === 'node') return runNode(process.execPath, args, { cwd: root, env })
  if (program !== 'localization') throw new Error(`nobody carries out: ${line}`)
  if (args[0] === 'serve') return serveOnce(root, args, env)
  return runCli(args, { cwd: root, env })
}

/** A service says where it is, and ends with 0 when it is asked to. */
async function serveOnce(root: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const free = args.map((arg, i) => (args[i - 1] === '--port' ? '0' : arg))
  const { child, ended, output } = startProcess([process.execPath, CLI, ...free], {
    cwd: root,
    env: bareEnvironment(root, env),
  })
  await expect.poll(output).toContain('personal token')
  child.kill('SIGTERM')
  return ended
}

/** Each `$ ` line is carried out, and what it says is what the page shows; `UPDATE_DOCS=1` makes the page show it. */
async function replay(root: string, { code, page, line }: CodeBlock, env: Readonly<Record<string, string>>) {
  const shown: string[] = []
  for (const text of code.trimEnd().split('\n')) {
    if (!text.startsWith('$ ')) continue
    shown.push(text)
    const edit = /^\$ sed -i 's\/([^/]+)\/([^/]+)\/' (\S+)$/.exec(text)
    if (edit) {
      const path = join(root, edit[3] as string)
      await writeFile(path, (await readFile(path, 'utf8')).replace(edit[1] as string, edit[2] as string))
      continue
    }
    const { output } = await carryOut(root, text.slice(2), env)
    shown.push(...output.trimEnd().split('\n'))
  }
  if (process.env.UPDATE_DOCS) {
    const path = join(repository, page)
    const text = await readFile(path, 'utf8')
    await writeFile(
      path,
      text.replace(code, () => `${shown.join('\n')}\n`),
    )
    return
  }
  expect(steady(shown.join('\n')), `${page}:${line}`).toBe(steady(code.trimEnd()))
}

/** Without what is another one each time. */
function steady(text: string): string {
  return text
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:0')
    .replace(/\b[0-9a-f]{40}\b/g, 'token')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replace(/[ \t]+$/gm, '')
}

async function contents(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return (await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')))).join('\n')
}
