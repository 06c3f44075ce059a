/**
 * Turns raw options into the frozen `ResolvedConfig`. Code that runs later reads neither raw options nor the
 * environment.
 */

import { resolve } from 'node:path'
import { normalizePattern } from '../shared/file-pattern.ts'
import { hashOf } from '../shared/hash.ts'
import { PATH_JOINT } from '../shared/key-path.ts'
import { normalDrive } from '../shared/paths.ts'
import { normalizeAddress } from './checks.ts'
import { completeOptions, sectionDefaults } from './complete.ts'
import {
  ENVIRONMENT_OPTIONS,
  type Environment,
  isContinuousIntegration,
  loadEnvironment,
  misspeltVariables,
} from './env.ts'
import type { Checked } from './issues.ts'
import { fillFromEnvironment, isRecord, mergeLayers, type RawOptions, secretsIn, textIn } from './layers.ts'
import { loadConfigFile } from './load.ts'
import { configError, type OptionProblem } from './problems.ts'
import type { ParsedOptions } from './schema.ts'
import { SOURCE_NAMES, SOURCES } from './sources.ts'
import type {
  ConfigDependencies,
  FilePattern,
  LoadConfigInput,
  ResolvedConfig,
  ResolvedServiceConfig,
} from './types.ts'

/** Prefixes of variables that bundlers expose to the page. */
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

/** Reports exposed variables with the value or the name of a secret in `service`. */
function exposedSecrets({ values, clientPrefixes = [] }: Environment, service: unknown): OptionProblem[] {
  const prefixes = [...CLIENT_PREFIXES, ...clientPrefixes].filter((prefix) => prefix !== '')
  return [...values].flatMap(([variable, { value, file }]) => {
    const prefix = prefixes.find((each) => variable.startsWith(each))
    if (prefix === undefined) return []
    const where = `the variable ${variable}${file === undefined ? '' : ` in ${file}`}`
    const reason = `variables that start with ${prefix} are exposed to the page`
    for (const own of ['LOCALIZATION_API_KEY', 'LOCALIZATION_PERSONAL_TOKEN'] as const) {
      const option = ENVIRONMENT_OPTIONS[own]
      const path = `service.${option}`
      if (value.trim() === textIn(service, option)) {
        const hint = variable === own ? `Remove ${prefix} from envPrefix.` : `Rename it to ${own}.`
        return [{ path, message: `${where} has the same value, and ${reason}`, hint }]
      }
      if (variable !== own && variable.endsWith(own)) {
        const hint = `Rename it to ${own}. If it was ever published, replace the key.`
        return [{ path, message: `${where} is set, and ${reason}`, hint }]
      }
    }
    return []
  })
}

/** A configuration's inputs in addition to its options. */
export interface ResolveContext {
  /** The project's folder, an absolute path. */
  readonly root: string
  /** The absolute path of the configuration file, for messages. */
  readonly configFile?: string | undefined
  readonly configDependencies?: ConfigDependencies
  /** Supplies values for options that are not set. It is also searched for keys that the bundler would expose. */
  readonly environment?: Environment
  /** True on a CI server, where nothing is pushed. Default false. */
  readonly ci?: boolean
}

/**
 * Loads a project's configuration. Options override the file, which overrides the environment and `.env` files. Throws
 * CONFIG_NOT_FOUND, CONFIG_LOAD, or CONFIG_INVALID, which lists all problems without secrets.
 */
export async function loadConfig(input: LoadConfigInput): Promise<ResolvedConfig> {
  const { options, configFile, mode, envDir, clientPrefixes, env = process.env, warn } = input
  const root = normalDrive(resolve(input.root))
  const dependencies = new Map<string, string | undefined>()
  const onRead = (path: string, content: string | undefined) => {
    const hash = content === undefined ? undefined : hashOf(content)
    dependencies.set(path, hash)
    input.onDependency?.(path, hash)
  }
  const [file, environment] = await Promise.all([
    configFile === false ? undefined : loadConfigFile({ root, mode }, configFile, { onRead, warn }),
    loadEnvironment({ root, envDir, mode, clientPrefixes }, env, onRead),
  ])
  if (warn) misspeltVariables(environment).forEach(warn)
  const context = {
    root,
    configFile: file?.path,
    configDependencies: dependencies,
    environment,
    ci: input.ci ?? isContinuousIntegration(env),
  }
  const given = mergeGiven([file?.value, options], context)
  const completed = completeOptions(given.options)
  // Loading the schema takes longer than anything else before a dev server listens.
  const checked = completed ? { options: completed } : (await import('./issues.ts')).parseOptions(given.options)
  return finishConfig(given, checked, context)
}

interface Given {
  readonly layers: readonly unknown[]
  readonly options: RawOptions
  /** Where each option that comes from a variable was set, for example `from LOCALIZATION_API_KEY in .env.local`. */
  readonly sources: ReadonlyMap<string, string>
}

export function mergeGiven(raw: readonly unknown[], { environment }: ResolveContext): Given {
  const layers = raw.filter((layer) => layer !== undefined && layer !== null)
  return { layers, ...fillFromEnvironment(mergeLayers(layers.filter(isRecord)), environment) }
}

/**
 * Runs the checks that the schema cannot express, adds options that depend on others, and freezes the result. Throws
 * CONFIG_INVALID.
 */
export function finishConfig(given: Given, checked: Checked, context: ResolveContext): ResolvedConfig {
  const { layers, options, sources } = given
  const problems: OptionProblem[] = [
    ...layers.filter((layer) => !isRecord(layer)).map(notAnObject),
    ...('problems' in checked ? checked.problems : []),
    ...checkTogether(options),
    ...(context.environment ? exposedSecrets(context.environment, options.service) : []),
  ]
  if ('options' in checked && problems.length === 0) return freeze(assemble(checked.options, context))
  throw configError(problems, context.configFile, secretsIn(options.service), sources)
}

