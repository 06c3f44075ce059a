/** Where sources on the disk have what was found in the code that a bundler made of them. */
import { readFile } from 'node:fs/promises'
import type { ResolvedConfig } from '../../config/types.ts'
import { createAnalyzer } from '../analyze.ts'
import type { ModuleUsage, UsePlace } from '../model.ts'
import type { UseReason } from '../reason.ts'
import { createCompile } from './compile.ts'
import { isCode, usageOfSource } from './read.ts'
import { createReadImport, createVersionOf } from './read-import.ts'

/** Of one source file: places by what stands there. */
type PlacesOf = Readonly<Record<'key' | 'pattern' | 'literal' | 'call', ReadonlyMap<string, UsePlace>>>

/** `undefined`: the source does not say. */
export type SourcePlaceOf = (reason: UseReason) => UsePlace | undefined

/** Analyzes each file of the reasons once more, as it is on the disk. Files that are none have no places. */
export async function readSourcePlaces(
  reasons: Iterable<UseReason>,
  namespaces: readonly string[],
  { root, usage: { functions }, keySeparator, prune }: ResolvedConfig,
): Promise<SourcePlaceOf> {
  const literals = prune && prune.onUnknown === 'literals' ? 'all' : 'namespaced'
  const [readImport, versionOf] = [createReadImport(), createVersionOf(root)]
  const analyzer = createAnalyzer({ functions, keySeparator, literals, namespaces, readImport, versionOf })
  const compile = createCompile(root)
  const places = new Map<string, PlacesOf | undefined>()
  for (const { file } of reasons) {
    if (file === undefined || places.has(file)) continue
    const path = withoutQuery(file)
    if (!isCode(path)) continue
    const source = await readFile(path, 'utf8').catch(() => undefined)
    const read = source === undefined ? undefined : usageOfSource(analyzer, compile, path, source)
    // The bundler could read the file in its own way.
    const usage = await read?.catch(() => undefined)
    places.set(file, usage && placesOf(usage))
  }
  return ({ kind, name, file }) => {
    const own = file === undefined ? undefined : places.get(file)
    if (kind === 'pattern') return own?.pattern.get(name) ?? own?.literal.get(name)
    return kind === 'key' || kind === 'literal' || kind === 'call' ? own?.[kind].get(name) : undefined
  }
}

function placesOf({ uses, unknown, setup, literals = [] }: ModuleUsage): PlacesOf {
  return {
    key: firstPlaces(uses.filter(({ isPattern }) => !isPattern).map(({ key, place }) => [key, place])),
    pattern: firstPlaces(uses.filter(({ isPattern }) => isPattern).map(({ key, place }) => [key, place])),
    literal: firstPlaces(literals.map(({ text, line, column }) => [text, { line, column }])),
    call: firstPlaces([...unknown, ...(setup?.unclearAt ?? [])].map(({ code, place }) => [code, place])),
  }
}

function firstPlaces(all: readonly (readonly [name: string, place: UsePlace])[]): ReadonlyMap<string, UsePlace> {
  return new Map([...all].reverse())
}

const withoutQuery = (file: string) => file.replace(/[?#].*$/, '')
