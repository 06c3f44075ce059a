/** What a dev server's updates and quick switches do to each library's instance. */
import { createInstance } from 'i18next'
import { describe, expect, test } from 'vitest'
import { createI18n } from 'vue-i18n'
import { createBackend } from '../../../../src/i18next.ts'
import { createIntlStore } from '../../../../src/react-intl.ts'
import {
  type CompiledMessage,
  createManifest,
  type ManifestInput,
  type Messages,
  updateMessages,
} from '../../../../src/runtime.ts'
import { createLanguageLoader } from '../../../../src/vue-i18n.ts'

type Catalog = { [language: string]: { [namespace: string]: Messages } }

/** A manifest as a dev server gives it to the page; what `load` gives out stays the same object. */
function project(catalog: Catalog, wait: (language: string) => Promise<void> = async () => {}) {
  const input = (): ManifestInput => ({
    languages: Object.keys(catalog).map((key) => ({ key, name: key, isDefault: key === 'en' })),
    defaultLanguage: 'en',
    namespaces: Object.keys(catalog.en ?? {}),
    defaultNamespace: 'common',
    loaders: Object.fromEntries(
      Object.entries(catalog).map(([language, namespaces]) => [
        language,
        Object.fromEntries(
          Object.entries(namespaces).map(([namespace, messages]) => [
            namespace,
            async () => {
              await wait(language)
              return { default: messages }
            },
          ]),
        ),
      ]),
    ),
  })
  const translations = createManifest(input())
  return {
    translations,
    /** An edited file. */
    edit(language: string, namespace: string, next: Messages, customer?: string) {
      updateMessages(customer === undefined ? catalog[language]?.[namespace] : {}, next, {
        language,
        namespace,
        customer,
      })
    },
    /** New files. */
    add(language: string, namespace: string, messages: Messages) {
      catalog[language] = { ...catalog[language], [namespace]: messages }
      createManifest(input(), translations)
    },
  }
}

/** Each library behind the same few calls. */
const libraries = {
  async i18next(translations: ReturnType<typeof createManifest>, namespaces?: string[]) {
    const i18n = createInstance()
    const ns = namespaces ?? [...translations.namespaces]
    await i18n.use(createBackend(translations)).init({ lng: 'en', fallbackLng: false, ns, defaultNS: 'common' })
    return {
      text: (namespace: string, key: string) =>
        i18n.exists(`${namespace}:${key}`) ? i18n.t(`${namespace}:${key}`) : null,
      language: () => i18n.language,
      setLanguage: async (language: string) => void (await i18n.changeLanguage(language)),
      loadNamespaces: (namespace: string) => i18n.loadNamespaces(namespace),
    }
  },
  async 'vue-i18n'(translations: ReturnType<typeof createManifest>, namespaces?: string[]) {
    const i18n = createI18n({ legacy: false, locale: 'en', fallbackLocale: false, missingWarn: false })
    const loader = createLanguageLoader(i18n, translations, { namespaces })
    await loader.setLanguage('en')
    const { t, te, locale } = i18n.global
    return {
      text: (namespace: string, key: string) => (te(`${namespace}.${key}`) ? t(`${namespace}.${key}`) : null),
      language: () => locale.value as string,
      ...loader,
    }
  },
  async 'react-intl'(translations: ReturnType<typeof createManifest>, namespaces?: string[]) {
    const store = createIntlStore(translations, { namespaces })
    await store.setLanguage('en')
    return {
      text: (namespace: string, key: string) =>
        ((store.getSnapshot().messages as Record<string, unknown>)[`${namespace}.${key}`] as string | undefined) ??
        null,
      language: () => store.getSnapshot().locale,
      ...store,
    }
  },
}

const catalog = (): Catalog => ({
  en: { common: { title: 'Title', gone: 'Gone' } },
  pl: { common: { title: 'Tytuł', gone: 'Nie ma' } },
})

