/**
 * Reads the table of `delivery: 'live'`: in a page by a request, or from disk on a server that has the message files.
 */
import type { PerChunkAddresses } from './per-chunk-messages.ts'
import type { ChunkAddresses } from './prebuilt-chunks.ts'

export interface LiveAddresses
  extends ChunkAddresses,
    Partial<Pick<PerChunkAddresses, 'queue' | 'chunks' | 'isIndexed'>> {
  /** The table's file name, the build's id, and the version of the build's own texts. */
  readonly live: readonly [table: string, build: string, version: string]
}

export interface Table {
  readonly release: number
  readonly version: string
  readonly hashes: string
}

/** Returns `undefined` if the table is damaged or from another build. */
export function parseTable(text: string, ofBuild: string, length: number): Table | undefined {
  try {
    const { format, build, release, version, hashes } = JSON.parse(text)
    const isWhole = hashes.length === length && /^(?:[0-9a-f]{8}| {8})*$/.test(hashes)
    return format === 1 && build === ofBuild && release >= 0 && /^\w+$/.test(version) && isWhole
      ? { release, version, hashes }
      : undefined
  } catch {
    return undefined
  }
}

interface Page {
  querySelector(selector: string): { readonly href: string; readonly content: string } | null
}

const page = () => (globalThis as { document?: Page }).document

/** Fetches the table with a conditional request. Rejects if the request fails. */
export async function requestTable({ base, live: [name] }: LiveAddresses): Promise<string> {
  const url = base + name
  const request = () => fetch(url, { cache: 'no-cache' } as object)
  let response = await request()
  const preloaded = page()?.querySelector('link[rel=preload][as=fetch]')
  // If the host lets browsers cache files for a long time, the preloaded response may be old, so the table is requested
  // again.
  if (preloaded?.href === url && !/no-cache|no-store|max-age=0/.test(response.headers.get('cache-control') ?? ''))
    response = await request()
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return response.text()
}

/** The version that the server rendered, from `<meta name="localization-version">`. */
export function renderedVersion(): string | undefined {
  const version = page()?.querySelector('meta[name=localization-version]')?.content ?? ''
  return /^\w+$/.test(version) ? version : undefined
}

/** Fetches the table of one version, which never changes. Resolves to `undefined` if this fails. */
export async function requestVersion({ base }: LiveAddresses, version: string): Promise<string | undefined> {
  const response = await fetch(`${base}releases/${version}.json`).catch(() => undefined)
  return response?.ok ? response.text() : undefined
}

interface FileSystem {
  existsSync(path: URL): boolean
  readFileSync(path: URL, encoding: 'utf8'): string
  statSync(path: URL, options: object): { readonly mtimeMs: number; readonly ino: number } | undefined
}

interface Process {
  getBuiltinModule?(name: 'node:fs'): FileSystem | undefined
}

export interface Disk {
  /** Returns the table's content if it has changed since the last call. */
  readTable(): string | undefined
  hasFiles(names: readonly string[]): boolean
}

/** Returns `undefined` in pages and workers, and if the message files are not on this machine. */
export function openDisk(addresses: LiveAddresses): Disk | undefined {
  const { document, process } = globalThis as { document?: object; process?: Process }
  const files = document ? undefined : process?.getBuiltinModule?.('node:fs')
  if (!files || !/^file:/.test(addresses.base)) return undefined
  const { base, live } = addresses
  const path = new URL(live[0], base)
  let last = ''
  return {
    readTable() {
      const stat = files.statSync(path, { throwIfNoEntry: false })
      const stamp = stat ? `${stat.mtimeMs} ${stat.ino}` : ''
      if (stamp === last) return undefined
      try {
        const text = files.readFileSync(path, 'utf8')
        last = stamp
        return text
      } catch {
        return undefined
      }
    },
    hasFiles(names) {
      const has = names.every((name) => files.existsSync(new URL(name, base)))
      // Files that were copied after the table must be found later.
      if (!has) last = ''
      return has
    },
  }
}
