/**
 * webpack and Rspack keep a module in their cache as long as the files that it was made of are unchanged. The options,
 * the service's texts and this package are no such files. One file stands for all of them: each generated module
 * depends on it.
 */
import { stat, utimes } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Compiler } from 'webpack'
import { configDigest } from '../../../config/digest.ts'
import { writeIfChanged } from '../../../shared/atomic-write.ts'
import { hashOf } from '../../../shared/hash.ts'
import { packageVersion } from '../../../shared/package-version.ts'
import type { LoadedState } from '../../state.ts'

export interface CacheFile {
  readonly path: string
  /** Before the bundler looks at its cache. `false`: nothing may be cached. Errors: FILE_WRITE. */
  write(state: LoadedState): Promise<boolean>
  /** While the bundler watches: makes it build again. */
  touch(state: LoadedState): Promise<void>
}

/**
 * `undefined`: nothing outlives the process, and nobody watches.
 *
 * @param place what the generated code holds of the bundler's own options
 */
export function createCacheFile(compiler: Compiler, { config }: LoadedState, place: string): CacheFile | undefined {
  const { context, watchMode } = compiler
  const location = persistentCache(compiler)
  if (location === undefined && !watchMode) return undefined
  // Named after the cache and not after the options: a cached module would go on depending on the old options' file.
  const name = hashOf(location === undefined ? configDigest(config) : relative(context, location), 12)
  const path = join(context, '.localization', `bundler-cache-${name}.txt`)
  const contentOf = (state: LoadedState) => {
    // A file that breaks leaves the texts as they were, and is to be reported in the page.
    const { diagnostics } = state.loaded.files
    return hashOf(
      JSON.stringify([packageVersion(), configDigest(config), state.digest(), diagnostics, place, watchMode]),
      32,
    )
  }
  return {
    path,
    async write(state) {
      const content = contentOf(state)
      try {
        if (await writeIfChanged(path, `${content}\n`)) {
          // A time of its own for each content, long past: bundlers do not trust a file that changed a moment ago.
          const seconds = Number.parseInt(content.slice(0, 7), 16)
          await utimes(path, seconds, seconds)
        }
        return true
      } catch (error) {
        const isThere = await stat(path).then(
          () => true,
          () => false,
        )
        // With the old file in its place the cache would be believed.
        if (isThere) throw error
        return false
      }
    },
    async touch(state) {
      // Any new content will do. Where it cannot be written, the change shows at the next edit.
      await writeIfChanged(path, `${contentOf(state)}\n`).catch(() => {})
    },
  }
}

interface CacheOptions {
  readonly type?: string
  /** webpack, and Rspack's cache of webpack's kind. */
  readonly cacheLocation?: string
  readonly storage?: { readonly location?: string; readonly directory?: string }
}

/** The folder of the cache that the next process finds; `undefined`: there is none. */
function persistentCache({ options, context }: Compiler): string | undefined {
  const { mode = '', name = '' } = options
  // Rspack 1 has it among its experiments.
  const experiment = (options.experiments as { cache?: CacheOptions | boolean } | undefined)?.cache
  const cache = typeof experiment === 'object' ? experiment : (options.cache as CacheOptions | boolean)
  if (typeof cache !== 'object' || cache.type === 'memory') return undefined
  const { cacheLocation, storage = {} } = cache
  return cacheLocation ?? storage.location ?? join(storage.directory ?? context, name, mode)
}
