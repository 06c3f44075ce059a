// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** Apps made up and run with the real libraries: every key that a library looks for must count as used. */
import { build, transform } from 'esbuild'
import * as i18next from 'i18next'
import * as React from 'react'
import { renderToString } from 'react-dom/server'
import * as reactI18next from 'react-i18next'
import * as reactIntl from 'react-intl'
import { describe, expect, test } from 'vitest'
import * as vueI18n from 'vue-i18n'
import { repeats } from '../../helpers/repeats.ts'
import { usedIn } from '../../helpers/usage.ts'

const NAMESPACES = ['common', 'shop', 'views/main']

/** Programs that failed once. */
const FAILED: Readonly<Record<string, readonly number[]>> = { react: [3, 7], vue: [], intl: [] }

interface Random {
  pick<T>(list: readonly T[]): T
}

/** The same choices for the same seed: Mulberry32. */
function createRandom(seed: number): Random {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
  return { pick: <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T }
}

const WORDS = ['title', 'open', 'item', 'a', 'page.title', 'menu.open', 'menu.close', 'x_y', 'Save all', 'deep.er.key']
const quote = (text: string) => JSON.stringify(text)

/** A module of keys, with every way to write them; and expressions of another module that mean one of them. */
function keyModule({ pick }: Random): { readonly code: string; readonly uses: readonly string[] } {
  const word = () => quote(pick(WORDS))
  const code = `
const PART = ${word()}
const base = { save: ${word()}, ...(flag ? { open: ${word()} } : {}) }
export const KEYS = { ...base, close: ${word()}, [PART]: ${word()} }
export const LIST = [${word()}, PART, \`\${PART}.${pick(['more', 'title'])}\`, ...Object.values(base)]
export const ITEMS = LIST.map((label) => ({ label }))
export const make = (name) => \`menu.\${name}\`
export function labelOf(kind) { return kind === 'x' ? ${word()} : KEYS[kind] ?? 'page.' + kind }
export default { nested: { label: ${word()} } }
const flag = ${pick(['true', 'false'])}
`.replace(/\nconst flag = (.*)\n$/, '')
  const flag = pick(['true', 'false'])
  const uses = ['KEYS.save', 'KEYS.close', "(KEYS['open'] ?? 'title')", 'LIST[1]', 'LIST.at(-1)', 'ITEMS[0].label']
  const more = ["make('open')", "labelOf('x')", "labelOf('close')", "labelOf('other')", 'all.nested.label']
  return { code: `const flag = ${flag}\n${code}`, uses: [...uses, ...more] }
}

const IMPORT_KEYS = "import all, { KEYS, LIST, ITEMS, make, labelOf } from './keys'"

/** An expression for a key, from literals, this module and the module of keys. */
function keyExpression(random: Random, uses: readonly string[], depth = 0): string {
  const { pick } = random
  const inner = () => (depth > 1 ? quote(pick(WORDS)) : keyExpression(random, uses, depth + 1))
  return pick([
    () => quote(pick(WORDS)),
    () => pick(uses),
    () => `(on ? ${inner()} : ${inner()})`,
    () => `((off && ${inner()}) || ${inner()})`,
    () => `\`menu.\${${pick(["'open'", 'word', 'on'])}}\``,
    () => `['page', ${pick(["'title'", 'word'])}].join('.')`,
    () => `own(${inner()})`,
    () => `{ a: ${inner()} }.a`,
    () => `[${inner()}, ${inner()}][1]`,
  ])()
    .replace(/^\{/, '({')
    .replace(/\}\.a$/, '}).a')
}

const LOCAL = "const on = true, off = false, word = 'close'; const own = (key) => key;"

interface Asked {
  /** `undefined`: the library has no namespaces. */
  readonly namespace: string | undefined
  readonly key: string
}

type Modules = Readonly<Record<string, string>>

/** Runs the entry `page.jsx` with these packages, in place of installed ones. */
async function run(files: Modules, packages: Readonly<Record<string, object>>): Promise<Record<string, unknown>> {
  const given = { ...packages, react: React }
  const { outputFiles } = await build({
    entryPoints: ['page.jsx'],
    bundle: true,
    write: false,
    format: 'cjs',
    logLevel: 'silent',
    plugins: [
      {
        name: 'modules',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /.*/ }, ({ path }) => {
            if (Object.hasOwn(given, path)) return { path, external: true }
            const name = path.replace(/^\.\//, '')
            return {
              path:
                Object.keys(files).find((file) => file.replace(/\.jsx?$/, '') === name.replace(/\.jsx?$/, '')) ?? name,
              namespace: 'app',
            }
          })
          onLoad({ filter: /.*/, namespace: 'app' }, ({ path }) => ({ contents: files[path] ?? '', loader: 'jsx' }))
        },
      },
    ],
  })
  const module = { exports: {} as Record<string, unknown> }
  const require = (name: string) => given[name as keyof typeof given]
  new Function('module', 'exports', 'require', 'React', outputFiles[0]?.text ?? '')(
    module,
    module.exports,
    require,
    React,
  )
  return module.exports
}

/** As it is written, or as a bundler has it. */
async function analyzed(files: Modules, isCompiled: boolean): Promise<Modules> {
  if (!isCompiled) return files
  const entries = Object.entries(files).map(async ([name, code]) => {
    const { code: compiled } = await transform(code, {
      loader: 'jsx',
      jsx: name.length % 2 ? 'automatic' : 'transform',
    })
    return [name, compiled] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** The keys that were asked for and do not count as used. */
async function pruned(files: Modules, asked: readonly Asked[], random: Random): Promise<unknown[]> {
  const sources = await analyzed(files, random.pick([true, false]))
  const failures: unknown[] = []
  for (const onUnknown of ['keep', 'literals'] as const) {
    const used = usedIn(sources, { namespaces: NAMESPACES, defaultNamespace: 'common', onUnknown })
    for (const { namespace, key } of asked.filter((each) => each.key !== '')) {
      const readings =
        namespace === undefined ? NAMESPACES.map((name) => [name, key] as const) : [[namespace, key] as const]
      for (const [name, own] of readings)
        if (NAMESPACES.includes(name) && !used.isUsed(name, own)) failures.push({ onUnknown, name, own })
    }
  }
  return failures
}

describe.each(['react', 'vue', 'intl'] as const)('%s', (library) => {
  const count = repeats(50, 1000)
  test(`${count} programs`, { timeout: 600_000 }, async () => {
    const seeds = [...(FAILED[library] ?? []), ...Array.from({ length: count }, (_, at) => at + 1)]
    let asks = 0
    for (const seed of seeds) {
      const random = createRandom(seed)
      const { files, asked } = await PROGRAMS[library](random)
      asks += asked.length
      const wrong = await pruned(files, asked, random)
      expect(wrong, `seed ${seed}\n${Object.values(files).join('\n---\n')}`).toEqual([])
    }
    expect(asks).toBeGreaterThan(seeds.length)
  })
})

const PROGRAMS: Readonly<
  Record<'react' | 'vue' | 'intl', (random: Random) => Promise<{ files: Modules; asked: readonly Asked[] }>>
> = {
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
      showSupportNotice: false,
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
  const { Page } = await run(files, packages)
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
  const { Page } = await run(named, { 'vue-i18n': { __esModule: true, createI18n } })
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
  const { Page } = await run(files, { 'react-intl': { __esModule: true, ...reactIntl } })
  const page = React.createElement(Page as React.FunctionComponent)
  renderToString(
    React.createElement(reactIntl.IntlProvider, { locale: 'en', messages, onError: () => undefined }, page),
  )
  return { files, asked }
}
