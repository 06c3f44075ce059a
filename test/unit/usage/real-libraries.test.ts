// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** Apps made up and run with the real libraries: every key that a library looks for must count as used. */
import * as i18next from 'i18next'
import * as React from 'react'
import { renderToString } from 'react-dom/server'
import * as reactI18next from 'react-i18next'
import * as reactIntl from 'react-intl'
import { describe, test } from 'vitest'
import * as vueI18n from 'vue-i18n'
import {
  type Asked,
  expectAllUsed,
  IMPORT_KEYS,
  keyExpression,
  keyModule,
  LOCAL,
  NAMESPACES,
  type Program,
  quote,
  type Random,
  runPage,
  WORDS,
} from '../../helpers/random-apps.ts'
import { repeats } from '../../helpers/repeats.ts'

/** Programs that failed once. */
const FAILED: Readonly<Record<string, readonly number[]>> = { react: [3, 7], vue: [], intl: [] }

describe.each(['react', 'vue', 'intl'] as const)('%s', (library) => {
  const count = repeats(8, 1000)
  test(`${count} programs`, { timeout: 600_000 }, async () => {
    const seeds = [...(FAILED[library] ?? []), ...Array.from({ length: count }, (_, at) => at + 1)]
    await expectAllUsed(seeds, PROGRAMS[library])
  })
})

const PROGRAMS: Readonly<Record<'react' | 'vue' | 'intl', (random: Random) => Promise<Program>>> = {
  react: reactProgram,
  vue: vueProgram,
  intl: intlProgram,
}

type Lookup = (language: string, namespace: string, path: string, settings?: { keySeparator?: unknown }) => unknown

