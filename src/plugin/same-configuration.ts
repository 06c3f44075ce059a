/** Frameworks may add the plugin to one build twice: the first instance then answers every import, its own way. */
import { configDigest } from '../config/digest.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'

interface FirstInstance {
  readonly session: object
  readonly config: ResolvedConfig
}

/** Shared with other copies of this package in the process. */
const KEY = Symbol.for('unplugin-localization.builds')
const shared = globalThis as { [KEY]?: WeakMap<object, FirstInstance> }
shared[KEY] ??= new WeakMap()
const builds = shared[KEY]

/**
 * Whether the session is the first one of the build: the others have nothing to do. Errors: CONFIG_INVALID where their
 * configurations differ.
 *
 * @param build an object that all plugins of the build are given, and no other build's
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
    `unplugin-localization is in this build twice, with different configurations (${others.sort().join(', ')})`,
    {
      code: 'CONFIG_INVALID',
      hint:
        'Only the first one would answer imports of virtual:translations. Leave one of them, or give each a build of ' +
        'its own.',
    },
  )
}
