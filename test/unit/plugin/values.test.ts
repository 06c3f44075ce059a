/** Arrays, numbers, booleans and null in modules, from every source. `test/bundlers/values.test.ts` has the bundlers. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { PluginOptions } from '../../../src/index.ts'
import { buildState, modulesOf } from '../../helpers/built-modules.ts'
import { type Project, startProject } from '../../helpers/project.ts'
import { EN, FILES, PL_SHOWN } from '../../helpers/values-project.ts'

const flat = ({ limits, ...others }: typeof PL_SHOWN | typeof EN) => ({
  ...others,
  ...Object.fromEntries(Object.entries(limits).map(([name, value]) => [`limits.${name}`, value])),
})

const build = async (files: Record<string, object>, options: PluginOptions) =>
  modulesOf(await buildState({ defaultLanguage: 'en', ...options }, files), [
    'virtual:translations/en/common',
    'virtual:translations/pl/common',
  ])

test('flat, the outermost array is the value of its key', async () => {
  expect(await build(FILES, { shape: 'flat' })).toEqual([flat(EN), flat(PL_SHOWN)])
})

describe('from the service', () => {
  let project: Project
  beforeAll(async () => {
    project = await startProject({ service: true })
    await project.importTexts('en', 'common', { title: 'T', 'steps.0': 'a', 'steps.1': 'b', 'list.0.t': 'x' })
    await project.importTexts('pl', 'common', { title: '', 'steps.0': '', 'steps.1': 'β', 'list.0.t': 'ξ' })
    await project.publish()
  })

  const service = () => {
    const { apiKey, baseUrl, cdnUrl } = project
    return { apiKey, baseUrl, cdnUrl }
  }
  const SOURCES = ['export', 'hosting', 'query'] as const

  test.each(SOURCES)('%s: arrays that a file has, with the values of the file', async (source) => {
    const files = { 'locales/en/common.json': { steps: ['', ''], list: [{ t: '' }, {}], size: 3, on: [true, 'yes'] } }
    const shown = await build(files, { source, service: service(), shape: 'flat' })
    expect(shown).toEqual([
      { title: 'T', steps: ['a', 'b'], list: [{ t: 'x' }, {}], size: 3, on: [true, 'yes'] },
      { title: 'T', steps: ['a', 'β'], list: [{ t: 'ξ' }, {}], size: 3, on: [true, 'yes'] },
    ])
  })

  test.each(SOURCES)('%s: without files, nested keys that are indices are an array', async (source) => {
    const options = { source, service: service() }
    const list = (t: string) => [{ t }]
    expect(await build({}, { ...options, shape: 'nested' })).toEqual([
      { title: 'T', steps: ['a', 'b'], list: list('x') },
      { title: 'T', steps: ['a', 'β'], list: list('ξ') },
    ])
    expect(await build({}, { ...options, shape: 'flat' })).toMatchObject([{ 'steps.0': 'a' }, { 'steps.1': 'β' }])
  })
})

describe('options', () => {
  test("values: 'error' stops the build at the first place", async () => {
    await expect(build(FILES, { values: 'error' })).rejects.toThrow(/en\/common\.json:\d+:\d+.*is an array/)
  })

  test("emptyTexts: 'keep' shows an empty text", async () => {
    const files = {
      'locales/en/common.json': { a: 'A', b: 'B', c: ['C'] },
      'locales/pl/common.json': { a: '', c: [''] },
    }
    const [, gap] = await build(files, {})
    expect(gap).toEqual({ a: 'A', b: 'B', c: ['C'] })
    const [, kept] = await build(files, { emptyTexts: 'keep' })
    expect(kept).toEqual({ a: '', b: 'B', c: [''] })
    const plain = { 'locales/en/common.json': { a: 'A' }, 'locales/pl/common.json': { a: '' } }
    expect(await build(plain, { emptyTexts: 'keep' })).toEqual([{ a: 'A' }, { a: '' }])
  })
})
