/**
 * webpack and Rspack keep a module in their cache as long as the files that it was made of are unchanged. The options,
 * the service's texts and this package are no such files. One file stands for all of them: each generated module
 * depends on it.
 */
import { existsSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Compiler } from 'webpack'
import { configDigest } from '../../../config/digest.ts'
import { writeIfChanged } from '../../../shared/atomic-write.ts'
import { hashOf } from '../../../shared/hash.ts'
import { packageVersion } from '../../../shared/package-version.ts'
import type { Session } from '../../session.ts'
import type { LoadedState } from '../../state.ts'

export interface CacheFile {
  /** `undefined`: nothing outlives the process, and nobody watches. */
  readonly path?: string
  /** False where the file cannot be written. */
  readonly isCacheable: boolean
}

/**
 * Call it before the bundler reads its cache. Errors: FILE_WRITE.
 *
 * @param place what the generated code holds of the bundler's own options
 */
export async function writeCacheFile(
  compiler: Compiler,
  session: Session,
  state: LoadedState,
  place: string,
): Promise<CacheFile> {
  const { context, watchMode } = compiler
  const location = persistentCache(compiler)
  if (location === undefined && !watchMode) return { isCacheable: true }
  const config = configDigest(state.config)
  // Named after the cache, not after the options: a cached module would go on depending on the old options' file.
  const name = hashOf(location === undefined ? config : relative(context, location), 12)
  const path = join(context, '.localization', `bundler-cache-${name}.txt`)
  const contentOf = ({ digest, loaded }: LoadedState) => {
    // A file that breaks leaves the texts as they were, and is reported in the page.
    const { diagnostics } = loaded.files
    return hashOf(JSON.stringify([packageVersion(), config, digest(), diagnostics, place, watchMode]), 32)
  }
  // While the bundler watches, new content makes it build again. Without it, the change shows at the next edit.
  session.dev.onChange(({ after }) => writeIfChanged(path, `${contentOf(after)}\n`).catch(() => {}))
  const content = contentOf(state)
  try {
    if (await writeIfChanged(path, `${content}\n`)) {
      // A time of its own for each content, long past: bundlers do not trust a file that changed a moment ago.
      const seconds = Number.parseInt(content.slice(0, 7), 16)
      await utimes(path, seconds, seconds)
    }
    return { path, isCacheable: true }
  } catch (error) {
    // With the old file in its place the bundler would trust its cache.
    if (existsSync(path)) throw error
    return { path, isCacheable: false }
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
