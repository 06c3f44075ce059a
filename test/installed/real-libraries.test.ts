// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are sources
/** As `test/unit/usage/real-libraries.test.ts`, with libraries that are no dependency of the tests. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Component } from 'svelte'
import { compile } from 'svelte/compiler'
import { render } from 'svelte/server'
import * as store from 'svelte/store'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
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
} from '../helpers/random-apps.ts'
import { fetchPackage } from '../helpers/tarball.ts'

const SEEDS = Array.from({ length: 1000 }, (_, at) => at + 1)

const importFrom = async (folder: string, specifier: string) =>
  (await import(pathToFileURL(createRequire(join(folder, 'package.json')).resolve(specifier)).href)) as object

interface Translator {
  (key: string): string
  rich(key: string): string
}
type CreateTranslator = (options: object) => Translator

test('next-intl: 1,000 programs', async () => {
  const { createTranslator } = (await importFrom(await fetchPackage('use-intl@4.3.12'), 'use-intl/core')) as {
    createTranslator: CreateTranslator
  }
  await expectAllUsed(SEEDS, (random) => nextProgram(random, createTranslator))
})

/** Any path leads to an object, never to a text: the library then asks what to show instead. */
const endless: object = new Proxy({}, { get: (_, name) => (typeof name === 'string' ? endless : undefined) })

async function nextProgram(random: Random, createTranslator: CreateTranslator): Promise<Program> {
  const { pick } = random
  const keys = keyModule(random)
  const key = () => keyExpression(random, keys.uses)
  const place = () => quote(pick([...NAMESPACES, 'common.pre', 'Home', 'shop.deep.er']))
  const call = () =>
    pick([
      () => `t(${key()})`,
      () => `t(${key()}, { count: 2 })`,
      () => `t.rich(${key()}, { b: (chunks) => chunks })`,
      () => `t.markup(${key()})`,
      () => `useTranslations(${place()})(${key()})`,
      () => `useTranslations()(${quote(`${pick(NAMESPACES)}.`)} + ${key()})`,
      () => `useOwn()(${key()})`,
      () => `useBoth().say(${key()})`,
      () => `((say) => say(${key()}))(t)`,
      () => `LIST.map((entry) => t(entry))`,
      () => `ITEMS.forEach(({ label }) => t(label))`,
      () => `(await getTranslations(${place()}))(${key()})`,
      () => `(await getTranslations({ locale: 'en', namespace: ${place()} }))(${key()})`,
      () => `(await Promise.all([getTranslations(${place()}), 1]))[0](${key()})`,
    ])()
  const hook = pick([
    `useTranslations(${place()})`,
    'useTranslations()',
    `await getTranslations(${place()})`,
    "useTranslations(on ? 'common' : 'shop')",
    'useTranslations(KEYS.save)',
  ])
  const files = {
    'keys.js': keys.code,
    'hooks.js': `import { useTranslations } from 'next-intl'
export function useOwn() { const t = useTranslations(${place()}); return t }
export const useBoth = () => { const t = useTranslations(${place()}); return { say: t } }`,
    'page.jsx': `import { useTranslations } from 'next-intl'; import { getTranslations } from 'next-intl/server'
${IMPORT_KEYS}; import { useBoth, useOwn } from './hooks'
${LOCAL}
export const Page = async () => { const t = ${hook}; ${call()}; if (on) { ${call()} } ${call()}; ${call()} }`,
  }
  const asked: Asked[] = []
  const useTranslations = (namespace?: string) =>
    createTranslator({
      locale: 'en',
      messages: endless,
      namespace,
      onError: () => undefined,
      getMessageFallback: (missing: { namespace?: string; key: string }) => {
        const path = [missing.namespace, missing.key].filter(Boolean).join('.')
        const [first = '', ...rest] = path.split('.')
        if (NAMESPACES.includes(first)) asked.push({ namespace: first, key: rest.join('.') })
        else asked.push({ namespace: undefined, key: path })
        return path
      },
    })
  const getTranslations = async (given?: string | { namespace?: string }) =>
    useTranslations(typeof given === 'object' ? given.namespace : given)
  const packages = { 'next-intl': { useTranslations }, 'next-intl/server': { getTranslations } }
  const { Page } = await runPage(files, packages)
  await (Page as () => Promise<void>)()
  return { files, asked }
}

interface SvelteI18n {
  init(options: object): unknown
  addMessages(language: string, messages: object): void
}

test('svelte-i18n: 1,000 programs', async () => {
  const library = (await importFrom(await fetchPackage('svelte-i18n@4.0.1'), 'svelte-i18n')) as SvelteI18n
  let asked: Asked[] = []
  const handleMissingMessage = ({ id }: { id: string }) => {
    asked.push({ namespace: undefined, key: id })
    return id
  }
  library.init({ fallbackLocale: 'en', initialLocale: 'en', handleMissingMessage })
  library.addMessages('en', {})
  await expectAllUsed(SEEDS, async (random) => {
    asked = []
    const files = await svelteProgram(random, library)
    return { files, asked }
  })
  expect(asked).not.toEqual([])
})

async function svelteProgram(random: Random, library: object): Promise<Program['files']> {
  const { pick } = random
  const keys = keyModule(random)
  const key = () => keyExpression(random, keys.uses)
  const call = () =>
    pick([
      () => `$t(${key()})`,
      () => `$_(${key()}, { values: { n: 1 } })`,
      () => `$format({ id: ${key()} })`,
      () => `$say(${key()})`,
      () => `$stored(${key()})`,
      () => `get(t)(${key()})`,
      () => `((go) => go(${key()}))($t)`,
      () => `LIST.map((entry) => $t(entry)).join()`,
      () => `ITEMS.map(({ label }) => $_(label)).join()`,
      () => `$t(${quote(`${pick(NAMESPACES)}.${pick(WORDS)}`)})`,
    ])()
  const source = `<script>
  import { _, format, t, t as say } from 'svelte-i18n'
  import { get } from 'svelte/store'
  ${IMPORT_KEYS}
  import { stored } from './stores'
  ${LOCAL}
  const first = ${call()}
</script>
<h1 title={${call()}}>{first} {${call()}}</h1>
{#if on}<p>{${call()}}</p>{/if}
{#each LIST as entry}<i>{$t(entry)}</i>{/each}
`
  const compiled = (generate: 'client' | 'server') => compile(source, { generate, filename: 'page.svelte' }).js.code
  const rest = { 'keys.js': keys.code, 'stores.js': "export { t as stored } from 'svelte-i18n'" }
  const packages = {
    'svelte-i18n': library,
    'svelte/internal/server': await importFrom(repository, 'svelte/internal/server'),
    'svelte/store': store,
  }
  const { default: Page } = await runPage({ ...rest, 'page.jsx': compiled('server') }, packages)
  const { body } = render(Page as Component)
  expect(body).toContain('<h1')
  return { ...rest, 'page.jsx': compiled(pick(['client', 'server'])) }
}
