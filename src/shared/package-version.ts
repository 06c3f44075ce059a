import { readFileSync } from 'node:fs'

/** This package's version. Its manifest is one level above the built files, two above this one. */
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
