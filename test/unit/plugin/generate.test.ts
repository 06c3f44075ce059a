/** What a module was made of: bundlers that watch make it again when one of these files changes. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../src/logger.ts'
import { generateModule } from '../../../src/plugin/generate.ts'
import { Session } from '../../../src/plugin/session.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

test('the manifest depends on every file where the texts are prebuilt chunks, whose hashes it holds', async () => {
  const root = await tempFolder()
  const files = ['locales/en/common.json', 'locales/pl/common.json']
  await writeTree(root, Object.fromEntries(files.map((file) => [file, { title: file }])))
  const options = { configFile: false, source: 'files' } as const
  const session = new Session({ options, logger: silentLogger, fallbackRoot: root })
  onTestFinished(() => session.close())
  const state = await session.ready()
  const filesWith = async (chunkAddresses: string | undefined) =>
    (await generateModule(state, { kind: 'manifest' }, undefined, { chunkAddresses })).files
  expect([...(await filesWith('addresses'))].sort()).toEqual(files.map((file) => join(root, file)))
  expect(await filesWith(undefined)).toEqual([])
})
