/** The port between the plugin and one bundler: everything that differs from bundler to bundler, and nothing else. */
import type { UnpluginBuildContext, UnpluginContext, UnpluginOptions } from 'unplugin'
import type { Logger } from '../logger.ts'
import type { HotApi } from '../output/hot.ts'
import type { IdSpelling, ModuleId } from '../output/ids.ts'
import type { InspectorMount } from './inspector.ts'
import type { Session } from './session.ts'
import type { LoadedState } from './state.ts'

export type HookContext = UnpluginBuildContext & UnpluginContext

/** A finding that stops the build. */
export interface Failure {
  readonly message: string
  /** The module that asked for it. */
  readonly importer?: string | undefined
}

export interface Dependencies {
  readonly id: ModuleId
  readonly state: LoadedState
  /** Absolute paths of the files that hold the module's texts. */
  readonly files: readonly string[]
}

/**
 * Where a production build has what `load()` fetches. `files`: beside the output, past the bundler. `chunks`: in modules
 * that the output imports, so that another bundler can follow. `inline`: in the manifest's own chunk.
 */
export type TextPlace = 'files' | 'chunks' | 'inline'

export interface Host {
  readonly ids: IdSpelling
  /** Stops the build. Some bundlers throw here, others go on and fail at the end: the caller then gives back a harmless module. */
  fail(context: HookContext, failure: Failure): void
  /** How modules are replaced in a running page; `undefined` in production. */
  hotApi(context: HookContext): HotApi | undefined
  /** Tells the bundler what a module was made of, so that it is made again when that changes. */
  depend(context: HookContext, dependencies: Dependencies): void | Promise<void>
  /**
   * The expression by which the manifest addresses texts that are files of their own, or a name that the host replaces later;
   * `undefined`: texts are modules here, and the manifest imports them one by one.
   */
  chunkAddresses?(context: HookContext, state: LoadedState): Promise<string | undefined>
  /** Where texts are that have no addresses. Default: `chunks`. */
  textPlace?(context: HookContext, state: LoadedState): TextPlace
  /**
   * What modules of messages are made of in production, where that is not all there is; `pending`: the host puts the texts in when it
   * is known which of them are used (see `pendingIn`).
   */
  usedTexts?(context: HookContext, state: LoadedState): LoadedState | 'pending' | undefined
  /** Texts may come with the chunks that ask for them: the expression of `chunkAddresses` is then one of `PerChunkAddresses`. */
  hasPerChunk?(context: HookContext): boolean
  /** Whether a server that updates a running page answers every module's address beside the manifest's, also one that nothing imports. */
  servesAddresses?(context: HookContext): boolean
  /** Modules of others that the host must see before they are loaded. Throws for one that must not be given out. */
  readonly foreign?:
    | { readonly filter: readonly RegExp[]; beforeLoad(context: HookContext, id: string): void }
    | undefined
  /** Hooks of the bundler's own. */
  readonly hooks: Partial<UnpluginOptions>
}

export interface HostInput {
  readonly logger: Logger
  readonly session: Session
  readonly name: string
  /** For bundlers whose dev server lets it in. */
  readonly inspector: InspectorMount
}
