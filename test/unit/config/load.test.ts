import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { loadConfig } from '../../../src/config/resolve.ts'
import type { LoadConfigInput, ResolvedConfig } from '../../../src/config/types.ts'
import type { LocalizationError } from '../../../src/errors.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const CANARY = 'canary-51be7a-secret'
const IMPORT = `import { defineConfig } from 'unplugin-localization'\n`
let root: string

beforeEach(async () => {
  root = await tempFolder()
})

const write = (name: string, content: string) => writeTree(root, { [name]: content })
const load = (more: Partial<LoadConfigInput> = {}) => loadConfig({ root, env: {}, ...more })
const read = ({ configDependencies }: ResolvedConfig) =>
  [...configDependencies].filter(([, content]) => content !== undefined).map(([path]) => path)
const failure = async (more: Partial<LoadConfigInput> = {}): Promise<LocalizationError> =>
  load(more).then(
    () => expect.fail('accepted'),
    (error: LocalizationError) => error,
  )

describe('the configuration file', () => {
  test.each([
    ['localization.config.ts', `${IMPORT}const a: string = 'x'\nexport default defineConfig({ defaultLanguage: a })`],
    ['localization.config.mts', `export default { defaultLanguage: 'x' } satisfies object`],
    ['localization.config.js', `export default () => ({ defaultLanguage: 'x' })`],
    ['localization.config.js', `module.exports = { defaultLanguage: 'x' }`],
    ['localization.config.mjs', `${IMPORT}export default defineConfig(async () => ({ defaultLanguage: 'x' }))`],
    ['localization.config.mjs', `export default Promise.resolve({ defaultLanguage: 'x' })`],
    ['localization.config.cjs', `module.exports = { defaultLanguage: 'x' }`],
    ['localization.config.cjs', `module.exports = () => ({ defaultLanguage: 'x' })`],
    ['localization.config.cts', `${IMPORT}const a: string = 'x'\nexport = defineConfig({ defaultLanguage: a })`],
    ['localization.config.json', `{ "$schema": "./s.json", "defaultLanguage": "x" }`],
    ['localization.config.json', `\uFEFF{ "defaultLanguage": "x" }`],
  ])('%s: %s', async (name, content) => {
    await write(name, content)
    const config = await load()
    expect(config.defaultLanguage).toBe('x')
    expect(config.configFile).toBe(join(root, name))
    expect(read(config)).toEqual([join(root, name)])
  })

  test('one that takes long says so, and is waited for', async () => {
    await write('localization.config.mjs', `export default () => globalThis.secretStore()`)
    let answer = (_options: object) => {}
    const asked = new Promise<void>((resolve) => {
      vi.stubGlobal('secretStore', () => {
        resolve()
        return new Promise<object>((settle) => {
          answer = settle
        })
      })
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const warn = vi.fn()
      const loading = load({ warn })
      await asked
      vi.advanceTimersByTime(9_999)
      expect(warn).not.toHaveBeenCalled()
      vi.advanceTimersByTime(1)
      expect(warn.mock.calls).toEqual([[expect.stringMatching(/still waiting for \S+ after 10 seconds/)]])
      answer({ defaultLanguage: 'x' })
      expect((await loading).defaultLanguage).toBe('x')
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
      vi.unstubAllGlobals()
    }
  })

  test('without a file, the defaults apply', async () => {
    const config = await load()
    expect(config.configFile).toBeUndefined()
    expect(read(config)).toEqual([])
  })

  test('two files are an error that names both, unless one is chosen', async () => {
    await write('localization.config.ts', `export default { customer: 'ts' }`)
    await write('localization.config.mjs', `export default { customer: 'mjs' }`)
    const { code, message } = await failure()
    expect(code).toBe('CONFIG_LOAD')
    expect(message).toContain('localization.config.ts and localization.config.mjs')
    expect((await load({ configFile: 'localization.config.mjs' })).customer).toBe('mjs')
  })

  describe('path aliases', () => {
    const config = `import { language } from '@/part'\nexport default { defaultLanguage: language }`

    test.each(['ts', 'mts', 'mjs', 'cts'])('of tsconfig.json work in %s', async (ending) => {
      await write(`localization.config.${ending}`, config)
      await write('src/part.ts', `export const language: string = 'x'`)
      await write('tsconfig.json', `{ // with a comment\n"compilerOptions": { "paths": { "@/*": ["./src/*"] } } }`)
      expect((await load()).defaultLanguage).toBe('x')
    })

    test.each([
      ['no tsconfig.json', undefined],
      ['one that only references', `{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }`],
      ['one that extends what is to be generated', `{ "extends": "./.svelte-kit/tsconfig.json" }`],
      ['one that is broken', `{ "compilerOptions": `],
    ])('with %s: an error that says what to do, and files without an alias work', async (_, tsconfig) => {
      await write('localization.config.ts', config)
      if (tsconfig !== undefined) await write('tsconfig.json', tsconfig)
      const { code, message } = await failure()
      expect(code).toBe('CONFIG_LOAD')
      expect(message).toContain(`Cannot find module '@/part'`)
      expect(message).toContain('compilerOptions.paths')
      await write('localization.config.ts', `export default { customer: 'a' }`)
      expect((await load()).customer).toBe('a')
    })
  })

  test('the next load sees edits of the file and of its imports', async () => {
    for (const name of ['localization.config.ts', 'localization.config.mjs']) {
      await write('part.ts', `export const language = 'one'`)
      await write(
        name,
        `import { language } from './part.ts'\nexport default { defaultLanguage: language, customer: 'a' }`,
      )
      expect(await load({ configFile: name })).toMatchObject({ defaultLanguage: 'one', customer: 'a' })
      await write(
        name,
        `import { language } from './part.ts'\nexport default { defaultLanguage: language, customer: 'b' }`,
      )
      await write('part.ts', `export const language = 'two'`)
      expect(await load({ configFile: name })).toMatchObject({ defaultLanguage: 'two', customer: 'b' })
    }
  })

  test('a function gets root and mode', async () => {
    await write(
      'localization.config.ts',
      `export default ({ root, mode }) => ({ customer: root, defaultLanguage: mode })`,
    )
    expect(await load({ mode: 'staging' })).toMatchObject({ customer: root, defaultLanguage: 'staging' })
  })

  test('a named file, or none at all', async () => {
    await write('localization.config.json', '{"customer": "found"}')
    await write('sub/other.json', '{"customer": "named"}')
    expect((await load({ configFile: 'sub/other.json' })).customer).toBe('named')
    expect((await load({ configFile: false })).customer).toBeUndefined()
    const error = await failure({ configFile: 'absent.ts' })
    expect(error.code).toBe('CONFIG_NOT_FOUND')
    expect(error.message).toContain('absent.ts')
  })

  test.each([
    [
      'localization.config.json',
      `{\n  "service": { "apiKey": "${CANARY}" },\n  "files": "x",\n}`,
      '4:1: trailing comma before "}"',
    ],
    [
      'localization.config.json',
      `{ "service": { "apiKey": "${CANARY}" } // no\n}`,
      ':1:51: comments are not allowed in JSON',
    ],
    ['localization.config.ts', `export default {\n  service: { apiKey: '${CANARY}' baseUrl: 1 } }`, '.ts:2:'],
    ['localization.config.ts', `const key = '${CANARY}'\nthrow new Error('on purpose')`, 'on purpose'],
    [
      'localization.config.mjs',
      `import './absent.js'\nexport default { service: { apiKey: '${CANARY}' } }`,
      'absent.js',
    ],
    ['localization.config.ts', `export default 5`, 'expected an object, received a number'],
    ['localization.config.json', `{ "service": { "apiKey": "${CANARY}\n" } }`, 'unterminated string'],
    ['localization.config.json', `[]`, 'expected an object, received a list'],
    ['localization.config.json', `{"service": {"apikey": "${CANARY}"}}`, 'Did you mean "service.apiKey"?'],
  ])('%s with a mistake names the file and shows no key: %#', async (name, content, part) => {
    await write(name, content)
    const error = await failure()
    expect(error.code).toMatch(/^CONFIG_(LOAD|INVALID)$/)
    expect(error.message).toContain(join(root, name))
    expect(error.message).toContain(part)
    expect(inspect(error, { depth: 9 })).not.toContain(CANARY)
  })
})

describe('precedence', () => {
  test('options, then file, then environment, then .env files from the special to the general', async () => {
    await write(
      'localization.config.json',
      JSON.stringify({ service: { baseUrl: 'https://file.test', retries: 1 }, customer: 'file', source: 'files' }),
    )
    await write(
      '.env',
      'LOCALIZATION_CDN_URL=https://env.test\nLOCALIZATION_PERSONAL_TOKEN=env\n' +
        'LOCALIZATION_API_KEY=env\nLOCALIZATION_BASE_URL=https://env.test',
    )
    await write('.env.local', 'LOCALIZATION_PERSONAL_TOKEN=env-local\nLOCALIZATION_API_KEY=env-local')
    await write('.env.production', 'LOCALIZATION_PERSONAL_TOKEN="env-production"')
    await write('.env.production.local', 'LOCALIZATION_API_KEY=env-production-local\nLOCALIZATION_CDN_URL=')
    const config = await load({
      mode: 'production',
      options: { service: { retries: 2 }, customer: undefined },
      env: { LOCALIZATION_CDN_URL: '', LOCALIZATION_UNRELATED: 'x' },
    })
    expect(config.customer).toBe('file')
    expect(config.service).toMatchObject({ baseUrl: 'https://file.test', retries: 2, cdnUrl: undefined })
    expect(config.service.personalToken).toBe('env-production')
    expect(config.service.apiKey).toBe('env-production-local')
    // The files are read at the same time.
    expect(
      read(config)
        .map((path) => path.slice(root.length + 1))
        .sort(),
    ).toEqual(['.env', '.env.local', '.env.production', '.env.production.local', 'localization.config.json'])
    const real = await load({
      env: { LOCALIZATION_API_KEY: 'real' },
      options: { service: { personalToken: 'option' } },
    })
    expect(real.service.apiKey).toBe('real')
    expect(real.service.personalToken).toBe('option')
    expect(real.service.cdnUrl).toBe('https://env.test')
  })

  test('a wrong value from a variable names the variable, and its file', async () => {
    await write('.env.local', `LOCALIZATION_BASE_URL=ftp://x\nLOCALIZATION_API_KEY="${CANARY} "`)
    const { message } = await failure()
    expect(message).toContain('service.baseUrl (from LOCALIZATION_BASE_URL in .env.local): the URL must start with')
    expect(message).toContain(
      'service.apiKey (from LOCALIZATION_API_KEY in .env.local): must not start or end with whitespace',
    )
    expect(message).not.toContain(CANARY)
  })

  test('a key in a variable that reaches the page is refused', async () => {
    const env = { LOCALIZATION_API_KEY: CANARY, LOCALIZATION_BASE_URL: 'https://x.test' }
    await write('.env', `NEXT_PUBLIC_KEY=${CANARY}`)
    const error = await failure({ env })
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toContain('NEXT_PUBLIC_KEY')
    expect(error.message).not.toContain(CANARY)
  })

  test('`envDir` counts, and a misspelt variable is warned about', async () => {
    await write('settings/.env.local', 'LOCALIZATION_PERSONAL_TOKEN=folder\nLOCALIZATION_API_KEI=x')
    const warnings: string[] = []
    const config = await load({ envDir: 'settings', warn: (message) => warnings.push(message) })
    expect(config.service.personalToken).toBe('folder')
    expect(read(config)).toEqual([join(root, 'settings/.env.local')])
    expect(warnings).toEqual([
      'unknown variable LOCALIZATION_API_KEI in settings/.env.local. Did you mean LOCALIZATION_API_KEY?',
    ])
    expect((await load({ envDir: false })).service.personalToken).toBeUndefined()
  })

  test('CI is detected from the environment', async () => {
    const env = { LOCALIZATION_API_KEY: 'k', LOCALIZATION_BASE_URL: 'https://x.test' }
    expect((await load({ env })).push).not.toBe(false)
    expect((await load({ env: { ...env, CI: 'false' } })).push).not.toBe(false)
    expect((await load({ env: { ...env, CI: 'true' } })).push).toBe(false)
    expect((await load({ env: { ...env, CI: '1' }, ci: false })).push).not.toBe(false)
  })

  test('a mode that cannot be part of a file name reads no other file', async () => {
    await write('x/.env', 'LOCALIZATION_PERSONAL_TOKEN=wrong')
    expect((await load({ mode: '/../x/.env' })).service.personalToken).toBeUndefined()
  })

  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'a .env file that cannot be read is an error',
    async () => {
      await write('.env', 'A=1')
      await chmod(join(root, '.env'), 0)
      expect((await failure()).code).toBe('CONFIG_LOAD')
    },
  )
})
