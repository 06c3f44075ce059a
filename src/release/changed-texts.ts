/** The texts that differ between two tables, for a person to read. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeName } from '../output/ids.ts'
import type { BuildRecord } from '../output/live-table.ts'
import { isIndexed, PER_CHUNK_MARK } from '../output/prebuilt-chunks.ts'

export interface ChangedText {
  readonly language: string
  readonly namespace: string
  readonly key: string
  /** `undefined` if there was none. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Returns the code of a message file by its name; `undefined` if there is none. */
export type ReadCode = (name: string) => Promise<string | undefined>

export const readFrom =
  (folder: string): ReadCode =>
  (name) =>
    readFile(join(folder, name), 'utf8').catch(() => undefined)

/** One side of the comparison. */
interface Side {
  readonly hashes: string
  readonly read: ReadCode
}

export async function changedTexts(record: BuildRecord, before: Side, after: Side): Promise<ChangedText[]> {
  const chunks = record.perChunk?.chunks ?? []
  const columns = [
    ...record.namespaces.map((namespace) => ({ namespace, mark: '' })),
    ...chunks.flatMap((lists) => lists.map(([namespace]) => ({ namespace, mark: PER_CHUNK_MARK }))),
  ]
  const changes = new Map<string, ChangedText>()
  for (const [row, language] of record.languages.entries()) {
    const hashesOf = await Promise.all([before, after].map((side) => rowOf(side, record, columns, row)))
    for (const [at, { namespace, mark }] of columns.entries()) {
      const [old, now] = hashesOf.map((hashes) => hashes[at]) as [string, string]
      if (old === now) continue
      const nameOf = (hash: string) =>
        `${encodeName(language)}/${encodeName(namespace)}${mark}.${hash}${record.extension}`
      const [from, to] = await Promise.all([textsIn(before, old, nameOf), textsIn(after, now, nameOf)])
      for (const key of new Set([...from.keys(), ...to.keys()])) {
        if (from.get(key) === to.get(key)) continue
        const change = { language, namespace, key, before: from.get(key), after: to.get(key) }
        changes.set(JSON.stringify([language, namespace, key]), change)
      }
    }
  }
  return [...changes.values()]
}

/** The hashes of one language, by column. */
async function rowOf(
  { hashes, read }: Side,
  { languages, extension }: BuildRecord,
  columns: readonly unknown[],
  row: number,
): Promise<string[]> {
  const at = (text: string, place: number) => text.slice(place * 8, place * 8 + 8)
  if (!isIndexed(languages, columns)) return columns.map((_, column) => at(hashes, row + languages.length * column))
  const code = await read(`${encodeName(languages[row] as string)}.${at(hashes, row)}${extension}`)
  const index = code === undefined ? '' : ((await exportOf(code)) as string)
  return columns.map((_, column) => at(index, column))
}

async function textsIn({ read }: Side, hash: string, nameOf: (hash: string) => string): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const code = hash.trim() === '' ? undefined : await read(nameOf(hash))
  const add = (value: unknown, path: string) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [key, item] of Object.entries(value)) add(item, path === '' ? key : `${path}.${key}`)
    else texts.set(path, typeof value === 'string' ? value : JSON.stringify(value))
  }
  if (code !== undefined) add(await exportOf(code), '')
  return texts
}

/** The default export of a message file, whose name Node might not read as a module. */
async function exportOf(code: string): Promise<unknown> {
  const url = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
  return ((await import(url)) as { readonly default: unknown }).default
}
