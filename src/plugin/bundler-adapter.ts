/** The interface between the plugin and a bundler. It contains only what differs from bundler to bundler. */
import type { UnpluginBuildContext, UnpluginContext, UnpluginOptions } from 'unplugin'
import type { Logger } from '../logger.ts'
import type { HotApi, ModuleHow } from '../output/hot.ts'
import { type IdSpelling, type ModuleId, NULL_SPELLING } from '../output/ids.ts'
import type { InspectorMiddleware } from './inspector.ts'
import type { Session } from './session.ts'
import type { LoadedState } from './state.ts'

export type HookContext = UnpluginBuildContext & UnpluginContext

export interface Dependencies {
  readonly id: ModuleId
  readonly state: LoadedState
  /** The absolute paths of the files that contain the module's texts. */
  readonly files: readonly string[]
}

/**
 * Where a production build puts the texts that `load()` fetches:
 * - `files`: next to the output, where the bundler does not see them.
 * - `chunks`: in modules that the output imports, so that another bundler can follow the imports.
 * - `inline`: in the manifest's chunk.
 */
export type TextPlace = 'files' | 'chunks' | 'inline'

export interface Delivery extends ModuleHow {
  /** The texts that the code uses, if they are already known. Default: all loaded texts. */
  readonly state?: LoadedState | undefined
}

/** An adapter may leave out the members that `DEFAULT_ADAPTER` has. */
export interface BundlerAdapter {
  readonly ids?: IdSpelling
  /** Fails the build. If this does not throw, the caller continues with an empty module. */
  fail?(context: HookContext, message: string, importer?: string): void
  /** The API for replacing modules in a running page; `undefined` in production. */
  hotApi?(context: HookContext): HotApi | undefined
  /** Registers the files on which a module depends, so that the bundler generates the module again after a change. */
  depend?(context: HookContext, dependencies: Dependencies): void | Promise<void>
  /** Production only: returns how a module delivers texts. By default, each message module contains its own texts. */
  delivery?(context: HookContext, id: ModuleId, state: LoadedState): Delivery | Promise<Delivery>
  /**
   * Dev only: returns how the manifest loads texts. By default, it imports each module when its texts are requested.
   */
  devDelivery?(context: HookContext): Pick<ModuleHow, 'isServed' | 'isInline'>
  /** Checks files that are not the plugin's own modules before they are loaded. Throws if a file must not be served. */
  readonly foreign?:
    | { readonly filter: readonly RegExp[]; beforeLoad(context: HookContext, id: string): void }
    | undefined
  readonly hooks: Partial<UnpluginOptions>
}

export const DEFAULT_ADAPTER: Required<Pick<BundlerAdapter, 'ids' | 'fail' | 'hotApi' | 'depend'>> = {
  ids: NULL_SPELLING,
  fail: (context, message) => context.error(message),
  hotApi: () => undefined,
  depend(context, { files }) {
    for (const file of files) context.addWatchFile(file)
  },
}

export interface AdapterInput {
  readonly logger: Logger
  readonly session: Session
  readonly name: string
  /**
   * Set in Rsbuild, where `target` is the newest ECMAScript edition that all of the app's browsers fully support.
   * Browsers may have `import()` even if that edition lacks it.
   */
  readonly isTargetEdition?: boolean | undefined
  readonly inspector: InspectorMiddleware
}

export type CreateAdapter = (input: AdapterInput) => BundlerAdapter
