/**
 * The module of a language with fallbacks or a customer, joined from the modules of its layers. Their members
 * are copied as they are encoded, without strings of them: a layer of 200 MB may have two million.
 */
import type { LazyTexts, TextModule } from '../catalog/model.ts'
import { objectTest } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { JsonFrames, nestedFrame } from './literal.ts'
import { escapeForScript } from './script-text.ts'
import { isNotScript, membersIn, moduleOfMembers } from './text-module.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

export interface JoinedModule {
  /** `undefined`: there are no texts. */
  readonly module: TextModule | undefined
  /** See `nestedMessagesJson`. */
  readonly kept: readonly string[]
}

/** What a module has, sorted by key. Gaps have no member. */
interface Members {
  readonly keys: readonly string[]
  /** `"key":"text"` of each, with commas between them. */
  readonly bytes: Buffer
  /** Where each member starts, and where the next one would. */
  readonly starts: Uint32Array
  /** Where the text of each member starts. */
  readonly textStarts: Uint32Array
}

/** Neighbours of one layer: a language has most texts of its own. */
interface Run {
  readonly members: Members
  readonly from: number
  end: number
}

/** `"key"` of each key, with commas between them, and the end of each of them. */
interface Names {
  readonly bytes: Buffer
  readonly ends: Uint32Array
}

export class ModuleJoiner {
  readonly #config: Pick<ResolvedConfig, 'shape' | 'keySeparator'>
  readonly #frames = new JsonFrames()
  readonly #names = new WeakMap<readonly string[], Names>()
  /** Of the last join: the next language mostly has the same fallbacks. */
  #known = new Map<LazyTexts, Members>()

  constructor(config: Pick<ResolvedConfig, 'shape' | 'keySeparator'>) {
    this.#config = config
  }

  /**
   * @param layers of each text, the first layer that has it counts
   * @returns `undefined`: the texts must be decoded
   */
  join(layers: readonly LazyTexts[]): JoinedModule | undefined {
    const known = new Map<LazyTexts, Members>()
    for (const layer of layers) {
      const members = this.#known.get(layer) ?? this.#membersOf(layer)
      if (!members) return undefined
      known.set(layer, members)
    }
    this.#known = known
    const runs = merge([...known.values()])
    if (runs.length === 0) return { module: undefined, kept: [] }
    return this.#config.shape === 'nested' ? this.#nest(runs) : { module: flatModule(runs), kept: [] }
  }

  #nest(runs: readonly Run[]): JoinedModule | undefined {
    const { keySeparator } = this.#config
    const keys = runs.flatMap(({ members, from, end }) => members.keys.slice(from, end))
    const { json, kept } = this.#frames.fillEncoded(keys, runs.flatMap(textsOf), (given) => {
      const frame = nestedFrame(given, keySeparator, objectTest(undefined))
      return { ...frame, pieces: frame.pieces.map(encoded) }
    })
    return isNotScript(json) ? undefined : { module: moduleOfMembers([Buffer.from(json.slice(1, -1), 'latin1')]), kept }
  }

  #membersOf({ module, keys: all, values }: LazyTexts): Members | undefined {
    if (!module || !all || values) return undefined
    const bytes = membersIn(module.bytes)
    const names = this.#names.get(all) ?? namesOf(all)
    this.#names.set(all, names)
    const keys: string[] = []
    const starts = new Uint32Array(all.length + 1)
    const textStarts = new Uint32Array(all.length)
    let at = 0
    for (const [index, key] of all.entries()) {
      const nameStart = index === 0 ? 0 : (names.ends[index - 1] as number) + 1
      const nameEnd = names.ends[index] as number
      if (!hasAt(bytes, at, names.bytes, nameStart, nameEnd)) continue
      // Behind the colon.
      const textStart = at + nameEnd - nameStart + 1
      textStarts[keys.length] = textStart
      // Behind the comma. Spelled as by `encoded`: files with other escapes have no module.
      at = endOfString(bytes, textStart) + 1
      keys.push(key)
      starts[keys.length] = at
    }
    return at === bytes.length + 1 || (at === 0 && bytes.length === 0) ? { keys, bytes, starts, textStarts } : undefined
  }
}

function merge(layers: readonly Members[]): Run[] {
  const runs: Run[] = []
  const next = layers.map(() => 0)
  while (true) {
    let first: string | undefined
    let owner = 0
    for (const [layer, { keys }] of layers.entries()) {
      const key = keys[next[layer] as number]
      if (key === undefined || (first !== undefined && key >= first)) continue
      first = key
      owner = layer
    }
    if (first === undefined) return runs
    const members = layers[owner] as Members
    const from = next[owner] as number
    const last = runs.at(-1)
    if (last?.members === members && last.end === from) last.end++
    else runs.push({ members, from, end: from + 1 })
    for (const [layer, { keys }] of layers.entries())
      if (keys[next[layer] as number] === first) next[layer] = (next[layer] as number) + 1
  }
}

function flatModule(runs: readonly Run[]): TextModule {
  return moduleOfMembers(
    runs.map(({ members: { bytes, starts }, from, end }) =>
      bytes.subarray(starts[from] as number, (starts[end] as number) - 1),
    ),
  )
}

/** One character for each byte in UTF-8. */
function textsOf({ members: { bytes, starts, textStarts }, from, end }: Run): string[] {
  const first = starts[from] as number
  const json = bytes.toString('latin1', first, starts[end])
  return Array.from(textStarts.subarray(from, end), (start, at) =>
    json.slice(start - first, (starts[from + at + 1] as number) - 1 - first),
  )
}

function namesOf(keys: readonly string[]): Names {
  const bytes = Buffer.from(escapeForScript(JSON.stringify(keys).slice(1, -1), '\\u003c'))
  const ends = new Uint32Array(keys.length)
  let end = 0
  for (const at of keys.keys()) {
    ends[at] = endOfString(bytes, end)
    // Behind the comma.
    end = (ends[at] as number) + 1
  }
  return { bytes, ends }
}

function hasAt(bytes: Buffer, at: number, name: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[at + i - start] !== name[i]) return false
  return true
}

/** Behind the quote that ends the string. */
function endOfString(json: Buffer, start: number): number {
  let end = start + 1
  for (let byte = json[end]; byte !== QUOTE && byte !== undefined; byte = json[end]) end += byte === BACKSLASH ? 2 : 1
  return end + 1
}

function encoded(json: string): string {
  return Buffer.from(escapeForScript(json, '\\u003c')).toString('latin1')
}
