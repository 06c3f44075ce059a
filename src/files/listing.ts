/** The names of the project's files, as the sources need them. */
import type { TranslationFile } from './patterns.ts'

export interface FileListing {
  readonly files: readonly TranslationFile[]
  readonly fileCount: number
  /** Absolute paths of the files that hold texts of this part, customers' files included. */
  filesOf(language: string, namespace: string): readonly string[]
  /** Absolute paths of all of them. */
  readonly paths: readonly string[]
  /** The languages as the paths spell them. */
  readonly languageKeys: readonly string[]
}

export function createListing(files: readonly TranslationFile[]): FileListing {
  let byPart: Map<string, string[]> | undefined
  return {
    files,
    fileCount: files.length,
    filesOf(language, namespace) {
      byPart ??= pathsByPart(files)
      return byPart.get(JSON.stringify([language, namespace])) ?? []
    },
    paths: files.map(({ path }) => path),
    languageKeys: [...new Set(files.map(({ languageInPath }) => languageInPath))],
  }
}

function pathsByPart(files: readonly TranslationFile[]): Map<string, string[]> {
  const byPart = new Map<string, string[]>()
  for (const { path, language, namespace } of files) {
    const id = JSON.stringify([language, namespace])
    const paths = byPart.get(id)
    if (paths) paths.push(path)
    else byPart.set(id, [path])
  }
  return byPart
}
