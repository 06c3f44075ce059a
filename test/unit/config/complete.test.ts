import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generateRules } from '../../../scripts/options-source.ts'
import type { Rule } from '../../../src/config/complete.ts'
import { completeOptions, sectionDefaults } from '../../../src/config/complete.ts'
import { parseOptions } from '../../../src/config/issues.ts'
import { OPTION_RULES } from '../../../src/config/rules.ts'
import { repeats } from '../../helpers/repeats.ts'
import '../../helpers/seed.ts'

test('the rules are current', async () => {
  const source = await readFile(resolve(import.meta.dirname, '../../../src/config/rules.ts'), 'utf8')
  expect(source, 'run node scripts/options.mjs').toBe(generateRules())
})

test('without options, every default is the one of the schema', () => {
  expect(parseOptions({})).toEqual({ options: completeOptions({}) })
})

test('sections that are switched on have the defaults of the schema', () => {
  const parsed = parseOptions({ push: {}, pull: {}, prune: {}, usage: {}, types: { file: 'x.d.ts' } })
  expect(parsed).toHaveProperty('options')
  const { push, pull, prune, usage, types } = 'options' in parsed ? parsed.options : expect.fail()
  const { push: own, ...others } = sectionDefaults
  expect([own(), others.pull(), others.prune(), others.usage()]).toEqual([push, pull, prune, usage])
  expect(others.types('x.d.ts')).toEqual(types)
})

const NEARLY = [
  ...['', ' ', '.', 'x', 'a b', 'local', 'l.d.ts', '20 KB', 'https://a.test', 'https://u:p@a.test', '__proto__', 'é'],
  ...['locales/{language}.json', '{language}/{namespace}.yml', 'no placeholder', '{language}.txt', '{customer}.json'],
  ...[0, 1, 0.5, -1, 1001, 2 ** 31, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, true, false, null, undefined],
]

/** Values that follow the rule, or nearly. */
function arbitrary(rule: Rule): fc.Arbitrary<unknown> {
  const own = [
    ...(rule.const === undefined ? [] : [fc.constant(rule.const)]),
    ...(rule.enum ? [fc.constantFrom(...rule.enum)] : []),
    ...(rule.anyOf?.map(arbitrary) ?? []),
    ...(rule.items ? [fc.array(arbitrary(rule.items), { maxLength: 3 })] : []),
    ...(rule.properties ? [properties(rule.properties)] : []),
    ...(typeof rule.additionalProperties === 'object'
      ? [
          fc.dictionary(
            fc.constantFrom('en', 'de', '*', 'X-A', 'x-a', '', 'constructor'),
            arbitrary(rule.additionalProperties),
            { maxKeys: 3 },
          ),
        ]
      : []),
    ...(rule.type === 'boolean' ? [fc.boolean()] : []),
    ...(rule.type === 'string'
      ? [fc.constantFrom('x', 'https://a.test', '{language}.json', 'en', 'l.d.ts', '9 KB')]
      : []),
    ...(rule.type === 'integer' || rule.type === 'number' ? [fc.constantFrom(0, 1, 0.5, 900)] : []),
  ]
  const nearly = {
    weight: 1,
    arbitrary: fc.oneof(
      fc.constantFrom(...NEARLY),
      fc.constantFrom([], {}, () => ''),
    ),
  }
  return fc.oneof(...own.map((each) => ({ weight: 12, arbitrary: each })), nearly)
}

function properties(rules: Readonly<Record<string, Rule>>): fc.Arbitrary<unknown> {
  const known = Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, arbitrary(rule)]))
  const required = fc.record(known, { requiredKeys: [] })
  const unknown = fc.record({ langauges: fc.constant(['en']) })
  return fc.oneof({ weight: 20, arbitrary: required }, { weight: 1, arbitrary: unknown })
}

test('what the rules accept, the schema accepts with the same result; what they refuse, it refuses', () => {
  let accepted = 0
  // One or two options at a time: with all of them, hardly anything would be accepted.
  const few = fc
    .subarray(Object.keys(OPTION_RULES.properties), { maxLength: 2 })
    .chain((names) =>
      properties(Object.fromEntries(names.map((name) => [name, (OPTION_RULES as Rule).properties?.[name] ?? {}]))),
    )
  fc.assert(
    fc.property(few, (options) => {
      const completed = completeOptions(options)
      if (completed) accepted += 1
      expect(completed && { options: completed }).toEqual(
        'options' in parseOptions(options) ? parseOptions(options) : undefined,
      )
    }),
    { numRuns: repeats(400, 3_000) },
  )
  expect(accepted).toBeGreaterThan(repeats(60, 500))
})

test('a dispatcher and options that are no plain objects are left to the schema', () => {
  const options = { service: { dispatcher: { dispatch: () => true } } }
  expect(completeOptions(options)).toBeUndefined()
  expect(parseOptions(options)).toHaveProperty('options')
  expect(completeOptions(Object.assign(new (class {})(), { edit: true }))).toBeUndefined()
  expect(completeOptions({ languageMap: JSON.parse('{"__proto__":"de"}') })).toBeUndefined()
})

test('the result shares nothing with the options', () => {
  const options = { languages: ['en'], coverage: { minimum: { en: 1 } } }
  const completed = completeOptions(options)
  expect(completed?.languages).toEqual(['en'])
  expect(completed?.languages).not.toBe(options.languages)
  expect(completed?.coverage.minimum).not.toBe(options.coverage.minimum)
  expect(completeOptions({})?.usage.files).not.toBe(completeOptions({})?.usage.files)
})
