/** Environment variables and `.env` files, as the users of bundlers know them. */

import { readFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { LocalizationError } from '../errors.ts'
import { nearestName } from '../shared/nearest.ts'
import { toPosix } from '../shared/paths.ts'
import { expandEntries } from './expand.ts'

/** Variable to the service option it fills. */
export const ENVIRONMENT_OPTIONS = {
  LOCALIZATION_API_KEY: 'apiKey',
  LOCALIZATION_PERSONAL_TOKEN: 'personalToken',
  LOCALIZATION_BASE_URL: 'baseUrl',
  LOCALIZATION_CDN_URL: 'cdnUrl',
} as const

/** Every variable that the package reads: the other ones are those of `serve` and `translate`. */
const KNOWN_VARIABLES: readonly string[] = [
  ...Object.keys(ENVIRONMENT_OPTIONS),
  'LOCALIZATION_PROVIDER_A_KEY',
  'LOCALIZATION_PROVIDER_A_HEADER',
  'LOCALIZATION_PROVIDER_B_KEY',
  'LOCALIZATION_PROVIDER_B_HEADER',
  'LOCALIZATION_PROVIDER_B_API_KEY',
]

/** The variables whose values nobody but the build may have. */
const SECRET_VARIABLES = ['LOCALIZATION_API_KEY', 'LOCALIZATION_PERSONAL_TOKEN'] as const

/** Variables with these beginnings are put into the page by a bundler or a framework. */
export const CLIENT_PREFIXES: readonly string[] = [
  'VITE_',
  'NEXT_PUBLIC_',
  'PUBLIC_',
  'REACT_APP_',
  'NUXT_PUBLIC_',
  'GATSBY_',
  'VUE_APP_',
  'EXPO_PUBLIC_',
  'STORYBOOK_',
  'RSBUILD_PUBLIC_',
  'FARM_',
  'NG_APP_',
  'PARCEL_PUBLIC_',
]

export interface EnvironmentValue {
  readonly value: string
  /** `undefined`: the process's own environment; else the file's path, relative to the root. */
  readonly file: string | undefined
}

export interface Environment {
  /** Every variable that is set and not empty. */
  readonly values: ReadonlyMap<string, EnvironmentValue>
  /** The `.env` files that were read, absolute, weakest first. */
  readonly files: readonly string[]
  /** Beginnings of variables that this bundler puts into the page, beside `CLIENT_PREFIXES`. */
  readonly clientPrefixes?: readonly string[]
}

export interface EnvironmentInput {
  readonly root: string
  /** The folder of the `.env` files, relative to the root. Default: the root. `false`: no file is read. */
  readonly envDir?: string | false | undefined
  readonly mode?: string | undefined
  readonly clientPrefixes?: readonly string[] | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Reads `.env`, `.env.local`, `.env.<mode>` and `.env.<mode>.local`, and lays `env` over them, as Vite does: later ones
 * win, also with an empty value, and `${NAME}` is expanded. A file that cannot be read is an error (CONFIG_LOAD).
 */
export async function loadEnvironment(input: EnvironmentInput): Promise<Environment> {
  const { root, envDir = root, mode, env, clientPrefixes = [] } = input
  const parsed: Record<string, string> = Object.create(null)
  const fileOf = new Map<string, string>()
  const files: string[] = []
  for (const name of envDir === false ? [] : envFileNames(mode)) {
    const path = resolve(root, envDir || root, name)
    const content = await readIfPresent(path)
    if (content === undefined) continue
    files.push(path)
    for (const [key, value = ''] of Object.entries(parseEnv(content.replace(/^\uFEFF/, '')))) {
      parsed[key] = value
      fileOf.set(key, toPosix(relative(root, path)))
    }
  }
  const real = Object.fromEntries(Object.entries(env).filter(isSet))
  const values = new Map<string, EnvironmentValue>()
  for (const [key, value] of Object.entries({ ...expandEntries(parsed, real), ...real })) {
    if (value !== '') values.set(key, { value, file: Object.hasOwn(real, key) ? undefined : fileOf.get(key) })
  }
  return { values, files, clientPrefixes }
}

function isSet(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined
}

/** A warning for each variable that looks like one of ours and is none. Values are not shown. */
export function misspeltVariables({ values }: Environment): string[] {
  return [...values].flatMap(([variable, { file }]) => {
    if (!/^LOCALI[SZ]ATION_/i.test(variable) || KNOWN_VARIABLES.includes(variable)) return []
    const nearest = nearestName(variable, KNOWN_VARIABLES)
    const where = file === undefined ? variable : `${variable} in ${file}`
    return nearest === undefined ? [] : [`the variable ${where} is not read. Did you mean ${nearest}?`]
  })
}

/** Weakest first: Vite's order. A mode that is no file name adds nothing. */
function envFileNames(mode: string | undefined): readonly string[] {
  const general = ['.env', '.env.local']
  if (mode === undefined || !/^[\w.-]+$/.test(mode) || mode === 'local') return general
  return [...general, `.env.${mode}`, `.env.${mode}.local`]
}

/** True on a continuous-integration machine: `CI` is set to anything but `false` or `0`. */
export function isContinuousIntegration(env: Readonly<Record<string, string | undefined>>): boolean {
  const value = env.CI
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase())
}

/** A variable that puts a secret into the page, and why it does. */
export interface Exposure {
  readonly variable: string
  readonly prefix: string
  /** The `.env` file it is in. */
  readonly file: string | undefined
}

/** The client-exposed variable that holds this secret, if one does. */
export function exposingVariable(environment: Environment, secret: string): Exposure | undefined {
  for (const [variable, { value, file }] of environment.values) {
    const prefix = value.trim() === secret ? clientPrefix(environment, variable) : undefined
    if (prefix !== undefined) return { variable, prefix, file }
  }
  return undefined
}

/** Variables that are meant as ours and carry a bundler's prefix: `VITE_LOCALIZATION_API_KEY`. */
export function misnamedSecrets(
  environment: Environment,
): (Exposure & { readonly meant: keyof typeof ENVIRONMENT_OPTIONS })[] {
  return [...environment.values].flatMap(([variable, { file }]) => {
    const meant = SECRET_VARIABLES.find((name) => variable !== name && variable.endsWith(name))
    const prefix = meant && clientPrefix(environment, variable)
    return prefix === undefined || meant === undefined ? [] : [{ variable, prefix, file, meant }]
  })
}

function clientPrefix({ clientPrefixes = [] }: Environment, variable: string): string | undefined {
  return [...CLIENT_PREFIXES, ...clientPrefixes].find((prefix) => prefix !== '' && variable.startsWith(prefix))
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined
    throw new LocalizationError(`cannot be read (${code})`, { code: 'CONFIG_LOAD', place: { file: path }, cause })
  }
}
