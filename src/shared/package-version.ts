import { readFileSync } from 'node:fs'

/** The version in package.json, which is one level above the built files and two above this one. */
export function packageVersion(): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      return (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }).version
    } catch {
      // The other one then.
    }
  }
  return 'unknown'
}
