/** Downloaded files on the disk with their validators: an unchanged file costs a 304. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileValidators } from '../api/conditions.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'

interface CachedResource extends FileValidators {
  readonly data: unknown
}

export interface ResourceCache {
  /**
   * `undefined`: absent, damaged, or of another address.
   *
   * @param place where the file is kept: a file with a new address at each download replaces the last one. Default:
   * the address
   */
  get(address: string, place?: string): Promise<CachedResource | undefined>
  /** Without it, for example on a full disk, the next build downloads the file. */
  set(address: string, resource: CachedResource, place?: string): Promise<void>
}

/** One file for each place: a header line with the body's digest, then the body. Addresses may hold secrets. */
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
        // The next build downloads the file.
      }
    },
  }
}
