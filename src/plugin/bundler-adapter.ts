/** The interface between the plugin and a bundler: what differs from bundler to bundler, and what adapters share. */
import type { UnpluginBuildContext, UnpluginContext, UnpluginOptions } from 'unplugin'
import { configDigest } from '../config/digest.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'
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

export const LIVE_WARNING =
  "delivery: 'live' has no effect on an output whose texts are in its scripts. The texts change only with the next build. " +
  'See docs/live.md'

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

/** The first instance in each build. Other copies of this package in the same process use the same key. */
const KEY = Symbol.for('unplugin-localization.builds')
const shared = globalThis as { [KEY]?: WeakMap<object, { readonly session: object; readonly config: ResolvedConfig }> }
shared[KEY] ??= new WeakMap()
const builds = shared[KEY]

/**
 * Returns true if the session is the first one in the build. A framework may have added a second instance of the
 * plugin, which must do nothing, because only the first one handles imports. Throws CONFIG_INVALID if their
 * configurations differ.
 *
 * @param build an object that the bundler passes to all plugins of this build, and only to them
 */
export function isFirstInBuild(build: object, session: object, config: ResolvedConfig): boolean {
  const known = builds.get(build)
  if (!known) builds.set(build, { session, config })
  if (!known || known.session === session) return true
  const { config: first } = known
  if (configDigest(first) === configDigest(config)) return false
  const names = Object.keys(config) as (keyof ResolvedConfig)[]
  const isOther = (name: keyof ResolvedConfig) => JSON.stringify(first[name]) !== JSON.stringify(config[name])
  const others = names.filter((name) => isOther(name) && !name.startsWith('config'))
  throw new LocalizationError(
    `this build uses unplugin-localization twice, with different configurations (${others.sort().join(', ')})`,
    {
      code: 'CONFIG_INVALID',
      hint:
        'Only the first one would handle imports of virtual:translations. Remove one of them, or use a separate ' +
        'build for each.',
    },
  )
}
