/** `localization init --yes` in small projects: what it writes, that the project's build has the text, and the undoing. */
import { chmod, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { initResult } from '../../src/cli/commands/init.ts'
import { runCli, startCli } from '../helpers/cli.ts'
import { installIn } from '../helpers/consumer.ts'
import { runProcess } from '../helpers/processes.ts'
import { readJson, tempFolder, writeTree } from '../helpers/temp.ts'

type Files = Readonly<Record<string, string | object>>

async function makeProject(files: Files, packages: readonly string[]): Promise<string> {
  const root = await installIn(packages)
  await writeTree(root, files)
  return root
}

/** Every file with its bytes, and every folder. */
async function treeOf(root: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {}
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (/node_modules|\.npm/.test(path)) continue
    tree[path.slice(root.length + 1)] = entry.isFile() ? (await readFile(path)).toString('base64') : 'folder'
  }
  return tree
}

const init = async (cwd: string, ...args: readonly string[]) => {
  const run = await runCli(['init', '--json', ...args], { cwd })
  return { ...run, result: run.stdout === '' ? undefined : run.json(initResult) }
}

const MAIN =
  "import { load } from 'virtual:translations'\n\nload('en', 'common').then(({ title }) => console.log(title))\n"

interface App {
  readonly packages: readonly string[]
  readonly files: Files
  readonly changed: string
  /** Relative to the root. */
  readonly output: string
}

const APPS: Readonly<Record<string, App>> = {
  webpack: {
    packages: ['webpack'],
    files: {
      'package.json': { scripts: { build: 'node build.cjs' }, devDependencies: { webpack: '5' } },
      'build.cjs': `require('webpack')(require('./webpack.config.js'), (error, stats) => {
  if (error || stats.hasErrors()) throw error ?? new Error(stats.toString())
})
`,
      'webpack.config.js': `const path = require('path')

module.exports = (env) => ({
  target: 'node',
  mode: 'production',
  entry: './src/main.js',
  output: { path: path.join(__dirname, 'dist') },
})
`,
    },
    changed: 'webpack.config.js',
    output: 'dist/main.js',
  },
  esbuild: {
    packages: ['esbuild'],
    files: {
      'package.json': {
        type: 'module',
        scripts: { build: 'node scripts/build.js' },
        devDependencies: { esbuild: '0.28' },
      },
      'scripts/build.js': `import * as esbuild from 'esbuild'

await esbuild.build({
  entryPoints: ['src/main.js'],
  bundle: true,
  splitting: true,
  format: 'esm',
  outdir: 'dist',
})
`,
    },
    changed: 'scripts/build.js',
    output: 'dist/main.js',
  },
  rollup: {
    packages: ['rollup'],
    files: {
      'package.json': {
        type: 'module',
        scripts: { build: 'node node_modules/rollup/dist/bin/rollup -c' },
        devDependencies: { rollup: '4' },
      },
      'rollup.config.js': `import { defineConfig } from 'rollup';

export default defineConfig({
\tinput: 'src/main.js',
\toutput: { dir: 'dist' },
});
`,
    },
    changed: 'rollup.config.js',
    output: 'dist/main.js',
  },
}

test('folders whose names are no patterns: with a comma, and with braces, which no pattern can have', async () => {
  const root = await tempFolder()
  const texts = { title: 'Welcome' }
  await writeTree(root, {
    'a, b/locales/en.json': texts,
    'a, b/locales/de.json': texts,
    '{{x}}/locales/en.json': texts,
  })
  const { code, stderr } = await init(root, '--yes', '--config-only', '--format', 'json')
  expect(code, stderr).toBe(0)
  expect(await readJson(root, 'localization.config.json')).toMatchObject({ files: 'a, b/locales/{language}.json' })
})

describe.each(Object.entries(APPS))('%s', (bundler, { packages, files, changed, output }) => {
  test('writes, builds, and the output has the text', async () => {
    // The function of webpack.config.js is called as webpack's own command does.
    const build = { 'build.cjs': String(files['build.cjs'] ?? '').replace("js')", "js')({})") }
    const root = await makeProject({ ...files, ...(bundler === 'webpack' && build), 'src/main.js': MAIN }, packages)
    const { code, result, stderr } = await init(root, '--yes')
    expect(code, stderr).toBe(0)
    expect(result).toMatchObject({ bundler, manual: [], build: { state: 'passed', command: 'npm run build' } })
    expect(result?.changes.map(({ path }) => path)).toEqual([
      'localization.config.mjs',
      'locales/en/common.json',
      changed,
    ])
    expect(await readFile(join(root, result?.build?.file ?? ''), 'utf8')).toContain('Welcome')
    expect(await runProcess([process.execPath, output], { cwd: root })).toMatchObject({ code: 0, stdout: 'Welcome\n' })
    const before = await treeOf(root)
    const again = await init(root, '--yes')
    expect(again).toMatchObject({ code: 0, result: { changes: [], manual: [], build: null } })
    expect(await treeOf(root)).toEqual(before)
  })
})

