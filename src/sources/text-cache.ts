/**
 * What was made of files' bytes, kept on disk: a build of files that have not changed neither parses nor writes their texts again.
 * Without it everything is made anew; nothing else depends on it.
 */
import { closeSync, fstatSync, openSync, read } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { LazyTexts } from '../catalog/model.ts'
import { lazyModule, moduleOf } from '../catalog/text-module.ts'
import type { ModuleCache } from '../files/lazy.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'

export interface TextCache extends ModuleCache {
  /** The lists of keys that texts of this cache have: equal ones must stay one. */
  readonly keyLists: readonly (readonly string[])[]
  /** Writes what was asked for or added, if that is something else than what was read. */
  save(): Promise<void>
}

/** Changes with whatever is done between a file's bytes and its module. */
const FORMAT = 'unplugin-localization texts 5'

/** More is made again as fast as it is read. */
const MAX_BYTES = 32 * 1024 * 1024

interface Entry {
  /** Hash of what it was made of. */
  readonly source: string
  /** The module's own, which is part of a file's name. */
  readonly hash: string
  readonly checksum: number
  readonly length: number
  /** Which of the lists. */
  readonly keys: number
  readonly count: number
}

interface Header {
  readonly format: string
  readonly fingerprint: string
  readonly keyLists: readonly (readonly string[])[]
  readonly entries: readonly Entry[]
}

/** A file that is not there, is damaged or was written by something else gives an empty cache. */
export async function openTextCache(path: string, fingerprint: string): Promise<TextCache> {
  const [{ texts: known, checksums, keyLists }, { crc32 }] = await Promise.all([
    readCache(path, fingerprint),
    import('node:zlib'),
  ])
  const used = new Map<string, LazyTexts>()
  let size = 0
  let hasNew = false
  const use = (sourceHash: string, texts: LazyTexts) => {
    size += texts.module?.size ?? 0
    used.set(sourceHash, texts)
    // It is not written then: nothing is held for it.
    if (size > MAX_BYTES) used.clear()
  }
  return {
    keyLists,
    folder: dirname(path),
    maxBytes: MAX_BYTES,
    get isFull() {
      return size > MAX_BYTES
    },
    giveUp() {
      size = Number.POSITIVE_INFINITY
      used.clear()
    },
    get(sourceHash) {
      const texts = known.get(sourceHash)
      // What a disk does to bytes shows in it, at a tenth of the hash's price.
      if (!texts?.module || crc32(texts.module.bytes) !== checksums.get(sourceHash)) return undefined
      use(sourceHash, texts)
      return texts
    },
    add(sourceHash, texts) {
      hasNew = true
      use(sourceHash, texts)
    },
    async save() {
      if (size <= MAX_BYTES && (hasNew || used.size !== known.size)) await writeCache(path, fingerprint, used, crc32)
    },
  }
}

/** The header's length and hash, the header, and the modules as its entries tell. */
async function readCache(path: string, fingerprint: string) {
  const nothing = { texts: new Map<string, LazyTexts>(), checksums: new Map<string, number>(), keyLists: [] }
  try {
    const bytes = await readWhole(path)
    const start = HEADER_AT + bytes.readUInt32LE(0)
    const json = bytes.subarray(HEADER_AT, start)
    if (bytes.toString('latin1', HASH_AT, HEADER_AT) !== hashOf(json)) return nothing
    const header = JSON.parse(json.toString('utf8')) as Header
    if (header.format !== FORMAT || header.fingerprint !== fingerprint) return nothing
    const { keyLists } = header
    const texts = new Map<string, LazyTexts>()
    const checksums = new Map<string, number>()
    let offset = start
    for (const { source, hash, checksum, length, keys, count } of header.entries) {
      const module = bytes.subarray(offset, offset + length)
      offset += length
      checksums.set(source, checksum)
      texts.set(source, lazyModule(moduleOf(module, hash), keyLists[keys] as readonly string[], count))
    }
    return { texts, checksums, keyLists }
  } catch {
    return nothing
  }
}

const readInto = promisify(read)

/** In one go, and under way at once: `readFile` asks for half a megabyte at a time. */
async function readWhole(path: string): Promise<Buffer> {
  const handle = openSync(path, 'r')
  try {
    const { size } = fstatSync(handle)
    const { buffer, bytesRead } = await readInto(handle, Buffer.allocUnsafeSlow(size), 0, size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    closeSync(handle)
  }
}

const HASH_AT = 4
const HEADER_AT = HASH_AT + 64

async function writeCache(
  path: string,
  fingerprint: string,
  used: ReadonlyMap<string, LazyTexts>,
  checksumOf: (bytes: Uint8Array) => number,
): Promise<void> {
  const lists = new Map<readonly string[], number>()
  const entries: Entry[] = []
  const modules: Buffer[] = []
  for (const [source, { module, keys, count }] of used) {
    if (!module || !keys) continue
    if (!lists.has(keys)) lists.set(keys, lists.size)
    const { bytes, hash, size: length } = module
    entries.push({ source, hash, checksum: checksumOf(bytes), length, keys: lists.get(keys) as number, count })
    modules.push(bytes)
  }
  const header: Header = { format: FORMAT, fingerprint, keyLists: [...lists.keys()], entries }
  const json = Buffer.from(JSON.stringify(header))
  const start = Buffer.alloc(HEADER_AT)
  start.writeUInt32LE(json.length)
  start.write(hashOf(json), HASH_AT, 'latin1')
  await writeFileAtomic(path, [start, json, ...modules], { durable: false })
}
