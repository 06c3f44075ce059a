/** The port between the plugin and one bundler: everything that differs from bundler to bundler, and nothing else. */
import type { UnpluginBuildContext, UnpluginContext, UnpluginOptions } from 'unplugin'
import type { HotApi } from '../modules/hot.ts'
import type { IdSpelling } from '../modules/ids.ts'
import type { LoadedState, Session } from './session.ts'

export type HookContext = UnpluginBuildContext & UnpluginContext

/** A finding that stops the build. */
export interface Failure {
  readonly message: string
  /** The module that asked for it. */
  readonly importer?: string | undefined
}

export interface Host {
  readonly ids: IdSpelling
  /** Stops the build. Some bundlers throw here, others go on and fail at the end: the caller then gives back a harmless module. */
  fail(context: HookContext, failure: Failure): void
  /** How modules are replaced in a running page; `undefined` in production. */
  hotApi(context: HookContext): HotApi | undefined
  /** Makes new files in these folders change the manifest. */
  watch?(context: HookContext, folders: readonly string[]): void
  /** Ties a module to the catalog it was made of, for persistent caches. */
  stamp?(context: HookContext, state: LoadedState): Promise<void>
  /** Hooks of the bundler's own. */
  readonly hooks: Partial<UnpluginOptions>
}

export interface HostInput {
  readonly session: Session
  readonly name: string
}
