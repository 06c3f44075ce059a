/** Files that are written by this package alone: kept current, and never written over somebody's own. */
import { readFile } from 'node:fs/promises'
import { LocalizationError } from '../errors.ts'
import { writeFileAtomic } from './atomic-write.ts'

/** Whether the file has the content, whatever line ends a checkout gave it. A file that cannot be read has none. */
export async function isCurrent(path: string, content: string): Promise<boolean> {
  return sameText(await readText(path), content)
}

/**
 * Writes only where the content differs. True: it was written. A file that does not begin with `mark` was not generated and stays.
 * Errors: FILE_WRITE.
 */
export async function writeGenerated(path: string, content: string, mark: string): Promise<boolean> {
  const known = await readText(path)
  if (sameText(known, content)) return false
  if (known !== undefined && known.trim() !== '' && !known.startsWith(mark)) {
    throw new LocalizationError('is not written over: it was not generated', {
      code: 'FILE_WRITE',
      place: { file: path },
      hint: 'Choose another name, or remove the file.',
    })
  }
  await writeFileAtomic(path, content, { durable: false })
  return true
}

function sameText(known: string | undefined, content: string): boolean {
  return known === content || known?.replaceAll('\r\n', '\n') === content
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}
