import { resolve } from 'node:path'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { configDigest } from '../../../src/config/digest.ts'
import { headerSecrets } from '../../../src/config/headers.ts'
import { optionPaths } from '../../../src/config/issues.ts'
import { CLIENT_PREFIXES } from '../../../src/config/resolve.ts'
import { LocalizationError } from '../../../src/errors.ts'
import { repeats } from '../../helpers/repeats.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import '../../helpers/seed.ts'

const CANARY = 'canary-9f27c1-secret'
const context = { root: '/project' }

function problemsOf(raw: unknown, more: object = {}): string {
  try {
    resolveConfig(raw, { ...context, ...more })
  } catch (error) {
    expect(error).toBeInstanceOf(LocalizationError)
    expect((error as LocalizationError).code).toBe('CONFIG_INVALID')
    return (error as LocalizationError).message
  }
  return expect.fail('accepted')
}

describe('defaults', () => {
  test('without options: local files, nothing is pushed', () => {
    expect(resolveConfig({}, context)).toMatchObject({
      root: '/project',
      source: 'files',
      files: [{ pattern: 'locales/{language}/{namespace}.json' }],
      defaultNamespace: 'default',
      keySeparator: '.',
      shape: 'flat',
      environment: '_production',
      push: false,
      pull: false,
      prune: false,
      types: false,
      pseudo: false,
      inspector: true,
      edit: false,
      customers: [],
      coverage: { minimum: {}, onMissing: 'warn' },
      onServiceError: { build: ['fail'], dev: ['snapshot', 'files'] },
      service: { baseUrl: undefined, tokenHeader: 'X-Service-Token', timeoutMs: 60_000, retries: 3, concurrency: 8 },
    })
  })

  test('an API key: the export, and push, but never in CI', () => {
    const raw = { service: { baseUrl: 'https://x.test/api//', apiKey: CANARY } }
    const config = resolveConfig(raw, context)
    expect(config.source).toBe('export')
    expect(config.push).toEqual({ create: true, concurrency: 8, holdAbove: 100 })
    expect(config.service.baseUrl).toBe('https://x.test/api')
    expect(resolveConfig(raw, { ...context, ci: true }).push).toBe(false)
    expect(resolveConfig({ ...raw, push: true }, { ...context, ci: true }).push).toBe(false)
    expect(resolveConfig({ ...raw, push: { holdAbove: 7 } }, context).push).toMatchObject({
      holdAbove: 7,
      create: true,
    })
    expect(resolveConfig({ ...raw, push: false }, context).push).toBe(false)
  })

  test('sections given as true get their defaults; a policy holds for build and dev', () => {
    const config = resolveConfig({ pull: true, prune: true, onServiceError: 'snapshot', types: 'l.d.ts' }, context)
    expect(config.pull).toEqual({ intervalMs: 30_000, write: false })
    expect(config.prune).toEqual({ keep: [], functions: [], onUnknown: 'keep', ignoreIn: [], perChunk: false })
    expect(config.onServiceError).toEqual({ build: ['snapshot'], dev: ['snapshot'] })
    expect(config.types).toEqual({ file: resolve('/project/l.d.ts'), i18next: false, vueI18n: false })
    expect(resolveConfig({ types: { i18next: true } }, context).types).toEqual({
      file: resolve('/project/localization.d.ts'),
      i18next: true,
      vueI18n: false,
    })
  })

  test("the app's own functions count for pruning and for checking, wherever they are named", () => {
    const config = resolveConfig({ usage: { functions: ['tr'] }, prune: { functions: ['say', 'tr'] } }, context)
    expect(config.prune).toMatchObject({ functions: ['tr', 'say'] })
    expect(config.usage.functions).toEqual(['tr', 'say'])
    expect(resolveConfig({ usage: { functions: ['tr'] }, prune: true }, context).prune).toMatchObject({
      functions: ['tr'],
    })
  })

  test('no source is asked for the pseudo-language', () => {
    expect(resolveConfig({ languages: ['en', 'en-XA'], pseudo: 'en-XA' }, context).languages).toEqual(['en'])
    expect(resolveConfig({ languages: ['en'], pseudo: 'en-XA' }, context).languages).toEqual(['en'])
    expect(resolveConfig({ pseudo: 'en-XA' }, context).languages).toBeUndefined()
  })

  test("customers hold the customer; 'local' needs no key", () => {
    expect(resolveConfig({ customer: 'b', customers: ['a', 'b'] }, context).customers).toEqual(['b', 'a'])
    const local = resolveConfig({ service: { baseUrl: 'local' } }, context)
    expect(local.service.baseUrl).toBe('local')
    expect(local.push).not.toBe(false)
  })
})

