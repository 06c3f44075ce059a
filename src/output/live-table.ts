/**
 * The table of `delivery: 'live'`: a small file beside the message files that names them, so that a release can replace
 * it. Pages of one build accept no other build's table.
 */
import { compareCodeUnits } from '../catalog/model.ts'
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { hashOf } from '../shared/hash.ts'
import {
  type ChunkExtension,
  type LiveFiles,
  moduleContent,
  type PrebuiltChunk,
  type PrebuiltChunks,
} from './prebuilt-chunks.ts'

/** The format of the table and of the record. A release refuses any other. */
const LIVE_FORMAT = 1

export interface LiveTable {
  readonly format: typeof LIVE_FORMAT
  readonly build: string
  /** Larger than that of every earlier table of the build. The built table has 0. */
  readonly release: number
  /** The hash of all texts. */
  readonly version: string
  /** See `ChunkAddresses` of the runtime. */
  readonly hashes: string
}

/** The settings that decide how texts become messages. A release uses those of the build. */
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

/** Keys by namespace, as pairs, so that `__proto__` is an ordinary name. */
export type KeyLists = readonly (readonly [namespace: string, keys: readonly string[]])[]

/** The part of a build that a release needs. */
export interface BuildRecord {
  readonly format: typeof LIVE_FORMAT
  /** The version of this package. */
  readonly package: string
  readonly extension: ChunkExtension
  readonly table: LiveTable
  readonly languages: readonly string[]
  readonly defaultLanguage: string
  readonly namespaces: readonly string[]
  readonly defaultNamespace: string
  readonly settings: Pick<ResolvedConfig, (typeof RECORDED)[number]>
  /** True if the page has only these keys. */
  readonly isPruned: boolean
  readonly keys: KeyLists
  readonly perChunk?: { readonly base: KeyLists; readonly chunks: readonly KeyLists[] } | undefined
}

const isForNode = (extension: ChunkExtension) => extension === '.mjs'

/** The names of the table and the record. Outputs for pages and for Node may share a folder. */
export const tableFile = (extension: ChunkExtension) => (isForNode(extension) ? 'table-node.json' : 'table.json')
const recordFile = (extension: ChunkExtension) => (isForNode(extension) ? 'build-node.json' : 'build.json')

/** Matches the records of builds. */
export const RECORD_FILE = /^build(?:-node)?\.json$/

/** The folder of the versions that releases made. */
export const versionFolder = (extension: ChunkExtension) => (isForNode(extension) ? 'releases-node' : 'releases')

/** The version of texts with these hashes. A page and its server have the same version if they have the same keys. */
export const versionOf = (hashes: string) => hashOf(hashes, 12)

export interface LiveInput {
  readonly translations: Translations
  readonly perChunk?: BuildRecord['perChunk']
  readonly config: ResolvedConfig
  readonly extension: ChunkExtension
  readonly packageVersion: string
}

/** Creates the table and the record of a build. */
export function createLiveFiles(input: LiveInput, { hashes }: Pick<PrebuiltChunks, 'hashes'>): LiveFiles {
  const { translations, perChunk, config, extension, packageVersion } = input
  const { defaultLanguage, namespaces, defaultNamespace } = translations
  const recorded = {
    format: LIVE_FORMAT,
    package: packageVersion,
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
  const record: BuildRecord = { ...recorded, table }
  const file = (name: string, content: object): PrebuiltChunk => ({ name, module: moduleContent(tableText(content)) })
  const files = [file(tableFile(extension), table), file(recordFile(extension), record)]
  return { table: tableFile(extension), build, version, files }
}

export function tableText(content: object): string {
  return `${JSON.stringify(content)}\n`
}

/** The keys of each namespace in any language. */
export function keysOf({ languages, namespaces, messages, values }: Translations): KeyLists {
  return namespaces.map((namespace) => {
    const keys = new Set<string>()
    for (const { key: language } of languages) {
      for (const key of messages(language, namespace).keys()) keys.add(key)
      for (const key of values(language, namespace)?.keys() ?? []) keys.add(key)
    }
    return [namespace, [...keys].sort(compareCodeUnits)] as const
  })
}
