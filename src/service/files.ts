/** Exported files in memory, at addresses that cannot be guessed and that expire. */
import { randomToken } from './store/tokens.ts'

export interface FileStore {
  /** Keeps a JSON file and gives its path below the file host. */
  add(body: string): string
  /** `undefined`: never was, or is no more. */
  get(token: string): Buffer | undefined
}

export interface FileStoreOptions {
  readonly lifetimeMs: number
  readonly now: () => number
  /** Beyond this many bytes the oldest go first. The latest is always kept. */
  readonly maxBytes?: number
}

export function createFileStore({ lifetimeMs, now, maxBytes = 512_000_000 }: FileStoreOptions): FileStore {
  const files = new Map<string, { body: Buffer; until: number }>()
  let bytes = 0
  const remove = (token: string) => {
    bytes -= files.get(token)?.body.length ?? 0
    files.delete(token)
  }
  const sweep = () => {
    for (const [token, { until }] of files) {
      if (files.size <= 1 || (until > now() && bytes <= maxBytes)) return
      remove(token)
    }
  }
  return {
    add(text) {
      const body = Buffer.from(text)
      const token = randomToken()
      files.set(token, { body, until: now() + lifetimeMs })
      bytes += body.length
      sweep()
      return `files/${token}`
    },
    get(token) {
      const file = files.get(token)
      if (!file || file.until > now()) return file?.body
      remove(token)
      return undefined
    },
  }
}
