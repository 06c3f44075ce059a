/** From raw options to the frozen `ResolvedConfig`. After this nobody reads raw options, the environment or the working directory. */

import { resolve } from 'node:path'
import { normalizePattern } from '../shared/file-pattern.ts'
import { normalDrive } from '../shared/paths.ts'
import { normalizeAddress } from './checks.ts'
import {
  ENVIRONMENT_OPTIONS,
  type Environment,
  type EnvironmentValue,
  type Exposure,
  exposingVariable,
  isContinuousIntegration,
  loadEnvironment,
  misnamedSecrets,
  misspeltVariables,
} from './env.ts'
import { withHidden } from './hidden.ts'
import { loadConfigFile } from './load.ts'
import type { LocalizationOptions } from './options.ts'
import { configError, describeIssues, formatPath, type OptionProblem } from './problems.ts'
import { optionsSchema, type ParsedOptions, sectionDefaults } from './schema.ts'
import type { ResolvedConfig, ResolvedServiceConfig, ServiceErrorPolicy, SourceName } from './types.ts'

/** What resolving needs beside the options; nothing else is read. */
export interface ResolveContext {
  /** The project's folder, absolute. */
  readonly root: string
  /** Absolute path of the configuration file, for messages. */
  readonly configFile?: string | undefined
  readonly configDependencies?: readonly string[]
  /** What fills options that are left open, and what is searched for an exposed key. */
  readonly environment?: Environment
  /** Running on a continuous-integration machine: nothing is pushed. Default false. */
  readonly ci?: boolean
}

export interface LoadConfigInput {
  /** The project's folder; relative paths start at the working directory. */
  readonly root: string
  /** Options given to the plugin: they override the file's. */
  readonly options?: LocalizationOptions | undefined
  /** The file to read instead of looking for one; `false`: none. */
  readonly configFile?: string | false | undefined
  /** The bundler's mode: adds `.env.<mode>` and is handed to a configuration function. */
  readonly mode?: string | undefined
  /** The folder of the `.env` files. Default: the root. `false`: none is read. */
  readonly envDir?: string | false | undefined
  /** Beginnings of variables that the bundler puts into the page, beside the well-known ones. */
  readonly clientPrefixes?: readonly string[] | undefined
  /** Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Default: what `env.CI` says. */
  readonly ci?: boolean
  /** Called for variables that are probably misspelt. */
  readonly warn?: ((message: string) => void) | undefined
}

/**
 * The configuration of a project: options over file over environment over `.env` files.
 * Errors: CONFIG_NOT_FOUND, CONFIG_LOAD, CONFIG_INVALID (all problems at once, no secret in the message).
 */
export async function loadConfig(input: LoadConfigInput): Promise<ResolvedConfig> {
  const { options, configFile, mode, envDir, clientPrefixes, env = process.env, warn } = input
  const root = normalDrive(resolve(input.root))
  const [file, environment] = await Promise.all([
    configFile === false ? undefined : loadConfigFile({ root, mode }, configFile),
    loadEnvironment({ root, envDir, mode, env, clientPrefixes }),
  ])
  if (warn) misspeltVariables(environment).forEach(warn)
  return resolveLayers([...(file ? [file.value] : []), ...(options === undefined ? [] : [options])], {
    root,
    configFile: file?.path,
    configDependencies: [...(file ? [file.path] : []), ...environment.files],
    environment,
    ci: input.ci ?? isContinuousIntegration(env),
  })
}

/** Code that is generated for a schema is worth its making where many values are checked. */
const ONCE = { jitless: true }

/** Checks options, fills defaults, freezes. Pure. Errors: CONFIG_INVALID. */
export function resolveConfig(raw: unknown, context: ResolveContext): ResolvedConfig {
  return resolveLayers([raw], context)
}

/** Later layers override earlier ones; `service` is merged option by option, everything else is replaced as a whole. */
function resolveLayers(layers: readonly unknown[], context: ResolveContext): ResolvedConfig {
  const problems: OptionProblem[] = []
  const options: Record<string, unknown> = {}
  let service: unknown
  for (const layer of layers) {
    if (layer === undefined || layer === null) continue
    if (!isRecord(layer)) {
      problems.push({
        path: '',
        message: `expected an object of options, given ${Array.isArray(layer) ? 'a list' : `a ${typeof layer}`}`,
      })
      continue
    }
    for (const [name, value] of Object.entries(layer)) {
      if (value === undefined) continue
      if (name === 'service') service = isRecord(value) && isRecord(service) ? { ...service, ...defined(value) } : value
      else define(options, name, value)
    }
  }
  const filled = fillFromEnvironment(service, context.environment)
  if (filled.service !== undefined) options.service = filled.service

  const parsed = optionsSchema.safeParse(options, ONCE)
  if (!parsed.success) problems.push(...describeIssues(parsed.error.issues, options))
  const secrets = [
    stringIn(filled.service, 'apiKey'),
    stringIn(filled.service, 'personalToken'),
    ...Object.values(headersIn(filled.service)),
  ].filter((secret) => typeof secret === 'string')
  problems.push(...checkTogether(options, context.environment))
  if (!parsed.success || problems.length > 0) {
    throw configError(problems, { file: context.configFile, secrets, sourceOf: (path) => filled.sources.get(path) })
  }
  return freeze(assemble(parsed.data, context))
}

