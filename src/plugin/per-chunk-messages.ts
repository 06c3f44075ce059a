/**
 * The option `prune.perChunk`: a page loads some keys at its start, and others together with lazy chunks.
 * `pruned-state.ts` decides which.
 */
import type { ResolvedConfig } from '../config/types.ts'
import type { CodeLoad } from '../usage/parts.ts'
import type { UsedKeys } from '../usage/used-keys.ts'

export function wantsPerChunk({ prune }: Pick<ResolvedConfig, 'prune'>): boolean {
  return prune !== false && prune.perChunk
}

export function perChunkWarning(reason: string): string {
  return `prune.perChunk has no effect: ${reason}. Every page fetches the used keys of the whole app`
}

/** The keys of a chunk. Namespaces without keys are left out. */
export interface ChunkKeys {
  /** The chunk's name in the plan. */
  readonly chunk: string
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>
}

export interface LoadKeys {
  readonly load: CodeLoad
  /** The keys that the code of this load uses; `undefined` if it uses none. */
  readonly used: UsedKeys | undefined
}
