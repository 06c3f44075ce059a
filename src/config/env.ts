/** Environment variables and `.env` files, as the users of bundlers know them. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { LocalizationError } from '../errors.ts'

/** Variable to the service option it fills. */
export const ENVIRONMENT_OPTIONS = {
  LOCALIZATION_API_KEY: 'apiKey',
  LOCALIZATION_PERSONAL_TOKEN: 'personalToken',
  LOCALIZATION_BASE_URL: 'baseUrl',
  LOCALIZATION_CDN_URL: 'cdnUrl',
} as const

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
  /** `undefined`: the process's own environment; else the file's name. */
  readonly file: string | undefined
}

export interface Environment {
  /** Every variable that is set and not empty; the process's own wins over files. */
  readonly values: ReadonlyMap<string, EnvironmentValue>
  /** The `.env` files that were read, absolute, weakest first. */
  readonly files: readonly string[]
  /** Beginnings of variables that this bundler puts into the page, beside `CLIENT_PREFIXES`. */
  readonly clientPrefixes?: readonly string[]
}

/**
 * Reads `.env`, `.env.local`, `.env.<mode>` and `.env.<mode>.local` in `root`, later ones winning, and lays `env` over them.
 * Values are taken as they stand: `$NAME` is not expanded. A file that is there and cannot be read is an error (CONFIG_LOAD).
 */
export async function loadEnvironment({
  root,
  mode,
  env,
  clientPrefixes = [],
}: {
  readonly root: string
  readonly mode?: string | undefined
  readonly clientPrefixes?: readonly string[] | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}): Promise<Environment> {
  const values = new Map<string, EnvironmentValue>()
  const files: string[] = []
  for (const name of envFileNames(mode)) {
    const path = join(root, name)
    const content = await readIfPresent(path)
    if (content === undefined) continue
    files.push(path)
    for (const [key, value] of Object.entries(parseEnv(content.replace(/^\uFEFF/, '')))) {
      if (value !== undefined) values.set(key, { value, file: name })
    }
  }
  for (const [key, value] of Object.entries(env)) {
    if (value !== undefined && value !== '') values.set(key, { value, file: undefined })
  }
  for (const [key, { value }] of values) if (value === '') values.delete(key)
  return { values, files, clientPrefixes }
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