/** What no option can tell on its own. Runs on unchecked options, so that it is said together with everything else. */
function checkTogether(
  options: Readonly<Record<string, unknown>>,
  environment: Environment | undefined,
): OptionProblem[] {
  const problems: OptionProblem[] = []
  if (options.shape === 'nested' && options.keySeparator === '') {
    problems.push({ path: 'keySeparator', message: "must not be empty when shape is 'nested'", hint: "Use '.'." })
  }
  if (options.edit === true && options.inspector === false) {
    problems.push({
      path: 'edit',
      message: 'needs the inspector: its endpoints save the texts',
      hint: 'Leave inspector out.',
    })
  }
  const { service } = options
  const has = (name: string) => stringIn(service, name) !== undefined
  const source = options.source ?? (has('apiKey') ? 'export' : 'files')
  const local = stringIn(service, 'baseUrl') === 'local'
  if ((source === 'export' || source === 'query') && !has('baseUrl')) {
    const why =
      options.source === undefined ? 'an API key is set, so texts come from the service' : `source is '${source}'`
    problems.push({
      path: 'service.baseUrl',
      message: `is missing: ${why}`,
      hint: "Set service.baseUrl or LOCALIZATION_BASE_URL to the service's address, or source to 'files'.",
    })
  }
  if (source === 'hosting' && !local && !has('cdnUrl')) {
    problems.push({
      path: 'service.cdnUrl',
      message: "is missing: source is 'hosting'",
      hint: 'Set service.cdnUrl or LOCALIZATION_CDN_URL to the address published files are served from.',
    })
  }
  if (environment) problems.push(...exposures(environment, service))
  return problems
}

/** A secret in a variable that a bundler puts into the page is as good as published. */
function exposures(environment: Environment, service: unknown): OptionProblem[] {
  const shown = ({ variable, file }: Exposure) => `the variable ${variable}${file === undefined ? '' : ` in ${file}`}`
  const reason = ({ prefix }: Exposure) => `variables that begin with ${prefix} are put into the page`
  const problems: OptionProblem[] = []
  const told = new Set<string>()
  for (const [name, own] of [
    ['apiKey', 'LOCALIZATION_API_KEY'],
    ['personalToken', 'LOCALIZATION_PERSONAL_TOKEN'],
  ] as const) {
    const secret = stringIn(service, name)
    const found = secret === undefined ? undefined : exposingVariable(environment, secret)
    if (!found) continue
    told.add(found.variable)
    problems.push({
      path: `service.${name}`,
      message: `${shown(found)} holds the same value, and ${reason(found)}`,
      hint: found.variable === own ? `Take ${found.prefix} out of envPrefix.` : `Rename it to ${own}.`,
    })
  }
  for (const found of misnamedSecrets(environment)) {
    if (told.has(found.variable)) continue
    problems.push({
      path: `service.${ENVIRONMENT_OPTIONS[found.meant]}`,
      message: `${shown(found)} is set, and ${reason(found)}`,
      hint: `Rename it to ${found.meant}, and replace what it held if it was ever published.`,
    })
  }
  return problems
}

function fillFromEnvironment(
  service: unknown,
  environment: Environment | undefined,
): { readonly service: unknown; readonly sources: ReadonlyMap<string, string> } {
  const sources = new Map<string, string>()
  if (!environment || (service !== undefined && !isRecord(service))) return { service, sources }
  const filled: Record<string, unknown> = { ...service }
  for (const [variable, option] of Object.entries(ENVIRONMENT_OPTIONS)) {
    const found = environment.values.get(variable)
    if (!found || (filled[option] !== undefined && filled[option] !== '')) continue
    filled[option] = found.value
    sources.set(`service.${option}`, sourceOf(variable, found))
  }
  const headers = headersIn(service)
  if (Object.keys(headers).length > 0) filled.headers = { ...headers }
  for (const [name, value] of Object.entries(headers)) {
    const variable = stringIn(value, 'env')
    const found = variable === undefined ? undefined : environment.values.get(variable)
    if (variable === undefined || !found) continue
    define(filled.headers as Record<string, unknown>, name, found.value)
    sources.set(formatPath(['service', 'headers', name]), sourceOf(variable, found))
  }
  return { service: service === undefined && sources.size === 0 ? undefined : filled, sources }
}

