import { hashOf } from '../shared/hash.ts'
import type { ResolvedConfig } from './types.ts'

/**
 * A stable hash of everything that changes what is loaded or generated, secrets included (hashed first, so the digest tells nothing
 * about them). Two plugin instances with one digest may share one load. Where the configuration was written does not count.
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

/** The same value with its names in one order, whatever order they were written in. Chains and lists keep theirs. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value === undefined ? null : value
  const entries = Object.entries(value).map(([name, item]) => [name, canonical(item)] as const)
  return ['object', ...entries.sort(([a], [b]) => (a < b ? -1 : 1))]
}
