/** The interface between the plugin and a bundler. It contains only what differs between bundlers. */
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

/** Omitted members default to those of `DEFAULT_ADAPTER`. */
export interface BundlerAdapter {
  readonly ids?: IdSpelling
  /** Fails the build. In bundlers where this does not throw, the caller then returns an empty module. */
  fail?(context: HookContext, message: string, importer?: string): void
  /** The API for replacing modules in a running page; `undefined` in production. */
  hotApi?(context: HookContext): HotApi | undefined
  /** Registers a module's inputs with the bundler, so that a change regenerates the module. */
  depend?(context: HookContext, dependencies: Dependencies): void | Promise<void>
  /** Production only: how a module delivers texts. By default, each message module contains its own texts. */
  delivery?(context: HookContext, id: ModuleId, state: LoadedState): Delivery | Promise<Delivery>
  /** Dev only: how the manifest accesses texts. By default, it imports each module when its texts are requested. */
  devDelivery?(context: HookContext): Pick<ModuleHow, 'isServed' | 'isInline'>
  /**
   * Checks modules that are not the plugin's own before they are loaded. Throws for modules that must not be served.
   */
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
   * True in Rsbuild, whose target is the newest ECMAScript edition that all of the app's browsers fully support. An
   * edition without `import()` does not mean that the browsers lack it.
   */
  readonly isTargetEdition?: boolean | undefined
  readonly inspector: InspectorMiddleware
}

export type CreateAdapter = (input: AdapterInput) => BundlerAdapter
