/** docs/migrate-unplugin-vue-i18n.md, followed to the letter from a small project. */
import { beforeAll, describe, expect, test } from 'vitest'
import { noChromium } from '../helpers/browser.ts'
import { buildApp, expectGone, expectTypeError, type Migration, shownTo, startMigration } from '../helpers/migration.ts'

const PAGE = 'docs/migrate-unplugin-vue-i18n.md'
const OLD = '@intlify/unplugin-vue-i18n'
const SHOWN = [
  ['en-GB', ['Welcome to Teas of the house', 'Hello, Ada!', '5 bags', 'About us', 'Close']],
  ['pl-PL', ['Witamy: Herbaty domu', 'Cześć, Ada!', '5 toreb', 'About us', 'Zamknij']],
] as const

describe.skipIf(noChromium)(PAGE, () => {
  let migration: Migration
  beforeAll(async () => {
    migration = await startMigration(PAGE, {
      fixture: 'unplugin-vue-i18n.md',
      before: [
        ...['vite@8.3.8', 'typescript@5.9.3', '@vitejs/plugin-vue@6.0.11', 'vue@3.5.45', 'vue-i18n@11.4.2'],
        `${OLD}@11.1.2`,
      ],
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

  test('after: the page shows the same texts, and messages are typed', async () => {
    await migration.follow('Steps')
    await expectShown()
    await migration.follow('Check')
    await expectGone(migration, OLD)
    const wrong = "import type { Key } from 'virtual:translations'\n\nexport const key: Key<'default'> = 'titel'\n"
    await expectTypeError(migration, wrong, '"titel"')
  })
})
