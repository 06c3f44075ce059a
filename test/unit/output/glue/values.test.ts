/** Arrays and other values in each library. */
import { createInstance } from 'i18next'
import { describe, expect, test } from 'vitest'
import { createI18n } from 'vue-i18n'
import { createBackend } from '../../../../src/i18next.ts'
import type { LoadedMessages } from '../../../../src/output/glue/translations.ts'
import { replaceMessages } from '../../../../src/output/runtime/messages.ts'
import { createIntlStore } from '../../../../src/react-intl.ts'
import type { CompiledMessage, Messages } from '../../../../src/runtime.ts'
import { createLanguageLoader } from '../../../../src/vue-i18n.ts'

const OTHERS = { steps: ['One', { title: 'Two' }, ['x'], 4, null], empty: [] }
const SHAPES = {
  flat: { title: 'Title', ...OTHERS, 'limits.max': 3, 'limits.none': null, 'limits.on': true },
  nested: { title: 'Title', ...OTHERS, limits: { max: 3, none: null, on: true } },
}

type Proxied = { readonly [name in 'title' | 'bags' | 'steps' | 'cart' | 'open' | 'shop' | 1]: Proxied }

function translations<T>(common: LoadedMessages<T>) {
  return {
    languages: [{ key: 'en', name: 'English', isDefault: true }],
    defaultLanguage: 'en',
    namespaces: ['common'],
    load: () => Promise.resolve(common),
    has: () => true,
    onUpdate: () => () => {},
  }
}

