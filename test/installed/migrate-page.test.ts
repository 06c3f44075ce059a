/**
 * docs/migrate.md, followed to the letter from the small projects that it shows; only the package comes from its
 * tarball.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { repository } from '../helpers/bundlers.ts'
import { expectShown, followBlock, runCommand, shownCommands } from '../helpers/follow-page.ts'
import { startProject } from '../helpers/local-project.ts'
import { type CodeBlock, codeBlocks } from '../helpers/markdown.ts'
import { npmInstall, packTarball } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const markdown = await readFile(join(repository, 'docs/migrate.md'), 'utf8')
const blocks = codeBlocks('docs/migrate.md', markdown)
const { devDependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
  devDependencies: Readonly<Record<string, string>>
}

let tarball: string
beforeAll(async () => {
  tarball = await packTarball()
})

/** What the page takes for granted: Vite with TypeScript. */
const PROJECT = {
  'package.json': { private: true, type: 'module' },
  'index.html':
    '<!doctype html><html lang="pl"><head><link rel="icon" href="data:,"></head><body><script type="module" src="/src/main.ts"></script></body></html>',
  'vite.config.ts': "import { defineConfig } from 'vite'\n\nexport default defineConfig({\n})\n",
  'tsconfig.json': {
    compilerOptions: {
      target: 'es2023',
      module: 'esnext',
      moduleResolution: 'bundler',
      moduleDetection: 'force',
      lib: ['ES2023', 'DOM'],
      types: ['vite/client', 'unplugin-localization/virtual'],
      resolveJsonModule: true,
      strict: true,
      noUnusedLocals: true,
      skipLibCheck: true,
      noEmit: true,
    },
    include: ['src'],
  },
}
const OWN_TYPES = /\n +types: '[^']+',/

describe.skipIf(noChromium)('docs/migrate.md', () => {
  test('from i18next-http-backend', async () => {
    const root = await startingProject('From i18next-http-backend', ['i18next', 'i18next-http-backend'])
    await writeTree(root, {
      'src/main.ts': `import i18next from 'i18next'\nimport './i18n'\ndocument.body.textContent = i18next.t('title') + ', ' + i18next.t('about')\n`,
    })
    expect(await shownText(root)).toBe('Witamy, About us')
    for (const block of stepsOf('From i18next-http-backend')) {
      await followStep(root, block)
      // The page shows the same from the step on that takes the other backend.
      if (block.name === 'src/i18n.ts' || block.name === 'localization.config.ts')
        expect(await shownText(root)).toBe('Witamy, About us')
    }
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect(dependencies).not.toHaveProperty('i18next-http-backend')
    await ownTypes(root)
    expect(await shownText(root)).toBe('Witamy, About us')
  })

  test("from vue-i18n's own messages", async () => {
    const root = await startingProject("From vue-i18n's own messages", ['vue', 'vue-i18n'])
    await writeTree(root, {
      'src/main.ts': `import { createApp, h } from 'vue'
import { useI18n } from 'vue-i18n'
import { i18n } from './i18n'

function setup() {
  const { t } = useI18n()
  return () => h('p', t('title') + ', ' + t('cart.empty'))
}
createApp({ setup }).use(i18n).mount(document.body.appendChild(document.createElement('main')))
`,
    })
    expect(await shownText(root)).toBe('Witamy, Koszyk jest pusty')
    for (const block of stepsOf("From vue-i18n's own messages")) await followStep(root, block)
    expect(await shownText(root)).toBe('Witamy, Koszyk jest pusty')
    expect(await runCommand('npx localization check --missing-in-code', { cwd: root })).not.toContain('is used and')
  })

  test('from plain JSON imports', async () => {
    const root = await startingProject('From plain JSON imports', [])
    expect(await shownText(root)).toBe('Koszyk jest pusty')
    for (const block of stepsOf('From plain JSON imports')) await followStep(root, block)
    const main = await readFile(join(root, 'src/main.ts'), 'utf8')
    await writeTree(root, {
      'src/main.ts': `import { englishTitle } from './title'\n${main}document.body.append(' ', englishTitle)\n`,
    })
    expect(await shownText(root)).toBe('Koszyk jest pusty Welcome')
    // What the types are for: a key that no text has.
    await writeTree(root, {
      'src/wrong.ts': "import { loadTexts } from './texts'\n\n;(await loadTexts('pl')).cart.full\n",
    })
    await expect(checkTypes(root)).rejects.toThrow("Property 'full' does not exist")
  })
})

