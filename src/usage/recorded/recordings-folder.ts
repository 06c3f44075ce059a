import { join } from 'node:path'

/** A file for each process that records: none waits for another one. */
export function recordingsFolder(root: string): string {
  return join(root, '.localization', 'recorded')
}
