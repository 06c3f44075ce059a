import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeName,
  encodeName,
  formatRequest,
  type ModuleId,
  NULL_SPELLING,
  PLAIN_SPELLING,
  parseRequest,
  REQUEST_FILTER,
  toSchemeless,
} from '../../../src/output/ids.ts'
import { anyText } from '../../helpers/any-text.ts'
import '../../helpers/seed.ts'

/** Any well-formed text, with the ones that break things often. */
const name = fc.oneof(
  anyText(),
  fc.string({ unit: fc.constantFrom('~', '.', '/', '%', '?', '#', '!', '\\', 'a', 'A', '\0', 'é', '\u2028') }),
  fc.constantFrom(
    '',
    '~',
    '~x',
    '..',
    '__proto__',
    'a%2Fb',
    'a?b',
    '100%',
    'x'.repeat(300),
    'CON',
    'nul',
    'com1',
    'Lpt9',
    '~43ON',
  ),
)
const filled = name.filter((text) => text !== '')
/** What a request can carry: its first segment is the language, so that one holds no slash and is not empty. */
const language = filled.filter((text) => !text.includes('/'))
const customer = fc.option(name, { nil: undefined })

describe('encodeName', () => {
  it('is undone by decodeName', () => {
    fc.assert(fc.property(name, (text) => void expect(decodeName(encodeName(text), [text])).toBe(text)))
  })

  it('is injective', () => {
    fc.assert(fc.property(name, name, (a, b) => void expect(encodeName(a) === encodeName(b)).toBe(a === b)))
  })

  it('holds only what no bundler treats specially, and is short', () => {
    fc.assert(fc.property(name, (text) => void expect(encodeName(text)).toMatch(/^[\w~-]{1,80}$/)))
  })

  it('is no name that Windows keeps for devices', () => {
    const devices = ['con', 'CON', 'Prn', 'aux', 'NUL', 'com1', 'COM0', 'lpt9']
    for (const device of devices) {
      expect(encodeName(device)).toMatch(/^~[\da-f]{2}/)
      expect(decodeName(encodeName(device), [])).toBe(device)
    }
    for (const other of ['console', 'com', 'com12', 'conv', 'null']) expect(encodeName(other)).toBe(other)
  })

  it('finds a long name among the known ones only', () => {
    const long = 'n'.repeat(300)
    expect(decodeName(encodeName(long), ['other', long])).toBe(long)
    expect(decodeName(encodeName(long), ['other'])).toBeUndefined()
  })
})

describe('requests', () => {
  const id: fc.Arbitrary<ModuleId> = fc.oneof(
    fc.record({ kind: fc.constant('language' as const), language, customer }),
    fc.record({ kind: fc.constant('namespace' as const), language, namespace: filled, customer }),
    fc.constantFrom<ModuleId>({ kind: 'manifest' }, { kind: 'runtime' }),
  )

  it('are parsed back to what they were made of, and match the filter', () => {
    fc.assert(
      fc.property(id, (given) => {
        const request = formatRequest(given)
        expect(parseRequest(request)).toEqual(given)
        expect(request).toMatch(REQUEST_FILTER)
        if (given.kind === 'runtime') return
        const schemeless = toSchemeless(request) ?? expect.fail('no scheme-less spelling')
        expect(parseRequest(schemeless)).toEqual(given)
        expect(schemeless).toMatch(REQUEST_FILTER)
        expect(schemeless).not.toMatch(/[!#:\\\s]/)
      }),
    )
  })

  it.each([
    ['virtual:translations/en/views/settings', 'views/settings'],
    ['virtual:translations/en/100%', '100%'],
    ['virtual:translations/en/100%25', '100%'],
    ['virtual:translations/en/a%2Fb', 'a/b'],
    ['virtual:translations/en/a%252Fb', 'a%2Fb'],
    ['virtual:translations/en/..', '..'],
  ])('%s', (request, namespace) => {
    expect(parseRequest(request)).toEqual({ kind: 'namespace', language: 'en', namespace, customer: undefined })
  })

  it.each(['virtual:translationsx', 'virtual:translation', './virtual:translations', 'virtual:other/en/a', ''])(
    'leaves %j alone',
    (request) => {
      expect(parseRequest(request)).toBeUndefined()
      expect(toSchemeless(request)).toBeUndefined()
      expect(request).not.toMatch(REQUEST_FILTER)
    },
  )
})

describe.each([
  ['with \\0', NULL_SPELLING],
  ['plain', PLAIN_SPELLING],
] as const)('resolved ids %s', (_, spelling) => {
  const id: fc.Arbitrary<ModuleId> = fc.oneof(
    fc.record({ kind: fc.constant('language' as const), language: name, customer }),
    fc.record({ kind: fc.constant('namespace' as const), language: name, namespace: name, customer }),
    fc.constantFrom<ModuleId>({ kind: 'manifest' }, { kind: 'runtime' }),
  )
  const knownOf = (given: ModuleId) => ({
    languages: 'language' in given ? [given.language] : [],
    namespaces: 'namespace' in given ? [given.namespace] : [],
    customers: 'customer' in given && given.customer !== undefined ? [given.customer] : [],
  })

  it('are parsed back, match the filter, and end in .js', () => {
    fc.assert(
      fc.property(id, (given) => {
        const resolved = spelling.format(given)
        expect(spelling.parse(resolved, knownOf(given))).toEqual(given)
        expect(resolved).toMatch(spelling.filter)
        expect(resolved).toMatch(/^\0?[\w~./-]+\.js$/)
      }),
    )
  })

  it('are different for different modules', () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        expect(spelling.format(a) === spelling.format(b)).toBe(formatRequest(a) === formatRequest(b) && same(a, b))
      }),
    )
  })

  it('of others are not taken', () => {
    const known = { languages: [], namespaces: [], customers: [] }
    for (const other of ['\0other/manifest.js', '/src/main.js', 'localization/manifest.js']) {
      expect(spelling.parse(other, known)).toBeUndefined()
      expect(other).not.toMatch(spelling.filter)
    }
  })
})

function same(a: ModuleId, b: ModuleId): boolean {
  const parts = (id: ModuleId) =>
    JSON.stringify([
      id.kind,
      'language' in id && id.language,
      'namespace' in id && id.namespace,
      'customer' in id ? (id.customer ?? null) : null,
    ])
  return parts(a) === parts(b)
}