test('from the own command line of a service', async () => {
  const service = await startProject({ languages: ['pl'] })
  const texts = { title: 'Hello', 'old.a': 'Away' }
  await service.importTexts('en', 'common', texts)
  await service.importTexts('pl', 'common', { title: 'Witaj' })
  const env = {
    LOCALIZATION_BASE_URL: service.baseUrl,
    LOCALIZATION_CDN_URL: service.cdnUrl,
    LOCALIZATION_API_KEY: service.apiKey,
  }
  const root = await tempFolder()
  await writeTree(root, {
    ...PROJECT,
    'src/main.ts': "import { load } from 'virtual:translations'\n\nconsole.log(await load('pl', 'common'))\n",
    'localization.config.json': {},
    'locales/en/common.json': texts,
    'locales/pl/common.json': { title: 'Witamy' },
  })
  await writeFile(
    join(root, 'vite.config.ts'),
    "import localization from 'unplugin-localization/vite'\nexport default { plugins: [localization()] }\n",
  )
  await installFor(root, [])
  const section = markdown.slice(markdown.indexOf("## From a service's own command line"))
  const { code = '' } = stepsOf("From a service's own command line").find(({ language }) => language === 'sh') ?? {}
  const output = await runCommand(code, { cwd: root, env })
  // One text differs without common history.
  expect(output).toContain('1 text changed on both sides')
  await runCommand('npx localization resolve --theirs', { cwd: root, env })
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  const commands = rows.flatMap((row) => [...row.matchAll(/`(npx [^`]+)`/g)].map(([, command = '']) => command))
  expect(commands.length).toBeGreaterThan(6)
  expect(section).toContain('`keys remove` asks first. Add `--yes` in scripts.')
  for (const command of commands) await runCommand(command.replace(/keys remove.*/, '$& --yes'), { cwd: root, env })
})

/** The project before the migration: what the section shows before its first command. */
async function startingProject(section: string, packages: readonly string[]): Promise<string> {
  const root = await tempFolder()
  await writeTree(root, PROJECT)
  await installFor(root, packages)
  for (const block of blocksOf(section).slice(0, firstCommand(section))) await followBlock(root, block)
  return root
}

/** The first command of the page is the package's installation; it stands before all sections. */
async function installFor(root: string, packages: readonly string[]): Promise<void> {
  const [install] = blocks
  expect(install?.code).toBe('npm install --save-dev unplugin-localization\n')
  const own = packages.map((name) => `${name}@${devDependencies[name]}`)
  await npmInstall(root, ...own)
  await npmInstall(
    root,
    '--save-dev',
    tarball,
    `vite@${devDependencies.vite}`,
    `typescript@${devDependencies.typescript}`,
  )
}

function blocksOf(section: string): CodeBlock[] {
  const found = blocks.filter((block) => block.section === section)
  expect(found.length).toBeGreaterThan(0)
  return found
}

function firstCommand(section: string): number {
  return blocksOf(section).findIndex(({ language }) => language === 'console' || language === 'sh')
}

function stepsOf(section: string): CodeBlock[] {
  return blocksOf(section).slice(firstCommand(section))
}

async function followStep(root: string, block: CodeBlock): Promise<void> {
  if (block.language === 'sh') await runCommand(block.code, { cwd: root })
  else if (block.language !== 'console') await followBlock(root, block)
  else
    for (const { command, shown } of shownCommands(block))
      expectShown(await runCommand(command, { cwd: root }), shown, `${block.page}:${block.line}`)
}

/** With the option `types`, as the page has it in its second section. */
async function ownTypes(root: string): Promise<void> {
  const [line = ''] = OWN_TYPES.exec(markdown.replaceAll('\n   +', '\n')) ?? []
  expect(line).not.toBe('')
  const file = join(root, 'localization.config.ts')
  await writeFile(file, (await readFile(file, 'utf8')).replace('\n})', `${line}\n})`))
  await runCommand('npx localization types', { cwd: root })
}

function checkTypes(root: string): Promise<string> {
  return runCommand('npx tsc -p .', { cwd: root })
}

/** Type-checks and builds the project; resolves to what the built page shows in Chromium. */
async function shownText(root: string): Promise<string | null> {
  await checkTypes(root)
  await runCommand('npx vite build', { cwd: root })
  const server = await serveFolder(join(root, 'dist'))
  onTestFinished(() => server.close())
  const { page, problems, close } = await visit(`${server.origin}/`)
  await expect.poll(() => page.textContent('body'), { timeout: 60_000 }).toMatch(/\w/)
  const text = await page.textContent('body')
  expect(problems).toEqual([])
  await close()
  return text
}
