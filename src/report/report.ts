/** The build report, `.localization/report.json`. All sizes are in bytes before compression. */
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
  /** The value of `bytes` without `prune`. This and the next three fields are absent if nothing is pruned. */
  readonly bytesUnpruned?: number
  /**
   * Calls with an unknown key, and files that cannot be parsed, with the bytes of the texts that are kept only because
   * of them. Sorted by the number of kept keys, largest first.
   */
  readonly unknownCalls?: readonly UnknownCallCost[]
  /** The language with the most bytes. */
  readonly language?: string
  readonly kept?: readonly KeptKey[]
  /** The five largest namespaces, by their size in all languages together. */
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
  /** Absent if a compiler generated the call, so that it has no place in the file. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly code: string
  /** `syntax` if the file cannot be parsed. `code` then contains the error. */
  readonly reason: string
  /** The number of keys that are kept only because of calls with unknown keys. */
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
   * Depending on the reason: the key, pattern or string in the code, the code of the call, the reference, or the
   * pattern in `keep`.
   */
  readonly by?: string | undefined
  /** As `file:line:column`. */
  readonly at?: string | undefined
}

export interface KeptKey extends KeptReason {
  readonly namespace: string
  readonly key: string
  /** The bytes of the key and its text in the report's `language`. */
  readonly bytes: number
  /** The chunks that include the key, as indices in `chunks`. A reason is given only if it differs. */
  readonly in?: readonly ({ readonly chunk: number } & Partial<KeptReason>)[]
}

export interface ChunkReport {
  /** The path of the first module, relative to the root. */
  readonly name: string
  /** `lazy` if an `import()` loads the chunk. */
  readonly kind: 'entry' | 'lazy'
  /** The number of keys that the chunk's code uses. A lazy chunk counts only keys that are not in an entry. */
  readonly keys: number
  /** The number of these keys that other chunks of the same kind have too. */
  readonly shared: number
  /** The number of keys that are in the same files, but that only other entries use. */
  readonly others: number
  /** The bytes that a page fetches for this chunk, in `language`. */
  readonly bytes: number
  /** The language in which the chunk has the most bytes. */
  readonly language: string
  readonly byLanguage: Readonly<Record<string, number>>
  /** The namespaces in `language`, largest first. */
  readonly namespaces: readonly NamespaceBytes[]
}

export const reportFile = (root: string) => join(root, '.localization', 'report.json')

/** `undefined` if the file does not exist, is from another version of this package, or contains damaged chunks. */
export async function readReport(path: string): Promise<BuildReport | undefined> {
  try {
    const report = JSON.parse(await readFile(path, 'utf8')) as BuildReport
    return report.version === 1 && (report.chunks ?? []).every(isComplete) ? report : undefined
  } catch {
    return undefined
  }
}

function isComplete({ name, kind, keys, bytes, language, namespaces }: ChunkReport): boolean {
  const isWhole =
    [name, kind, language].every((each) => typeof each === 'string') && [keys, bytes].every(Number.isFinite)
  return isWhole && namespaces.every((each) => typeof each.namespace === 'string' && Number.isFinite(each.bytes))
}

/** Formats the report as JSON with one list item per line. */
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
