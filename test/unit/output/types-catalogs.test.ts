/** The real catalogs: their declarations compile, and their pseudo-language keeps every placeholder. */
import { expect, test, vi } from 'vitest'
import { createCatalog } from '../../../src/catalog/model.ts'
import { guessSyntax, listPlaceholders } from '../../../src/catalog/placeholders.ts'
import { withPseudoLanguage } from '../../../src/catalog/pseudo.ts'
import { createTranslations } from '../../../src/catalog/translations.ts'
import { generateTypes } from '../../../src/output/types.ts'
import { readRealCatalog, realCatalogs } from '../../helpers/real-catalogs.ts'
import { repeats } from '../../helpers/repeats.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'
import { compile, installTypes } from '../../helpers/typescript.ts'

vi.setConfig({ testTimeout: 300_000 })

/** The package's own, and the one whose keys collide. */
const CATALOGS = repeats([...realCatalogs.slice(0, 1), ...realCatalogs.slice(1).slice(-1)], realCatalogs)

test.each(CATALOGS)('$name', async (layout) => {
  const raw = await readRealCatalog(layout)
  const parts = [...raw].flatMap(([language, byNamespace]) =>
    [...byNamespace].map(([namespace, messages]) => ({ language, namespace: namespace || 'default', messages })),
  )
  const real = createTranslations(createCatalog({ parts }), {
    languages: undefined,
    defaultLanguage: 'en',
    fallback: {},
    defaultNamespace: 'default',
    customer: undefined,
    customers: [],
  })
  const translations = withPseudoLanguage(real, 'en-XA')

  let placeholders = 0
  let texts = 0
  let changed = 0
  for (const namespace of real.namespaces) {
    const pseudo = translations.messages('en-XA', namespace)
    for (const [key, text] of real.defaultMessages(namespace)) {
      const found = namesIn(text)
      expect(namesIn(pseudo.get(key) ?? ''), JSON.stringify(text)).toEqual(found)
      placeholders += found.length
      texts++
      if (pseudo.get(key) !== text) changed++
    }
  }
  expect(placeholders).toBeGreaterThan(5)
  expect(texts).toBeGreaterThan(80)
  // Addresses stay as they are.
  expect(changed / texts).toBeGreaterThan(0.99)

  const folder = await tempFolder()
  await installTypes(folder)
  const { keySeparator } = layout
  for (const shape of repeats(['nested'] as const, ['flat', 'nested'] as const)) {
    const [namespace = ''] = real.namespaces
    const [[key] = ['']] = real.defaultMessages(namespace)
    await writeTree(folder, {
      'localization.d.ts': generateTypes(translations, { shape, keySeparator }),
      'main.ts': `import { type Key, load } from 'virtual:translations'
export const key: Key<${JSON.stringify(namespace)}> = ${JSON.stringify(key)}
await load('en-XA', ${JSON.stringify(namespace)})
await load('en-XB')
`,
    })
    const errors = await compile(folder, ['localization.d.ts', 'main.ts'])
    expect(errors.map(({ file, line }) => `${file}:${line}`)).toEqual(['main.ts:4'])
  }
})

/** Every occurrence, in the order of names. */
function namesIn(text: string): string[] {
  return listPlaceholders(text, guessSyntax(text))
    .map(({ name, kind }) => `${name} ${JSON.stringify(kind)}`)
    .sort()
}
