/** What generated programs import: libraries that record what they are asked for, and a package that changes objects. */
import { setImmediate } from 'node:timers/promises'
import { transform } from 'esbuild'

/** Known only when the program runs. */
export interface Run {
  readonly c: boolean
  readonly flag: boolean
  readonly i: number
  readonly word: string
  readonly prop: string
  readonly method: 't'
  readonly action: 'act'
}

export interface Program {
  /** By path. `main.js` is the entry. */
  readonly files: Readonly<Record<string, string>>
  readonly run: Run
}

/** How a module gets at what it names. */
export const LIBRARIES: Readonly<Record<string, string>> = {
  t: "import { t } from 'i18next'",
  i18n: "import i18n from 'i18next'",
  useTranslation: "import { useTranslation } from 'react-i18next'",
  Trans: "import { Trans } from 'react-i18next'",
  createElement: "import { createElement } from 'react'",
  useState: "import { useState } from 'react'",
  useMemo: "import { useMemo } from 'react'",
  useRef: "import { useRef } from 'react'",
  useEffect: "import { useEffect } from 'react'",
  useCallback: "import { useCallback } from 'react'",
  reactive: "import { reactive } from 'vue'",
  intl: "import { useIntl } from 'react-intl'\nconst intl = useIntl()",
  vue: "import { createI18n } from 'vue-i18n'\nconst vue = createI18n({ legacy: false, locale: 'en' })",
}

/**
 * `ask` gives the text of a key, and records what was asked for: without a namespace, in any of them. It ends a program
 * that would never stop asking.
 */
const ASK = `
export const asked = (globalThis.asked ??= [])
export const ask = (namespace, key) => {
  if (typeof key !== 'string') return ''
  const text = globalThis.texts?.[namespace]?.[key]
  if (asked.length > 10_000) throw new Error('the program asks without end')
  asked.push([namespace, key, text])
  return text ?? key
}
export const askAll = (key) => (ask('common', key), ask('shop', key))
export const recorded = (namespace) =>
  new Proxy({}, {
    get: (_, key) => (namespace ? ask(namespace, key) : askAll(key)),
    getOwnPropertyDescriptor: (_, key) => ({ value: ask(namespace, key), enumerable: true, configurable: true }),
  })
`

/** By the name that programs import. Their files are below \`node_modules\`. */
export const PACKAGES: Readonly<Record<string, string>> = {
  asked: ASK,
  i18next: `import { ask, recorded } from 'asked'
const data = { en: { common: recorded('common'), shop: recorded('shop') } }
export const t = (key, options) => ask(options?.ns ?? 'common', key)
const i18n = {
  init() {},
  t,
  getFixedT: (_, namespace = 'common') => (key) => ask(namespace, key),
  getResource: (_, namespace, key) => ask(namespace, key),
  getResourceBundle: (language, namespace) => data[language][namespace],
  getDataByLanguage: (language) => data[language],
  store: { data },
  services: { resourceStore: { data } },
}
export default i18n`,
  'react-i18next': `import i18n from 'i18next'
export const useTranslation = (namespace) => {
  const t = i18n.getFixedT(null, namespace)
  return Object.assign([t, i18n], { t, i18n })
}
export const Trans = ({ i18nKey, ns }) => i18n.t(i18nKey, { ns })`,
  react: `export const createElement = (component, props) => component(props)
export const useState = (value) => [value, () => {}]
export const useMemo = (make) => make()
export const useRef = (current) => ({ current })
export const useEffect = (work) => work()
export const useCallback = (callback) => callback`,
  vue: 'export const reactive = (given) => new Proxy(given, {})',
  'react-intl': `import { askAll, recorded } from 'asked'
export const useIntl = () => ({ formatMessage: ({ id }) => askAll(id), messages: recorded() })`,
  'vue-i18n': `import { askAll, recorded } from 'asked'
const messages = { value: { en: recorded() } }
export const createI18n = () => ({ global: { t: askAll, getLocaleMessage: () => messages.value.en, messages } })`,
  pkg: `const registered = []
export const state = { current: undefined }
export const same = (given) => given
export const call = (callback, ...given) => callback(...given)
export const each = (list, callback) => list.forEach((one) => callback(one))
export const sort = (list) => list.sort(() => -1)
export const fill = (list) => list.push('p1')
export const rename = (given) => { given.label = 'p2' }
export const merge = (target, source) => {
  for (const [name, value] of Object.entries(source))
    if (value && typeof value === 'object' && target[name]) merge(target[name], value)
    else target[name] = value
  return target
}
export const set = (target, path, value) => {
  const names = path.split('.')
  const last = names.pop()
  names.reduce((inner, name) => inner[name], target)[last] = value
}
export const produce = (target, recipe) => (recipe(target), target)
export const create = (state) => ({
  get: () => state,
  set(change) { state = typeof change === 'function' ? change(state) : { ...state, ...change } },
})
export class Model {
  constructor(given) { this.given = given }
  change() { this.given.label = 'p4' }
}
export const useLabel = (given) => { given.label = 'p5' }
export const register = (given) => registered.push(given)
export const flush = () => { for (const one of [...registered, state.current]) if (one) one.label = 'p3' }
export default { create, Model, useLabel, state, same, call, each, sort, fill, rename, merge, set, produce, register, flush }`,
}

interface Asked {
  readonly namespace: string
  readonly key: string
}

export interface Execution {
  readonly asked: readonly Asked[]
  /** What ended the program early. */
  readonly error: unknown
}

type Factory = (scope: object, require: (name: string) => unknown, module: { exports: object }) => void

/** A module as a function. */
async function compile(code: string): Promise<Factory> {
  const options = { format: 'cjs', target: 'node22', logLevel: 'silent' } as const
  const { code: compiled } = await transform(code, options)
  return new Function(
    'globalThis',
    'require',
    'module',
    `'use strict';let exports = module.exports;${compiled}`,
  ) as Factory
}

const packages = Promise.all(
  Object.entries(PACKAGES).map(async ([name, code]) => [name, await compile(code)] as const),
).then((all) => Object.fromEntries(all))

/** Runs a program, and gives what it asked for. */
export async function execute({ files, run }: Program): Promise<Execution> {
  const entries = Object.entries(files).map(async ([name, code]) => [`./${name}`, await compile(code)] as const)
  const factories: Record<string, Factory> = { ...(await packages), ...Object.fromEntries(await Promise.all(entries)) }
  const asked: [string, string][] = []
  const loaded = new Map<string, { exports: object }>()
  const scope = { run, asked }
  const load = (name: string): unknown => {
    const known = loaded.get(name)
    if (known) return known.exports
    const module = { exports: {} }
    loaded.set(name, module)
    const factory = factories[name]
    if (!factory) throw new Error(`no module ${name}`)
    factory(scope, load, module)
    return module.exports
  }
  let error: unknown
  try {
    load('./main.js')
  } catch (thrown) {
    error = thrown
  }
  // What waits for promises.
  await setImmediate()
  return { asked: asked.map(([namespace, key]) => ({ namespace, key })), error }
}
