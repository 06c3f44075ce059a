import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogDigest } from '../../../src/catalog/digest.ts'
import { fillGaps, withoutGaps, withTexts } from '../../../src/catalog/merge.ts'
import { type Catalog, createCatalog, type PartInput } from '../../../src/catalog/model.ts'
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
    // Without one of its own it takes the second catalog’s.
    const c = createCatalog({ languages: [language('de', false)], parts: [] })
    expect(fillGaps(c, b).languages).toEqual([language('de', false), language('en', true)])
    const d = createCatalog({ languages: [language('de', true), language('pl', false)], parts: [] })
    expect(fillGaps(d, b).languages).toEqual([language('de', true), language('pl', false), language('en', false)])
  })

  it('is the first catalog where the second has nothing', () => {
    const a = createCatalog({ parts: [{ language: 'en', namespace: 'x', messages: [['a', '']] }] })
    expect(fillGaps(a, createCatalog({ parts: [] }))).toBe(a)
  })

  it('takes numbers and elements of arrays from either side, and empty texts where neither has another', () => {
    const valuesOf = (length: number, json: string) =>
      [
        ['list', { kind: 'array', length }],
        ['n', { kind: 'scalar', json }],
      ] as const
    const part = { language: 'en', namespace: 'x' }
    const messages = (texts: Record<string, string>) => Object.entries(texts)
    const a = { ...part, messages: messages({ 'list.0': 'A0', 'list.1': '', gap: '', both: '' }) }
    const b = { ...part, messages: messages({ 'list.1': 'B1', 'list.2': 'B2', gap: 'B', both: '', own: 'B' }) }
    const expected = { 'list.0': 'A0', 'list.1': 'B1', 'list.2': 'B2', gap: 'B', both: '', own: 'B' }
    const join = (first: PartInput, second: PartInput, separator?: string) => {
      const joined = fillGaps(createCatalog({ parts: [first] }), createCatalog({ parts: [second] }), separator)
      const { messages, values } = joined.part('en', 'x') ?? expect.fail('the part is gone')
      return { texts: Object.fromEntries(messages), values: Object.fromEntries(values ?? []) }
    }
    const [list, n] = [{ kind: 'array', length: 3 }, (json: string) => ({ kind: 'scalar', json })]
    // Values of one side, of the other, and of both: an array is as long as its last text.
    expect(join({ ...a, values: valuesOf(2, '1') }, b)).toEqual({ texts: expected, values: { list, n: n('1') } })
    expect(join(a, { ...b, values: valuesOf(3, '2') })).toEqual({ texts: expected, values: { list, n: n('2') } })
    expect(join({ ...a, values: valuesOf(2, '1') }, { ...b, values: valuesOf(3, '2') })).toEqual({
      texts: expected,
      values: { list, n: n('1') },
    })
    expect(join(a, b)).toEqual({ texts: expected, values: {} })
    // A filled gap keeps its place.
    expect(Object.keys(join(a, b).texts)).toEqual(['list.0', 'list.1', 'gap', 'both', 'list.2', 'own'])
    // An empty text has a place in an array too, but takes none of a name that the first side uses.
    const short = { ...part, messages: messages({ 'list.0': 'A0' }), values: valuesOf(1, '1') }
    expect(join(short, { ...part, messages: messages({ 'list.1': '' }) })).toEqual({
      texts: { 'list.0': 'A0', 'list.1': '' },
      values: { list: { kind: 'array', length: 2 }, n: n('1') },
    })
    const named = { ...part, messages: messages({ 'list.title': 'A' }) }
    expect(join(named, { ...b, values: valuesOf(3, '2') })).toEqual({
      texts: { 'list.title': 'A', gap: 'B', both: '', own: 'B' },
      values: { n: n('2') },
    })
    // With another separator, "list.2" is no element: a name beside the array.
    const other = join({ ...a, values: [['list', { kind: 'array', length: 1 }]] }, b, '/')
    expect(other.values).toEqual({ list: { kind: 'array', length: 1 } })
  })
})

describe('withoutGaps', () => {
  it('leaves out the empty texts, and nothing else', () => {
    fc.assert(
      fc.property(catalog, (a) => {
        const full = withoutGaps(a)
        expect(seen(full)).toEqual(seen(a))
        expect(full.parts.flatMap(({ messages }) => [...messages.values()])).not.toContain('')
        expect(full.languages).toEqual(a.languages)
        expect(full.parts.length).toBe(a.parts.length)
      }),
    )
    const values = [['n', { kind: 'scalar', json: '1' }]] as const
    const part = { language: 'en', namespace: 'x', messages: [['a', '']] as const, values }
    expect([...(withoutGaps(createCatalog({ parts: [part] })).parts[0]?.values ?? [])]).toEqual(values)
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

  it('keeps numbers and arrays, the languages, and every part that has no change as the same object', () => {
    const values = [['n', { kind: 'scalar', json: '1' }]] as const
    const a = createCatalog({
      languages: [{ key: 'pl', name: 'Polish', isDefault: true }],
      parts: [
        { language: 'en', namespace: 'x', messages: [['a', 'A']], values },
        { language: 'en', namespace: 'y', messages: [['a', 'A']] },
      ],
    })
    const change = (namespace: string, text: string) => ({ ref: { language: 'en', namespace, key: 'a' }, text })
    for (const changes of [[change('x', 'B')], [change('x', 'B'), change('new', 'N')]]) {
      const changed = withTexts(a, changes)
      expect([...(changed.part('en', 'x')?.values ?? [])]).toEqual(values)
      expect(changed.messages('en', 'x')?.get('a')).toBe('B')
      expect(changed.languages).toEqual(a.languages)
      expect(changed.parts).toHaveLength(changes.length + 1)
    }
    expect(withTexts(a, [change('x', 'B')]).part('en', 'y')).toBe(a.part('en', 'y'))
    // A text that goes is gone, beside new parts too.
    for (const more of [[], [change('new', 'N')]]) {
      const removed = withTexts(a, [{ ref: { language: 'en', namespace: 'x', key: 'a' }, text: undefined }, ...more])
      expect([...(removed.messages('en', 'x') ?? [])]).toEqual([])
      expect([...(removed.messages('en', 'y') ?? [])]).toEqual([['a', 'A']])
    }
    // An empty text is none: nothing to remove, and nothing to set twice.
    expect(withTexts(a, [{ ref: { language: 'en', namespace: 'x', key: 'none' }, text: undefined }])).toBe(a)
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
