/** Where a Vite build has its texts. */
import type { ResolvedConfig as ViteConfig } from 'vite'
import { LocalizationError } from '../../../errors.ts'
import type { PlaceOf } from '../rollup/prebuilt-chunks.ts'
import { consumerOf } from './environments.ts'

/** Workers have a build of their own, with another instance of this plugin. */
export interface VitePlace {
  readonly placeOf: PlaceOf
  configResolved(config: ViteConfig): void
  /** The import of a worker, before Vite builds it. */
  workerRequested(id: string): void
  /** For the instances in the workers' builds. */
  readonly api: WorkerRequests
}

interface WorkerRequests {
  /** Absolute paths of workers that are imported with `?inline`. */
  readonly inline: Set<string>
  /** Those that have their texts in files. */
  readonly withFiles: Set<string>
}

export const WORKER_REQUEST = /[?&](?:worker|sharedworker)(?:&|$)/

/** What Vite's types do not tell. */
interface InternalConfig {
  /** Of a worker's build: that of the page. */
  readonly mainConfig?: ViteConfig
  readonly bundleChain?: readonly string[]
  /** `@vitejs/plugin-legacy` sets it, from version 8 on. */
  readonly isOutputOptionsForLegacyChunks?: unknown
}

/** @param name this plugin's */
export function createVitePlace(name: string): VitePlace {
  const api: WorkerRequests = { inline: new Set(), withFiles: new Set() }
  let config: (ViteConfig & InternalConfig) | undefined

  const placeInWorker = (worker: string, isLibrary: boolean, page: ViteConfig | undefined) => {
    const requests = page?.plugins.find((plugin) => plugin.name === name)?.api as WorkerRequests | undefined
    // A blob has no address to begin a relative one at. Without the plugin in the page's build, each may be a blob.
    if (isLibrary || !requests || requests.inline.has(worker)) return 'inline'
    requests.withFiles.add(worker)
    return 'files'
  }

  return {
    api,
    configResolved(resolved) {
      config = resolved
    },
    workerRequested(id) {
      if (!/[?&]inline\b/.test(id)) return
      const worker = id.replace(/[?#].*$/, '')
      if (api.withFiles.has(worker))
        throw new LocalizationError(`${worker} is imported with ?inline and without`, {
          code: 'WORKER_TEXTS',
          hint: 'Import it in one way only, or give the plugin in worker.plugins the option library: true.',
        })
      api.inline.add(worker)
    },
    placeOf(context, { library }) {
      // Frameworks bundle a server's output again, trace its imports or move it. Vite 5 has no environments.
      if ((consumerOf(context) ?? (config?.build.ssr ? 'server' : 'client')) === 'server') return 'chunks'
      const isLibrary = library ?? Boolean(config?.build.lib)
      const worker = config?.isWorker && config.bundleChain?.at(-1)
      if (worker) return placeInWorker(worker, isLibrary, config?.mainConfig)
      return isLibrary || (config && hasLegacyOutput(config)) ? 'chunks' : 'files'
    },
  }
}

/** SystemJS evaluates what is fetched as a script: an ES module is a syntax error there. */
function hasLegacyOutput(config: ViteConfig & InternalConfig): boolean {
  const outputs = [config.build.rollupOptions.output].flat() as readonly ({ readonly format?: string } | undefined)[]
  return (
    config.isOutputOptionsForLegacyChunks !== undefined ||
    outputs.some((output) => output?.format === 'system' || output?.format === 'systemjs')
  )
}
