import { completeOptions } from '../../src/config/complete.ts'
import { parseOptions } from '../../src/config/issues.ts'
import { finishConfig, mergeGiven, type ResolveContext } from '../../src/config/resolve.ts'
import type { ResolvedConfig } from '../../src/config/types.ts'

/** The configuration that `loadConfig` makes of these options, without files. Errors: CONFIG_INVALID. */
export function resolveConfig(raw: unknown, context: ResolveContext): ResolvedConfig {
  const given = mergeGiven([raw], context)
  const completed = completeOptions(given.options)
  return finishConfig(given, completed ? { options: completed } : parseOptions(given.options), context)
}
