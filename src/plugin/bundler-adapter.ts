/**
 * The port between the plugin and a bundler. It contains everything that differs between bundlers, and nothing else.
 */
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
  /** Absolute paths of the files with the module's texts. */
  readonly files: readonly string[]
}

/**
 * The place of the texts that `load()` fetches in a production build. With `files`, they are beside the output, where
 * the bundler does not see them. With `chunks`, they are in modules that the output imports, so that another bundler
 * can follow the imports. With `inline`, they are in the manifest's chunk.
 */
export type TextPlace = 'files' | 'chunks' | 'inline'

/** The way in which a production build delivers texts. */
export interface Delivery extends ModuleHow {
  /** The texts that the code uses, if they are already known. Default: all loaded texts. */
  readonly state?: LoadedState | undefined
}

/** The parts that differ between bundlers. A part that is left out works as in `DEFAULT_ADAPTER`. */
export interface BundlerAdapter {
  readonly ids?: IdSpelling
  /** Stops the build. If this does not throw in the bundler, the caller returns a harmless module. */
  fail?(context: HookContext, message: string, importer?: string): void
  /** The API for replacing modules in a running page; `undefined` in production. */
  hotApi?(context: HookContext): HotApi | undefined
  /** Declares the inputs of a module, so that the bundler generates it again after a change. */
  depend?(context: HookContext, dependencies: Dependencies): void | Promise<void>
  /** Production only: how a module delivers texts. By default, each message module contains its own texts. */
  delivery?(context: HookContext, id: ModuleId, state: LoadedState): Delivery | Promise<Delivery>
  /** Dev only: how the manifest accesses texts. By default, it imports each module when its texts are requested. */
  devDelivery?(context: HookContext): Pick<ModuleHow, 'isServed' | 'isInline'>
  /**
   * Handles modules of others, which the adapter must see before they are loaded. Throws for modules that must not be
   * served.
   */
  readonly foreign?:
    | { readonly filter: readonly RegExp[]; beforeLoad(context: HookContext, id: string): void }
    | undefined
  /** The bundler's own hooks. */
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
  /** The plugin's name in the bundler. */
  readonly name: string
  /**
   * For Rsbuild: true if the target is the newest ECMAScript edition that all browsers fully support. It does not mean
   * that the browsers lack `import()`.
   */
  readonly isTargetEdition?: boolean | undefined
  /** The inspector's middleware, for bundlers that have a dev server. */
  readonly inspector: InspectorMiddleware
}

export type CreateAdapter = (input: AdapterInput) => BundlerAdapter
