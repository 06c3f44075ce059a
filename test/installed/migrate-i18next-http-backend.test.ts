/** docs/migrate-i18next-http-backend.md, followed to the letter from a small project. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { noChromium } from '../helpers/browser.ts'
import {
  buildApp,
  commitProject,
  expectGone,
  expectTypeError,
  goBack,
  type Migration,
  shownTo,
  startMigration,
} from '../helpers/migration.ts'

const PAGE = 'docs/migrate-i18next-http-backend.md'
const SHOWN = [
  ['en-GB', 'Welcome | About us | Hello, Ada! | 5 bags'],
  ['pl-PL', 'Witamy | About us | Cześć, Ada! | 5 toreb'],
] as const

describe.skipIf(noChromium)(PAGE, () => {
  let migration: Migration
  beforeAll(async () => {
    migration = await startMigration(PAGE, {
      fixture: 'i18next-http-backend.md',
      before: ['vite@8.3.8', 'typescript@5.9.3', 'i18next@25.10.10', 'i18next-http-backend@3.0.6'],
    })
  })
  const expectShown = async () => {
    await buildApp(migration)
    for (const [locale, text] of SHOWN) expect(await shownTo(migration, locale)).toBe(text)
  }

  test('before', async () => {
    await expectShown()
    await commitProject(migration)
  })

  test('after: the page shows the same texts, and keys are typed', async () => {
    await migration.follow('Steps')
    await expectShown()
    await migration.follow('Check')
    await expectGone(migration, 'i18next-http-backend')
    expect(await readFile(join(migration.root, 'src/main.ts'), 'utf8')).toContain("i18next.t('bag', { count: 5 })")
    await expectTypeError(migration, "import i18next from 'i18next'\n\ni18next.t('titel')\n", '"titel"')
  })

  test('back again', async () => {
    await goBack(migration)
    await expectShown()
    await expectGone(migration, 'unplugin-localization')
  })
})
