/** `.localization/report.json`, as builds write it and tools read it. Sizes are bytes before compression. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface BuildReport {
  readonly version: 1
  readonly languages: number
  readonly namespaces: number
  readonly texts: number
  /** Files that `load()` fetches. */
  readonly files: number
  readonly bytes: number
  /** `bytes` without `prune`; absent where nothing is pruned, like the next three. */
  readonly bytesUnpruned?: number
  /**
   * Calls with an unknown key, and files that cannot be read, with the bytes that only they keep. Those that keep most
   * keys come first.
   */
  readonly unknownCalls?: readonly UnknownCallCost[]
  /** The one with the most bytes. */
  readonly language?: string
  readonly kept?: readonly KeptKey[]
  /** The five largest namespaces, over all languages. */
  readonly largest: readonly NamespaceBytes[]
  /** With `prune.perChunk`: what comes with entries and lazily loaded chunks. */
  readonly chunks?: readonly ChunkReport[]
  readonly ms: { readonly load: number; readonly write: number }
}

interface NamespaceBytes {
  readonly namespace: string
  readonly bytes: number
}

interface UnknownCallCost {
  readonly file: string
  /** Absent if the file does not have the call: a compiler made it. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly code: string
  /** `syntax`: the file cannot be read, and `code` says why. */
  readonly reason: string
  /** The number of keys that only such calls keep. */
  readonly keys: number
  readonly namespaces: readonly string[]
  readonly isIgnored: boolean
  readonly keeps: 'all' | 'literals' | 'nothing'
  readonly bytes: number
}

export interface KeptReason {
  /** A `ReasonKind`, or `array`: another element of its array is used. */
  readonly reason: string
  /** The key, pattern or text as the code has it, the code of the call, the reference, or the pattern of `keep`. */
  readonly by?: string | undefined
  /** File, line and column. */
  readonly at?: string | undefined
}

export interface KeptKey extends KeptReason {
  readonly namespace: string
  readonly key: string
  /** Of key and text, in the report's `language`. */
  readonly bytes: number
  /** The chunks that it comes with: places in `chunks`. With a reason where that is another one there. */
  readonly in?: readonly ({ readonly chunk: number } & Partial<KeptReason>)[]
}

export interface ChunkReport {
  /** The path of its first module from the root. */
  readonly name: string
  /** `lazy`: an `import()` loads it. */
  readonly kind: 'entry' | 'lazy'
  /** Of an entry: the keys that its code uses. Of a lazy chunk: those of them that no entry has. */
  readonly keys: number
  /** How many of the keys other entries use too, or come with other lazy chunks too. */
  readonly shared: number
  /** Keys that only other entries use, in the same files. */
  readonly others: number
  /** What a page fetches with it, in the language where that is most. */
  readonly bytes: number
  readonly language: string
  /** The same in each language. */
  readonly byLanguage: Readonly<Record<string, number>>
  /** The namespaces in that language, the largest first. */
  readonly namespaces: readonly NamespaceBytes[]
}

export const reportFile = (root: string) => join(root, '.localization', 'report.json')

/** `undefined`: no build wrote the file, another version of this package did, or its chunks are damaged. */
export async function readReport(path: string): Promise<BuildReport | undefined> {
  try {
    const report = JSON.parse(await readFile(path, 'utf8')) as BuildReport
    return report.version === 1 && (report.chunks ?? []).every(isChunk) ? report : undefined
  } catch {
    return undefined
  }
}

/** True if the inspector can show the chunk. */
function isChunk({ name, kind, keys, bytes, language, namespaces }: ChunkReport): boolean {
  const isWhole =
    [name, kind, language].every((each) => typeof each === 'string') && [keys, bytes].every(Number.isFinite)
  return isWhole && namespaces.every((each) => typeof each.namespace === 'string' && Number.isFinite(each.bytes))
}

/** One line for each entry of a list. */
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
