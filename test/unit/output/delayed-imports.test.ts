/** Imports of chunks that wait for texts, in code as bundlers put it out. */
import { parseAst } from 'rollup/parseAst'
import { expect, test } from 'vitest'
import { delayImports } from '../../../src/output/delayed-imports.ts'

const CODE = `
const a = () => import("./a.js").then((m) => m.default);
const text = 'import("./a.js")'; // import("./a.js")
const b = [import('./b.js'), import("./other.js"), import(text)];
`
const BRINGING = new Map([
  ['dist/a.js', 'id-of-a'],
  ['dist/b.js', 'id-of-b'],
])
const CHUNK = {
  fileName: 'dist/main.js',
  bringing: BRINGING,
  resolve: (specifier: string) => specifier.replace('./', 'dist/'),
}

test('those of chunks that bring texts, and no others', () => {
  const delays = delayImports(parseAst(CODE), CHUNK)
  delays.sort((one, other) => one.start - other.start)
  expect(delays.map(({ start, end }) => CODE.slice(start, end))).toEqual(['import("./a.js")', "import('./b.js')"])
  for (const [i, { before, after }] of delays.entries()) {
    const id = i === 0 ? 'a' : 'b'
    expect(before + after).toBe(
      `globalThis.Promise.resolve((globalThis.__localizationChunks = globalThis.__localizationChunks || []).push('id-of-${id}', new globalThis.URL('./${id}.js', import.meta.url).href)).then(() => )`,
    )
  }
})

test('a chunk that is loaded in another way fails the build', () => {
  expect(() => delayImports(parseAst('load("./a.js"); import("./b.js")'), CHUNK)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('dist/main.js loads dist/a.js without import()'),
    }),
  )
})