const VITE_APP: Files = {
  'package.json': {
    type: 'module',
    scripts: { dev: 'vite', build: 'node node_modules/vite/bin/vite.js build' },
    devDependencies: { vite: '8' },
  },
  'index.html': '<!doctype html><body><script type="module" src="/src/main.ts"></script></body>',
  'src/main.ts': "import './style.css'\n\nconsole.log(document.title)\n",
  'src/style.css': 'p { color: red }\n',
  'vite.config.ts': "import { defineConfig } from 'vite'\n\nexport default defineConfig({ base: '/shop/' })\n",
  'tsconfig.json': '{\n  // strict\n  "compilerOptions": { "types": ["vite/client"] }\n}\n',
  '.gitignore': 'node_modules\ndist',
}

test('vite: types, Git, and the lines of the page', async () => {
  const root = await makeProject(VITE_APP, ['vite'])
  const before = await treeOf(root)
  const dry = await init(root, '--dry-run', '--first-text', '--yes')
  expect(await treeOf(root)).toEqual(before)
  const run = await runCli(['init', '--first-text', '--yes'], { cwd: root })
  expect(run.code, run.output).toBe(0)
  const read = (name: string) => readFile(join(root, name), 'utf8')
  expect(dry.result?.changes.map(({ path, isNew }) => [path, isNew])).toEqual([
    ['localization.config.ts', true],
    ['locales/en/common.json', true],
    ['vite.config.ts', false],
    ['src/localization-env.d.ts', true],
    ['.gitignore', false],
    ['src/main.ts', false],
  ])
  // The preview shows what is then written.
  for (const { path, diff } of dry.result?.changes ?? []) {
    const content = await read(path)
    for (const line of diff) if (line.startsWith('+')) expect(content).toContain(line.slice(1))
    expect(run.stderr).toContain(diff.join('\n'))
  }
  expect(await read('tsconfig.json')).toBe(VITE_APP['tsconfig.json'])
  expect(await read('src/localization-env.d.ts')).toBe('/// <reference types="unplugin-localization/virtual" />\n')
  expect(await read('.gitignore')).toBe('node_modules\ndist\n.localization/\n')
  expect(run.stdout).toMatch(/npm run build passes: dist\/assets\/\S+ has the text "Welcome"/)
  expect(run.stdout).toContain('Next: npm run dev\n  the page shows "Welcome" (locales/en/common.json)')
  const again = await runCli(['init', '--first-text', '--yes'], { cwd: root })
  expect(again).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^nothing to change: the project is set up \(.*vite\.config\.ts.*\), nothing is missing\n/,
    ),
  })
})

test('a library of the app gets its own lines, and the page is left alone', async () => {
  const root = await makeProject(
    {
      ...VITE_APP,
      'package.json': { workspaces: ['packages/*'], devDependencies: { vite: '8' } },
      'packages/app/package.json': { dependencies: { react: '19', 'react-i18next': '16' } },
      'i18n/en/shop.json': { cart: 'Your cart, {name}', total: 'Total' },
    },
    [],
  )
  const { code, result } = await init(root, '--yes', '--no-build')
  expect(code).toBe(0)
  expect(result).toMatchObject({
    framework: 'react',
    library: 'i18next',
    firstText: { language: 'en', namespace: 'shop', key: 'total', text: 'Total', file: 'i18n/en/shop.json' },
    build: { state: 'skipped', message: '--no-build is set' },
  })
  const { stdout } = await runCli(['init', '--yes'], { cwd: root })
  expect(stdout).toContain('  i18next.use(createBackend(translations)).init({')
  expect(stdout).toContain("ns: ['shop']")
})

test('a configuration that cannot be edited stays, and its lines are printed with the place', async () => {
  const config = "import base from './base.js'\n\nexport default { ...base }\n"
  const root = await makeProject({ ...VITE_APP, 'vite.config.ts': config, 'base.js': 'export default {}\n' }, ['vite'])
  const { code, stdout } = await runCli(['init', '--yes', '--no-build'], { cwd: root })
  expect(code).toBe(0)
  expect(stdout).toContain('vite.config.ts:3 is unchanged: "plugins" may come from ...base. Add these lines there:')
  expect(stdout).toContain("  import localization from 'unplugin-localization/vite'\n  plugins: [localization()]")
  expect(await readFile(join(root, 'vite.config.ts'), 'utf8')).toBe(config)
})