describe('problems are reported together, each with path, expectation and given value', () => {
  test('unknown options name the nearest known one, with its full path', () => {
    expect(problemsOf({ service: { apikey: 1 } })).toContain(
      'service.apikey: unknown option. Did you mean "service.apiKey"?',
    )
    expect(problemsOf({ push: { holdabove: 1 } })).toContain('Did you mean "push.holdAbove"?')
    expect(problemsOf({ apiKey: 'x' })).toContain('Did you mean "service.apiKey"?')
    expect(problemsOf({ langauges: [] })).toContain('langauges: unknown option. Did you mean "languages"?')
    expect(problemsOf({ zzzzzzzz: 1 })).toContain('Known: "service"')
  })

  /** Every kind of value that a configuration file can contain. */
  const VALUES = [
    { a: { b: 1 } },
    [{ a: 1 }, [undefined], null],
    [
      { pattern: 'a/{language}.json', root: '../x' },
      { pattern: { a: 1 }, root: [] },
    ],
    new Map([['a', {}]]),
    new Date(0),
    /a/,
    () => ({}),
    Symbol('a'),
    Number.NaN,
    1n,
    null,
    true,
    'a.{b}*',
  ]

  test.each(optionPaths())('%s: no message shows an object or undefined', (path) => {
    const messages = VALUES.flatMap((value) => {
      const raw = path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
      try {
        resolveConfig(raw, context)
        return []
      } catch (error) {
        expect(error).toBeInstanceOf(LocalizationError)
        return [(error as LocalizationError).message]
      }
    })
    expect(messages.length).toBeGreaterThan(5)
    for (const message of messages) expect(message).not.toMatch(/\[object|undefined/)
  })

  test('all problems in one error', () => {
    const message = problemsOf({
      service: { timeoutMs: '3', retries: -1, baseUrl: 'ftp://x' },
      source: 'exprt',
      languages: 'en',
      coverage: { minimum: { pl: 95 } },
      pull: { intervalMs: 0 },
      shape: 'nested',
      keySeparator: '',
      files: ['{language}.json', 'a.json'],
    })
    for (const part of [
      '9 problems',
      'service.timeoutMs: expected a number, received "3"',
      'service.retries: expected a number of at least 0, received -1',
      'service.baseUrl: the URL must start with https:// or http://, received "ftp://x"',
      'source: expected "export" or "hosting" or "query" or "files", received "exprt". Did you mean "export"?',
      'languages: expected a list, received "en"',
      'coverage.minimum.pl: expected a number of at most 1, received 95',
      'pull.intervalMs: expected a number of at least 1, received 0',
      'keySeparator: must not be empty (false turns the separator off), received ""',
      'files[1]: {language} is missing: each file contains one language, received "a.json"',
    ]) {
      expect(message).toContain(part)
    }
  })

  test.each([
    [{ service: { baseUrl: 'https://me:hunter22@x.test' } }, 'must not contain a user name or password'],
    [{ service: { baseUrl: 'x.test' } }, 'expected an absolute URL'],
    [{ service: { baseUrl: 'https://x.test?a=1' } }, 'must not contain "?" or "#"'],
    [{ service: { tokenHeader: 'X Token' } }, 'is not a valid header name'],
    [{ fallback: { a: ['b'], b: ['c'], c: ['a'] } }, 'circular fallback: a -> b -> c -> a'],
    [{ fallback: { a: ['a'] } }, 'circular fallback: a -> a'],
    [{ fallback: true }, 'fallback: expected false or an object, received true'],
    [{ languageMap: { pt_BR: 'pt-BR', 'pt-br': 'pt-BR' } }, '"pt_BR" and "pt-br" both map to "pt-BR"'],
    [{ files: 'a/../../{language}.json' }, '".." is allowed only at the beginning'],
    [{ files: 'a/{lang}.json' }, 'unknown placeholder {lang}'],
    [
      { files: { pattern: 'a.json', root: '{language}' } },
      'files.pattern: {language} is missing: each file contains one',
    ],
    [{ files: { pattern: '{language}.yml' } }, 'files.root: expected a string'],
    [
      { files: [{ pattern: '{language}.yml', root: '{lang}' }] },
      'files[0]: root: unknown placeholder {lang}: use {language}',
    ],
    [
      { files: { pattern: '{language}.yml', root: 'a.{namespace}' } },
      'root: {namespace} is not in the pattern: each file contains the texts of one namespace',
    ],
    [{ files: { pattern: '{language}.yml', root: 'a..b' } }, 'files: root: expected names separated by dots'],
    [{ files: { pattern: '{language}.yml', root: '{language' } }, 'files: root: unclosed brace'],
    [{ files: { pattern: '{language}.yml', rot: 'x' } }, 'files.rot: unknown option'],
    [{ keySeparator: true }, 'keySeparator: expected false or a string'],
    [{ files: 'a/{language}.po' }, 'must end in .json, .jsonc, .json5, .yaml or .yml'],
    [{ files: 'a/*/{language}.json' }, 'are not supported: use {language}'],
    [{ files: '{language}{namespace}.json' }, 'needs a separator'],
    [{ environment: 'a/b' }, 'must not contain'],
    [{ types: 'types.json' }, 'must end in .ts'],
    [
      { source: 'export' },
      "service.baseUrl: missing: source is 'export'. Set service.baseUrl or LOCALIZATION_BASE_URL",
    ],
    [{ source: 'hosting' }, 'service.cdnUrl: missing'],
    [{ service: { apiKey: 'k' } }, 'service.baseUrl: missing: an API key is set'],
    [[1], 'expected an object, received a list'],
    ['text', 'expected an object, received a string'],
    [{ service: CANARY }, 'service: expected an object, received a string (hidden)'],
  ])('%j', (raw, part) => {
    const message = problemsOf(raw)
    expect(message).toContain(part)
    expect(message).not.toContain('hunter22')
    expect(message).not.toContain(CANARY)
  })

  test('fallback chains may meet; patterns may begin above the root', () => {
    expect(() => resolveConfig({ fallback: { a: ['b', 'c'], b: ['c'], d: ['b', 'c'] } }, context)).not.toThrow()
    const { files } = resolveConfig({ files: ['../shared/{language}.json', './b\\{language}.json'] }, context)
    expect(files).toEqual([{ pattern: '../shared/{language}.json' }, { pattern: 'b/{language}.json' }])
  })

  test('files with a root, and names that are never joined', () => {
    const files = ['a/{language}.json', { pattern: './b\\{language}.yml', root: 'x.{language}' }]
    expect(resolveConfig({ files, keySeparator: false }, context)).toMatchObject({
      files: [{ pattern: 'a/{language}.json' }, { pattern: 'b/{language}.yml', root: 'x.{language}' }],
      keySeparator: '\u241f',
    })
  })

  test('a circle among many chains is found without delay', () => {
    const chains = Object.fromEntries(
      Array.from({ length: 80 }, (_, i) => [`l${i}`, Array.from({ length: 80 - i - 1 }, (_, j) => `l${i + j + 1}`)]),
    )
    expect(() => resolveConfig({ fallback: chains }, context)).not.toThrow()
    expect(problemsOf({ fallback: { ...chains, l79: ['l78'] } })).toContain('l78 -> l79 -> l78')
  })
})

describe('secrets', () => {
  test.each(['apiKey', 'personalToken'])('%s is not shown by a message', (option) => {
    for (const value of [`${CANARY}\n`, ` ${CANARY}`, `${CANARY}\u0142`, `${CANARY}\r\nX: y`]) {
      const message = problemsOf({ service: { [option]: value, apikey: CANARY, baseUrl: CANARY } })
      expect(message).toContain(`service.${option}: `)
      expect(message).not.toContain(CANARY)
    }
    expect(problemsOf({ service: { [option]: [CANARY] } })).not.toContain(CANARY)
    expect(problemsOf({ service: { [option]: 1234567 } })).not.toContain('1234567')
  })

  test('the configuration holds them, and serializing or inspecting it shows none', () => {
    const config = resolveConfig(
      { service: { baseUrl: 'https://x.test', apiKey: CANARY, personalToken: `${CANARY}2` } },
      context,
    )
    expect(config.service.apiKey).toBe(CANARY)
    expect(config.service.personalToken).toBe(`${CANARY}2`)
    expect(inspect(config, { depth: 9, getters: true })).not.toContain(CANARY)
    expect(JSON.stringify(config)).not.toContain(CANARY)
    expect(JSON.stringify({ ...config.service })).not.toContain(CANARY)
    expect(configDigest(config)).not.toContain(CANARY)
  })

  test('a variable that a bundler puts into the page must not contain a secret', () => {
    const values = new Map([['VITE_TOKEN', { value: CANARY, file: '.env' }]])
    const message = problemsOf(
      { service: { baseUrl: 'https://x.test', apiKey: CANARY } },
      { environment: { values, files: [] } },
    )
    expect(message).toContain('the variable VITE_TOKEN in .env has the same value, and variables that start with VITE_')
    expect(message).toContain('LOCALIZATION_API_KEY')
    expect(message).not.toContain(CANARY)
    values.set('VITE_TOKEN', { value: 'something else', file: '.env' })
    const accepted = { ...context, environment: { values, files: [] } }
    expect(() => resolveConfig({ service: { baseUrl: 'https://x.test', apiKey: CANARY } }, accepted)).not.toThrow()
  })

  test.each([...CLIENT_PREFIXES, 'OWN_'])('%sLOCALIZATION_API_KEY is refused, whatever it holds', (prefix) => {
    for (const [name, option] of [
      ['LOCALIZATION_API_KEY', 'service.apiKey'],
      ['LOCALIZATION_PERSONAL_TOKEN', 'service.personalToken'],
    ] as const) {
      const values = new Map([[prefix + name, { value: CANARY, file: undefined }]])
      const message = problemsOf({}, { environment: { values, files: [], clientPrefixes: ['OWN_'] } })
      expect(message).toContain(`${option}: the variable ${prefix}${name} is set`)
      expect(message).toContain(`variables that start with ${prefix} are exposed to the page`)
      expect(message).toContain(`Rename it to ${name}`)
      expect(message).not.toContain(CANARY)
    }
  })

  test("the package's own variable under a prefix of the bundler is refused; an empty prefix exposes nothing", () => {
    const values = new Map([['LOCALIZATION_API_KEY', { value: CANARY, file: undefined }]])
    const options = { service: { baseUrl: 'https://x.test' } }
    const exposed = { values, files: [], clientPrefixes: ['LOCAL'] }
    expect(problemsOf(options, { environment: exposed })).toContain('Remove LOCAL from envPrefix')
    const accepted = { ...context, environment: { values, files: [], clientPrefixes: [''] } }
    expect(() => resolveConfig(options, accepted)).not.toThrow()
  })
})

test('everything is frozen', () => {
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    expect(Object.isFrozen(value)).toBe(true)
    Object.values(value).forEach(walk)
  }
  walk(resolveConfig({ pull: true, prune: true, fallback: { a: ['b'] }, coverage: { minimum: { a: 1 } } }, context))
})