function notAnObject(layer: unknown): OptionProblem {
  const type = Array.isArray(layer) ? 'a list' : `a ${typeof layer}`
  return { path: '', message: `expected an object, received ${type}` }
}

const ADDRESS_HINTS = {
  baseUrl: "Set service.baseUrl or LOCALIZATION_BASE_URL to the service's URL, or source to 'files'.",
  cdnUrl: 'Set service.cdnUrl or LOCALIZATION_CDN_URL to the URL of the published files.',
}

/**
 * Checks rules that involve several options. The options may be unchecked, so that all problems are reported together.
 */
function checkTogether({ edit, inspector, service, ...options }: RawOptions): OptionProblem[] {
  const problems: OptionProblem[] = []
  const add = (path: string, message: string, hint: string) => problems.push({ path, message, hint })
  if (edit === true && inspector === false)
    add('edit', 'requires the inspector, which saves the texts', 'Remove inspector: false.')
  const named = SOURCE_NAMES.find((name) => name === options.source)
  const source = named ?? (textIn(service, 'apiKey') === undefined ? 'files' : 'export')
  const { address } = SOURCES[source]
  if (address && textIn(service, address) === undefined && textIn(service, 'baseUrl') !== 'local') {
    const why = named ? `source is '${source}'` : 'an API key is set, so texts are loaded from the service'
    add(`service.${address}`, `missing: ${why}`, ADDRESS_HINTS[address])
  }
  return problems
}

function assemble(options: ParsedOptions, context: ResolveContext): ResolvedConfig {
  const { root, configFile, configDependencies = new Map(), ci } = context
  const { onServiceError, customer, pull } = options
  const service = assembleService(options)
  const isLocal = service.baseUrl === 'local'
  const push = !ci && (options.push ?? (isLocal || (service.apiKey !== undefined && service.baseUrl !== undefined)))
  const prune = options.prune === true ? sectionDefaults.prune() : options.prune
  const functions = [...new Set([...options.usage.functions, ...(prune ? prune.functions : [])])]
  const types = typeof options.types === 'string' ? sectionDefaults.types(options.types) : options.types
  return {
    ...options,
    root,
    configFile,
    configDependencies,
    service,
    source: options.source ?? (isLocal || service.apiKey !== undefined ? 'export' : 'files'),
    keySeparator: options.keySeparator === false ? PATH_JOINT : options.keySeparator,
    files: [options.files].flat().map(resolvePattern),
    languages: withoutPseudo(options),
    customers: [...new Set([...(customer === undefined ? [] : [customer]), ...options.customers])],
    onServiceError: {
      build: [onServiceError ?? 'fail'],
      dev: onServiceError ? [onServiceError] : ['snapshot', 'files'],
    },
    push: push === true ? sectionDefaults.push() : push,
    pull: pull === true ? sectionDefaults.pull() : pull,
    prune: prune && { ...prune, functions },
    refresh: options.refresh === true ? sectionDefaults.refresh() : options.refresh,
    usage: { ...options.usage, functions },
    types: types && { ...types, file: resolve(root, types.file) },
  }
}

function resolvePattern(given: string | FilePattern): FilePattern {
  const { pattern, ...rest } = typeof given === 'string' ? { pattern: given } : given
  return { pattern: normalizePattern(pattern), ...rest }
}

/** The languages to load. The pseudo-language is not among them, because it is generated. */
function withoutPseudo({ languages, pseudo }: ParsedOptions): readonly string[] | undefined {
  const real = languages?.filter((language) => language !== pseudo)
  return real?.length === 0 ? languages : real
}

function assembleService(options: ParsedOptions): ResolvedServiceConfig {
  const { apiKey, personalToken, baseUrl, cdnUrl, headers, dispatcher, ...rest } = options.service
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
  )
  const visible = {
    ...rest,
    baseUrl: baseUrl ? normalizeAddress(baseUrl) : undefined,
    cdnUrl: cdnUrl ? normalizeAddress(cdnUrl) : undefined,
    projectToken: rest.projectToken,
    requestsPerMinute: rest.requestsPerMinute,
    missingVariables: missingVariables(options),
  }
  return withHidden(visible, {
    apiKey: apiKey || undefined,
    personalToken: personalToken || undefined,
    headers: freeze(Object.fromEntries(given)),
    dispatcher,
  })
}

/**
 * Adds non-enumerable properties. They are neither shown nor copied when the object is inspected, serialized or spread.
 */
export function withHidden<Visible extends object, Hidden extends object>(
  visible: Visible,
  hidden: Hidden,
): Visible & Hidden {
  const properties = Object.entries(hidden).map(([name, value]) => [name, { value, enumerable: false }] as const)
  return Object.defineProperties(visible, Object.fromEntries(properties)) as Visible & Hidden
}

/**
 * The names of required variables that are not set. Published files need no key, and the local service creates its own.
 */
function missingVariables({ source, service }: ParsedOptions): string[] {
  const { apiKey, baseUrl, cdnUrl, projectToken, headers } = service
  const isConfigured = Boolean(baseUrl || cdnUrl || projectToken)
  if (source === 'files' || baseUrl === 'local' || !isConfigured) return []
  const needsApiKey = SOURCES[source ?? 'export'].needsApiKey && !apiKey
  const ofHeaders = Object.values(headers).flatMap((value) => (typeof value === 'string' ? [] : [value.env]))
  return [...new Set([...(needsApiKey ? ['LOCALIZATION_API_KEY'] : []), ...ofHeaders])]
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const child of Object.values(value)) freeze(child)
  return Object.freeze(value)
}
