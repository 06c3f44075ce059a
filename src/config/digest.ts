import { hashOf } from '../shared/hash.ts'
import type { ResolvedConfig } from './types.ts'

/**
 * A stable hash of everything that changes what is loaded or generated. Two plugin instances with the same digest may
 * share one load. The place of the configuration does not count. Secrets are hashed first, so the digest reveals none.
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

/** The value with the names of its objects in one order. Lists keep theirs. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value === undefined ? null : value
  const entries = Object.entries(value).map(([name, item]) => [name, canonical(item)] as const)
  return ['object', ...entries.sort(([a], [b]) => (a < b ? -1 : 1))]
}
