/** Finds the keys of a text that a page shows, among the messages of the modules that the page has loaded. */
import type { Messages } from '../catalog/model.ts'
import { textId } from '../catalog/text-id.ts'
import { hasShape, inOneLine, type Shape, shapesOf } from './message-shapes.ts'
import type { TraceRequest } from './requests.ts'
import type { Snapshot } from './snapshot.ts'

type ModuleName = readonly [language: string, namespace: string]

interface Candidate {
  readonly key: string
  readonly message: string
  readonly shape: Shape
}

interface MessageIndex {
  readonly messages: Messages
  /** Messages without placeholders, by their text. */
  readonly whole: ReadonlyMap<string, readonly Candidate[]>
  readonly withPlaceholders: readonly Candidate[]
}

export interface TraceMatch {
  /** The language of the module that has the message. */
  readonly language: string
  readonly namespace: string
  readonly key: string
  /** True if the whole text is the message, without placeholders. */
  readonly isExact: boolean
  readonly mark?: 'conflict' | 'stale' | undefined
  /** The message with its placeholders. */
  readonly message: string
}

/** More than that would be too many to choose from. */
const MOST_MATCHES = 8

/** The texts to search. */
export type TracedTexts = Pick<Snapshot, 'namespaces' | 'defaultLanguage' | 'messages'> & {
  readonly languages: readonly { readonly key: string }[]
} & Partial<Pick<Snapshot, 'states' | 'staleIds'>>

export class Tracer {
  readonly #indexes = new Map<string, MessageIndex>()

  /** The possible keys of each text, most likely first. */
  trace(snapshot: TracedTexts, { texts, language, loaded }: TraceRequest) {
    const lines = texts.map((text) => ({ line: inOneLine(text), matches: new Map<string, TraceMatch>() }))
    for (const modules of searchOrder(snapshot, loaded, language)) {
      const open = lines.filter(({ matches }) => matches.size === 0)
      if (open.length === 0) break
      for (const module of modules) {
        const [language, namespace] = module
        const index = this.#indexOf(snapshot.messages(...module), JSON.stringify(module))
        for (const { line, matches } of open) {
          for (const { key, message, shape } of lookUp(index, line)) {
            const id = JSON.stringify([namespace, key])
            if (matches.has(id) || matches.size >= MOST_MATCHES) continue
            const mark = markOf(snapshot, textId({ language, namespace, key }))
            matches.set(id, { language, namespace, key, message, isExact: shape.length === 1, mark })
          }
        }
      }
    }
    return lines.map(({ matches }) => [...matches.values()])
  }

  #indexOf(messages: Messages, id: string): MessageIndex {
    const known = this.#indexes.get(id)
    const index = known?.messages === messages ? known : indexOf(messages)
    this.#indexes.set(id, index)
    return index
  }
}

function markOf({ states, staleIds }: TracedTexts, id: string): TraceMatch['mark'] {
  if (states?.get(id)?.state === 'conflict') return 'conflict'
  return staleIds?.has(id) ? 'stale' : undefined
}

/** Groups of modules, most likely first. A group is searched only for texts that the earlier groups do not contain. */
function searchOrder(
  { languages, namespaces, defaultLanguage }: TracedTexts,
  loaded: readonly ModuleName[],
  pageLanguage = '',
): readonly (readonly ModuleName[])[] {
  const all = (language: string) => namespaces.map((namespace): ModuleName => [language, namespace])
  const keys = languages.map(({ key }) => key)
  const modules = loaded.filter(([language, namespace]) => keys.includes(language) && namespaces.includes(namespace))
  const own = keys.filter((key) => key.toLowerCase() === pageLanguage.toLowerCase())
  const ownModules = modules.filter(([language]) => own.includes(language))
  return [ownModules, modules, own.flatMap(all), all(defaultLanguage), keys.flatMap(all)]
}

function indexOf(messages: Messages): MessageIndex {
  const whole = new Map<string, Candidate[]>()
  const withPlaceholders: Candidate[] = []
  for (const [key, message] of messages) {
    for (const shape of shapesOf(message)) {
      const [text = ''] = shape
      const known = shape.length === 1 ? whole.get(text) : withPlaceholders
      if (known) known.push({ key, message, shape })
      else whole.set(text, [{ key, message, shape }])
    }
  }
  return { messages, whole, withPlaceholders }
}

/** Messages without placeholders first; then those with the most literal letters. */
function lookUp({ whole, withPlaceholders }: MessageIndex, text: string): readonly Candidate[] {
  const letters = ({ shape }: Candidate) => shape.join('').length
  if (text === '') return []
  return (
    whole.get(text) ??
    withPlaceholders.filter(({ shape }) => hasShape(text, shape)).sort((a, b) => letters(b) - letters(a))
  )
}
