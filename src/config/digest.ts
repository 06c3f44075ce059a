import { hashOf } from '../shared/hash.ts'
import type { ResolvedConfig } from './types.ts'

/**
 * A stable hash of everything that affects what is loaded or generated. Plugin instances with the same digest may share
 * what they load. The path of the configuration file is ignored. Secrets are hashed first, so that the digest does not
 * reveal them.
 */
export function configDigest(config: ResolvedConfig): string {
  const { configFile: _file, configDependencies: _dependencies, ...rest } = config
  const { apiKey, personalToken, headers } = config.service
  const secrets = [apiKey, personalToken, JSON.stringify(canonical(headers))]
  return hashOf(JSON.stringify([canonical(rest), ...secrets.map(digestOf)]), 32)
}

function digestOf(secret: string | undefined): string | null {
  return secret === undefined ? null : hashOf(`unplugin-localization\0${secret}`)
}

/** Sorts object properties and removes undefined ones. Arrays keep their order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value === undefined ? null : value
  const given = Object.entries(value).filter(([, item]) => item !== undefined)
  const entries = given.map(([name, item]) => [name, canonical(item)] as const)
  return ['object', ...entries.sort(([a], [b]) => (a < b ? -1 : 1))]
}