test("the caller's options are not frozen", () => {
  const languages = ['en']
  resolveConfig({ languages }, context)
  languages.push('pl')
  expect(languages).toEqual(['en', 'pl'])
})

describe('the digest', () => {
  const base = { service: { baseUrl: 'https://x.test', apiKey: CANARY }, languageMap: { a: 'b', c: 'd' } }
  const digest = (raw: unknown, more: object = {}) => configDigest(resolveConfig(raw, { ...context, ...more }))

  test('is the same for the same meaning', () => {
    expect(digest({ languageMap: { c: 'd', a: 'b' }, service: { apiKey: CANARY, baseUrl: 'https://x.test/' } })).toBe(
      digest(base),
    )
    expect(digest(base, { configFile: '/project/localization.config.ts' })).toBe(digest(base))
  })

  test('differs for every difference', () => {
    const all = [
      base,
      { ...base, service: { ...base.service, apiKey: 'other' } },
      { ...base, service: { ...base.service, personalToken: CANARY } },
      { ...base, fallback: { a: ['b', 'c'] } },
      { ...base, fallback: { a: ['c', 'b'] } },
      { ...base, fallback: false },
      { ...base, languages: ['a'] },
      { ...base, languages: ['a,b'] },
      { ...base, languages: ['a', 'b'] },
    ].map((raw) => digest(raw))
    expect(new Set([...all, digest(base, { root: '/other' })]).size).toBe(all.length + 1)
  })
})

