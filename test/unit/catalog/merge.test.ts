import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogDigest } from '../../../src/catalog/digest.ts'
import { fillGaps, withTexts } from '../../../src/catalog/merge.ts'
import { type Catalog, createCatalog } from '../../../src/catalog/model.ts'
import '../../helpers/seed.ts'

const name = fc.constantFrom('en', 'de', '__proto__')
const key = fc.constantFrom('a', 'b', '', '__proto__', 'constructor')
const part = fc.record({
  language: name,
  namespace: fc.constantFrom('', 'x', 'x/y'),
  customer: fc.option(fc.constantFrom('acme', ''), { nil: undefined }),
  messages: fc.array(fc.tuple(key, fc.constantFrom('', '1', '2'))),
})
const catalog = fc.array(part, { maxLength: 6 }).map((parts) => createCatalog({ parts }))

/** Every text with its place; gaps left out, as a reader sees them. */
const seen = ({ parts }: Catalog) =>
  new Map(
    parts.flatMap(({ language, namespace, customer, messages }) =>
      [...messages]
        .filter(([, text]) => text !== '')
        .map(([name, text]) => [JSON.stringify([language, namespace, customer ?? null, name]), text] as const),
    ),
  )

describe('fillGaps', () => {
  it('takes the first text where there is one, else the second', () => {
    fc.assert(
      fc.property(catalog, catalog, (a, b) => {
        expect(seen(fillGaps(a, b))).toEqual(new Map([...seen(b), ...seen(a)]))
      }),
    )
  })

  it('is associative, and gives the same for the same', () => {
    fc.assert(
      fc.property(catalog, catalog, catalog, (a, b, c) => {
        expect(seen(fillGaps(fillGaps(a, b), c))).toEqual(seen(fillGaps(a, fillGaps(b, c))))
        expect(seen(fillGaps(a, a))).toEqual(seen(a))
        expect(seen(fillGaps(a, createCatalog({ parts: [] })))).toEqual(seen(a))
        expect(seen(fillGaps(createCatalog({ parts: [] }), a))).toEqual(seen(a))
      }),
    )
  })

  it('changes neither, and counts what it holds', () => {
    fc.assert(
      fc.property(catalog, catalog, (a, b) => {
        const before = [seen(a), seen(b)]
        expect(fillGaps(a, b).textCount).toBe(seen(fillGaps(a, b)).size)
        expect([seen(a), seen(b)]).toEqual(before)
      }),
    )
  })

  it('keeps one default language, the first catalog’s', () => {
    const language = (key: string, isDefault: boolean) => ({ key, name: key, isDefault })
    const a = createCatalog({ languages: [language('de', true)], parts: [] })
    const b = createCatalog({
      languages: [language('en', true), language('de', false)],
      parts: [{ language: 'en', namespace: '', messages: [['a', '1']] }],
    })
    expect(fillGaps(a, b).languages).toEqual([language('de', true), language('en', false)])
  })
})

describe('withTexts', () => {
  const change = fc.record({
    ref: fc.record({
      language: name,
      namespace: fc.constantFrom('', 'x', 'new'),
      customer: fc.option(fc.constantFrom('acme', ''), { nil: undefined }),
      key,
    }),
    text: fc.option(fc.constantFrom('1', '3'), { nil: undefined }),
  })

  it('sets and removes texts, and leaves the others and the given catalog alone', () => {
    fc.assert(
      fc.property(catalog, fc.array(change), (a, changes) => {
        const before = seen(a)
        const expected = new Map(before)
        for (const { ref, text } of changes) {
          const id = JSON.stringify([ref.language, ref.namespace, ref.customer ?? null, ref.key])
          if (text === undefined) expected.delete(id)
          else expected.set(id, text)
        }
        const changed = withTexts(a, changes)
        expect(seen(changed)).toEqual(expected)
        expect(seen(a)).toEqual(before)
        // Taking the same in once more changes nothing, and costs no new catalog.
        const last = new Map(changes.map((one) => [JSON.stringify(one.ref), one]))
        expect(withTexts(changed, last.values())).toBe(changed)
      }),
    )
  })
})

describe('a catalog', () => {
  it('cannot be changed', () => {
    const { parts, languages, messages } = createCatalog({
      parts: [{ language: 'en', namespace: '', messages: [['a', '1']] }],
    })
    const texts = messages('en', '') as Map<string, string>
    expect(() => texts.set('a', '2')).toThrow(TypeError)
    expect(() => texts.delete('a')).toThrow(TypeError)
    expect(() => texts.clear()).toThrow(TypeError)
    expect(() => (parts as unknown[]).pop()).toThrow(TypeError)
    expect(() => (languages as unknown[]).pop()).toThrow(TypeError)
    expect(messages('en', '')?.get('a')).toBe('1')
  })

  it('has one digest whatever order its texts come in, and another for other texts', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        const once = new Map(
          parts.map((each) => [JSON.stringify([each.language, each.namespace, each.customer]), each]),
        )
        const given = [...once.values()].map((each) => ({ ...each, messages: [...new Map(each.messages)] }))
        const languages = ['en', 'de', '__proto__'].map((each) => ({ key: each, name: each, isDefault: false }))
        const digest = catalogDigest(createCatalog({ languages, parts: given }))
        const turned = [...given].reverse().map((each) => ({ ...each, messages: [...each.messages].reverse() }))
        expect(catalogDigest(createCatalog({ languages, parts: turned }))).toBe(digest)
        const more = [...given, { language: 'en', namespace: 'new', messages: [['a', '1'] as [string, string]] }]
        expect(catalogDigest(createCatalog({ languages, parts: more }))).not.toBe(digest)
      }),
    )
  })
})
