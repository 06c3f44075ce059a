/** Files that are written by this package alone: kept current, and never written over somebody's own. */
import { readFile } from 'node:fs/promises'
import { LocalizationError } from '../errors.ts'
import { writeFileAtomic } from './atomic-write.ts'

/** Whether the file has the content, whatever a formatter or a checkout made of its layout. A file that cannot be read has none. */
export async function isCurrent(path: string, content: string): Promise<boolean> {
  return hasContent(await readText(path), content)
}

/**
 * Writes only where the content differs. True: it was written. A file that does not begin with `mark` was not generated and stays.
 * Errors: FILE_WRITE.
 */
export async function writeGenerated(path: string, content: string, mark: string): Promise<boolean> {
  const known = await readText(path)
  if (hasContent(known, content)) return false
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

function hasContent(known: string | undefined, content: string): boolean {
  if (known === undefined || known === content) return known === content
  return contentOf(known) === contentOf(content)
}

const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/
const TOKEN = new RegExp(String.raw`${STRING.source}|//.*|/\*[^]*?\*/|[\w$]+|[^\s;,|]`, 'g')

/** The code without what formatters change: spaces, quotes, separators, and the `|` that a broken line begins with. */
function contentOf(code: string): string {
  const tokens = code.match(TOKEN) ?? []
  return tokens
    .map((token) => (/^["']/.test(token) ? token.slice(1, -1).replace(/\\(["'])/g, '$1') : token.trimEnd()))
    .join('\n')
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}
