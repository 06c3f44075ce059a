/**
 * What was made of files' bytes, kept on disk: a build of files that have not changed neither parses nor writes their texts again.
 * Without it everything is made anew; nothing else depends on it.
 */
import { readFile } from 'node:fs/promises'
import type { LazyTexts } from '../catalog/model.ts'
import { lazyModule } from '../catalog/text-module.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'

export interface TextCache {
  /** By the hash of a file's bytes. */
  get(sourceHash: string): LazyTexts | undefined
  add(sourceHash: string, texts: LazyTexts): void
  /** The lists of keys that texts of this cache have: equal ones must stay one. */
  readonly keyLists: readonly (readonly string[])[]
  /** Writes what was asked for or added, if that is something else than what was read. */
  save(): Promise<void>
}

/** Changes with whatever is done between a file's bytes and its module. */
const FORMAT = 'unplugin-localization texts 1'

/** More is made again as fast as it is read. */
const MAX_BYTES = 32 * 1024 * 1024

interface Header {
  readonly format: string
  readonly fingerprint: string
  /** Of everything behind the header. */
  readonly hash: string
  readonly keyLists: readonly (readonly string[])[]
  /** Source hash, module hash, length, list of keys, count. */
  readonly entries: readonly (readonly [source: string, module: string, length: number, keys: number, count: number])[]
}

/** A file that is not there, is damaged or was written by something else gives an empty cache. */
export async function openTextCache(path: string, fingerprint: string): Promise<TextCache> {
  const { texts: known, keyLists } = await readCache(path, fingerprint)
  const used = new Map<string, LazyTexts>()
  let hasNew = false
  return {
    keyLists,
    get(sourceHash) {
      const texts = known.get(sourceHash)
      if (texts) used.set(sourceHash, texts)
      return texts
    },
    add(sourceHash, texts) {
      hasNew = true
      used.set(sourceHash, texts)
    },
    async save() {
      if (hasNew || used.size !== known.size) await writeCache(path, fingerprint, used)
    },
  }
}

async function readCache(path: string, fingerprint: string) {
  const nothing = { texts: new Map<string, LazyTexts>(), keyLists: [] }
  try {
    const bytes = await readFile(path)
    const start = 4 + bytes.readUInt32LE(0)
    const header = JSON.parse(bytes.toString('utf8', 4, start)) as Header
    const body = bytes.subarray(start)
    if (header.format !== FORMAT || header.fingerprint !== fingerprint || header.hash !== hashOf(body)) return nothing
    const { keyLists } = header
    const texts = new Map<string, LazyTexts>()
    let offset = 0
    for (const [source, hash, length, keys, count] of header.entries) {
      const module = body.subarray(offset, offset + length)
      offset += length
      texts.set(source, lazyModule({ bytes: module, hash }, keyLists[keys] as readonly string[], count))
    }
    return { texts, keyLists }
  } catch {
    return nothing
  }
}

async function writeCache(path: string, fingerprint: string, used: ReadonlyMap<string, LazyTexts>): Promise<void> {
  const lists = new Map<readonly string[], number>()
  const entries: Header['entries'][number][] = []
  const modules: Buffer[] = []
  let size = 0
  for (const [source, { module, keys, count }] of used) {
    if (!module || !keys) continue
    if (!lists.has(keys)) lists.set(keys, lists.size)
    entries.push([source, module.hash, module.bytes.length, lists.get(keys) as number, count])
    modules.push(module.bytes)
    size += module.bytes.length
  }
  if (size > MAX_BYTES) return
  const body = Buffer.concat(modules)
  const header: Header = { format: FORMAT, fingerprint, hash: hashOf(body), keyLists: [...lists.keys()], entries }
  const json = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(json.length)
  await writeFileAtomic(path, Buffer.concat([length, json, body]), { durable: false })
}
