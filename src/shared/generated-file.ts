/** Updates generated files. Never overwrites other files. */
import { readFile } from 'node:fs/promises'
import { LocalizationError } from '../errors.ts'
import { editFile, writeIfChanged } from './atomic-write.ts'

/** True if the file has this content. Ignores formatting, and comments in declarations. */
export async function isCurrent(path: string, content: string): Promise<boolean> {
  const known = await readFile(path, 'utf8').catch(() => undefined)
  return known !== undefined && contentOf(known, isCode) === contentOf(content, isCode)
}

const isCode = (token: string) => !token.startsWith('/**')

/**
 * Writes the file if its content differs. Returns true if it was written. Throws FILE_WRITE if writing fails, or if the
 * existing file does not start with `mark`, which means that it was not generated.
 */
export async function writeGenerated(path: string, content: string, mark: string): Promise<boolean> {
  const edit = (current: Buffer | undefined) => {
    const known = current?.toString()
    if (known === content || (known !== undefined && contentOf(known) === contentOf(content))) return undefined
    if (known === undefined || known.trim() === '' || known.startsWith(mark)) return content
    throw new LocalizationError('not overwritten, because it was not generated', {
      code: 'FILE_WRITE',
      place: { file: path },
      hint: 'Choose another name, or remove the file.',
    })
  }
  return editFile(path, edit, { durable: false })
}

/** Writes the declaration map if its content differs. Throws FILE_WRITE. */
export async function writeDeclarationMap(path: string, map: string | undefined): Promise<void> {
  if (map !== undefined) await writeIfChanged(path, map, { durable: false })
}

const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/
const TOKEN = new RegExp(String.raw`${STRING.source}|//.*|/\*[^]*?\*/|[\w$]+|[^\s;,|]`, 'g')

/** The code without what formatters change: spaces, quotes, separators, and a leading `|`. */
function contentOf(code: string, isCompared = (_token: string) => true): string {
  const tokens = (code.match(TOKEN) ?? []).filter(isCompared)
  return tokens
    .map((token) => (/^["']/.test(token) ? token.slice(1, -1).replace(/\\(["'])/g, '$1') : token.trimEnd()))
    .join('\n')
}
