/**
 * Message modules that never pass through the bundler: files it is handed when its own work is done. Each is named after its language,
 * namespace and content, so that the manifest needs the hashes only.
 */
import type { Translations } from '../catalog/translations.ts'
import { hashOf } from '../shared/hash.ts'
import { encodeName } from './ids.ts'
import { stringLiteral } from './literal.ts'

/** `.mjs` where Node imports the files, whatever the package around them says. */
export type LateExtension = '.js' | '.mjs'

export interface LateFile {
  /** Below the folder of late files, with `/`. */
  readonly name: string
  readonly content: Buffer
}

export interface LateFiles {
  readonly files: readonly LateFile[]
  /** What the manifest must know to address them: see `LateAddresses` of the runtime. */
  readonly hashes: string
  /** Bytes of each namespace, in all languages. */
  readonly namespaceBytes: ReadonlyMap<string, number>
}

/** Part of each address; the runtime cuts rows of hashes at this length. */
const HASH_LENGTH = 8
const NO_TEXTS = ' '.repeat(HASH_LENGTH)

/** From this many languages times namespaces on, each language has a file of its own with the hashes. */
const MAX_INLINE_HASHES = 128

/** Whether the hashes are in a file for each language: the manifest then grows with languages and namespaces, not with their product. */
export function isTabled({ languages, namespaces }: Pick<Translations, 'languages' | 'namespaces'>): boolean {
  return languages.length * namespaces.length > MAX_INLINE_HASHES
}

/** How long `hashes` are. */
export function hashesLength(translations: Pick<Translations, 'languages' | 'namespaces'>): number {
  const { languages, namespaces } = translations
  return HASH_LENGTH * languages.length * (isTabled(translations) ? 1 : namespaces.length)
}

export interface LateFilesInput {
  readonly translations: Pick<Translations, 'languages' | 'namespaces'>
  readonly extension: LateExtension
  /** The module of one language and namespace; `undefined`: it has no texts, and needs no file. */
  content(language: string, namespace: string): Promise<LateContent | undefined>
}

export interface LateContent {
  readonly bytes: Buffer
  /** At least eight hexadecimal characters that stand for the bytes. */
  readonly hash: string
}

export async function createLateFiles({ translations, extension, content }: LateFilesInput): Promise<LateFiles> {
  const { languages, namespaces } = translations
  const files: LateFile[] = []
  const add = (path: string, { bytes, hash }: LateContent): string => {
    const short = hash.slice(0, HASH_LENGTH)
    files.push({ name: `${path}.${short}${extension}`, content: bytes })
    return short
  }
  // By namespace: its languages have the same fallbacks, and mostly the same keys.
  const rows = languages.map((): string[] => [])
  const namespaceBytes = new Map<string, number>()
  for (const [column, namespace] of namespaces.entries()) {
    for (const [row, { key: language }] of languages.entries()) {
      const found = await content(language, namespace)
      const hashes = rows[row] as string[]
      namespaceBytes.set(namespace, (namespaceBytes.get(namespace) ?? 0) + (found?.bytes.length ?? 0))
      hashes[column] = found ? add(`${encodeName(language)}/${encodeName(namespace)}`, found) : NO_TEXTS
    }
  }
  const joined = rows.map((hashes) => hashes.join(''))
  if (!isTabled(translations)) return { files, hashes: joined.join(''), namespaceBytes }
  const tables = languages.map(({ key }, row) =>
    add(encodeName(key), lateContent(`export default ${stringLiteral(joined[row] as string)}\n`)),
  )
  return { files, hashes: tables.join(''), namespaceBytes }
}

export function lateContent(code: string): LateContent {
  const bytes = Buffer.from(code)
  return { bytes, hash: hashOf(bytes) }
}

export interface AddressesInput {
  readonly extension: LateExtension
  readonly hashes: string
  /** An expression: the address of the files' folder, with a slash at its end. */
  readonly base: string
  /** What stands before the address in `import()`: a comment that keeps the bundler from looking at it. */
  readonly comment?: string
}

/** The expression of the runtime's `LateAddresses`. */
export function addressesExpression({ extension, hashes, base, comment = '' }: AddressesInput): string {
  const fetch = `(address) => import(${comment}address)`
  // In parentheses of its own: where a bundler dropped those around the name, an arrow function's braces would be a block.
  return `({ fetch: ${fetch}, base: ${base}, extension: ${stringLiteral(extension)}, hashes: ${stringLiteral(hashes)} })`
}