test('a tool without plugins gets its lines in package.json', async () => {
  const manifest = { type: 'module', scripts: { start: 'node main.js', lint: 'x' } }
  const root = await makeProject({ 'package.json': manifest }, [])
  await mkdir(join(root, 'node_modules/.bin'))
  await chmod(join(root, 'node_modules/unplugin-localization/dist/cli.js'), 0o755)
  await symlink('../unplugin-localization/dist/cli.js', join(root, 'node_modules/.bin/localization'))
  const { result } = await init(root, '--yes')
  expect(result?.changes.map(({ path }) => path)).toContain('package.json')
  expect(result?.build).toMatchObject({ command: 'npx localization generate', state: 'passed' })
  expect(result?.build?.file).toBe('.localization/modules/en/common.js')
  expect(JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))).toEqual({
    type: 'module',
    scripts: { start: 'localization generate && node main.js', lint: 'x' },
    imports: { '#translations': './.localization/modules/index.js', '#translations/*': './.localization/modules/*.js' },
  })
  const { stdout } = await runCli(['init', '--yes'], { cwd: root })
  expect(stdout).toContain('nothing to change')
  expect(stdout).not.toContain('No bundler was found')
  await writeTree(root, {
    'main.js': "import { load } from '#translations'\nconsole.log((await load('en', 'common')).title)\n",
  })
  const started = await runProcess(['npm', 'start', '--silent'], { cwd: root })
  expect(started.stdout, started.output).toMatch(/Welcome\n$/)
})

describe('a build that fails', () => {
  const failing = (condition: string): Files => ({
    ...VITE_APP,
    'vite.config.ts': '\ufeffexport default {\r\n\tplugins: [],\r\n}',
    'package.json': { scripts: { build: 'node build.cjs' }, devDependencies: { vite: '8' } },
    'build.cjs': `const text = require('fs').readFileSync('vite.config.ts', 'utf8')
if (text.includes('localization')) require('fs').mkdirSync('.localization/service', { recursive: true })
if (${condition}) throw new Error('the build is broken')
`,
  })

  test.each([
    ["text.includes('localization')", false, 'passes without them'],
    ['true', true, 'fails without the changes too'],
  ])(
    '%s: every file is as it was, and the data that others may use by now stays',
    async (condition, failedBefore, message) => {
      const root = await makeProject(failing(condition), [])
      const before = await treeOf(root)
      const { code, result } = await init(root, '--first-text', '--yes')
      expect(code).toBe(1)
      expect(result?.build).toMatchObject({
        state: 'failed',
        failedBefore,
        message: expect.stringContaining(message),
        output: expect.stringContaining('the build is broken'),
      })
      const data = { '.localization': 'folder', '.localization/service': 'folder' }
      expect(await treeOf(root)).toEqual({ ...before, ...data })
    },
  )

  test('Ctrl-C during the build undoes everything', async () => {
    const waiting = { 'build.cjs': "require('fs').writeFileSync('started', '')\nsetInterval(() => {}, 1000)\n" }
    const root = await makeProject({ ...failing('true'), ...waiting }, [])
    const before = await treeOf(root)
    const running = startCli(['init', '--yes'], { cwd: root })
    await expect
      .poll(() =>
        stat(join(root, 'started')).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    running.child.kill('SIGINT')
    expect(await running.run).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('stopped before it finished'),
    })
    const { started: _, ...after } = await treeOf(root)
    expect(after).toEqual(before)
  })
})

test('only the configuration, and then what is missing', async () => {
  const root = await makeProject(VITE_APP, [])
  const before = await treeOf(root)
  const { stdout } = await runCli(['init', '--config-only'], { cwd: root })
  const { 'localization.config.ts': config, ...after } = await treeOf(root)
  expect(config).not.toBe(undefined)
  expect(after).toEqual(before)
  expect(stdout).toBe(
    'wrote localization.config.ts\n\nnpx localization init adds what is missing.\nThen: npx localization status\n',
  )
  expect(await runCli(['init', '--config-only'], { cwd: root })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is a configuration already, which --config-only does not change'),
  })
  const { result } = await init(root, '--no-build')
  expect(result?.changes.map(({ path }) => path)).toEqual([
    'locales/en/common.json',
    'vite.config.ts',
    'src/localization-env.d.ts',
    '.gitignore',
    'src/main.ts',
  ])
})

