/**
 * Encoded texts on the disk, for the next build: what has not changed is neither read nor encoded again. Without the
 * cache, a build encodes everything; nothing else depends on it.
 */
import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { type LazyTexts, lazyTexts, type TextEncoding, type TextModule } from '../catalog/model.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'

/** Changes with every change of how texts are encoded. */
const FORMAT = 'unplugin-localization modules 1'

/** Above this size, encoding the texts is as fast as reading the cache. */
const MAX_CACHE_BYTES = 32 * 1024 * 1024

export interface ModuleCache {
  /** The lists of keys of the cached texts. Equal lists must stay one array. */
  readonly keyLists: readonly (readonly string[])[]
  /** The texts that were added under this name, with an equal fingerprint. */
  get(name: string, fingerprint: string): LazyTexts | undefined
  add(name: string, fingerprint: string, texts: LazyTexts): void
  /** Writes the texts that this build got or added, if they differ from the file. */
  save(): Promise<void>
}

interface Entry {
  readonly name: string
  readonly fingerprint: string
  readonly hash: string
  readonly length: number
  /** The index of the texts' keys in `keyLists`. */
  readonly keys: number
  readonly count: number
}

interface Header {
  readonly format: string
  readonly settings: string
  readonly keyLists: readonly (readonly string[])[]
  readonly entries: readonly Entry[]
}

interface CachedTexts {
  readonly fingerprint: string
  readonly texts: LazyTexts
}

/**
 * An absent, damaged or foreign file gives an empty cache.
 *
 * @param settings the settings that the texts depend on
 */
export function openModuleCache(path: string, settings: string, encoding: TextEncoding): ModuleCache {
  const { keyLists, known } = readCache(path, settings, encoding)
  const used = new Map<string, CachedTexts>()
  let hasNew = false
  return {
    keyLists,
    get(name, fingerprint) {
      const entry = known.get(name)
      if (entry?.fingerprint !== fingerprint) return undefined
      used.set(name, entry)
      return entry.texts
    },
    add(name, fingerprint, texts) {
      hasNew = true
      used.set(name, { fingerprint, texts })
    },
    async save() {
      if (hasNew || used.size !== known.size) await writeCache(path, settings, used)
    },
  }
}

/**
 * A line with the checksum of all that follows, a line with the header, and the modules in the order of the entries.
 */
function readCache(path: string, settings: string, encoding: TextEncoding) {
  const known = new Map<string, CachedTexts>()
  const nothing = { keyLists: [], known: new Map<string, CachedTexts>() }
  try {
    const file = readFileSync(path)
    const start = file.indexOf('\n') + 1
    const content = file.subarray(start)
    if (file.toString('latin1', 0, start) !== `${crc32(content)}\n`) return nothing
    let offset = content.indexOf('\n') + 1
    const header = JSON.parse(content.toString('utf8', 0, offset)) as Header
    if (header.format !== FORMAT || header.settings !== settings) return nothing
    const { keyLists, entries } = header
    for (const { name, fingerprint, hash, length, keys, count } of entries) {
      const module = { bytes: content.subarray(offset, offset + length), size: length, hash }
      offset += length
      known.set(name, { fingerprint, texts: lazyTexts(module, keyLists[keys] ?? [], count, encoding) })
    }
    return { keyLists, known }
  } catch {
    return nothing
  }
}

async function writeCache(path: string, settings: string, used: ReadonlyMap<string, CachedTexts>): Promise<void> {
  const lists = new Map<readonly string[], number>()
  const entries: Entry[] = []
  const modules: TextModule[] = []
  let size = 0
  for (const [name, { fingerprint, texts }] of used) {
    const { module, keys: list, count } = texts
    if (!module || !list) continue
    const keys = lists.get(list) ?? lists.size
    lists.set(list, keys)
    entries.push({ name, fingerprint, hash: module.hash, length: module.size, keys, count })
    modules.push(module)
    size += module.size
  }
  if (size > MAX_CACHE_BYTES) return
  const header: Header = { format: FORMAT, settings, keyLists: [...lists.keys()], entries }
  const content = [Buffer.from(`${JSON.stringify(header)}\n`), ...modules.map(({ bytes }) => bytes)]
  const checksum = content.reduce((sum, piece) => crc32(piece, sum), 0)
  await writeFileAtomic(path, [Buffer.from(`${checksum}\n`), ...content], { durable: false })
}
