/**
 * Detects a second plugin instance in the same build. A framework may have added it. Only the first instance handles
 * imports.
 */
import { configDigest } from '../config/digest.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'

interface FirstInstance {
  readonly session: object
  readonly config: ResolvedConfig
}

/** Other copies of this package in the same process use the same key. */
const KEY = Symbol.for('unplugin-localization.builds')
const shared = globalThis as { [KEY]?: WeakMap<object, FirstInstance> }
shared[KEY] ??= new WeakMap()
const builds = shared[KEY]

/**
 * Returns true if the session is the first one in the build. The others must do nothing. Throws CONFIG_INVALID if their
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
