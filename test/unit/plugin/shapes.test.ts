/** Texts inside an object of each file, and empty names. `test/bundlers/shapes.test.ts` has the bundlers. */
import { expect, test } from 'vitest'
import { buildState, modulesOf } from '../../helpers/built-modules.ts'

test('a root that is missing stops the build at its place', async () => {
  const files = {
    'locales/en.json': { en: { title: 'Title' } },
    'locales/de.json': '{\n  "pl": {"title": "Tytuł"}\n}\n',
  }
  const options = { files: { pattern: 'locales/{language}.json', root: '{language}' } }
  await expect(buildState(options, files)).rejects.toThrow(
    /locales\/de\.json:2:3.*the root "de" is missing: the file has "pl".*language/,
  )
})

test('an empty name with the usual separator', async () => {
  const tree = { menu: { '': 'Menu', open: 'Open' }, 'Loading...': 'Loading...' }
  const state = await buildState({ shape: 'nested' }, { 'locales/en/common.json': tree })
  expect(await modulesOf(state, ['virtual:translations/en/common'])).toEqual([tree])
})
