/** Reads the table from disk, on a server that has the message files. */
import type { LiveAddresses } from './live-table.ts'

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
      last = stamp
      try {
        return files.readFileSync(path, 'utf8')
      } catch {
        return undefined
      }
    },
    hasFiles: (names) => names.every((name) => files.existsSync(new URL(name, base))),
  }
}
