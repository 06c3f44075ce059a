/** `.env` files and the environment, compared with Vite on the same files. */
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isContinuousIntegration, loadEnvironment, misspeltVariables } from '../../../src/config/env.ts'
import { repeats } from '../../helpers/repeats.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const KEY = 'LOCALIZATION_API_KEY'

interface Row {
  readonly says: string
  readonly files?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly envDir?: string | false
  readonly value: string | undefined
}

const EVERY_FILE = {
  '.env': `${KEY}=general`,
  '.env.local': `${KEY}=local`,
  '.env.staging': `${KEY}=mode`,
  '.env.staging.local': `${KEY}=mode-local`,
}
const without = (...names: readonly string[]) =>
  Object.fromEntries(Object.entries(EVERY_FILE).filter(([name]) => !names.includes(name)))

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: references of .env files
const rows: readonly Row[] = [
  { says: 'the environment', files: EVERY_FILE, env: { [KEY]: 'real' }, value: 'real' },
  { says: 'the environment, empty', files: EVERY_FILE, env: { [KEY]: '' }, value: undefined },
  { says: '`.env.<mode>.local`', files: EVERY_FILE, value: 'mode-local' },
  { says: '`.env.<mode>`', files: without('.env.staging.local'), value: 'mode' },
  { says: '`.env.local`', files: without('.env.staging.local', '.env.staging'), value: 'local' },
  { says: '`.env`', files: { '.env': `${KEY}=general` }, value: 'general' },
  {
    says: 'an empty entry in a file',
    files: { '.env': `${KEY}=general`, '.env.local': `${KEY}=` },
    value: undefined,
  },
  {
    says: '`${NAME}` or `$NAME` in a file',
    files: { '.env': `${KEY}=\${SHOP_KEY}-$REGION`, '.env.local': 'SHOP_KEY=abc' },
    env: { REGION: 'eu' },
    value: 'abc-eu',
  },
  { says: '`${NAME:-text}` in a file', files: { '.env': `${KEY}=\${SHOP_KEY:-none}` }, value: 'none' },
  {
    says: '`${NAME:+text}` in a file',
    files: { '.env': `${KEY}=\${SHOP_KEY:+a}\${NONE:+b}`, '.env.local': 'SHOP_KEY=x' },
    value: 'a',
  },
  { says: '`\\$` in a file', files: { '.env': `${KEY}=a\\$b` }, value: 'a$b' },
  { says: '`$` in the environment', env: { [KEY]: 'a$b', b: 'no' }, value: 'a$b' },
  { says: '`envDir`', files: { '.env': `${KEY}=root`, 'env/.env': `${KEY}=folder` }, envDir: 'env', value: 'folder' },
  { says: '`envDir: false`', files: EVERY_FILE, env: {}, envDir: false, value: undefined },
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: references of .env files

async function project(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = await tempFolder()
  for (const [name, content] of Object.entries(files)) await writeTree(root, { [name]: `${content}\n` })
  return root
}

test.each(rows)('$says', async ({ files, env = {}, envDir, value }) => {
  const root = await project(files)
  const { values } = await loadEnvironment({ root, mode: 'staging', envDir }, env)
  expect(values.get(KEY)?.value).toBe(value)
})

test.each(rows)('Vite agrees: $says', async ({ files, env = {}, envDir, value }) => {
  const root = await project(files)
  for (const [name, text] of Object.entries(env)) vi.stubEnv(name, text)
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const name of repeats(['vite'], ['vite', 'vite7'])) {
    const { loadEnv } = (await import(name)) as typeof import('vite')
    const folder = envDir === false ? false : join(root, envDir ?? '.')
    expect([name, loadEnv('staging', folder, 'LOCALIZATION_')[KEY] || undefined]).toEqual([name, value])
  }
})

test("a value's file is relative to the root; a circle of references ends", async () => {
  const root = await project({ 'env/.env': `${KEY}=x\nA=$B\nB=$A\nC=a\${D}\nD=b\${C}` })
  const files: string[] = []
  const onRead = (path: string, content?: string) => content !== undefined && files.push(path)
  const { values } = await loadEnvironment({ root, envDir: 'env' }, {}, onRead)
  expect(values.get(KEY)).toEqual({ value: 'x', file: 'env/.env' })
  expect(values.has('A')).toBe(false)
  expect(values.get('C')?.value).toBe('ab')
  expect(files).toEqual([join(root, 'env/.env')])
})

test('a warning about a misspelt variable has the nearest name and no value', async () => {
  const root = await project({ '.env.local': 'LOCALIZATION_APIKEY=hunter22' })
  const env = {
    LOCALISATION_BASE_URL: 'https://hunter22.test',
    LOCALIZATION_KEY: 'hunter22',
    LOCALIZATION_PERSONEL_TOKEN: 'hunter22',
    LOCALIZATION_CDN_URL: 'https://x.test',
    LOCALIZATION_PROVIDER_A_KEY: 'hunter22',
    LOCALIZATION_PROVIDER_B_API_KEY: 'hunter22',
    LOCALIZATION_STRICT_MODE_OF_MY_APP: 'hunter22',
    LOCAL: 'hunter22',
  }
  const warnings = misspeltVariables(await loadEnvironment({ root }, env))
  expect(warnings.sort()).toEqual([
    'unknown variable LOCALISATION_BASE_URL. Did you mean LOCALIZATION_BASE_URL?',
    'unknown variable LOCALIZATION_APIKEY in .env.local. Did you mean LOCALIZATION_API_KEY?',
    'unknown variable LOCALIZATION_KEY. Did you mean LOCALIZATION_API_KEY?',
    'unknown variable LOCALIZATION_PERSONEL_TOKEN. Did you mean LOCALIZATION_PERSONAL_TOKEN?',
  ])
})

test.each([
  { CI: 'true' },
  { JENKINS_URL: 'http://jenkins.example.com/' },
  { TEAMCITY_VERSION: '2026.1' },
  { TF_BUILD: 'True' },
  { CODEBUILD_BUILD_ARN: 'arn:aws:codebuild:x' },
  { bamboo_planKey: 'A-B' },
])('%o is continuous integration', (env) => {
  expect(isContinuousIntegration(env)).toBe(true)
})

test.each([{}, { CI: 'false' }, { CI: '0', JENKINS_URL: 'http://jenkins.example.com/' }, { TF_BUILD: 'False' }])(
  '%o is none',
  (env) => {
    expect(isContinuousIntegration(env)).toBe(false)
  },
)
