/**
 * The table of `delivery: 'live'` is a small file that names the current message files. Each release replaces it. Pages
 * accept only tables for their own build.
 */

import type { Translations } from '../catalog/translations.ts'
import { configDigest } from '../config/digest.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { hashOf } from '../shared/hash.ts'
import { packageVersion } from '../shared/package-version.ts'
import { compareCodeUnits } from '../shared/split.ts'
import {
  type ChunkExtension,
  type LiveFiles,
  moduleContent,
  type PrebuiltChunk,
  type PrebuiltChunks,
} from './prebuilt-chunks.ts'

/** The format of the table and the record. A release rejects other formats. */
const LIVE_FORMAT = 1

export interface LiveTable {
  readonly format: typeof LIVE_FORMAT
  readonly build: string
  /** 0 in the build's own table, and higher with every release for the build. */
  readonly release: number
  /** A hash of all texts. */
  readonly version: string
  /** See `ChunkAddresses` in the runtime. */
  readonly hashes: string
}

/** The settings that affect messages. A release uses the build's values. */
const RECORDED = [
  'shape',
  'keySeparator',
  'compile',
  'fallback',
  'emptyTexts',
  'values',
  'customer',
  'customers',
  'pseudo',
  'namespacePrefix',
] as const

/** The keys of each namespace. Pairs are used so that `__proto__` is an ordinary name. */
export type KeyLists = readonly (readonly [namespace: string, keys: readonly string[]])[]

/** A namespace's message files, and digests of the inputs from which they were generated. */
export interface MadeNamespace {
  /** See `Inputs` in the sources. */
  readonly files: string | null
  readonly service: string | null
  /** The hashes of the files: for each of the namespace's columns, one hash per language. */
  readonly hashes: string
  /** The sizes of these files, in bytes. */
  readonly sizes: readonly number[]
}

/** The message files of a build or release. The next release generates only the files whose inputs have changed. */
export interface Made {
  /** See `madeWith`. */
  readonly settings: string
  readonly validator?: { readonly state: string; readonly answeredAt: number } | undefined
  readonly namespaces: readonly (readonly [namespace: string, made: MadeNamespace])[]
}

/** The data about a build that a release needs. */
export interface BuildRecord {
  readonly format: typeof LIVE_FORMAT
  /** The version of this package that created the build. */
  readonly package: string
  readonly extension: ChunkExtension
  readonly table: LiveTable
  readonly languages: readonly string[]
  readonly defaultLanguage: string
  readonly namespaces: readonly string[]
  readonly defaultNamespace: string
  readonly settings: Pick<ResolvedConfig, (typeof RECORDED)[number]>
  /** True if the build contains only the texts of these keys. */
  readonly isPruned: boolean
  readonly keys: KeyLists
  readonly perChunk?: { readonly base: KeyLists; readonly chunks: readonly KeyLists[] } | undefined
  /** The point in time that the texts reflect: see `docs/live.md`. */
  readonly asOf?: string | undefined
  readonly made?: Made | undefined
}

type Recorded = Pick<BuildRecord, 'settings' | 'defaultLanguage' | 'defaultNamespace'>

/** Returns the configuration with the build's settings, even if those in the project have changed since. */
export function releaseConfig(given: ResolvedConfig, { settings, defaultLanguage, defaultNamespace }: Recorded) {
  const customers = [...new Set([...given.customers, ...settings.customers])]
  const own: ResolvedConfig = {
    ...given,
    ...settings,
    customers,
    defaultLanguage,
    defaultNamespace,
    // The record already has the keys that the build kept. The build has also written the declarations and the report.
    prune: false,
    types: false,
    report: false,
    delivery: 'live',
  }
  return Object.freeze(own)
}

/**
 * Returns a digest of all settings that affect message files. Secrets are left out, and so is what differs between
 * machines: a build or a release may run in another folder, or in CI, where `push` is off.
 */
export function madeWith(config: ResolvedConfig): string {
  const { cdnUrl } = config.service
  return configDigest({ ...config, root: '', push: false, service: { cdnUrl } as ResolvedConfig['service'] })
}

