/** docs/migrate-next-intl.md, followed to the letter from a small project. */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { launchChromium, noChromium, openPage } from '../helpers/browser.ts'
import { startCommand } from '../helpers/follow-page.ts'
import { fetchPage, realProblems } from '../helpers/frameworks.ts'
import { expectGone, expectTypeError, type Migration, startMigration } from '../helpers/migration.ts'
import { freePort } from '../helpers/throwaway-server.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

const PAGE = 'docs/migrate-next-intl.md'
const SHOWN = [
  ['en-GB', 'en', ['Welcome', 'Hello, Ada!', 'About us', '1 bag', '2 bags']],
  ['pl-PL', 'pl', ['Witamy', 'Cześć, Ada!', 'O nas', '1 torba', '2 torby']],
] as const

/** An app as `create-next-app` makes it. */
const NEXT_PROJECT = {
  'package.json': { private: true, type: 'module' },
  'tsconfig.json': {
    compilerOptions: {
      target: 'ES2022',
      lib: ['dom', 'dom.iterable', 'esnext'],
      allowJs: true,
      skipLibCheck: true,
      strict: true,
      noEmit: true,
      esModuleInterop: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      resolveJsonModule: true,
      isolatedModules: true,
      jsx: 'react-jsx',
      incremental: true,
      plugins: [{ name: 'next' }],
    },
    include: ['next-env.d.ts', '**/*.ts', '**/*.tsx', '.next/types/**/*.ts', '.next/dev/types/**/*.ts'],
    exclude: ['node_modules'],
  },
}

describe.skipIf(noChromium)(PAGE, () => {
  let migration: Migration
  beforeAll(async () => {
    migration = await startMigration(PAGE, {
      fixture: 'next-intl.md',
      project: NEXT_PROJECT,
      before: [
        ...['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'],
        // The two parts of next-intl itself, in one version.
        ...['next-intl@4.14.8', 'use-intl@4.14.8'],
        ...['typescript@5.9.3', '@types/react@19.3.0', '@types/node@20.19.43'],
      ],
      after: ['react-intl@12.1.5'],
    })
  })

  test('before', async () => {
    await expectShown(migration)
  })

  test('after: the pages show the same texts, and keys are typed', async () => {
    await migration.follow('Steps')
    await expectShown(migration)
    await migration.follow('Check')
    await expectGone(migration, 'next-intl')
    const server = "import { getIntl } from './texts'\n\n;(await getIntl('pl')).formatMessage({ id: 'Home.titel' })\n"
    await expectTypeError(migration, server, '"Home.titel"')
  })
})

/** Built and type-checked by `next build`; a visitor of `/` is led to the own language. */
async function expectShown({ root, run }: Migration): Promise<void> {
  await run('NEXT_TELEMETRY_DISABLED=1 npx next build')
  const port = await freePort()
  const server = startCommand(`exec node node_modules/next/dist/bin/next start --port ${port}`, { cwd: root })
  const origin = `http://localhost:${port}`
  await fetchPage(`${origin}/en`, server)
  for (const [locale, language, texts] of SHOWN) {
    const { page, problems, close } = await openPage(await launchChromium(), origin, { locale })
    expect(new URL(page.url()).pathname).toBe(`/${language}`)
    expect(await page.locator('h1, p, button').allInnerTexts()).toEqual(texts.slice(0, -1))
    expect(await page.innerText('p b')).toBe('Ada')
    await expect
      .poll(async () => {
        const text = await page.innerText('button')
        if (text === texts.at(-2)) await page.click('button')
        return text
      })
      .toBe(texts.at(-1))
    expect(realProblems(problems)).toEqual([])
    await close()
  }
  server.child.kill()
  await server.ended
}
