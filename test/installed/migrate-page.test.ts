/**
 * docs/migrate.md, followed to the letter from small projects; only the package comes from its tarball.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noChromium } from '../helpers/browser.ts'
import { repository } from '../helpers/bundlers.ts'
import { runCommand } from '../helpers/follow-page.ts'
import { codeBlocks } from '../helpers/markdown.ts'
import {
  buildApp,
  expectTypeError,
  type Migration,
  shownTo,
  startMigration,
  VITE_PROJECT,
} from '../helpers/migration.ts'
import { startProject } from '../helpers/project.ts'
import { npmInstall, packTarball } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const PAGE = 'docs/migrate.md'
const markdown = await readFile(join(repository, PAGE), 'utf8')
const TOOLS = ['vite@8.3.8', 'typescript@5.9.3']
const project = {
  ...VITE_PROJECT,
  'index.html': String(VITE_PROJECT['index.html']).replace('lang="en"', 'lang="pl"'),
}

describe.skipIf(noChromium)(PAGE, () => {
  test("from vue-i18n's own messages", async () => {
    const section = "From vue-i18n's own messages"
    const migration = await startMigration(PAGE, {
      fixture: 'vue-i18n.md',
      project: {
        ...project,
        'src/main.ts': `import { createApp, h } from 'vue'
import { useI18n } from 'vue-i18n'
import { i18n } from './i18n'

function setup() {
  const { t } = useI18n()
  return () => h('p', t('title') + ', ' + t('cart.empty'))
}
createApp({ setup }).use(i18n).mount(document.body.appendChild(document.createElement('main')))
`,
      },
      before: [...TOOLS, 'vue@3.5.45', 'vue-i18n@11.4.2'],
    })
    expect(await shown(migration)).toBe('Witamy, Koszyk jest pusty')
    await migration.follow(section)
    const main = await readFile(join(migration.root, 'src/main.ts'), 'utf8')
    const waiting = main.replace('{ i18n }', '{ i18n, ready }').replace('createApp({', 'ready.then(() => createApp({')
    await writeTree(migration.root, { 'src/main.ts': waiting.replace(/\)\n$/, '))\n') })
    expect(await shown(migration)).toBe('Witamy, Koszyk jest pusty')
    expect(await migration.run('npx localization check --missing-in-code')).not.toContain('is used and')
  })

  test('from plain JSON imports', async () => {
    const section = 'From plain JSON imports'
    const migration = await startMigration(PAGE, { fixture: 'json-imports.md', project, before: TOOLS })
    expect(await shown(migration)).toBe('Koszyk jest pusty')
    await migration.follow(section)
    const main = await readFile(join(migration.root, 'src/main.ts'), 'utf8')
    await writeTree(migration.root, {
      'src/main.ts': `import { englishTitle } from './title'\n${main.replace('.empty', ".empty + ' ' + englishTitle")}`,
    })
    expect(await shown(migration)).toBe('Koszyk jest pusty Welcome')
    // What the types are for: a key that no text has.
    const wrong = "import { loadTexts } from './texts'\n\n;(await loadTexts('pl')).cart.full\n"
    await expectTypeError(migration, wrong, "Property 'full' does not exist")
  })
})

test('from the own command line of a service', async () => {
  const service = await startProject({ service: { languages: ['pl'] } })
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
    ...project,
    'src/main.ts': "import { load } from 'virtual:translations'\n\nconsole.log(await load('pl', 'common'))\n",
    'localization.config.json': {},
    'locales/en/common.json': texts,
    'locales/pl/common.json': { title: 'Witamy' },
  })
  await writeFile(
    join(root, 'vite.config.ts'),
    "import localization from 'unplugin-localization/vite'\nexport default { plugins: [localization()] }\n",
  )
  await npmInstall(root, await packTarball(), ...TOOLS)
  const section = markdown.slice(markdown.indexOf("## From a service's own command line"))
  const { code = '' } = codeBlocks(PAGE, section).find(({ language }) => language === 'sh') ?? {}
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

async function shown(migration: Migration): Promise<string> {
  await buildApp(migration)
  return shownTo(migration, 'pl-PL')
}
