/** Files whose texts are not kept: read again when they are asked for, or refused when they are not what they were. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LazyTexts } from '../../../src/catalog/model.ts'
import { createLazyReader, type ModuleCache } from '../../../src/files/lazy.ts'
import { createTextWriter } from '../../../src/files/text-writer.ts'
import { tempFolder } from '../../helpers/temp.ts'

const FILES = 20
/** The last ones are longer than the first ones promise. */
const textOf = (i: number) => `text ${i}${i < 17 ? '' : ' long'.repeat(50)}`
const contentOf = (i: number, text = textOf(i)) => `{ "key": "${text}", "other": "${i} </script>" }`

/** A cache that takes `maxBytes`, as `sources/text-cache`. */
function cacheOf(maxBytes: number) {
  const kept = new Map<string, LazyTexts>()
  let size = 0
  const cache: ModuleCache = {
    maxBytes,
    get isFull() {
      return size > maxBytes
    },
    giveUp() {
      size = Number.POSITIVE_INFINITY
      kept.clear()
    },
    get: () => undefined,
    add(hash, texts) {
      size += texts.module?.size ?? 0
      kept.set(hash, texts)
      if (size > maxBytes) kept.clear()
    },
  }
  return { cache, kept }
}

async function readAll(maxBytes: number) {
  const root = await tempFolder()
  const path = (i: number) => join(root, `${i}.json`)
  for (let i = 0; i < FILES; i++) writeFileSync(path(i), contentOf(i))
  const { cache, kept } = cacheOf(maxBytes)
  const read = createLazyReader({ writer: createTextWriter('.'), cache, fileCount: FILES })
  const found: LazyTexts[] = []
  for (let i = 0; i < FILES; i++) {
    const content = await read(path(i), { keySeparator: '.', namespace: 'common', file: `${i}.json` })
    found.push(content?.texts as LazyTexts)
  }
  return { path, kept, found }
}

test('a small catalog is kept: what happens to its files meanwhile does not matter', async () => {
  const { path, kept, found } = await readAll(1_000_000)
  expect(kept.size).toBe(FILES)
  writeFileSync(path(3), 'something else')
  expect(found[3]?.module?.bytes.toString()).toContain('text 3')
  expect(found[3]?.plain()).toEqual({ key: 'text 3', other: '3 </script>' })
})

test.each([
  ['seen coming after some files', 400],
  ['met by adding', 1_200],
])('a large catalog, %s, is read again', async (_name, maxBytes) => {
  const { path, kept, found } = await readAll(maxBytes)
  expect(kept.size).toBeLessThan(FILES)
  for (const [i, texts] of found.entries()) {
    const expected = `export default {"key":"${textOf(i)}","other":"${i} \\u003c/script>"}\n`
    const { module } = texts
    expect([module?.bytes.toString(), module?.borrow?.().toString(), module?.size]).toEqual([
      expected,
      expected,
      expected.length,
    ])
    expect(texts.plain()).toEqual({ key: textOf(i), other: `${i} </script>` })
  }
  // Of the same length.
  writeFileSync(path(3), contentOf(3, 'tExt 3'))
  const { module } = found[3] as LazyTexts
  expect(() => module?.bytes).toThrow(
    expect.objectContaining({ code: 'FILE_READ', message: expect.stringContaining('3.json') }),
  )
  expect(() => module?.borrow?.()).toThrow(/changed while the build ran/)
  writeFileSync(path(3), 'no JSON')
  expect(() => module?.bytes).toThrow(/3\.json changed while the build ran/)
  rmSync(path(3))
  expect(() => module?.bytes).toThrow(/3\.json changed while the build ran/)
  expect(found[4]?.module?.bytes.toString()).toContain('text 4')
})
