/** Downloaded files on disk with their validators, so that an unchanged file costs only a 304 response. */
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileValidators } from '../api/call.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'

interface CachedResource extends FileValidators {
  readonly data: unknown
}

export interface ResourceCache {
  /**
   * The cached file; `undefined` if it is missing, damaged, or from another URL.
   *
   * @param place identifies the file in the cache. Default: the URL. Set it if a file's URL changes with each download,
   * so that the new file replaces the old one
   */
  get(address: string, place?: string): Promise<CachedResource | undefined>
  /** The ETag of the cached file, without reading the file. */
  etag(url: string): Promise<string | undefined>
  /** Stores a file. Ignores errors such as a full disk: the next build then downloads the file again. */
  set(address: string, resource: CachedResource, place?: string): Promise<void>
}

/** The number of bytes to read for a header line. Every header line is shorter. */
const HEADER_BYTES = 1024
const NOTHING_READ = { bytesRead: 0, buffer: Buffer.alloc(0) }

/**
 * A cache with one file per place: a header line that contains the body's digest, followed by the body. URLs are stored
 * as hashes, because they may contain secrets.
 */
export function createResourceCache(folder: string): ResourceCache {
  const fileOf = (place: string) => join(folder, `${hashOf(place, 32)}.json`)
  return {
    async get(address, place = address) {
      try {
        const content = await readFile(fileOf(place), 'utf8')
        const end = content.indexOf('\n')
        const header = JSON.parse(content.slice(0, end)) as Readonly<Record<string, unknown>>
        const { etag, lastModified } = header
        const body = content.slice(end + 1)
        if (header.address !== hashOf(address, 32) || header.digest !== hashOf(body)) return undefined
        return {
          ...(typeof etag === 'string' && { etag }),
          ...(typeof lastModified === 'string' && { lastModified }),
          data: JSON.parse(body),
        }
      } catch {
        return undefined
      }
    },
    async etag(address) {
      const file = await open(fileOf(address)).catch(() => undefined)
      try {
        const { bytesRead, buffer } = (await file?.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)) ?? NOTHING_READ
        const [header = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1)
        const { etag, address: hash } = JSON.parse(header) as Readonly<Record<string, unknown>>
        return typeof etag === 'string' && hash === hashOf(address, 32) ? etag : undefined
      } catch {
        return undefined
      } finally {
        await file?.close()
      }
    },
    async set(address, { etag, lastModified, data }, place = address) {
      try {
        const body = JSON.stringify(data)
        const header = { address: hashOf(address, 32), etag, lastModified, digest: hashOf(body) }
        await writeFileAtomic(fileOf(place), `${JSON.stringify(header)}\n${body}`)
      } catch {
        // The next build downloads the file again.
      }
    },
  }
}