function sourceOf(variable: string, { file }: EnvironmentValue): string {
  return `from ${variable}${file === undefined ? '' : ` in ${file}`}`
}

function headersIn(service: unknown): Readonly<Record<string, unknown>> {
  return isRecord(service) && isRecord(service.headers) ? service.headers : {}
}

function assemble(options: ParsedOptions, context: ResolveContext): ResolvedConfig {
  const { root } = context
  const service = assembleService(options)
  const reachable = service.baseUrl === 'local' || (service.apiKey !== undefined && service.baseUrl !== undefined)
  const hasTexts = service.apiKey !== undefined || service.baseUrl === 'local'
  const source: SourceName = options.source ?? (hasTexts ? 'export' : 'files')
  const policy: readonly ServiceErrorPolicy[] | undefined = options.onServiceError && [options.onServiceError]
  const push = context.ci ? false : (options.push ?? reachable)
  const { pull } = options
  const prune = options.prune === true ? sectionDefaults.prune() : options.prune
  const functions = [...new Set([...options.usage.functions, ...(prune ? prune.functions : [])])]
  const types = typeof options.types === 'string' ? sectionDefaults.types(options.types) : options.types
  const customers = options.customer === undefined ? options.customers : [options.customer, ...options.customers]
  return {
    root,
    configFile: context.configFile,
    configDependencies: [...(context.configDependencies ?? [])],
    service,
    source,
    environment: options.environment,
    files: [options.files].flat().map(normalizePattern),
    languages: withoutPseudo(options),
    namespaces: options.namespaces,
    languageMap: options.languageMap,
    defaultLanguage: options.defaultLanguage,
    fallback: options.fallback,
    defaultNamespace: options.defaultNamespace,
    customer: options.customer,
    customers: [...new Set(customers)],
    shape: options.shape,
    keySeparator: options.keySeparator,
    compile: options.compile,
    reviewed: options.reviewed,
    onServiceError: { build: policy ?? ['fail'], dev: policy ?? ['snapshot', 'files'] },
    coverage: options.coverage,
    push: push === true ? sectionDefaults.push() : push,
    pull: pull === true ? sectionDefaults.pull() : pull,
    prune: prune && { ...prune, functions },
    preload: options.preload,
    library: options.library,
    report: options.report,
    usage: { files: options.usage.files, functions },
    pseudo: options.pseudo,
    inspector: options.inspector,
    edit: options.edit,
    types: types && { ...types, file: resolve(root, types.file) },
  }
}

/** No source has the pseudo-language, so none is asked for it. */
function withoutPseudo({ languages, pseudo }: ParsedOptions): readonly string[] | undefined {
  const real = languages?.filter((language) => language !== pseudo)
  return real?.length === 0 ? languages : real
}

function assembleService(options: ParsedOptions): ResolvedServiceConfig {
  const { apiKey, personalToken, baseUrl, cdnUrl, headers, dispatcher, ...rest } = options.service
  const given = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const visible = {
    baseUrl: baseUrl ? normalizeAddress(baseUrl) : undefined,
    cdnUrl: cdnUrl ? normalizeAddress(cdnUrl) : undefined,
    tokenHeader: rest.tokenHeader,
    projectToken: rest.projectToken,
    timeoutMs: rest.timeoutMs,
    retries: rest.retries,
    requestsPerMinute: rest.requestsPerMinute,
    concurrency: rest.concurrency,
    missingVariables: missingVariables(options),
  }
  return withHidden(visible, {
    apiKey: apiKey || undefined,
    personalToken: personalToken || undefined,
    headers: freeze(Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value]))),
    dispatcher,
  })
}

/** Published files need no key, and the local service makes its own. */
function missingVariables({ source, service }: ParsedOptions): string[] {
  const { apiKey, baseUrl, cdnUrl, projectToken, headers } = service
  const isConfigured = Boolean(baseUrl || cdnUrl || projectToken)
  const needsKey = source === undefined ? isConfigured : source === 'export' || source === 'query'
  if (source === 'files' || baseUrl === 'local' || !isConfigured) return []
  const ofHeaders = Object.values(headers).flatMap((value) => (typeof value === 'string' ? [] : [value.env]))
  return [...new Set([...(needsKey && !apiKey ? ['LOCALIZATION_API_KEY'] : []), ...ofHeaders])]
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const child of Object.values(value)) freeze(child)
  return Object.freeze(value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sets a property whatever its name: `__proto__` too. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

function defined(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined))
}

function stringIn(value: unknown, name: string): string | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined
  const item = value[name]
  return typeof item === 'string' && item !== '' ? item : undefined
}
