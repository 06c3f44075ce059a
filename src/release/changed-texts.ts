/** Lists the texts that differ between two tables. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeName } from '../output/ids.ts'
import type { BuildRecord } from '../output/live-table.ts'
import { isIndexed, PER_CHUNK_MARK } from '../output/prebuilt-chunks.ts'
import { parseModule } from '../output/runtime/live-generated.ts'

export interface ChangedText {
  readonly language: string
  readonly namespace: string
  readonly key: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Returns the code of the message file with this name, or `undefined` if there is none. */
export type ReadCode = (name: string) => Promise<string | undefined>

export const readFrom =
  (folder: string): ReadCode =>
  (name) =>
    readFile(join(folder, name), 'utf8').catch(() => undefined)

interface Side {
  readonly hashes: string
  readonly read: ReadCode
}

interface Column {
  readonly namespace: string
  readonly mark: string
}

function columnsOf({ namespaces, perChunk }: BuildRecord): readonly Column[] {
  const chunks = perChunk?.chunks ?? []
  return [
    ...namespaces.map((namespace) => ({ namespace, mark: '' })),
    ...chunks.flatMap((lists) => lists.map(([namespace]) => ({ namespace, mark: PER_CHUNK_MARK }))),
  ]
}

const nameOf = ({ extension }: BuildRecord, language: string, { namespace, mark }: Column, hash: string) =>
  `${encodeName(language)}/${encodeName(namespace)}${mark}.${hash}${extension}`

export async function filesOf(record: BuildRecord, side: Side): Promise<readonly string[]> {
  const columns = columnsOf(record)
  const names: string[] = []
  for (const [row, language] of record.languages.entries()) {
    if (isIndexed(record.languages, columns)) names.push(indexName(record, row, side))
    const hashes = await rowOf(side, record, columns, row)
    for (const [at, column] of columns.entries()) {
      const hash = (hashes[at] as string).trim()
      if (hash !== '') names.push(nameOf(record, language, column, hash))
    }
  }
  return names
}

export async function changedTexts(record: BuildRecord, before: Side, after: Side): Promise<ChangedText[]> {
  if (before.hashes === after.hashes) return []
  const columns = columnsOf(record)
  const changes = new Map<string, ChangedText>()
  for (const [row, language] of record.languages.entries()) {
    const isSameIndex = isIndexed(record.languages, columns) && hashAt(before.hashes, row) === hashAt(after.hashes, row)
    if (isSameIndex) continue
    const hashesOf = await Promise.all([before, after].map((side) => rowOf(side, record, columns, row)))
    for (const [at, column] of columns.entries()) {
      const [old, now] = hashesOf.map((hashes) => hashes[at]) as [string, string]
      if (old === now) continue
      const { namespace } = column
      const nameBy = (hash: string) => nameOf(record, language, column, hash)
      const [from, to] = await Promise.all([textsIn(before, old, nameBy), textsIn(after, now, nameBy)])
      for (const key of new Set([...from.keys(), ...to.keys()])) {
        if (from.get(key) === to.get(key)) continue
        const change = { language, namespace, key, before: from.get(key), after: to.get(key) }
        changes.set(JSON.stringify([language, namespace, key]), change)
      }
    }
  }
  return [...changes.values()]
}

const hashAt = (hashes: string, place: number) => hashes.slice(place * 8, place * 8 + 8)

const indexName = ({ languages, extension }: BuildRecord, row: number, { hashes }: Side) =>
  `${encodeName(languages[row] as string)}.${hashAt(hashes, row)}${extension}`

/** Returns the hashes of one language, in the order of the columns. */
async function rowOf(side: Side, record: BuildRecord, columns: readonly unknown[], row: number): Promise<string[]> {
  const { languages } = record
  if (!isIndexed(languages, columns))
    return columns.map((_, column) => hashAt(side.hashes, row + languages.length * column))
  const code = await side.read(indexName(record, row, side))
  const index = code === undefined ? '' : (parseModule(code) as string)
  return columns.map((_, column) => hashAt(index, column))
}

async function textsIn({ read }: Side, hash: string, nameOf: (hash: string) => string): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const code = hash.trim() === '' ? undefined : await read(nameOf(hash))
  const add = (value: unknown, path: string) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [key, item] of Object.entries(value)) add(item, path === '' ? key : `${path}.${key}`)
    else texts.set(path, typeof value === 'string' ? value : JSON.stringify(value))
  }
  if (code !== undefined) add(parseModule(code), '')
  return texts
}
