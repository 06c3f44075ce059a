/** docs/migrate-paraglide.md, followed to the letter from a small project. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
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

const PAGE = 'docs/migrate-paraglide.md'
const OLD = ['@inlang/paraglide-js', '@inlang/plugin-message-format', '@inlang/sdk']
const SHOWN = [
  ['en-GB', "Welcome | About us | It's a set: {1, 2} | Hello, Ada! | 5 bags | She invited you"],
  ['pl-PL', 'Witamy | About us | Zbiór: {1, 2} | Cześć, Ada! | 5 toreb | Zaprosiła Cię'],
] as const

describe.skipIf(noChromium)(PAGE, () => {
  let migration: Migration
  beforeAll(async () => {
    const { compilerOptions, ...rest } = VITE_PROJECT['tsconfig.json'] as { readonly compilerOptions: object }
    migration = await startMigration(PAGE, {
      fixture: 'paraglide.md',
      project: {
        ...VITE_PROJECT,
        'tsconfig.json': { compilerOptions: { ...compilerOptions, allowJs: true }, ...rest },
      },
      before: [
        ...['vite@8.3.8', 'typescript@5.9.3'],
        ...['@inlang/paraglide-js@2.25.4', '@inlang/plugin-message-format@4.4.4'],
      ],
      after: ['intl-messageformat@12.1.4'],
    })
  })

  test('before', async () => {
    // The build writes the modules that the compiler reads.
    await migration.run('npx vite build')
    await buildApp(migration)
    for (const [locale, text] of SHOWN) expect(await shownTo(migration, locale)).toBe(text)
  })

  test('after: the page shows the same texts, unused keys are left out, and keys are typed', async () => {
    await migration.follow('Steps')
    await buildApp(migration)
    for (const [locale, text] of SHOWN) expect(await shownTo(migration, locale)).toBe(text)
    await migration.follow('Check')
    await expectGone(migration, ...OLD)
    await expectTypeError(migration, "import { t } from './texts'\n\nt('titel')\n", '"titel"')
    await expectTypeError(migration, "import { t } from './texts'\n\nt('bags', { count: 'five' })\n", "'number'")

    const main = join(migration.root, 'src/main.ts')
    await migration.run("sed -i '/invited/d' src/main.ts")
    expect(await readFile(main, 'utf8')).not.toContain('invited')
    await migration.run('npx vite build')
    const folder = join(migration.root, 'dist/assets/localization/pl')
    const [name = ''] = await readdir(folder)
    const texts = await readFile(join(folder, name), 'utf8')
    expect(texts).toContain('toreb')
    expect(texts).not.toContain('Zaprosi')
  })
})
