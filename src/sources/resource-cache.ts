/** Downloaded files on disk with their validators, so that an unchanged file costs only a 304 response. */
import { readFile } from 'node:fs/promises'
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
  /** Stores a file. Ignores errors such as a full disk: the next build then downloads the file again. */
  set(address: string, resource: CachedResource, place?: string): Promise<void>
}

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