test('with the option "types", Git ignores the map of the declared keys, once', async () => {
  const types = { file: 'src/keys.d.ts' }
  const config = { files: 'locales/{language}/{namespace}.json', defaultLanguage: 'en', types }
  const root = await makeProject(
    { ...VITE_APP, 'localization.config.json': config, '.gitignore': '/.localization\n' },
    [],
  )
  const { result } = await init(root, '--no-build', '--no-first-text')
  expect(result?.changes.map(({ path }) => path)).not.toContain('src/localization-env.d.ts')
  expect(await readFile(join(root, '.gitignore'), 'utf8')).toBe('/.localization\nsrc/keys.d.ts.map\n')
  const again = await init(root, '--no-build', '--no-first-text')
  expect(again.result?.changes).toEqual([])
})

test('a webpack application with Vitest: its own build, and lines for several configurations', async () => {
  const build = `const { merge } = require('./webpack.common.js')
require('webpack')(merge(process.argv[2]), (error, stats) => {
  if (error || stats.hasErrors()) throw error ?? new Error(stats.toString())
})
`
  const root = await makeProject(
    {
      'package.json': {
        scripts: {
          start: 'webpack serve --config webpack.dev.js',
          bundle: 'node webpack.cjs --config webpack.prod.js',
          prod: 'webpack --config webpack.prod.js',
          test: 'vitest',
        },
        devDependencies: { vite: '8', vitest: '4', webpack: '5' },
      },
      'webpack.cjs': build,
      'webpack.common.js': 'exports.merge = (mode) => ({ mode, entry: "./src/main.js" })\n',
      'webpack.dev.js': "module.exports = require('./webpack.common.js').merge('development')\n",
      'webpack.prod.js': "module.exports = require('./webpack.common.js').merge('production')\n",
      'vite.config.ts': 'export default { test: {} }\n',
      'src/main.js': 'console.log(1)\n',
    },
    ['webpack'],
  )
  const { code, result } = await init(root, '--yes', '--no-build')
  expect(code).toBe(0)
  expect(result?.bundler).toBe('webpack')
  expect(result?.changes.map(({ path }) => path)).not.toContain('webpack.dev.js')
  expect(result?.manual).toMatchObject([
    { place: null, reason: expect.stringContaining('several configurations: webpack.dev.js, webpack.prod.js') },
  ])
  const common = "exports.merge = (mode) => ({ mode, plugins: [require('unplugin-localization/webpack')()] })\n"
  const doctor = async () => (await runCli(['doctor', '--offline'], { cwd: root })).output
  expect(await doctor()).toContain('does not use the plugin')
  await writeTree(root, { 'webpack.common.js': common })
  expect(await doctor()).not.toContain('does not name the plugin')
  expect(await init(root, '--yes', '--no-build')).toMatchObject({ code: 0, result: { manual: [] } })
})

describe('an application in a repository with others', () => {
  const APP: Files = {
    '.git/HEAD': 'ref: refs/heads/main\n',
    'package.json': { workspaces: ['apps/*', 'packages/*'] },
    'pnpm-lock.yaml': '',
    'apps/web/package.json': {
      scripts: { dev: 'vite' },
      dependencies: { '@acme/texts': '*' },
      devDependencies: { vite: '8' },
    },
    'apps/other/package.json': { name: 'other' },
    'apps/other/locales/en.json': { other: 'Other' },
  }
  const filesOf = async (more: Files) => {
    const folder = await makeProject({ ...APP, ...more }, [])
    const { result } = await init(join(folder, 'apps/web'), '--yes', '--no-build')
    expect(result?.changes.map(({ path }) => path)).toContain('.gitignore')
    expect(result?.next).toBe('pnpm run dev')
    return [result?.files, result?.firstText?.text]
  }

  test.each([
    ['../../locales/{language}.json', { 'locales/en.json': { title: 'Title' } }],
    [
      '../../packages/texts/{language}/{namespace}.json',
      {
        'packages/texts/package.json': { name: '@acme/texts' },
        'packages/texts/en/shop.json': { title: 'Title' },
        'packages/texts/de/shop.json': { title: 'Titel' },
      },
    ],
  ])('finds %s', async (files, more) => {
    expect(await filesOf(more)).toEqual([files, 'Title'])
  })

  test('does not take the files of another one', async () => {
    expect(await filesOf({})).toEqual(['locales/{language}/{namespace}.json', 'Welcome'])
  })

  test('the .gitignore of the repository is enough', async () => {
    const ignoring = async (line: string) => {
      const folder = await makeProject({ ...APP, '.gitignore': `${line}\n` }, [])
      const { result } = await init(join(folder, 'apps/web'), '--dry-run')
      return result?.changes.some(({ path }) => path === '.gitignore')
    }
    expect(await ignoring('.localization/')).toBe(false)
    expect(await ignoring('/.localization/')).toBe(true)
  })
})

