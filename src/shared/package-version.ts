import { readFileSync } from 'node:fs'

/** The version in package.json, which is one level above the built files and two levels above this file. */
export function packageVersion(): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      return (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }).version
    } catch {
      // Try the next path.
    }
  }
  return 'unknown'
}
