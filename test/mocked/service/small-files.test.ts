/** A thread costs more than the compression of a small file, of which a publish may have thousands. */
import { gunzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'

const threads = vi.hoisted(() => ({ used: 0 }))
vi.mock('node:zlib', async (original) => {
  const zlib = await original<typeof import('node:zlib')>()
  const deflateRaw = (...given: unknown[]) => {
    threads.used++
    return Reflect.apply(zlib.deflateRaw, zlib, given)
  }
  return { ...zlib, default: { ...zlib, deflateRaw }, deflateRaw }
})

const { JsonFiles } = await import('../../../src/service/json-file.ts')

test.each([
  ['small', 100, 0],
  ['large', 10_000, 1],
])('a %s file', async (_name, texts, used) => {
  threads.used = 0
  const object = new JsonFiles().createObject()
  for (let i = 0; i < texts; i++) object.add(`"key${i}"`, `"text ${i}"`)
  const { chunks } = await object.toFile()
  expect(Object.keys(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()))).toHaveLength(texts)
  expect(threads.used).toBe(used)
})
