/** What the configuration decides about modules before any bundler is asked. `test/bundlers/options.test.ts` has the bundlers. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { PluginOptions } from '../../../src/index.ts'
import { buildState, modulesOf } from '../../helpers/built-modules.ts'
import { DE, fillProject, MODULES, optionsOf } from '../../helpers/options-project.ts'
import { type Project, startProject } from '../../helpers/project.ts'

const build = async (options: PluginOptions, requests: readonly string[], files?: Record<string, object>) =>
  modulesOf(await buildState(options, files), requests)

describe('of one project', () => {
  let project: Project
  beforeAll(async () => {
    project = await fillProject()
  })

  it.each(['export', 'hosting', 'query'] as const)('gives the same from source %s', async (source) => {
    const modules = await build(optionsOf(project, { source }), Object.keys(MODULES))
    expect(Object.fromEntries(Object.keys(MODULES).map((request, i) => [request, modules[i]]))).toEqual(MODULES)
  })

  it('lays the one customer over everything', async () => {
    const options = optionsOf(project, { customer: 'acme' })
    expect(await build(options, ['virtual:translations/de/main'])).toEqual([
      { ...DE, title: 'Acme-Titel', only: 'Acme only' },
    ])
  })

  it('leaves gaps out where fallback is off', async () => {
    const options = optionsOf(project, { fallback: false })
    expect(await build(options, ['virtual:translations/pl/main', 'virtual:translations/de-CH/main'])).toEqual([
      { title: 'Tytuł' },
      {},
    ])
  })

  it('closes each chain with the configured default language, and keeps to the languages asked for', async () => {
    const options = optionsOf(project, { defaultLanguage: 'de', languages: ['pl', 'de'], fallback: {} })
    expect(await build(options, ['virtual:translations/pl/main'])).toEqual([{ title: 'Tytuł', 'page.head': 'Kopf' }])
    await expect(build(options, ['virtual:translations/en/main'])).rejects.toThrow('unknown language "en"')
  })

  it('fills the gaps of the service from files, which do not win over it', async () => {
    const requests = ['virtual:translations/de/main', 'virtual:translations/pl/shop/cart']
    const files = {
      'locales/de/main.json': { title: 'from a file', gap: 'Lücke' },
      'locales/pl/shop/cart.json': { buy: 'Kup', more: 'Więcej' },
    }
    expect(await build(optionsOf(project), requests, files)).toEqual([
      { ...DE, gap: 'Lücke' },
      { buy: 'Kup', more: 'Więcej' },
    ])
  })

  it.each([
    ['virtual:translations/de-CJ/main', 'unknown language "de-CJ"', '"de-CH"'],
    ['virtual:translations/en/mian', 'unknown namespace "mian"', '"main"'],
    ['virtual:translations/en/shop/crat', 'unknown namespace "shop/crat"', '"shop/cart"'],
    ['virtual:translations/fr', 'unknown language "fr"', '"en"'],
    ['virtual:translations/en/main?customer=acne', 'unknown customer "acne"', 'customers'],
  ])('fails on %s', async (request, what, hint) => {
    const failing = build(optionsOf(project), [request])
    await expect(failing).rejects.toThrow(what)
    await expect(failing).rejects.toThrow(hint)
  })
})

it('nests, and loses no key that cannot be nested', async () => {
  const project = await startProject({ service: true })
  const texts = { 'a.b.c': '1', 'a.d': '2', 'x.y': '3', x: '4', '.': '5', 'p.__proto__.q': '6' }
  await project.importTexts('en', '', texts)
  const service = { apiKey: project.apiKey, baseUrl: project.baseUrl }
  const [messages] = await build({ service, shape: 'nested' }, ['virtual:translations/en/default'])
  expect(JSON.stringify(messages)).toBe(
    '{".":"5","a":{"b":{"c":"1"},"d":"2"},"p":{"__proto__":{"q":"6"}},"x":"4","x.y":"3"}',
  )
})

it('takes what export v3 can carry, and says which sources carry the rest', async () => {
  const project = await startProject({ service: { features: { exportV4: false, projectInfo: false } } })
  await project.importTexts('en', '', { title: 'Title' })
  await project.importTexts('de', '', { title: '' })
  const service = { apiKey: project.apiKey, baseUrl: project.baseUrl }
  expect(await build({ service }, ['virtual:translations/de/default'])).toEqual([{ title: 'Title' }])
  await expect(build({ service, namespaces: ['shop'] }, ['virtual:translations/de/shop'])).rejects.toThrow(
    /namespaces "shop", .*only export v3, without namespaces/,
  )
})
