/** The port between the plugin and one bundler: everything that differs from bundler to bundler, and nothing else. */
import type { UnpluginBuildContext, UnpluginContext, UnpluginOptions } from 'unplugin'
import type { Logger } from '../logger.ts'
import type { HotApi } from '../output/hot.ts'
import type { IdSpelling, ModuleId } from '../output/ids.ts'
import type { ModuleHow } from './generate.ts'
import type { InspectorMiddleware } from './inspector.ts'
import type { Session } from './session.ts'
import type { LoadedState } from './state.ts'

export type HookContext = UnpluginBuildContext & UnpluginContext

/** A finding that stops the build. */
interface Failure {
  readonly message: string
  /** The module that imports it. */
  readonly importer?: string | undefined
}

export interface Dependencies {
  readonly id: ModuleId
  readonly state: LoadedState
  /** Absolute paths of the files that hold the module's texts. */
  readonly files: readonly string[]
}

/**
 * Where a production build has the texts that `load()` fetches. `files`: beside the output, past the bundler. `chunks`:
 * in modules that the output imports, so that another bundler can follow. `inline`: in the manifest's own chunk.
 */
export type TextPlace = 'files' | 'chunks' | 'inline'

/** How a production build delivers texts. */
export interface Delivery extends ModuleHow {
  /** The texts that the code uses, where that is known already. Default: every text of the load. */
  readonly state?: LoadedState | undefined
}

export interface BundlerAdapter {
  readonly ids: IdSpelling
  /** Stops the build. Where the bundler does not throw here, the caller then returns a harmless module. */
  fail(context: HookContext, failure: Failure): void
  /** How modules are replaced in a running page; `undefined` in production. */
  hotApi(context: HookContext): HotApi | undefined
  /** Declares the inputs of a module, so that the bundler generates the module again when an input changes. */
  depend(context: HookContext, dependencies: Dependencies): void | Promise<void>
  /** Production: how a module delivers texts. Default: each message module holds its own. */
  delivery?(context: HookContext, id: ModuleId, state: LoadedState): Delivery | Promise<Delivery>
  /** Dev: how the manifest reaches texts. Default: it imports each module when it is loaded. */
  devDelivery?(context: HookContext): Pick<ModuleHow, 'isServed' | 'isInline'>
  /** Modules of others that the adapter must see before they are loaded. Throws for one that must not be served. */
  readonly foreign?:
    | { readonly filter: readonly RegExp[]; beforeLoad(context: HookContext, id: string): void }
    | undefined
  /** The bundler's own hooks. */
  readonly hooks: Partial<UnpluginOptions>
}

export interface AdapterInput {
  readonly logger: Logger
  readonly session: Session
  /** The plugin's name. */
  readonly name: string
  /**
   * Rsbuild: the target is the newest edition of the language that all browsers know whole. It does not say that they
   * have no `import()`.
   */
  readonly isTargetEdition?: boolean | undefined
  /** For bundlers with a dev server. */
  readonly inspector: InspectorMiddleware
}

export type CreateAdapter = (input: AdapterInput) => BundlerAdapter
