/** Keeps the paths of untrusted names inside the patterns' folders. */
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { LocalizationError } from '../errors.ts'
import { isInside } from '../shared/paths.ts'
import { displayPath, type FilePatterns } from './patterns.ts'

/** Throws FILE_WRITE for a path that is no translation file, or that leaves its pattern's folder by a symbolic link. */
export async function assertInsidePatterns(patterns: FilePatterns, path: string): Promise<void> {
  const file = patterns.match(path)
  const compiled = patterns.compiled.find(({ pattern }) => pattern === file?.pattern)
  if (compiled && isInside(await realPathOf(compiled.base), await realPathOf(path))) return
  throw new LocalizationError('not written: this is outside the folders of the option files', {
    code: 'FILE_WRITE',
    place: { file: displayPath(patterns.options.root, path) },
  })
}

/** Follows links as far as the path exists. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    return `${await realPathOf(parent)}${path.slice(parent.length)}`
  }
}