describe.each(Object.entries(SHAPES))('%s', (_, messages) => {
  test('i18next', async () => {
    const i18n = createInstance()
    await i18n
      .use(createBackend(translations<string>(messages)))
      .init({ lng: 'en', ns: ['common'], defaultNS: 'common' })
    expect(i18n.t('steps', { returnObjects: true })).toEqual(OTHERS.steps)
    expect([i18n.t('steps.0'), i18n.t('steps.1.title'), i18n.t('title')]).toEqual(['One', 'Two', 'Title'])
    expect(i18n.t('limits.max', { returnObjects: true })).toBe(3)
  })

  describe('i18next, plural forms of a fallback language', () => {
    const polish = {
      kits_one: '{{count}} zestaw',
      kits_other: '{{count}} zestawu',
      boxes: 'pudła',
      boxes_other: 'boxes',
    }
    const english = {
      bags_one: '{{count}} bag',
      bags_other: '{{count}} bags',
      place_ordinal_other: '{{count}}th',
      kits_other: '{{count}} kits',
    }
    const common = {
      ...messages,
      ...english,
      ...polish,
      cart: { nuts_one: '{{count}} nut', nuts_other: '{{count}} nuts' },
    }
    const inPolish = async (options: object) => {
      const i18n = createInstance()
      await i18n
        .use(createBackend({ ...translations<string>(common), load: async (key) => (key === 'en' ? english : common) }))
        .init({ lng: 'pl', ns: ['common'], defaultNS: 'common', ...options })
      return (key: string, more: object = {}) => [1, 2, 5].map((count) => i18n.t(key, { count, ...more }))
    }

    test('are shown for the numbers that have other forms', async () => {
      const t = await inPolish({ fallbackLng: false })
      expect(t('bags')).toEqual(['1 bag', '2 bags', '5 bags'])
      expect(t('cart.nuts')).toEqual(['1 nut', '2 nuts', '5 nuts'])
      expect(t('kits')).toEqual(['1 zestaw', '2 zestawu', '5 zestawu'])
      expect(t('boxes')).toEqual(['pudła', 'pudła', 'pudła'])
      expect(t('place', { ordinal: true })).toEqual(['1th', '2th', '5th'])
    })

    test('are left to i18next where it has a fallback itself', async () => {
      const t = await inPolish({ fallbackLng: 'en' })
      expect(t('kits')).toEqual(['1 zestaw', '2 kits', '5 kits'])
    })

    test('are left alone for a language without rules', async () => {
      const t = await inPolish({ fallbackLng: false, lng: 'xx_no_language' })
      expect(t('bags')).toEqual(['1 bag', '2 bags', '5 bags'])
    })
  })

  test("i18next's selectors", async () => {
    const i18n = createInstance()
    const common = { ...messages, bags_one: '{{count}} bag', bags_other: '{{count}} bags' }
    const load = async (_: string, namespace?: string): Promise<LoadedMessages> =>
      namespace === 'shop' ? { cart: { open: 'Open' } } : common
    await i18n
      .use(createBackend({ ...translations<string>(common), load }))
      .init({ lng: 'en', ns: ['common', 'shop'], defaultNS: 'common' })
    // Without types of texts, a selector is typed for the namespace `translation`.
    const t = i18n.t as unknown as (select: ($: Proxied) => unknown, options?: object) => unknown
    expect([t(($) => $.title), t(($) => $.bags, { count: 2 })]).toEqual(['Title', '2 bags'])
    expect([t(($) => $.steps[1].title), t(($) => $.steps, { returnObjects: true })]).toEqual(['Two', OTHERS.steps])
    expect([t(($) => $.cart.open, { ns: 'shop' }), t(($) => $.shop.cart.open)]).toEqual(['Open', 'Open'])
  })

  test('vue-i18n', async () => {
    const i18n = createI18n({ legacy: false, locale: 'none', missingWarn: false, fallbackWarn: false })
    await createLanguageLoader(i18n, translations<string>(messages)).setLanguage('en')
    const { t, tm } = i18n.global
    expect(tm('common.steps')).toEqual(OTHERS.steps)
    expect(tm('common.limits')).toEqual(SHAPES.nested.limits)
    expect([t('common.steps[0]'), t('common.steps[1].title'), t('common.title')]).toEqual(['One', 'Two', 'Title'])
  })

  test('react-intl', async () => {
    const store = createIntlStore(translations<string | CompiledMessage>(messages))
    await store.setLanguage('en')
    expect(store.getSnapshot().messages).toEqual({
      'common.title': 'Title',
      'common.steps.0': 'One',
      'common.steps.1.title': 'Two',
      'common.steps.2.0': 'x',
    })
  })

  test('react-intl without the prefix of the namespace', async () => {
    const all = { ...translations<string | CompiledMessage>(messages), namespacePrefix: false }
    const ids = async (options = {}) => {
      const store = createIntlStore(all, options)
      await store.setLanguage('en')
      return Object.keys(store.getSnapshot().messages)
    }
    expect(await ids()).toEqual(['title', 'steps.0', 'steps.1.title', 'steps.2.0'])
    expect(await ids({ id: (namespace: string) => namespace })).toEqual(['common'])
  })
})

test('react-intl: compiled texts, and compiled elements', async () => {
  const compiled = [
    { type: 0, value: 'Hello ' },
    { type: 1, value: 'name' },
  ]
  const store = createIntlStore(translations<string | CompiledMessage>({ a: compiled, b: [compiled, 'x'], c: [] }))
  await store.setLanguage('en')
  expect(store.getSnapshot().messages).toEqual({
    'common.a': compiled,
    'common.b.0': compiled,
    'common.b.1': [{ type: 0, value: 'x' }],
  })
})

test('an update in place replaces arrays and values, null too', () => {
  const held = structuredClone(SHAPES.nested) as unknown as Messages
  const { limits } = held
  const next = { title: 'T', steps: ['Uno'], limits: { max: null, none: { deep: 'x' }, on: 1 } }
  replaceMessages(held, next as unknown as Messages)
  expect(held).toEqual(next)
  expect(held.limits).toBe(limits)
  replaceMessages(held, { ...next, limits: null } as unknown as Messages)
  expect(held.limits).toBeNull()
})
