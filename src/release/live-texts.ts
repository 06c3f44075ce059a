/**
 * Generates the current texts for a release. The files contain what a new build of the same code would contain. Message
 * files that are still current are neither read nor generated.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePluralKey, pluralKeysOf } from '../catalog/plurals.ts'
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Logger } from '../logger.ts'
import { encodeName } from '../output/ids.ts'
import { type BuildRecord, type KeyLists, keysOf, type MadeNamespace, madeWith } from '../output/live-table.ts'
import {
  createPrebuiltChunks,
  type GenerateContent,
  PER_CHUNK_MARK,
  type PrebuiltChunks,
  type TextModule,
} from '../output/prebuilt-chunks.ts'
import { readCurrentInputs } from '../plugin/load.ts'
import { generateMessageFiles, type MadeModules } from '../plugin/prebuilt-chunks.ts'
import { onlyKeys, pruneTranslations } from '../plugin/prune.ts'
import type { LoadedState } from '../plugin/state.ts'
import { count, listed } from '../shared/figures.ts'
import { groupBy } from '../shared/split.ts'
import { fileSize, type LiveBuild, refused } from './build-folder.ts'

export interface LiveTexts extends PrebuiltChunks {
  /** The namespaces that lack keys which the build uses. */
  readonly incomplete: ReadonlySet<string>
}

/**
 * Generates the message files. Throws RELEASE_REFUSED if texts that the build uses are missing and `allowMissing` is
 * false.
 */
export async function generateTexts(
  state: LoadedState,
  build: LiveBuild,
  unchanged: Unchanged,
  { logger, allowMissing = false }: { readonly logger: Logger; readonly allowMissing?: boolean },
): Promise<LiveTexts> {
  const { record } = build
  const whole = inOrder(state.translations, record)
  const incomplete = incompleteNamespaces(whole, record, unchanged.namespaces, allowMissing)
  const { config } = state
  const separator = config.pluralSeparator
  const withForms = (lists: KeyLists) => new Map(lists.map(([name, keys]) => [name, withPlurals(keys, separator)]))
  const only = (lists: KeyLists) => pruneTranslations(whole, onlyKeys(withForms(lists)), config)
  const { isPruned, keys, perChunk } = record
  const own = {
    config,
    translations: isPruned ? only(keys) : whole,
    perChunk: perChunk && {
      base: only(perChunk.base),
      chunks: perChunk.chunks.map((lists, at) => ({ chunk: String(at), keys: withForms(lists) })),
    },
  }
  return { ...(await generateMessageFiles(own, record.extension, logger, modulesOf(build, unchanged))), incomplete }
}

/** Returns the existing message files, for a release in which nothing has changed. */
export async function existingTexts(build: LiveBuild, unchanged: Unchanged): Promise<LiveTexts> {
  const { record } = build
  const made = modulesOf(build, unchanged)
  const content: GenerateContent = async (_language, namespace, at, path) => made(namespace)?.(at, path)
  const chunks = await createPrebuiltChunks(
    { languages: record.languages.map((key) => ({ key })) as never, namespaces: record.namespaces },
    record.extension,
    content,
    record.perChunk?.chunks.map((lists, at) => {
      return { chunk: String(at), namespaces: lists.map(([name]) => name), content }
    }),
  )
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

function incompleteNamespaces(
  now: Translations,
  { keys }: BuildRecord,
  unchanged: ReadonlyMap<string, unknown>,
  allowMissing: boolean,
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
  const shown = listed(missing.map(({ namespace, name }) => `${namespace}:${name}`))
  const message = `the source lacks ${missing.length} of the ${count(total, 'key')} that this build uses: ${shown}`
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

type Inputs = Parameters<typeof readCurrentInputs>[1]

export interface Unchanged {
  readonly namespaces: ReadonlyMap<string, MadeNamespace>
  /** The source's inputs at the time of the comparison. */
  readonly inputs: Inputs | undefined
}

/** With this value, a release reads and generates everything. */
export const NOTHING_UNCHANGED: Unchanged = { namespaces: new Map(), inputs: undefined }

/**
 * Returns the namespaces whose inputs have not changed since their message files were made: neither in files nor in the
 * service.
 */
export async function findUnchanged(build: LiveBuild, config: ResolvedConfig): Promise<Unchanged> {
  const { record, made } = build
  const { minimum, onMissing } = config.coverage
  // A coverage minimum can only be checked with all texts.
  const needsAll = Object.keys(minimum).length > 0 && onMissing !== 'ignore'
  if (!made || needsAll || made.settings !== madeWith(config)) return NOTHING_UNCHANGED
  const known = new Map(made.namespaces)
  const digests = (of: 'files' | 'service') =>
    new Map([...known].flatMap(([name, { [of]: own }]) => (own ? [[name, own]] : [])))
  // If this fails, loading all texts also fails, and reports the error.
  const inputs = await readCurrentInputs(config, {
    files: digests('files'),
    service: digests('service'),
    validator: made.validator,
  }).catch(() => undefined)
  if (!inputs) return NOTHING_UNCHANGED
  const isSame = (name: string, { files, service }: MadeNamespace) =>
    files === (inputs.files.get(name) ?? null) && service === (inputs.service?.get(name) ?? null)
  const same = record.namespaces.flatMap((name) => {
    const own = known.get(name)
    return own && isSame(name, own) ? [[name, own] as const] : []
  })
  const whole = await Promise.all(same.map(([name, own]) => hasFiles(build, name, own)))
  return { namespaces: new Map(same.filter((_, at) => whole[at])), inputs }
}

/** Returns false if a file is missing, or if its size is wrong because the disk was full. */
async function hasFiles({ folder, record }: LiveBuild, namespace: string, made: MadeNamespace): Promise<boolean> {
  const { languages, extension } = record
  const name = encodeName(namespace)
  const sizes = await Promise.all(
    made.sizes.map((_, at) => {
      const hash = hashAt(made, at)
      const mark = at < languages.length ? '' : PER_CHUNK_MARK
      const path = `${encodeName(languages[at % languages.length] as string)}/${name}${mark}`
      return hash === undefined ? 0 : fileSize(join(folder, `${path}.${hash}${extension}`))
    }),
  )
  return sizes.every((size, at) => size === made.sizes[at])
}

const hashAt = ({ hashes }: MadeNamespace, at: number) => hashes.slice(at * 8, at * 8 + 8).trim() || undefined

/** A module whose file exists. The file is read only if its bytes are needed. */
export class MadeModule implements TextModule {
  readonly #path: string
  readonly hash: string
  readonly size: number

  constructor(path: string, hash: string, size: number) {
    this.#path = path
    this.hash = hash
    this.size = size
  }

  get bytes(): Buffer {
    return readFileSync(this.#path)
  }
}

function modulesOf({ folder, record }: LiveBuild, { namespaces }: Unchanged): MadeModules {
  return (namespace) => {
    const made = namespaces.get(namespace)
    return (
      made &&
      ((at, path) => {
        const hash = hashAt(made, at)
        return hash === undefined
          ? undefined
          : new MadeModule(join(folder, `${path}.${hash}${record.extension}`), hash, made.sizes[at] as number)
      })
    )
  }
}
