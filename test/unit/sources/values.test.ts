/** Values that are no texts, in documents of a service and in its snapshot. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogDigest } from '../../../src/catalog/digest.ts'
import { createCatalog } from '../../../src/catalog/model.ts'
import { loadConfig } from '../../../src/config/resolve.ts'
import { readSnapshot, writeSnapshot } from '../../../src/sources/snapshot.ts'
import { textsOf } from '../../../src/sources/source.ts'
import { tempFolder } from '../../helpers/temp.ts'

const DOCUMENT = { t: 'T', a: ['x', 2, null, { y: 'z', o: {} }], n: 1.5, b: false, none: null }

describe('a document', () => {
  test('holds arrays, numbers and booleans; null is a missing text', () => {
    const { messages, values } = textsOf(DOCUMENT, { keySeparator: '.', values: 'keep' }, 'a file')
    expect(Object.fromEntries(messages)).toEqual({ t: 'T', 'a.0': 'x', 'a.2': '', 'a.3.y': 'z', none: '' })
    expect(Object.fromEntries(values ?? [])).toEqual({
      a: { kind: 'array', length: 4 },
      'a.1': { kind: 'scalar', json: '2' },
      'a.3': { kind: 'object' },
      'a.3.o': { kind: 'object' },
      n: { kind: 'scalar', json: '1.5' },
      b: { kind: 'scalar', json: 'false' },
    })
  })

  test("is no file of translations with values: 'error', and without any text", () => {
    const strict = { keySeparator: '.', values: 'error' } as const
    expect(() => textsOf(DOCUMENT, strict, 'a file')).toThrow(
      'a file is not a translation file: contains a value of type array at "a"',
    )
    const error = { status: 404, ok: false }
    expect(() => textsOf(error, { ...strict, values: 'keep' }, 'a file')).toThrow(
      'a file is not a translation file: contains no texts',
    )
  })
})

test('a snapshot holds them', async () => {
  const root = await tempFolder()
  const config = await loadConfig({ root, configFile: false, env: {} })
  const { messages, values } = textsOf(DOCUMENT, config, 'a file')
  const catalog = createCatalog({ parts: [{ language: 'en', namespace: '', messages, ...(values && { values }) }] })
  await writeSnapshot(config, { catalog, savedAt: new Date(), validator: undefined })
  const read = await readSnapshot(config)
  expect(catalogDigest(read.catalog)).toBe(catalogDigest(catalog))
  expect(read.catalog.part('en', '')?.values).toEqual(values)
  await expect(readSnapshot({ ...config, values: 'error' })).rejects.toMatchObject({ code: 'SNAPSHOT_MISSING' })
})

test('a snapshot that cannot be read is not missing', async () => {
  const root = await tempFolder()
  const config = await loadConfig({ root, configFile: false, env: {} })
  await writeSnapshot(config, { catalog: createCatalog({ parts: [] }), savedAt: new Date(), validator: undefined })
  const folder = join(root, '.localization')
  for (const name of await readdir(folder)) {
    await rm(join(folder, name))
    await mkdir(join(folder, name))
  }
  await expect(readSnapshot(config)).rejects.toMatchObject({
    code: 'SNAPSHOT_INVALID',
    message: expect.stringContaining('EISDIR'),
  })
})
