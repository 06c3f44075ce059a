/** Searches what `next build` writes for the secrets that the build was made with. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { displayPath } from '../files/patterns.ts'
import { leakError, leaksIn, type OutputFile, removeLeaks } from '../plugin/secret-scan.ts'

/** Copies of packages, which no build of the app changes. */
const SKIPPED_FOLDER = 'node_modules'

/** Next.js copies these into standalone output, where the server reads them. */
const ENVIRONMENT_FILE = /^\.env(?:\.|$)/

export interface OutputScan {
  /**
   * Searches the files that were written since the last call. Throws SECRET_EXPOSED, after it has removed the files
   * that hold a secret.
   */
  scan(folders: readonly string[]): void
}

/** Synchronous, for the end of a process. @param root of the names in messages */
export function createOutputScan(root: string, secrets: readonly string[]): OutputScan {
  const searched = new Map<string, number>()

  function* freshFiles(folders: readonly string[]): Iterable<OutputFile> {
    for (const path of folders.flatMap(filesBelow)) {
      const stats = statSync(path, { throwIfNoEntry: false })
      if (!stats || searched.get(path) === stats.mtimeMs) continue
      searched.set(path, stats.mtimeMs)
      yield { name: displayPath(root, path), content: readFileSync(path) }
    }
  }

  return {
    scan(folders) {
      if (secrets.length === 0) return
      const leaks = [...leaksIn(freshFiles(folders), secrets)]
      const [first] = leaks
      if (first)
        throw leakError(
          first,
          removeLeaks(leaks, (file) => join(root, file)),
        )
    },
  }
}

function filesBelow(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === SKIPPED_FOLDER ? [] : filesBelow(path)
    return entry.isFile() && !ENVIRONMENT_FILE.test(entry.name) ? [path] : []
  })
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
