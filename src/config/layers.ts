/** Merges the layers of unchecked options, and adds options from the environment. */
import { ENVIRONMENT_OPTIONS, type Environment, type EnvironmentValue } from './env.ts'
import { formatPath } from './problems.ts'

export type RawOptions = Readonly<Record<string, unknown>>

/** Later layers override earlier ones. `service` is merged option by option. Other options are replaced as a whole. */
export function mergeLayers(layers: readonly RawOptions[]): RawOptions {
  let merged: RawOptions = {}
  for (const layer of layers.map(defined)) {
    const { service: below } = merged
    const { service: above } = layer
    const service = isRecord(below) && isRecord(above) ? { service: { ...below, ...defined(above) } } : {}
    merged = { ...merged, ...layer, ...service }
  }
  return merged
}

/** Fills unset service options from the environment. `sources` says which variable each one comes from. */
export function fillFromEnvironment(
  options: RawOptions,
  environment: Environment | undefined,
): { readonly options: RawOptions; readonly sources: ReadonlyMap<string, string> } {
  const { service = {} } = options
  const sources = new Map<string, string>()
  if (!environment || !isRecord(service)) return { options, sources }
  const take = (variable: string, path: readonly string[]) => {
    const found = environment.values.get(variable)
    if (found) sources.set(formatPath(path), describeSource(variable, found))
    return found?.value
  }
  const added: Record<string, unknown> = {}
  for (const [variable, option] of Object.entries(ENVIRONMENT_OPTIONS)) {
    const isOpen = service[option] === undefined || service[option] === ''
    if (isOpen) added[option] = take(variable, ['service', option])
  }
  const headers = Object.entries(headersIn(service)).map(([name, value]) => {
    const variable = textIn(value, 'env')
    return [name, (variable !== undefined && take(variable, ['service', 'headers', name])) || value] as const
  })
  if (headers.length > 0) added.headers = Object.fromEntries(headers)
  const filled = { ...service, ...defined(added) }
  return { options: Object.keys(filled).length === 0 ? options : { ...options, service: filled }, sources }
}

function describeSource(variable: string, { file }: EnvironmentValue): string {
  return `from ${variable}${file === undefined ? '' : ` in ${file}`}`
}

export function secretsIn(service: unknown): string[] {
  const values = [textIn(service, 'apiKey'), textIn(service, 'personalToken'), ...Object.values(headersIn(service))]
  return values.filter((value) => typeof value === 'string')
}

function headersIn(service: unknown): RawOptions {
  return isRecord(service) && isRecord(service.headers) ? service.headers : {}
}

/** The value's own property with this name, if it is a non-empty string. */
export function textIn(value: unknown, name: string): string | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined
  const text = value[name]
  return typeof text === 'string' && text !== '' ? text : undefined
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function defined(value: RawOptions): RawOptions {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined))
}
