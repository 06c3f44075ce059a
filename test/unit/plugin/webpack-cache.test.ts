/** The file that the modules of webpack and Rspack depend on: new content makes them build again. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Compiler } from 'webpack'
import { writeCacheFile } from '../../../src/plugin/bundlers/webpack/compiler-build.ts'
import type { Session } from '../../../src/plugin/session.ts'
import type { LoadedState, StateChange } from '../../../src/plugin/state.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { tempFolder } from '../../helpers/temp.ts'

test('while the bundler watches, it changes with the texts and with what is wrong in the files, and only then', async () => {
  const context = await tempFolder()
  const config = resolveConfig({}, { root: context, ci: false })
  const stateOf = (texts: string, ...diagnostics: object[]) =>
    ({ config, digest: () => texts, loaded: { files: { diagnostics } } }) as unknown as LoadedState
  let change: (change: StateChange) => unknown = () => {}
  const onChange = (listener: typeof change) => {
    change = listener
  }
  const session = { dev: { onChange } } as unknown as Session
  const compiler = { context, watchMode: true, options: { mode: 'development' } } as unknown as Compiler

  const before = stateOf('old')
  const { path = '', isCacheable } = await writeCacheFile(compiler, session, before, 'place')
  expect(isCacheable).toBe(true)
  expect(path.startsWith(join(context, '.localization'))).toBe(true)
  const contentAfter = async (after: LoadedState) => {
    await change({ before, after })
    return readFile(path, 'utf8')
  }
  const broken = { code: 'FILE_SYNTAX', message: 'cut off', severity: 'error' }
  const states = [
    stateOf('old'),
    stateOf('old', broken),
    stateOf('old', broken, broken),
    stateOf('new'),
    stateOf('old'),
  ]
  const contents: string[] = []
  for (const state of states) contents.push(await contentAfter(state))
  expect(new Set(contents).size).toBe(4)
  expect(contents[4]).toBe(contents[0])
})
