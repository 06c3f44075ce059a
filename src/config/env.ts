/** Reads environment variables and `.env` files as bundlers do. */

import { readFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { LocalizationError } from '../errors.ts'
import { nearestName } from '../shared/nearest.ts'
import { toPosix } from '../shared/paths.ts'
import type { LoadConfigInput } from './types.ts'

/** Matches `\$`, `$NAME`, `${NAME}`, and forms with a default (`${NAME:-text}`) or a replacement (`${NAME:+text}`). */
const REFERENCE = /\\\$|\$(?:([A-Za-z_]\w*)|\{([\w.]+)(?:(:?[-+])((?:[^{}]|\{[^{}]*\})*))?\})/g

/**
 * Expands references as dotenv-expand and Vite do. An entry may refer to any other entry, and `real` variables take
 * precedence. Unlike in Vite, an entry may refer to a later entry that itself contains references. A circular reference
 * becomes empty, whereas Vite would never return.
 */
function expandEntries(
  entries: ReadonlyMap<string, { readonly value: string }>,
  real: ReadonlyMap<string, string>,
): Map<string, string> {
  const lookUp = (name: string, open: readonly string[]): string =>
    real.get(name) ?? (open.includes(name) ? '' : expand(entries.get(name)?.value ?? '', [...open, name]))
  const expand = (text: string, open: readonly string[]): string =>
    text.replace(REFERENCE, (match, bare?: string, braced?: string, operator = '', other = '') => {
      if (match === '\\$') return '$'
      const value = lookUp(bare ?? braced ?? '', open)
      if (!operator.endsWith('+')) return value === '' ? expand(other, open) : value
      return value === '' ? '' : expand(other, open)
    })
  return new Map([...entries].map(([name, { value }]) => [name, expand(value, [name])]))
}

export const ENVIRONMENT_OPTIONS = {
  LOCALIZATION_API_KEY: 'apiKey',
  LOCALIZATION_PERSONAL_TOKEN: 'personalToken',
  LOCALIZATION_BASE_URL: 'baseUrl',
  LOCALIZATION_CDN_URL: 'cdnUrl',
} as const

export const SECRET_VARIABLES = [
  'LOCALIZATION_API_KEY',
  'LOCALIZATION_PERSONAL_TOKEN',
  'LOCALIZATION_PROVIDER_A_KEY',
  'LOCALIZATION_PROVIDER_B_KEY',
  'LOCALIZATION_PROVIDER_B_API_KEY',
  'LOCALIZATION_DATABASE_URL',
] as const

const KNOWN_VARIABLES: readonly string[] = [
  ...Object.keys(ENVIRONMENT_OPTIONS),
  ...SECRET_VARIABLES,
  'LOCALIZATION_PROVIDER_A_HEADER',
  'LOCALIZATION_PROVIDER_B_HEADER',
]

export interface EnvironmentValue {
  readonly value: string
  /** The path of the `.env` file, relative to the root; `undefined` for the process's own environment. */
  readonly file: string | undefined
}

export interface Environment {
  /** The variables with a non-empty value, by name. */
  readonly values: ReadonlyMap<string, EnvironmentValue>
  /** The prefixes of the variables that the bundler exposes to the page, in addition to `CLIENT_PREFIXES`. */
  readonly clientPrefixes?: readonly string[]
}

/** Called for each file that may be read. `content` is `undefined` if the file does not exist. */
export type OnRead = (path: string, content: string | undefined) => void

/**
 * Reads `.env`, `.env.local`, `.env.<mode>` and `.env.<mode>.local`, then applies `env`. As in Vite, later files
 * override earlier ones, even with empty values, and `${NAME}` is expanded. Throws CONFIG_LOAD for an unreadable file.
 */
export async function loadEnvironment(
  {
    root,
    envDir = root,
    mode,
    clientPrefixes = [],
  }: Pick<LoadConfigInput, 'root' | 'envDir' | 'mode' | 'clientPrefixes'>,
  env: Readonly<Record<string, string | undefined>>,
  onRead?: OnRead,
): Promise<Environment> {
  const entries = new Map<string, EnvironmentValue>()
  const folders = envDir === false ? [] : [envDir].flat()
  for (const path of folders.flatMap((folder) => envFileNames(mode).map((name) => resolve(root, folder, name)))) {
    const content = await readIfPresent(path)
    onRead?.(path, content)
    if (content === undefined) continue
    const file = toPosix(relative(root, path))
    for (const [variable, value = ''] of Object.entries(parseEnv(content.replace(/^\uFEFF/, ''))))
      entries.set(variable, { value, file })
  }
  const real = new Map(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
  const values = new Map<string, EnvironmentValue>()
  for (const [variable, value] of expandEntries(entries, real))
    if (value !== '' && !real.has(variable)) values.set(variable, { value, file: entries.get(variable)?.file })
  for (const [variable, value] of real) if (value !== '') values.set(variable, { value, file: undefined })
  return { values, clientPrefixes }
}

/** Returns a warning for each variable whose name is almost a known one. Values are not shown. */
export function misspeltVariables({ values }: Environment): string[] {
  return [...values].flatMap(([variable, { file }]) => {
    if (!/^LOCALI[SZ]ATION_/i.test(variable) || KNOWN_VARIABLES.includes(variable)) return []
    const nearest = nearestName(variable, KNOWN_VARIABLES)
    const where = file === undefined ? variable : `${variable} in ${file}`
    return nearest === undefined ? [] : [`unknown variable ${where}. Did you mean ${nearest}?`]
  })
}

/**
 * Returns the file names in Vite's order. Later files override earlier ones. A mode that cannot be part of a file name
 * is ignored.
 */
function envFileNames(mode: string | undefined): readonly string[] {
  const general = ['.env', '.env.local']
  if (mode === undefined || !/^[\w.-]+$/.test(mode) || mode === 'local') return general
  return [...general, `.env.${mode}`, `.env.${mode}.local`]
}

/** The variables of CI servers that do not set `CI`. */
const CI_VARIABLES = [
  'APPVEYOR',
  'BITBUCKET_BUILD_NUMBER',
  'BITRISE_IO',
  'BUDDY_WORKSPACE_ID',
  'BUILDKITE',
  'CIRCLECI',
  'CIRRUS_CI',
  'CODEBUILD_BUILD_ARN',
  'CONTINUOUS_INTEGRATION',
  'DRONE',
  'GITEA_ACTIONS',
  'GITHUB_ACTIONS',
  'GITLAB_CI',
  'GO_PIPELINE_LABEL',
  'HARNESS_BUILD_ID',
  'JENKINS_URL',
  'NETLIFY',
  'SCREWDRIVER',
  'SEMAPHORE',
  'TEAMCITY_VERSION',
  'TF_BUILD',
  'TRAVIS',
  'WOODPECKER',
  'bamboo_planKey',
] as const

/** True on a CI server. If the variable `CI` is set, only its value counts: `false` and `0` mean no. */
export function isContinuousIntegration(env: Readonly<Record<string, string | undefined>>): boolean {
  const isOn = (value = '') => !['', '0', 'false'].includes(value.toLowerCase())
  return env.CI ? isOn(env.CI) : CI_VARIABLES.some((name) => isOn(env[name]))
}

export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined
    throw new LocalizationError(`cannot be read (${code})`, { code: 'CONFIG_LOAD', place: { file: path }, cause })
  }
}