async function reactProgram(random: Random) {
  const { pick } = random
  const keys = keyModule(random)
  const key = () => keyExpression(random, keys.uses)
  const ns = () => quote(pick(NAMESPACES))
  const separators = {
    nsSeparator: pick([':', '|', '::']),
    keySeparator: pick(['.', '/', '#']),
    contextSeparator: pick(['_', '//']),
  }
  const { nsSeparator, contextSeparator } = separators
  const options = {
    lng: pick(['en', 'pl', 'ar']),
    ns: NAMESPACES,
    defaultNS: pick(NAMESPACES),
    pluralSeparator: pick(['_', '~']),
  }
  const where = pick(['{ ...shared, ...OPTIONS }', '{ ...OPTIONS, ...separators() }', 'merged'])
  const call = () =>
    pick([
      () => `t(${key()})`,
      () => `t(${key()}, { count: ${pick([0, 1, 2, 5])}, ordinal: ${pick(['true', 'false'])} })`,
      () => `t(${key()}, { context: ${pick(["'male'", 'word'])}, count: 2 })`,
      () => `t(${key()}, { ns: ${ns()} })`,
      () => `t([${key()}, ${key()}])`,
      () => `t(${quote(pick(NAMESPACES) + nsSeparator)} + ${key()})`,
      () => `t(${quote(`shop${nsSeparator}${pick(WORDS)}`)})`,
      () => `((say) => say(${key()}))(t)`,
      () => `useOwn()(${key()})`,
      () => `useBoth().say(${key()})`,
      () => `LIST.map((entry) => t(entry))`,
      () => `ITEMS.forEach(({ label }) => t(label, { ...{ count: 1 } }))`,
      () => `i18n.getFixedT(null, ${ns()}, ${quote('pre')})(${key()})`,
      () => `i18n.getResource('en', ${ns()}, ${key()})`,
      () => `i18n.store.getResource('en', ${ns()}, ${key()})`,
      () => `Reflect.apply(t, undefined, [${key()}])`,
      () => `i18n[on ? 't' : 'exists'](${key()})`,
      () => `i18n[word === '' ? 'exists' : 't'](${key()})`,
      () => `i18n.exists(${key()}) ? t(${key()}) : t('else')`,
    ])()
  const text = () =>
    pick([
      'Hello',
      'Hello <b>you</b>',
      'A <a href="#">link <i>in</i></a>, {{ name: word }}',
      '<br/>x',
      '{on ? "yes" : "no"} <strong>now</strong>',
      'One{" "}\n two <>three</>',
    ])
  const element = () =>
    pick([
      () => `<Trans i18nKey={${key()}} />`,
      () => `<Trans i18nKey={${key()}} ns=${ns()} count={2}>x</Trans>`,
      () => `<Trans>${text()}</Trans>`,
      () => `<Trans t={t}>${text()}</Trans>`,
      () => `<Trans ns=${ns()} context="male">${text()}</Trans>`,
      () => `<Trans {...{ i18nKey: ${key()} }} />`,
      () => `<Translation ns=${ns()}>{(say) => say(${key()})}</Translation>`,
      () => `<Translation ns=${ns()} keyPrefix="pre">{(t) => t(${key()})}</Translation>`,
      () => `<Label i18nKey={${key()}} />`,
      () => `<Row t={t} label={${key()}} />`,
      () => `<Wrapped />`,
    ])()
  const hook = pick([
    'useTranslation()',
    `useTranslation(${ns()})`,
    `useTranslation(${ns()}, { keyPrefix: 'pre' })`,
    `useTranslation([${ns()}, 'shop'], { keyPrefix: KEYS.save })`,
  ])
  const files = {
    'keys.js': keys.code,
    'shared.js': `export const shared = ${JSON.stringify(separators)}\nexport const separators = () => shared`,
    'i18n.js': `import i18n from 'i18next'; import { shared, separators } from './shared'
const OPTIONS = ${JSON.stringify(options)}; const merged = { ...OPTIONS, ...shared }
i18n.init(${where}); export default i18n`,
    'hooks.js': `import { useTranslation } from 'react-i18next'
export function useOwn() { const { t } = useTranslation(${ns()}); return t }
export const useBoth = () => { const { t } = useTranslation(${ns()}, { keyPrefix: 'both' }); return { say: t } }`,
    'parts.jsx': `import { Trans, withTranslation, useTranslation } from 'react-i18next'
export const Label = ({ i18nKey }) => { const { t } = useTranslation(${ns()}); return <b><Trans t={t} i18nKey={i18nKey} /></b> }
export const Row = ({ t, label }) => <i>{t(label)}{t('row')}</i>
export const Wrapped = withTranslation(${ns()}, { keyPrefix: 'hoc' })(({ t }) => <i>{t('wrapped')}</i>)`,
    'page.jsx': `import i18n from './i18n'; ${IMPORT_KEYS}
import { Trans, Translation, useTranslation } from 'react-i18next'
import { useBoth, useOwn } from './hooks'; import { Label, Row, Wrapped } from './parts'
${LOCAL}
export const Page = () => { const { t } = ${hook}; ${call()}; if (on) { ${call()} } ${call()}
return <div>${element()}${element()}</div> }`,
  }
  const asked: Asked[] = []
  const i18n = i18next.createInstance()
  i18n.use(reactI18next.initReactI18next)
  const init = i18n.init.bind(i18n)
  i18n.init = ((given: i18next.InitOptions) => {
    const done = init({
      ...given,
      initAsync: false,
      resources: { en: { common: {} } },
      react: { useSuspense: false },
    })
    const store = i18n.services.resourceStore as unknown as { getResource: Lookup }
    store.getResource = (_language, namespace, path, settings) => {
      // With a missing key, i18next looks whether the files are flat, for a warning alone.
      if (settings?.keySeparator === false) return undefined
      const parts = [path].flat().join('\0').split(separators.keySeparator)
      asked.push({ namespace, key: parts.join('.') })
      return undefined
    }
    return done
  }) as typeof i18n.init
  const packages = {
    i18next: { __esModule: true, default: i18n },
    'react-i18next': { __esModule: true, ...reactI18next },
  }
  const { Page } = await runPage(files, packages)
  try {
    renderToString(React.createElement(Page as React.FunctionComponent))
  } catch (error) {
    if (!/is not a function|undefined/.test(String(error))) throw error
  }
  return { files, asked: asked.map((each) => ({ ...each, key: each.key.replaceAll('\0', '.') })), contextSeparator }
}

