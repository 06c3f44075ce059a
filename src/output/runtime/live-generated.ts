/**
 * Message addresses for modules that `localization generate` wrote. The build's own texts are modules of the app. The
 * texts of later releases are files on the host.
 */
import type { LiveAddresses } from './live-table.ts'
import type { ManifestInput } from './manifest.ts'
import type { Speller } from './prebuilt-chunks.ts'

interface GeneratedAddresses extends Pick<LiveAddresses, 'hashes' | 'live' | 'isIndexed'> {
  /** The URL of the folder that contains the table, with a trailing slash. */
  readonly base: string
  /** The folder's path on a server, relative to the current directory. */
  readonly folder: string
  /** The hashes of all texts, even if `hashes` contains those of the index files. */
  readonly texts: string
  readonly loaders: ManifestInput['loaders']
}

interface Process {
  cwd?(): string
  getBuiltinModule?(name: string): unknown
}

interface Url {
  pathToFileURL(path: string): { readonly href: string }
}

interface FileSystem {
  readonly promises: { readFile(path: URL, encoding: 'utf8'): Promise<string> }
}

const EXTENSION = '.js'

export function generatedAddresses(
  languages: readonly string[],
  namespaces: readonly string[],
  spell: Speller = (name) => name,
  { base: url, folder, texts, loaders, ...given }: GeneratedAddresses,
): LiveAddresses {
  const { document, process } = globalThis as { document?: object; process?: Process }
  const builtin = <T>(name: string) => (document ? undefined : (process?.getBuiltinModule?.(name) as T | undefined))
  const base = builtin<Url>('node:url')?.pathToFileURL(`${process?.cwd?.() ?? ''}/${folder}/`).href ?? url
  const read = async (address: string): Promise<string> => {
    if (/^file:/.test(address))
      return (builtin<FileSystem>('node:fs') as FileSystem).promises.readFile(new URL(address), 'utf8')
    const response = await fetch(address)
    if (!response.ok) throw new Error(`${address}: ${response.status}`)
    return response.text()
  }
  const hashAt = (hashes: string, at: number) => hashes.slice(at * 8, at * 8 + 8)
  /** The built texts, by file name. */
  const built = new Map<string, () => Promise<{ readonly default: unknown }>>()
  languages.forEach((language, row) => {
    const name = spell(language)
    const places = namespaces.map((_, column) => hashAt(texts, row + languages.length * column))
    if (given.isIndexed)
      built.set(`${name}.${hashAt(given.hashes, row)}${EXTENSION}`, async () => ({ default: places.join('') }))
    namespaces.forEach((namespace, column) => {
      const loader = loaders[language]?.[namespace]
      if (loader) built.set(`${name}/${spell(namespace)}.${places[column]}${EXTENSION}`, loader)
    })
  })
  return {
    ...given,
    base,
    extension: EXTENSION,
    async fetch(address) {
      const [plain] = address.split('?') as [string]
      const load = built.get(plain.slice(base.length))
      return load ? load() : { default: parseModule(await read(address)) }
    },
  }
}

/** Parses a message file or an index without running its JavaScript. */
export function parseModule(code: string): unknown {
  const value = code.replace(/^export default /, '').trim()
  if (value[0] === "'") return value.slice(1, -1)
  const [, literal] = /^JSON\.parse\('(.*)'\)$/.exec(value) ?? []
  return JSON.parse(literal === undefined ? value : literal.replace(/\\([\\'])/g, '$1'))
}
