/** Generated files: kept current, and never written over a file that was not generated. */
import { readFile } from 'node:fs/promises'
import { LocalizationError } from '../errors.ts'
import { writeFileAtomic } from './atomic-write.ts'

/** Whether the file has the content, except for changes by a formatter. */
export async function isCurrent(path: string, content: string): Promise<boolean> {
  return hasContent(await readText(path), content)
}

/**
 * Writes only changed content. True: the file was written. Errors: FILE_WRITE, also for a file that does not begin with
 * `mark` and so was not generated.
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

/** The code without the things that formatters change: spaces, quotes, separators, and a leading `|`. */
function contentOf(code: string): string {
  const tokens = code.match(TOKEN) ?? []
  return tokens
    .map((token) => (/^["']/.test(token) ? token.slice(1, -1).replace(/\\(["'])/g, '$1') : token.trimEnd()))
    .join('\n')
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}
