/**
 * The module of a language with fallbacks or a customer, joined from the modules of its layers. Their texts are cut out
 * and put together as they are encoded, which takes a third of the time of decoding and encoding them.
 */
import type { LazyTexts, TextModule } from '../catalog/model.ts'
import { objectTest } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { JsonFrames, nestedFrame } from './literal.ts'
import { escapeForScript } from './script-text.ts'
import { isNotScript, membersIn, moduleOfMembers } from './text-module.ts'

export interface JoinedModule {
  /** `undefined`: there are no texts. */
  readonly module: TextModule | undefined
  /** See `nestedMessagesJson`. */
  readonly kept: readonly string[]
}

/** Sorted by key. Gaps have no member. Names and texts are JSON, one character for each byte in UTF-8. */
interface Members {
  readonly keys: readonly string[]
  /** `"key":` */
  readonly names: readonly string[]
  readonly texts: readonly string[]
}

export class ModuleJoiner {
  readonly #config: Pick<ResolvedConfig, 'shape' | 'keySeparator'>
  readonly #frames = new JsonFrames()
  readonly #names = new WeakMap<readonly string[], readonly string[]>()
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
    let joined: Members = { keys: [], names: [], texts: [] }
    for (const layer of layers) {
      const members = this.#known.get(layer) ?? this.#membersOf(layer)
      if (!members) return undefined
      known.set(layer, members)
      joined = joined.keys.length === 0 ? members : merge(joined, members)
    }
    this.#known = known
    if (joined.keys.length === 0) return { module: undefined, kept: [] }
    return this.#config.shape === 'nested' ? this.#nest(joined) : { module: flatModule(joined), kept: [] }
  }

  #nest({ keys, texts }: Members): JoinedModule | undefined {
    const { keySeparator } = this.#config
    const { json, kept } = this.#frames.fillEncoded(keys, texts, (given) => {
      const frame = nestedFrame(given, keySeparator, objectTest(undefined))
      return { ...frame, pieces: frame.pieces.map(encoded) }
    })
    return isNotScript(json) ? undefined : { module: moduleOfMembers(json.slice(1, -1)), kept }
  }

  #membersOf({ module, keys: all, values }: LazyTexts): Members | undefined {
    if (!module || !all || values) return undefined
    const json = membersIn(module.bytes)
    const allNames = this.#names.get(all) ?? all.map((key) => `${encoded(JSON.stringify(key))}:`)
    this.#names.set(all, allNames)
    const keys: string[] = []
    const names: string[] = []
    const texts: string[] = []
    let at = 0
    for (const [index, name] of allNames.entries()) {
      if (!json.startsWith(name, at)) continue
      const start = at + name.length
      const end = endOfText(json, start)
      keys.push(all[index] as string)
      names.push(name)
      // Spelled as by `encoded`: files with other escapes have no module.
      texts.push(json.slice(start, end))
      // Behind the comma.
      at = end + 1
    }
    return at === json.length + 1 || (at === 0 && json === '') ? { keys, names, texts } : undefined
  }
}

function merge(first: Members, second: Members): Members {
  const keys: string[] = []
  const names: string[] = []
  const texts: string[] = []
  const add = (members: Members, at: number) => {
    keys.push(members.keys[at] as string)
    names.push(members.names[at] as string)
    texts.push(members.texts[at] as string)
  }
  let [a, b] = [0, 0]
  while (a < first.keys.length && b < second.keys.length) {
    const [own, other] = [first.keys[a] as string, second.keys[b] as string]
    if (own === other) {
      add(first, a++)
      b++
    } else if (own < other) add(first, a++)
    else add(second, b++)
  }
  while (a < first.keys.length) add(first, a++)
  while (b < second.keys.length) add(second, b++)
  return { keys, names, texts }
}

function flatModule({ names, texts }: Members): TextModule {
  let members = ''
  for (const [at, name] of names.entries()) members += at === 0 ? name + texts[at] : `,${name}${texts[at]}`
  return moduleOfMembers(members)
}

/** Behind the quote that ends the text. */
function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(json: string, quote: number): boolean {
  let first = quote
  while (json[first - 1] === '\\') first--
  return (quote - first) % 2 === 1
}

function encoded(json: string): string {
  return Buffer.from(escapeForScript(json, '\\u003c')).toString('latin1')
}
