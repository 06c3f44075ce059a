/** Where sources on the disk have what was found in the code that a bundler made of them. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ResolvedConfig } from '../../config/types.ts'
import { createAnalyzer } from '../analyze.ts'
import { fileFilter } from '../kept.ts'
import type { ModuleUsage, UsePlace, UseReason } from '../model.ts'
import { createCompile } from './compile.ts'
import { isCode, usageOfSource } from './read.ts'
import { createReadImport, createVersionOf } from './read-import.ts'

/** Of one source file: every place of a key, a pattern, a text or a call. */
type PlacesOf = ReadonlyMap<string, readonly UsePlace[]>

/** `undefined`: the source does not have it. */
export type SourcePlaceOf = (reason: UseReason) => UsePlace | undefined

/** Analyzes each file once more, as it is on the disk. Virtual modules have no places. */
export async function readSourcePlaces(
  files: Iterable<string | undefined>,
  namespaces: readonly string[],
  { root, usage: { functions, literalsIn }, keySeparator, prune }: ResolvedConfig,
): Promise<SourcePlaceOf> {
  const literals = prune && prune.onUnknown === 'literals' ? 'all' : 'namespaced'
  const [readImport, versionOf] = [createReadImport(), createVersionOf(root)]
  const analyzer = createAnalyzer({ functions, keySeparator, literals, namespaces, readImport, versionOf })
  const compile = createCompile(root)
  const places = new Map<string, PlacesOf | undefined>()
  for (const file of new Set(files)) {
    if (file === undefined) continue
    const path = resolve(root, withoutQuery(file))
    if (!isCode(path)) continue
    const source = await readFile(path, 'utf8').catch(() => undefined)
    const read = source === undefined ? undefined : usageOfSource(analyzer, compile, path, source)
    // The bundler could read the file in its own way.
    const usage = await read?.catch(() => undefined)
    places.set(file, usage && placesOf(usage))
  }
  const isText = fileFilter(literalsIn)
  return ({ kind, name, file = '', line, column }) => {
    // Files that are read as text are not compiled.
    if (line !== undefined && column !== undefined && !isCode(file) && isText(file)) return { line, column }
    const own = places.get(file)
    const found = own?.get(idOf(kind, name)) ?? (kind === 'pattern' ? own?.get(idOf('literal', name)) : undefined)
    // A file that is analyzed as it is written has the place itself. Compiled code has others.
    return found?.find((place) => place.line === line && place.column === column) ?? found?.[0]
  }
}

function placesOf({ uses, unknown, setup, literals = [] }: ModuleUsage): PlacesOf {
  const places = new Map<string, UsePlace[]>()
  const add = (kind: UseReason['kind'], name: string, { line, column }: UsePlace) => {
    const id = idOf(kind, name)
    places.set(id, [...(places.get(id) ?? []), { line, column }])
  }
  for (const { key, isPattern, place, code } of uses) {
    add(isPattern ? 'pattern' : 'key', key, place)
    // Other modules may make it a call with an unknown key.
    if (code !== undefined) add('call', code, place)
  }
  for (const literal of literals) add('literal', literal.text, literal)
  for (const { code, place } of [...unknown, ...(setup?.unclearAt ?? [])]) add('call', code, place)
  return places
}

const idOf = (kind: UseReason['kind'], name: string) => `${kind} ${name}`

const withoutQuery = (file: string) => file.replace(/[?#].*$/, '')