async function vueProgram(random: Random) {
  const { pick } = random
  const keys = keyModule(random)
  const key = () => keyExpression(random, keys.uses)
  const call = () =>
    pick([
      () => `t(${key()})`,
      () => `t(${key()}, 2)`,
      () => `t(${quote(`shop.${pick(WORDS)}`)})`,
      () => `t(${quote(`Note: ${pick(WORDS)}`)})`,
      () => `t(${quote(`shop:${pick(WORDS)}`)}, { n: 1 })`,
      () => `i18n.global.t(${key()})`,
      () => `LIST.map((entry) => t(entry))`,
      () => `ITEMS.forEach((t) => say(t.label))`,
      () => `say(${key()})`,
      () => `useOwn().translate(${key()})`,
      () => `((go) => go(${key()}))(t)`,
      () => `te(${key()}) ? t(${key()}) : t('else')`,
    ])()
  const files = {
    'keys.js': keys.code,
    'i18n.js': `import { createI18n } from 'vue-i18n'
export const i18n = createI18n({ legacy: false, locale: 'en', missing, missingWarn: false, fallbackWarn: false, messages: { en: {} } })
const { t, te } = i18n.global
export const say = (key) => t(key)
export const useOwn = () => ({ translate: t, t, te })`,
    'page.jsx': `import { i18n, say, useOwn } from './i18n'; ${IMPORT_KEYS}
${LOCAL}
export const Page = () => { const { t, te } = useOwn(); ${call()}; if (on) { ${call()} } ${call()}; ${call()} }`,
  }
  const asked: Asked[] = []
  const missing = (_language: string, path: string) => {
    asked.push({ namespace: undefined, key: path })
  }
  const createI18n = (given: object) => vueI18n.createI18n({ ...given, missing } as vueI18n.I18nOptions)
  const named = { ...files, 'i18n.js': `const missing = undefined;${files['i18n.js']}` }
  const { Page } = await runPage(named, { 'vue-i18n': { __esModule: true, createI18n } })
  ;(Page as () => void)()
  return { files: named, asked }
}

async function intlProgram(random: Random) {
  const { pick } = random
  const keys = keyModule(random)
  const key = () => keyExpression(random, keys.uses)
  const call = () =>
    pick([
      () => `intl.formatMessage({ id: ${key()} })`,
      () => `formatMessage({ id: ${key()}, defaultMessage: 'x' }, { n: 1 })`,
      () => `intl.formatMessage(messages.one)`,
      () => `intl.formatMessage(messages[on ? 'one' : 'two'])`,
      () => `intl.formatMessage({ ...messages.two })`,
      () => `say(${key()})`,
      () => `LIST.map((id) => intl.formatMessage({ id }))`,
      () => `ITEMS.forEach(({ label: id }) => formatMessage({ id }))`,
      () => `((f) => f({ id: ${key()} }))(intl.formatMessage)`,
    ])()
  const element = () =>
    pick([
      () => `<FormattedMessage id={${key()}} />`,
      () => `<FormattedMessage {...messages.one} />`,
      () => `<Label id={${key()}} />`,
      () => `<FormattedMessage {...{ id: ${key()} }} values={{ n: 1 }} />`,
    ])()
  const files = {
    'keys.js': keys.code,
    'messages.js': `${IMPORT_KEYS}; import { defineMessages } from 'react-intl'; ${LOCAL}
export const messages = defineMessages({ one: { id: ${key()} }, two: { id: ${quote(pick(WORDS))}, defaultMessage: 'x' } })`,
    'page.jsx': `import { FormattedMessage, useIntl } from 'react-intl'; ${IMPORT_KEYS}
import { messages } from './messages'
${LOCAL}
const Label = ({ id }) => <b><FormattedMessage id={id} /></b>
export const Page = () => { const intl = useIntl(); const { formatMessage } = intl; const say = (id) => intl.formatMessage({ id });
${call()}; if (on) { ${call()} } ${call()}
return <div>${element()}${element()}</div> }`,
  }
  const asked: Asked[] = []
  const messages = new Proxy<Record<string, string>>(
    {},
    {
      getOwnPropertyDescriptor: (_, name) => {
        asked.push({ namespace: undefined, key: String(name) })
        return undefined
      },
    },
  )
  const { Page } = await runPage(files, { 'react-intl': { __esModule: true, ...reactIntl } })
  const page = React.createElement(Page as React.FunctionComponent)
  renderToString(
    React.createElement(reactIntl.IntlProvider, { locale: 'en', messages, onError: () => undefined }, page),
  )
  return { files, asked }
}
