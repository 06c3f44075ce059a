import fc from 'fast-check'
import { expect, test } from 'vitest'
import '../../helpers/seed.ts'
import { JsonBodyParser } from '../../../src/service/json-body.ts'
import { flattenStrings } from '../../../src/shared/flatten.ts'
import { repeats } from '../../helpers/repeats.ts'

const RUNS = repeats(3000, 100_000)

interface ReadOptions {
  readonly onPiece?: (root: unknown) => void
  readonly pieceBytes?: number
  readonly maxValues?: number
}

function read(
  json: string | Buffer,
  chunkBytes: number,
  { onPiece, pieceBytes, maxValues = 100_000 }: ReadOptions = {},
): unknown {
  const intake = new JsonBodyParser(maxValues, onPiece, pieceBytes)
  const bytes = Buffer.from(json as string)
  for (let at = 0; at < bytes.length; at += chunkBytes) intake.push(bytes.subarray(at, at + chunkBytes))
  return intake.end()
}

/** The texts of all pieces, by their path. */
function readTexts(json: string, chunkBytes: number, pieceBytes: number): Map<string, string> {
  const texts = new Map<string, string>()
  read(json, chunkBytes, {
    pieceBytes,
    onPiece(root) {
      for (const [key, text] of textsOf(root)) texts.set(key, text)
    },
  })
  return texts
}

const textsOf = (root: unknown) => flattenStrings(root as object, '\0', { values: 'keep' }).entries

/**
 * `JSON.parse` of Node 24.21 gives `\\` for the name `"` where an object of the same shape had `\\` in that place before.
 * So escaped names of one length are not mixed.
 */
const name = fc.oneof(
  fc.constantFrom('a', 'quo"te', '\\', 'ä€😀', '__proto__', '{', ',', ':'),
  fc.string({ maxLength: 3 }).filter((text) => JSON.stringify(text).length === text.length + 2),
)
const nested = fc.letrec<{ object: object }>((tie) => ({
  object: fc
    .dictionary(name, fc.oneof({ maxDepth: 3 }, fc.string({ unit: 'grapheme', maxLength: 5 }), tie('object')), {
      maxKeys: 5,
    })
    .map((object) => ({ ...object })),
})).object
const spaced = fc
  .tuple(nested, fc.constantFrom(undefined, 1, '\t'))
  .map(([object, space]) => JSON.stringify(object, null, space))

test('pieces of any size, from chunks of any size, hold the texts of the whole', () => {
  fc.assert(
    fc.property(spaced, fc.nat(9), fc.nat(20), (json, chunk, piece) => {
      expect(readTexts(json, chunk + 1, piece)).toEqual(textsOf(JSON.parse(json)))
    }),
    { numRuns: RUNS },
  )
})

test('what JSON.parse refuses is refused, in pieces too', () => {
  const change = fc.record({
    at: fc.nat(),
    remove: fc.nat(2),
    insert: fc.constantFrom('', ',', '{', '}', '[', ']', ':', '"', '\\', '1', 'x'),
  })
  fc.assert(
    fc.property(spaced, change, fc.nat(9), fc.nat(20), (json, { at, remove, insert }, chunk, piece) => {
      const place = at % json.length
      const changed = json.slice(0, place) + insert + json.slice(place + remove)
      let isJson = true
      try {
        JSON.parse(changed)
      } catch {
        isJson = false
      }
      const refused = expect(() => readTexts(changed, chunk + 1, piece))
      if (!isJson) refused.toThrow(/^The body/)
    }),
    { numRuns: RUNS },
  )
})

test('a member that an object has twice is named, wherever its pieces end', () => {
  for (const pieceBytes of [0, 10, 1000]) {
    expect(() => readTexts('{"en":{"a":"1"},"pl":{"b":"2"},"en":{"c":"3"}}', 7, pieceBytes)).toThrow(
      'the member en twice',
    )
  }
  expect(() => read('{"a":[{"b":{"c":1,"d":2,"c":3}}]}', 100)).toThrow('the member a.b.c twice')
  expect(() => read('{"\\u0061":1,"a":1}', 100)).toThrow('the member a twice')
  expect(read('{"a":{"a":[{"a":1},{"a":1}]}}', 100)).toEqual({ a: { a: [{ a: 1 }, { a: 1 }] } })
})

test('depth and values are limited before anything is made of them', () => {
  expect(() => read('['.repeat(101), 10)).toThrow('100 levels deep')
  expect(() => read(`{"a":${'['.repeat(100)}`, 10)).toThrow('100 levels deep')
  expect(read(`${'['.repeat(100)}${']'.repeat(100)}`, 10)).toHaveLength(1)
  expect(() => read(`[${'1,'.repeat(100)}`, 10, { maxValues: 100 })).toThrow('more than 100 values')
  expect(() => read('{"a":[],'.repeat(60), 10, { maxValues: 100 })).toThrow('more than 100 values')
  const large = `{"a":"${'x'.repeat(2 ** 23)}`
  expect(() => read(large, 2 ** 16, { onPiece: () => {} })).toThrow('more than 8388608 bytes')
})

test('malformed bytes are refused', () => {
  expect(() => read(Buffer.from([0x22, 0xff, 0x22]), 1)).toThrow('not valid UTF-8')
  expect(read('\ufeff{}', 1)).toEqual({})
})