describe.each(Object.entries(libraries))('%s', (name, create) => {
  test('a text edited, added and removed; a customer’s own texts are not these', async () => {
    const { translations, edit } = project(catalog())
    const { text } = await create(translations)
    edit('en', 'common', { title: 'Heading', added: 'Added' })
    edit('en', 'common', { title: 'For a customer' }, 'acme')
    await expect.poll(() => text('common', 'title')).toBe('Heading')
    expect([text('common', 'added'), text('common', 'gone')]).toEqual(['Added', null])
  })

  test('a language that is not shown, edited', async () => {
    const { translations, edit } = project(catalog())
    const { text, language, setLanguage } = await create(translations)
    await setLanguage('pl')
    edit('en', 'common', { title: 'Heading' })
    await Promise.resolve()
    expect([language(), text('common', 'title')]).toEqual(['pl', 'Tytuł'])
    await setLanguage('en')
    expect(text('common', 'title')).toBe('Heading')
  })

  test('a namespace that comes into being', async () => {
    const { translations, add, edit } = project(catalog())
    const { text, loadNamespaces } = await create(translations)
    await Promise.resolve(loadNamespaces('later')).catch((error) => expect(error).toBeInstanceOf(RangeError))
    expect(text('later', 'word')).toBe(null)
    add('en', 'later', { word: 'Word' })
    await expect.poll(() => text('later', 'word')).toBe('Word')
    edit('en', 'later', { word: 'Other' })
    await expect.poll(() => text('later', 'word')).toBe('Other')
  })

  test('namespaces are loaded when they are needed, and with each language from then on', async () => {
    const texts = catalog()
    for (const language of ['en', 'pl']) texts[language] = { ...texts[language], more: { word: `more ${language}` } }
    const { translations } = project(texts)
    const { text, setLanguage, loadNamespaces } = await create(translations, ['common'])
    expect(text('more', 'word')).toBe(null)
    await loadNamespaces('more')
    expect(text('more', 'word')).toBe('more en')
    await setLanguage('pl')
    expect([text('more', 'word'), text('common', 'title')]).toEqual(['more pl', 'Tytuł'])
  })

  test.skipIf(name === 'i18next')('of two switches the later one counts, though it is answered first', async () => {
    let answer = () => {}
    const slow = new Promise<void>((resolve) => {
      answer = resolve
    })
    const texts = { ...catalog(), de: { common: { title: 'Titel' } } }
    const { translations } = project(texts, (language) => (language === 'pl' ? slow : Promise.resolve()))
    const { text, language, setLanguage } = await create(translations)
    const first = setLanguage('pl')
    await setLanguage('de')
    answer()
    await first
    expect([language(), text('common', 'title')]).toEqual(['de', 'Titel'])
  })

  test.skipIf(name === 'i18next')('a switch that fails changes nothing', async () => {
    const { translations } = project(catalog())
    const { text, language, setLanguage } = await create(translations)
    await expect(setLanguage('xx')).rejects.toThrow('unknown language "xx"; known: en, pl')
    expect([language(), text('common', 'title')]).toEqual(['en', 'Title'])
  })
})

describe('react-intl with compiled messages', () => {
  const tree = (name: string) => [{ type: 1, value: name }]

  test('trees are replaced as wholes, plain texts become trees too, broken ones stay strings', async () => {
    type Compiled = Messages<string | CompiledMessage>
    const compiled = (messages: Compiled) => messages as Messages
    const first = { title: tree('a'), deep: { x: 'x' }, broken: '{x' }
    const { translations, edit } = project({ en: { common: compiled(first) } })
    const store = createIntlStore(translations)
    await store.setLanguage('en')
    const held = store.getSnapshot().messages
    expect(held).toEqual({
      'common.title': tree('a'),
      'common.deep.x': [{ type: 0, value: 'x' }],
      'common.broken': '{x',
    })
    edit('en', 'common', compiled({ title: [{ type: 0, value: "it's" }, ...tree('b')], deep: { x: tree('c') } }))
    await expect.poll(() => store.getSnapshot().messages).not.toBe(held)
    expect(store.getSnapshot().messages).toEqual({
      'common.title': [{ type: 0, value: "it's" }, ...tree('b')],
      'common.deep.x': tree('c'),
    })
    edit('en', 'common', compiled({ title: tree('d') }))
    await expect.poll(() => store.getSnapshot().messages).toEqual({ 'common.title': tree('d') })
  })

  test('without a tree among them texts stay strings', async () => {
    const { translations } = project({ en: { common: { title: 'Title' } } })
    const store = createIntlStore(translations)
    await store.setLanguage('en')
    expect(store.getSnapshot().messages).toEqual({ 'common.title': 'Title' })
  })
})

describe('i18next', () => {
  const create = async (messages: Messages, options: object = {}) => {
    const i18n = createInstance()
    const { translations } = project({ en: { common: messages } })
    const init = { lng: 'en', fallbackLng: false, ns: ['common'], defaultNS: 'common', ...options } as const
    await i18n.use(createBackend(translations)).init(init)
    return i18n
  }

  test('flat keys, nested ones, and separators that are plain characters', async () => {
    const shapes: Messages[] = [{ 'basket.open': 'Open' }, { basket: { open: 'Open' } }]
    for (const messages of shapes) {
      const i18n = await create(messages)
      expect(i18n.t('basket.open')).toBe('Open')
      expect(i18n.getFixedT('en', 'common', 'basket')('open')).toBe('Open')
    }
    const plain = await create(
      { 'a.b': 'dot', 'x:y': 'colon', 'Really. Yes': 'text' },
      { keySeparator: false, nsSeparator: false },
    )
    expect(['a.b', 'x:y', 'Really. Yes'].map((key) => plain.t(key))).toEqual(['dot', 'colon', 'text'])
  })

  test('an unknown language fails without a retry; bindI18nStore is left alone where it is set', async () => {
    const i18n = await create({ title: 'Title' }, { react: { bindI18nStore: '' } })
    expect(i18n.options.react).toEqual({ bindI18nStore: '' })
    const error = await new Promise((resolve) => void i18n.changeLanguage('xx', resolve))
    expect(error).toEqual([expect.any(RangeError)])
  })
})
