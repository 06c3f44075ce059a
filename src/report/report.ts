/** `.localization/report.json`, which builds write and tools read. Sizes are bytes before compression. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface BuildReport {
  readonly version: 1
  readonly languages: number
  readonly namespaces: number
  readonly texts: number
  /** The number of files that `load()` fetches. */
  readonly files: number
  readonly bytes: number
  /** `bytes` without `prune`. Like the next three fields, absent if nothing is pruned. */
  readonly bytesUnpruned?: number
  /**
   * Calls with an unknown key, and files that cannot be parsed, with the bytes that only they keep. Those that keep the
   * most keys come first.
   */
  readonly unknownCalls?: readonly UnknownCallCost[]
  /** The language with the most bytes. */
  readonly language?: string
  readonly kept?: readonly KeptKey[]
  /** The five largest namespaces, in all languages together. */
  readonly largest: readonly NamespaceBytes[]
  /** If `prune.perChunk` is set: the texts of entries and lazy chunks. */
  readonly chunks?: readonly ChunkReport[]
  readonly ms: { readonly load: number; readonly write: number }
}

interface NamespaceBytes {
  readonly namespace: string
  readonly bytes: number
}

interface UnknownCallCost {
  readonly file: string
  /** Absent if the call is not in the file because a compiler created it. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly code: string
  /** `syntax` if the file cannot be parsed; `code` is then the error. */
  readonly reason: string
  /** The number of keys that only calls with unknown keys keep. */
  readonly keys: number
  readonly namespaces: readonly string[]
  readonly isIgnored: boolean
  readonly keeps: 'all' | 'literals' | 'nothing'
  readonly bytes: number
}

export interface KeptReason {
  /** A `ReasonKind`, or `array` if another element of the same array is used. */
  readonly reason: string
  /**
   * The origin of the reason: the key, pattern or string in the code, the call's code, the reference, or the pattern in
   * `keep`.
   */
  readonly by?: string | undefined
  /** File, line and column. */
  readonly at?: string | undefined
}

export interface KeptKey extends KeptReason {
  readonly namespace: string
  readonly key: string
  /** The bytes of the key and its text in the report's `language`. */
  readonly bytes: number
  /** The chunks that include the key, as indices in `chunks`. A chunk has its own reason if it differs. */
  readonly in?: readonly ({ readonly chunk: number } & Partial<KeptReason>)[]
}

export interface ChunkReport {
  /** The path of the first module, relative to the root. */
  readonly name: string
  /** `lazy` if an `import()` loads the chunk. */
  readonly kind: 'entry' | 'lazy'
  /** For an entry: the number of keys that its code uses. For a lazy chunk: the number of those that no entry has. */
  readonly keys: number
  /** The number of keys that other entries use too, or that other lazy chunks include too. */
  readonly shared: number
  /** The number of keys in the same files that only other entries use. */
  readonly others: number
  /** The bytes that a page fetches with this chunk, in the largest language. */
  readonly bytes: number
  readonly language: string
  /** The bytes in each language. */
  readonly byLanguage: Readonly<Record<string, number>>
  /** The namespaces in that language, largest first. */
  readonly namespaces: readonly NamespaceBytes[]
}

export const reportFile = (root: string) => join(root, '.localization', 'report.json')

/** `undefined` if the file does not exist, is from another version of this package, or contains damaged chunks. */
export async function readReport(path: string): Promise<BuildReport | undefined> {
  try {
    const report = JSON.parse(await readFile(path, 'utf8')) as BuildReport
    return report.version === 1 && (report.chunks ?? []).every(isChunk) ? report : undefined
  } catch {
    return undefined
  }
}

/** True if the chunk has all fields that the inspector shows. */
function isChunk({ name, kind, keys, bytes, language, namespaces }: ChunkReport): boolean {
  const isWhole =
    [name, kind, language].every((each) => typeof each === 'string') && [keys, bytes].every(Number.isFinite)
  return isWhole && namespaces.every((each) => typeof each.namespace === 'string' && Number.isFinite(each.bytes))
}

/** Prints each list item on its own line. */
export function printReport(report: object): string {
  const lines = Object.entries(report).flatMap(([name, value]) => {
    if (value === undefined) return []
    const isList = Array.isArray(value) && typeof value[0] === 'object'
    const text = isList
      ? `[\n${value.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`
      : JSON.stringify(value)
    return [`  ${JSON.stringify(name)}: ${text}`]
  })
  return `{\n${lines.join(',\n')}\n}\n`
}
