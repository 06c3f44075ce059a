/** Hosting resources on the disk with their ETags: an unchanged resource costs a 304. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'

interface CachedResource {
  readonly etag: string
  readonly data: unknown
}

export interface ResourceCache {
  /** `undefined`: absent or damaged. */
  get(address: string): Promise<CachedResource | undefined>
  /** Without it, for example on a full disk, the next build downloads the resource. */
  set(address: string, resource: CachedResource): Promise<void>
}

/** One file for each resource: a header line with the body's digest, then the body. */
export function createResourceCache(folder: string): ResourceCache {
  const fileOf = (address: string) => join(folder, `${hashOf(address, 32)}.json`)
  return {
    async get(address) {
      try {
        const content = await readFile(fileOf(address), 'utf8')
        const end = content.indexOf('\n')
        const { etag, ...header } = JSON.parse(content.slice(0, end)) as Readonly<Record<string, unknown>>
        const body = content.slice(end + 1)
        if (header.address !== address || header.digest !== hashOf(body) || typeof etag !== 'string') return undefined
        return { etag, data: JSON.parse(body) }
      } catch {
        return undefined
      }
    },
    async set(address, { etag, data }) {
      const body = JSON.stringify(data)
      try {
        await writeFileAtomic(fileOf(address), `${JSON.stringify({ address, etag, digest: hashOf(body) })}\n${body}`)
      } catch {
        // The next build downloads the resource.
      }
    },
  }
}