test('any input gives a configuration or CONFIG_INVALID', () => {
  const names = fc.constantFrom(
    'service',
    'files',
    'fallback',
    'push',
    'prune',
    'languageMap',
    'coverage',
    '__proto__',
    'x',
  )
  const inner = fc.constantFrom('apiKey', 'baseUrl', 'minimum', 'keep', 'create', '__proto__', 'constructor')
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.anything(),
    fc.dictionary(names, fc.oneof(fc.jsonValue(), fc.dictionary(inner, fc.jsonValue()))),
  )
  fc.assert(
    fc.property(anything, (raw) => {
      try {
        resolveConfig(raw, context)
      } catch (error) {
        expect((error as LocalizationError).code).toBe('CONFIG_INVALID')
      }
    }),
    { numRuns: repeats(100, 1000) },
  )
})

describe('headers for a gateway', () => {
  const environment = {
    values: new Map([
      ['GATEWAY', { value: CANARY, file: '.env.local' }],
      ['BROKEN', { value: `${CANARY}\n`, file: undefined }],
    ]),
    files: [],
  }
  const service = (headers: object) => ({ service: { baseUrl: 'https://x.test', apiKey: 'k', headers } })

  test('values come from the options or from variables; nothing shows them', () => {
    const raw = service({ 'X-Region': 'eu', 'X-Gateway-Token': { env: 'GATEWAY' } })
    const config = resolveConfig(raw, { ...context, environment })
    expect(config.service.headers).toEqual({ 'x-region': 'eu', 'x-gateway-token': CANARY })
    expect(config.service.missingVariables).toEqual([])
    expect(inspect(config, { depth: 9 }) + JSON.stringify(config) + configDigest(config)).not.toContain(CANARY)
    const other = resolveConfig(service({ 'X-Region': 'eu', 'X-Gateway-Token': 'other' }), context)
    expect(configDigest(other)).not.toBe(configDigest(config))
  })

  test('a variable that is not set is missing, as the key is', () => {
    const missing = (raw: object) => resolveConfig(raw, { ...context, environment }).service.missingVariables
    expect(missing(service({ 'X-A': { env: 'NOWHERE' }, 'X-B': 'b' }))).toEqual(['NOWHERE'])
    expect(missing({ service: { baseUrl: 'https://x.test', headers: { a: { env: 'NOWHERE' } } } })).toEqual([
      'LOCALIZATION_API_KEY',
      'NOWHERE',
    ])
  })

  test.each([
    [{ 'X Y': 'a' }, '"X Y" is not a valid header name'],
    [{ 'X-A': 'a', 'x-a': 'b' }, '"x-a" is set twice'],
    [{ 'X-A': `${CANARY} ` }, 'service.headers["X-A"]: must not start or end with whitespace'],
    [{ 'X-A': { env: 'BROKEN' } }, 'service.headers["X-A"] (from BROKEN): must not start or end with whitespace'],
    [{ 'X-A': 5 }, 'service.headers["X-A"]: expected a string or an object, received a number (hidden)'],
    [{ 'X-A': { enw: CANARY } }, 'service.headers["X-A"]'],
    [[CANARY], 'service.headers: expected an object'],
  ])('an invalid header is refused and not shown: %j', (headers, part) => {
    const message = problemsOf(service(headers), { environment })
    expect(message).toContain(part)
    expect(message).not.toContain(CANARY)
  })

  test('a dispatcher is kept as it is; anything else is refused', () => {
    const dispatcher = { dispatch: () => true, state: { open: 1 } }
    const config = resolveConfig({ service: { dispatcher } }, context)
    expect(config.service.dispatcher).toBe(dispatcher)
    dispatcher.state.open = 2
    expect(problemsOf({ service: { dispatcher: {} } })).toContain('service.dispatcher: expected an undici dispatcher')
  })

  test('a header value that looks like a credential is a secret, with and without its scheme', () => {
    const basic = Buffer.from('me:open sesame').toString('base64')
    expect(headerSecrets({ Authorization: 'Bearer abcdefgh' })).toEqual(['Bearer abcdefgh', 'abcdefgh'])
    expect(headerSecrets({ Authorization: `Basic ${basic}` })).toContain('open sesame')
    expect(headerSecrets({ Cookie: 'a=12345678; b=c' })).toContain('12345678')
    expect(headerSecrets({ 'X-Id': 'aB3aB3aB3aB3aB3aB3aB3' })).toHaveLength(1)
    expect(headerSecrets({ 'X-Id': '0123456789abcdef0123456789abcdef' })).toHaveLength(1)
    expect(headerSecrets({ 'X-Region': 'eu-west-1', 'User-Agent': 'my-app-build-production/2', accept: '*' })).toEqual(
      [],
    )
  })
})

describe('variables that a configured service needs', () => {
  test.each([
    [{}, []],
    [{ service: { baseUrl: 'local' } }, []],
    [{ service: { baseUrl: 'https://x.test' } }, ['LOCALIZATION_API_KEY']],
    [{ service: { baseUrl: 'https://x.test', apiKey: '' } }, ['LOCALIZATION_API_KEY']],
    [{ service: { projectToken: 'p' } }, ['LOCALIZATION_API_KEY']],
    [{ service: { cdnUrl: 'https://x.test' } }, ['LOCALIZATION_API_KEY']],
    [{ service: { baseUrl: 'https://x.test', apiKey: 'k' } }, []],
    [{ service: { baseUrl: 'https://x.test' }, source: 'files' }, []],
    [{ service: { baseUrl: 'https://x.test' }, source: 'query' }, ['LOCALIZATION_API_KEY']],
    [{ service: { cdnUrl: 'https://x.test', projectToken: 'p' }, source: 'hosting' }, []],
  ] as const)('%j: %j', (raw, missing) => {
    expect(resolveConfig(raw, context).service.missingVariables).toEqual(missing)
  })
})
