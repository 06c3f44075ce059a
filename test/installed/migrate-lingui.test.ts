/** docs/migrate-lingui.md, followed to the letter from a small project. */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { noChromium } from '../helpers/browser.ts'
import {
  buildApp,
  expectGone,
  expectTypeError,
  type Migration,
  shownTo,
  startMigration,
  VITE_PROJECT,
} from '../helpers/migration.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

const PAGE = 'docs/migrate-lingui.md'
const LINGUI = ['cli', 'conf', 'core', 'react', 'vite-plugin', 'babel-plugin-lingui-macro'].map(
  (name) => `@lingui/${name}`,
)
const SHOWN = [
  ['en-GB', ['Welcome', 'Hello, Ada!', '5 bags', 'Your cart is empty', 'About us']],
  ['pl-PL', ['Witamy', 'Cześć, Ada!', '5 toreb', 'Twój koszyk jest pusty', 'About us']],
] as const

describe.skipIf(noChromium)(PAGE, () => {
  let migration: Migration
  beforeAll(async () => {
    migration = await startMigration(PAGE, {
      fixture: 'lingui.md',
      project: { ...VITE_PROJECT, 'index.html': String(VITE_PROJECT['index.html']).replace('main.ts', 'main.tsx') },
      before: [
        ...['vite@8.3.8', '@vitejs/plugin-react@5.2.0', 'typescript@5.9.3'],
        ...['react@19.3.1', 'react-dom@19.3.1', '@types/react@19.3.0', '@types/react-dom@19.3.0'],
        ...LINGUI.map((name) => `${name}@5.9.5`),
      ],
      after: ['react-intl@12.1.5'],
    })
  })
  const expectShown = async () => {
    await buildApp(migration)
    for (const [locale, texts] of SHOWN)
      expect((await shownTo(migration, locale)).split(/\n+/).filter((line) => line !== '')).toEqual(texts)
  }

  test('before', async () => {
    await expectShown()
  })

  test('after: the page shows the same texts, and keys are typed', async () => {
    await migration.follow('Steps')
    await expectShown()
    await migration.follow('Check')
    await expectGone(migration, ...LINGUI)
    const wrong =
      "import type { IntlShape } from 'react-intl'\n\nexport const title = (intl: IntlShape) => intl.formatMessage({ id: 'titel' })\n"
    await expectTypeError(migration, wrong, '"titel"')
  })
})
