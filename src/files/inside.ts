/** What a browser asks to have written goes into the patterns' own folders, links followed: a name must not lead out of them. */
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { LocalizationError } from '../errors.ts'
import { isInside } from '../shared/paths.ts'
import { displayPath, type FilePatterns } from './patterns.ts'

/** Throws FILE_WRITE for a path that is no translation file, or that a symbolic link leads out of its pattern's folder. */
export async function assertInsidePatterns(patterns: FilePatterns, path: string): Promise<void> {
  const file = patterns.match(path)
  const compiled = patterns.compiled.find(({ pattern }) => pattern === file?.pattern)
  if (compiled && isInside(await realPathOf(compiled.base), await realPathOf(path))) return
  throw new LocalizationError('not written: this is outside the folders of the option files', {
    code: 'FILE_WRITE',
    place: { file: displayPath(patterns.options.root, path) },
  })
}

/** The path with links followed, as far as it exists. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    return `${await realPathOf(parent)}${path.slice(parent.length)}`
  }
}
