/** A project with gaps, customers and languages that fall back, and what an app must get from it. */
import type { PluginOptions } from '../../src/index.ts'
import { type Project, startProject } from './project.ts'

const ODD_CUSTOMER = 'b&w=1/2'

export async function fillProject(): Promise<Project> {
  const project = await startProject({
    service: {
      languages: [],
      customers: ['acme', ODD_CUSTOMER],
      texts: {
        en: { title: 'Title', gap: 'Gap filled', 'page.head': 'Head', only: 'Only English' },
        de: { title: 'Titel', gap: '', 'page.head': 'Kopf' },
        de_CH: { title: '', gap: '' },
        pl: { title: 'Tytuł', gap: '', 'page.head': '', nowhere: '' },
        'en/shop/cart': { buy: 'Buy' },
        'de/shop/cart': { buy: 'Kaufen' },
        'en/internal': { secret: 'Not for the app' },
      },
    },
  })
  await project.importTexts('en', '', { title: 'Acme title', only: 'Acme only' }, 'acme')
  await project.importTexts('de', '', { title: 'Acme-Titel' }, 'acme')
  await project.importTexts('en', 'shop/cart', { buy: 'Order' }, ODD_CUSTOMER)
  await project.publish()
  return project
}

export const optionsOf = ({ apiKey, baseUrl, cdnUrl }: Project, more: PluginOptions = {}): PluginOptions => ({
  configFile: false,
  service: { apiKey, baseUrl, cdnUrl },
  languageMap: { de_CH: 'de-CH' },
  defaultNamespace: 'main',
  namespaces: ['main', 'shop/*'],
  fallback: { 'de-CH': ['de'] },
  customers: ['acme', ODD_CUSTOMER],
  ...more,
})

export const EN = { gap: 'Gap filled', only: 'Only English', 'page.head': 'Head', title: 'Title' }
export const DE = { gap: 'Gap filled', only: 'Only English', 'page.head': 'Kopf', title: 'Titel' }

/** Request to what it must give. */
export const MODULES: Readonly<Record<string, unknown>> = {
  'virtual:translations/en/main': EN,
  'virtual:translations/de/main': DE,
  // Over `de`, then the default language.
  'virtual:translations/de-CH/main': DE,
  'virtual:translations/de-CH/shop/cart': { buy: 'Kaufen' },
  'virtual:translations/pl/main': { ...EN, title: 'Tytuł' },
  'virtual:translations/pl/shop/cart': { buy: 'Buy' },
  'virtual:translations/de': { main: DE, 'shop/cart': { buy: 'Kaufen' } },
  'virtual:translations/en/main?customer=acme': { ...EN, title: 'Acme title', only: 'Acme only' },
  'virtual:translations/de/main?customer=acme': { ...DE, title: 'Acme-Titel', only: 'Acme only' },
  'virtual:translations/de-CH/main?customer=acme': { ...DE, title: 'Acme-Titel', only: 'Acme only' },
  'virtual:translations/pl?customer=acme': {
    main: { ...EN, title: 'Tytuł', only: 'Acme only' },
    'shop/cart': { buy: 'Buy' },
  },
  [`virtual:translations/en/shop/cart?customer=${encodeURIComponent(ODD_CUSTOMER)}`]: { buy: 'Order' },
  [`virtual:translations/en/main?customer=${encodeURIComponent(ODD_CUSTOMER)}`]: EN,
}
