/** The names by which libraries are known. */

/** Translation functions by their bare name: the first argument is a key, or a descriptor with an `id`. */
const FUNCTIONS = ['t', '$t', '$tc', '$te', '$tm', '$_', '$format', '$json', 'formatMessage', '$formatMessage']
/** The same as properties of some object: `i18n.te('x')`, `const { tm } = useI18n()`. */
const PROPERTIES = [...FUNCTIONS, 'te', 'tc', 'tm', 'formatHTMLMessage']

/** What gives an object that holds a translation function. */
export const HOLDER_MAKERS: ReadonlySet<string> = new Set([
  'useTranslation',
  'useI18n',
  'useIntl',
  'useNuxtApp',
  'createIntl',
  'createI18n',
  'createInstance',
  'useI18next',
])

/** Names of i18next's, vue-i18n's and react-intl's own objects. */
export const LIBRARY_OBJECT = /^(?:\$?i18n(?:ext)?(?:Instance)?|intl|\$intl)$/i

/** Packages whose `useTranslation(namespace, options)` is known. */
export const I18NEXT_PACKAGE =
  /(?:^|\/)(?:react-i18next|next-i18next|i18next-vue|i18next|solid-i18next|next-translate)(?:\/|$)/

/** They give back what they are given. */
export const PASSING: ReadonlySet<string> = new Set([
  'unref',
  '_unref',
  'toRaw',
  'markRaw',
  'toValue',
  'shallowRef',
  'get',
  'store_get',
  'useRef',
  'memo',
  'computed',
])

/** Properties and attributes that hold a key, whatever element they are on. */
export const KEY_PROPERTIES: ReadonlySet<string> = new Set(['i18nKey', 'keypath'])

/** Components that take a key, and how the property is called. */
export const COMPONENTS: Readonly<Record<string, string>> = {
  Trans: 'i18nKey',
  IcuTrans: 'i18nKey',
  FormattedMessage: 'id',
  FormattedHTMLMessage: 'id',
}

export const DESCRIPTOR_MAKERS: ReadonlySet<string> = new Set(['defineMessages', 'defineMessage'])

export interface FunctionNames {
  /** The name means a translation function wherever it stands. */
  isFunction(name: string): boolean
  /** The name means one as a property. */
  isProperty(name: string): boolean
  /** Cheap: whether a text may hold any use at all. */
  mayUse(code: string): boolean
}

/** The known names and the app's own. */
export function createFunctionNames(own: readonly string[]): FunctionNames {
  const functions = new Set([...FUNCTIONS, ...own])
  const properties = new Set([...PROPERTIES, ...own])
  const telling = [
    ...properties,
    ...HOLDER_MAKERS,
    ...KEY_PROPERTIES,
    ...Object.keys(COMPONENTS),
    ...DESCRIPTOR_MAKERS,
    'getFixedT',
    'useTranslations',
    'getTranslations',
    'withTranslation',
    'Translation',
    'defaultMessage',
    'defaultNS',
    'fallbackNS',
    'setDefaultNamespace',
    'vT',
    '_directive_t',
    'exists',
  ]
  const token = new RegExp(
    `virtual:translations|unplugin-localization-virtual|i18n|(?<![\\w$])(?:${telling.map(escaped).join('|')})(?![\\w$])|\\\\u`,
    'i',
  )
  return {
    isFunction: (name) => functions.has(name),
    isProperty: (name) => properties.has(name),
    mayUse: (code) => token.test(code),
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
