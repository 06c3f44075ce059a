/** What translations are made with: one default language and namespace, no fallback and no customer. */
export const TRANSLATION_SETTINGS = {
  languages: undefined,
  defaultLanguage: 'en',
  fallback: {},
  defaultNamespace: 'common',
  customer: undefined,
  customers: [],
} as const