test('files of other formats are mentioned', async () => {
  const root = await makeProject(
    {
      'package.json': {},
      'src/lang/en.ts': 'export default {}\n',
      'src/is.ts': 'export const is = 1\n',
      'locale/de/LC_MESSAGES/app.po': '',
      'locale/en/LC_MESSAGES/app.po': '',
    },
    [],
  )
  const { stderr } = await runCli(['init', '--dry-run', '--yes'], { cwd: root })
  expect(stderr.split('\n').filter((line) => line.startsWith('not read'))).toEqual([
    'not read: src/lang/{language}.ts, 1 language; locale/{language}/{namespace}.po, 2 languages. ' +
      'The plugin reads JSON and YAML: see docs/migrate.md of the package',
  ])
})

test('a file that is not a language: the languages are listed, and no check finds fault with them', async () => {
  const root = await makeProject(
    {
      'package.json': {},
      'locales/en.json': { title: 'Title' },
      'locales/de.json': { title: 'Titel' },
      'locales/percentages.json': { de: 100 },
    },
    [],
  )
  const { result } = await init(root, '--config-only')
  expect(result?.config).toContain("languages: ['de', 'en'],")
  const run = await runCli(['check', '--unused'], { cwd: root })
  expect(run.output).not.toContain('percentages')
})

describe('refused before anything is written', () => {
  const { 'index.html': _, ...WITHOUT_PAGE } = VITE_APP

  test.each<readonly [string, Files, readonly string[], number, string]>([
    [
      'a page that is not there',
      WITHOUT_PAGE,
      ['--first-text'],
      2,
      '--first-text: no file was found that starts the page',
    ],
    [
      'a configuration with a syntax error',
      { ...VITE_APP, 'vite.config.ts': 'export default {\n' },
      ['--first-text'],
      2,
      '--first-text: you must add the lines for the plugin first',
    ],
    [
      'an entry with another load',
      { ...VITE_APP, 'src/main.ts': 'const load = 1\n' },
      ['--first-text'],
      2,
      '--first-text: src/main.ts: it has another "load"',
    ],
    ['a bad language', VITE_APP, ['--languages', 'en,foo!!'], 2, '"foo!!" is not the code of a language'],
    [
      'languages of a project with texts',
      { ...VITE_APP, 'locales/en.json': { a: 'A' } },
      ['--languages', 'de'],
      2,
      '--languages: the project has texts',
    ],
    ['a file in the place of a folder', { ...VITE_APP, locales: 'x' }, [], 1, 'Nothing was changed.'],
    [
      'the root of several packages',
      {
        'package.json': { workspaces: ['apps/*'] },
        'apps/web/package.json': { devDependencies: { vite: '8' } },
        'apps/lib/package.json': {},
      },
      [],
      2,
      'name an app, such as --root apps/web. Apps: apps/web',
    ],
  ])('%s', async (_name, files, args, code, message) => {
    const root = await makeProject(files, [])
    const before = await treeOf(root)
    expect(await runCli(['init', '--yes', ...args], { cwd: root })).toMatchObject({
      code,
      stderr: expect.stringContaining(message),
    })
    expect(await treeOf(root)).toEqual(before)
  })
})

test('Next.js: the configuration, the types, and an element on the page', async () => {
  const root = await makeProject(
    {
      'package.json': { dependencies: { next: '16' } },
      'tsconfig.json': {},
      'next.config.ts': 'export default {}\n',
      'app/page.tsx': "'use client'\n\nconst Page = () => <main>Hello</main>\nexport default Page\n",
    },
    [],
  )
  const { result } = await init(root, '--yes', '--no-build')
  expect(result?.changes.map(({ path }) => path)).toEqual([
    'localization.config.ts',
    'locales/en/common.json',
    'next.config.ts',
    'app/localization-env.d.ts',
    'app/page.tsx',
  ])
  expect(await readFile(join(root, 'app/page.tsx'), 'utf8')).toBe(
    "'use client'\nimport texts from 'virtual:translations/en/common'\n\nconst Page = () => <main><p>{texts.title}</p>Hello</main>\nexport default Page\n",
  )
})
