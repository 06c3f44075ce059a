/** A server makes an instance per request and drops it: a manifest that lives on must not hold any of them. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createInstance } from 'i18next'
import { expect, test } from 'vitest'
import { createI18n } from 'vue-i18n'
import { createBackend } from '../../../../src/i18next.ts'
import { createIntlStore } from '../../../../src/react-intl.ts'
import { createManifest, type Manifest } from '../../../../src/runtime.ts'
import { createLanguageLoader } from '../../../../src/vue-i18n.ts'

const INSTANCES = 20

const makers: Readonly<Record<string, (translations: Manifest) => Promise<object>>> = {
  i18next: async (translations) => {
    const i18n = createInstance()
    await i18n.use(createBackend(translations)).init({ lng: 'en', ns: ['common'] } as never)
    return i18n
  },
  'vue-i18n': async (translations) => {
    const i18n = createI18n({ legacy: false, locale: 'en' })
    await createLanguageLoader(i18n, translations).setLanguage('en')
    return i18n
  },
  'react-intl': async (translations) => {
    const store = createIntlStore(translations)
    await store.setLanguage('en')
    return store
  },
}

interface Made {
  readonly kept: object
  readonly dropped: readonly WeakRef<object>[]
  /** The listeners that the manifest holds. */
  readonly live: ReadonlySet<unknown>
}

async function makeAndDrop(make: (translations: Manifest) => Promise<object>): Promise<Made> {
  const live = new Set<unknown>()
  const manifest = createManifest({
    languages: [{ key: 'en', name: 'English', isDefault: true }],
    defaultLanguage: 'en',
    namespaces: ['common'],
    defaultNamespace: 'common',
    loaders: { en: { common: async () => ({ default: { title: 'Title' } }) } },
  })
  const translations: Manifest = {
    ...manifest,
    onUpdate(listener) {
      live.add(listener)
      const stop = manifest.onUpdate(listener)
      return () => {
        live.delete(listener)
        stop()
      }
    },
  }
  // Held until they are counted: memory may be collected at any time.
  const instances: object[] = []
  for (let i = 0; i < INSTANCES; i++) instances.push(await make(translations))
  const kept = await make(translations)
  expect(live.size).toBe(INSTANCES + 1)
  return { kept, dropped: instances.map((instance) => new WeakRef(instance)), live }
}

test('instances of i18next, vue-i18n and react-intl', async () => {
  const made: (readonly [library: string, Made])[] = []
  for (const [library, make] of Object.entries(makers)) made.push([library, await makeAndDrop(make)])
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await expect
    .poll(() => {
      // Each collection visits the whole heap of a process that many test files share.
      collect()
      return (
        made
          .map(
            ([library, { dropped, live }]) =>
              [library, dropped.filter((each) => each.deref()).length, live.size] as const,
          )
          // An engine may keep the last one alive in a register.
          .filter(([, left, listeners]) => left > 1 || listeners > 2)
      )
    })
    .toEqual([])
  for (const [library, { live, kept }] of made) {
    expect(live.size, library).toBeGreaterThanOrEqual(1)
    expect(kept).toBeDefined()
  }
})
