/** Generates the current texts for a release. The files contain what a new build of the same code would contain. */
import { parsePluralKey, pluralKeysOf } from '../catalog/plural-keys.ts'
import type { Translations } from '../catalog/translations.ts'
import type { Logger } from '../logger.ts'
import { type BuildRecord, type KeyLists, keysOf } from '../output/live-table.ts'
import { createPrebuiltChunks, type PrebuiltChunks, type PrebuiltChunksInput } from '../output/prebuilt-chunks.ts'
import { generateMessageFiles } from '../plugin/prebuilt-chunks.ts'
import { pruneTranslations } from '../plugin/prune.ts'
import type { LoadedState } from '../plugin/state.ts'
import { count } from '../shared/figures.ts'
import { groupBy } from '../shared/split.ts'
import { refused } from './build-folder.ts'

export interface LiveTexts extends PrebuiltChunks {
  /** The namespaces that lack keys which the build uses. */
  readonly incomplete: ReadonlySet<string>
}

interface Settings {
  readonly logger: Logger
  readonly allowMissing: boolean
  /** The namespaces whose message files are still current. */
  readonly unchanged: ReadonlyMap<string, unknown>
  readonly made: PrebuiltChunksInput['made']
}

/**
 * Generates the message files. Throws RELEASE_REFUSED if texts that the build uses are missing and `allowMissing` is
 * false.
 */
export async function generateTexts(state: LoadedState, record: BuildRecord, settings: Settings): Promise<LiveTexts> {
  const { logger, made } = settings
  const whole = inOrder(state.translations, record)
  const incomplete = incompleteNamespaces(whole, record, settings)
  const { config } = state
  const separator = config.pluralSeparator
  const only = (lists: KeyLists) => pruneTranslations(whole, usedKeys(lists, separator), config)
  const { isPruned, keys, perChunk } = record
  const own = {
    config,
    translations: isPruned ? only(keys) : whole,
    perChunk: perChunk && {
      base: only(perChunk.base),
      chunks: perChunk.chunks.map((lists, at) => {
        return { chunk: String(at), keys: new Map(lists.map(([name, own]) => [name, withPlurals(own, separator)])) }
      }),
    },
  }
  return { ...(await generateMessageFiles(own, record.extension, logger, made)), incomplete }
}

/** Returns the existing message files, for a release in which nothing has changed. */
export async function existingTexts(record: BuildRecord, made: PrebuiltChunksInput['made']): Promise<LiveTexts> {
  const content = async () => undefined
  const chunks = await createPrebuiltChunks({
    translations: { languages: record.languages.map((key) => ({ key })) as never, namespaces: record.namespaces },
    extension: record.extension,
    content,
    perChunk: record.perChunk?.chunks.map((lists, at) => {
      return { chunk: String(at), namespaces: lists.map(([name]) => name), content }
    }),
    made,
  })
  return { ...chunks, incomplete: new Set() }
}

/** Returns the translations with only the languages and namespaces of the build, in the build's order. */
function inOrder(given: Translations, { languages, namespaces }: BuildRecord): Translations {
  const missing = languages.filter((language) => given.languages.every(({ key }) => key !== language))
  if (missing.length > 0)
    throw refused(
      `this build has texts in ${missing.join(', ')}, but the source does not`,
      'Release the texts of the same project, or build again.',
    )
  const known = new Set(given.namespaces)
  return {
    ...given,
    languages: languages.map((language) => given.languages.find(({ key }) => key === language)) as never,
    namespaces,
    messages: (...place) => (known.has(place[1]) ? given.messages(...place) : new Map()),
    values: (...place) => (known.has(place[1]) ? given.values(...place) : undefined),
  }
}

const SHOWN = 3

function incompleteNamespaces(
  now: Translations,
  { keys }: BuildRecord,
  { allowMissing, unchanged }: Settings,
): ReadonlySet<string> {
  const read = now.namespaces.filter((namespace) => !unchanged.has(namespace))
  const current = new Map(keysOf({ ...now, namespaces: read }).map(([name, names]) => [name, new Set(names)]))
  const missing = keys
    .filter(([namespace]) => !unchanged.has(namespace))
    .flatMap(([namespace, names]) => {
      const own = current.get(namespace)
      return names.filter((name) => !own?.has(name)).map((name) => ({ namespace, name }))
    })
  if (missing.length === 0 || allowMissing) return new Set(missing.map(({ namespace }) => namespace))
  const total = keys.reduce((sum, [, names]) => sum + names.length, 0)
  const shown = missing
    .slice(0, SHOWN)
    .map(({ namespace, name }) => `${namespace}:${name}`)
    .join(', ')
  const more = missing.length > SHOWN ? ` and ${missing.length - SHOWN} more` : ''
  const message = `the source lacks ${missing.length} of the ${count(total, 'key')} that this build uses: ${shown}${more}`
  throw missing.length * 2 > total
    ? refused(`${message}. They look like the texts of another project`, 'Check --root and the service.')
    : refused(message, 'Build again without them, or release with --allow-missing.')
}

/**
 * Adds plural forms that translators may add later. The code uses only the base key, so it can show any form. A key
 * with only one form in the build may be one that the code uses literally, so no forms are added for it.
 */
function withPlurals(keys: readonly string[], separator: string): ReadonlySet<string> {
  const plurals = keys.flatMap((key) => parsePluralKey(key, separator) ?? [])
  const forms = groupBy(plurals, ({ prefix }) => prefix)
  const named = forms.flatMap(([first, second]) => (first && second ? pluralKeysOf(first).slice(1) : []))
  return new Set([...keys, ...named])
}

function usedKeys(lists: KeyLists, separator: string) {
  const known = new Map(lists.map(([namespace, keys]) => [namespace, withPlurals(keys, separator)]))
  return {
    isWhole: () => false,
    isUsed: (namespace: string, key: string) => known.get(namespace)?.has(key) === true,
  }
}