interface InputDigests {
  readonly files: ReadonlyMap<string, string>
  readonly service?: ReadonlyMap<string, string> | undefined
}

export function madeNamespace(
  columns: PrebuiltChunks['columns'],
  namespace: string,
  { files, service }: InputDigests,
): readonly [string, MadeNamespace] {
  const own = columns.filter((column) => column.namespace === namespace)
  return [
    namespace,
    {
      files: files.get(namespace) ?? null,
      service: service?.get(namespace) ?? null,
      hashes: own.flatMap(({ hashes }) => hashes).join(''),
      sizes: own.flatMap(({ sizes }) => sizes),
    },
  ]
}

const isForNode = (extension: ChunkExtension) => extension === '.mjs'

/** The table's file name. It depends on the extension, because outputs for browsers and for Node may share a folder. */
export const tableFile = (extension: ChunkExtension) => (isForNode(extension) ? 'table-node.json' : 'table.json')
export const recordFile = (extension: ChunkExtension) => (isForNode(extension) ? 'build-node.json' : 'build.json')

export const RECORD_FILE = /^build(?:-node)?\.json$/

export const versionFolder = (extension: ChunkExtension) => (isForNode(extension) ? 'releases-node' : 'releases')

/** Returns the version of the texts. A page and its server have the same version if they have the same keys. */
export const versionOf = (hashes: string) => hashOf(hashes, 12)

export interface LiveInput {
  readonly translations: Translations
  readonly perChunk?: BuildRecord['perChunk']
  readonly config: ResolvedConfig
  readonly extension: ChunkExtension
  /** Digests of the inputs; `undefined` if the source cannot tell whether its texts have changed. */
  readonly inputs?: (InputDigests & Pick<Made, 'validator'>) | undefined
  readonly asOf?: Date | undefined
}

export function createLiveFiles(input: LiveInput, { hashes, columns }: PrebuiltChunks): LiveFiles {
  const { translations, perChunk, config, extension, inputs, asOf } = input
  const { defaultLanguage, namespaces, defaultNamespace } = translations
  const recorded = {
    format: LIVE_FORMAT,
    package: packageVersion(),
    extension,
    languages: translations.languages.map(({ key }) => key),
    defaultLanguage,
    namespaces,
    defaultNamespace,
    settings: Object.fromEntries(RECORDED.map((name) => [name, config[name]])) as BuildRecord['settings'],
    isPruned: config.prune !== false,
    keys: keysOf(translations),
    ...(perChunk && { perChunk }),
  } as const
  const build = hashOf(JSON.stringify([recorded, hashes]), 12)
  const version = versionOf(hashes)
  const table: LiveTable = { format: LIVE_FORMAT, build, release: 0, version, hashes }
  const made = inputs && {
    settings: madeWith(releaseConfig(config, recorded)),
    validator: inputs.validator,
    namespaces: namespaces.map((namespace) => madeNamespace(columns, namespace, inputs)),
  }
  const record: BuildRecord = { ...recorded, table, ...(asOf && { asOf: asOf.toISOString() }), ...(made && { made }) }
  const file = (name: string, content: object): PrebuiltChunk => ({ name, module: moduleContent(tableText(content)) })
  const files = [file(tableFile(extension), table), file(recordFile(extension), record)]
  return { table: tableFile(extension), build, version, files }
}

export function tableText(content: object): string {
  return `${JSON.stringify(content)}\n`
}

/** Returns the keys of each namespace in all languages. */
export function keysOf(translations: Translations): KeyLists {
  return translations.namespaces.map((namespace) => {
    return [namespace, keysIn(translations, namespace).sort(compareCodeUnits)] as const
  })
}

/** Returns the keys that a namespace has in any language. */
export function keysIn({ languages, messages, values }: Translations, namespace: string): string[] {
  const keys = new Set<string>()
  for (const { key: language } of languages) {
    for (const key of messages(language, namespace).keys()) keys.add(key)
    for (const key of values(language, namespace)?.keys() ?? []) keys.add(key)
  }
  return [...keys]
}
