/** Where a Vite build has its texts. */
import type { ResolvedConfig as ViteConfig } from 'vite'
import { LocalizationError } from '../../../errors.ts'
import type { TextPlace } from '../../bundler-adapter.ts'
import type { PlaceOf } from '../rollup/prebuilt-chunks.ts'
import { consumerOf } from './environments.ts'

interface WorkerRequests {
  /** Absolute paths of workers that are imported with `?inline`. */
  readonly inline: Set<string>
  /** Workers that have their texts in files. */
  readonly withFiles: Set<string>
}

export const WORKER_REQUEST = /[?&](?:worker|sharedworker)(?:&|$)/

/** Properties that Vite's types leave out. */
interface InternalConfig {
  /** In a worker's build: the configuration of the page's build. */
  readonly mainConfig?: ViteConfig
  readonly bundleChain?: readonly string[]
  /** `@vitejs/plugin-legacy` sets it, from version 8 on. */
  readonly isOutputOptionsForLegacyChunks?: unknown
}

/** Workers have a build of their own, with another instance of this plugin. */
export class VitePlace {
  /** For the instances in the workers' builds. */
  readonly api: WorkerRequests = { inline: new Set(), withFiles: new Set() }
  readonly #pluginName: string
  #config: (ViteConfig & InternalConfig) | undefined

  constructor(pluginName: string) {
    this.#pluginName = pluginName
  }

  configResolved(config: ViteConfig): void {
    this.#config = config
  }

  /** A module imports a worker, which Vite builds later. */
  workerRequested(id: string): void {
    if (!/[?&]inline\b/.test(id)) return
    const worker = id.replace(/[?#].*$/, '')
    if (this.api.withFiles.has(worker))
      throw new LocalizationError(`${worker} is imported with ?inline and without`, {
        code: 'WORKER_TEXTS',
        hint: 'Import it in one way only, or give the plugin in worker.plugins the option library: true.',
      })
    this.api.inline.add(worker)
  }

  readonly placeOf: PlaceOf = (context, { library }) => {
    const config = this.#config
    // Frameworks bundle a server's output again, trace its imports or move it. Vite 5 has no environments.
    if ((consumerOf(context) ?? (config?.build.ssr ? 'server' : 'client')) === 'server') return 'chunks'
    const isLibrary = library ?? Boolean(config?.build.lib)
    const worker = config?.isWorker && config.bundleChain?.at(-1)
    if (worker) return this.#placeInWorker(worker, isLibrary)
    return isLibrary || (config && hasLegacyOutput(config)) ? 'chunks' : 'files'
  }

  #placeInWorker(worker: string, isLibrary: boolean): TextPlace {
    const page = this.#config?.mainConfig
    const requests = page?.plugins.find(({ name }) => name === this.#pluginName)?.api as WorkerRequests | undefined
    // A blob has no address to begin a relative one at. Without the plugin in the page's build, each may be a blob.
    if (isLibrary || !requests || requests.inline.has(worker)) return 'inline'
    requests.withFiles.add(worker)
    return 'files'
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
