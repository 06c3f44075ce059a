/** From a text on a page back to its keys, with no mark in the page: what the messages of the loaded modules can look like is looked up. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Messages } from '../catalog/model.ts'
import type { PartRef } from '../catalog/text-id.ts'
import type { Snapshot } from './port.ts'
import type { TraceRequest } from './requests.ts'
import { hasShape, inOneLine, type Shape, shapesOf } from './shapes.ts'
import type { TraceAnswer, TraceMatch } from './wire.ts'

export interface Tracer {
  trace(snapshot: Snapshot, request: TraceRequest): Promise<TraceAnswer>
}

interface Candidate {
  readonly key: string
  readonly message: string
  readonly shape: Shape
}

interface PartIndex {
  readonly messages: Messages
  readonly whole: ReadonlyMap<string, readonly Candidate[]>
  /** Shapes with placeholders, by how they begin, else by how they end. */
  readonly byStart: ReadonlyMap<string, readonly Candidate[]>
  readonly byEnd: ReadonlyMap<string, readonly Candidate[]>
  readonly others: readonly Candidate[]
}

/** Nobody chooses among more. */
const MOST_MATCHES = 8
const EDGE = 2
const SLICE = 5_000

export function createTracer(): Tracer {
  const indexes = new Map<string, PartIndex>()

  const indexOf = async (snapshot: Snapshot, part: PartRef): Promise<PartIndex> => {
    const id = JSON.stringify([part.language, part.namespace])
    const messages = snapshot.shown(part)
    const known = indexes.get(id)
    if (known?.messages === messages) return known
    const index = await buildIndex(messages)
    indexes.set(id, index)
    return index
  }

  return {
    async trace(snapshot, { texts, language, loaded }) {
      const lines = texts.map(inOneLine)
      const found = lines.map(() => new Map<string, TraceMatch>())
      for (const parts of partsToAsk(snapshot, loaded, language)) {
        const open = lines.map((_, i) => i).filter((i) => found[i]?.size === 0)
        if (open.length === 0) break
        for (const part of parts) {
          const index = await indexOf(snapshot, part)
          for (const i of open) {
            const matches = found[i] as Map<string, TraceMatch>
            for (const { key, message } of lookUp(index, lines[i] as string)) {
              const id = JSON.stringify([part.namespace, key])
              if (matches.has(id) || matches.size >= MOST_MATCHES) continue
              matches.set(id, { namespace: part.namespace, key, language: part.language, message })
            }
          }
        }
      }
      return { found: found.map((matches) => [...matches.values()]) }
    },
  }
}

/** Groups of parts, the likeliest first: a group is asked only for what those before it do not know. */
function partsToAsk(
  { languages, namespaces, defaultLanguage }: Snapshot,
  loaded: TraceRequest['loaded'],
  language: string | undefined,
): readonly (readonly PartRef[])[] {
  const isKnown = new Set(languages.map(({ key }) => key))
  const all = (key: string) => namespaces.map((namespace) => ({ language: key, namespace }))
  const modules = loaded
    .filter(([key, namespace]) => isKnown.has(key) && namespaces.includes(namespace))
    .map(([key, namespace]) => ({ language: key, namespace }))
  const own = languages.find(({ key }) => key === language || key.toLowerCase() === language?.toLowerCase())?.key
  const groups = [
    modules.filter((part) => part.language === own),
    modules,
    ...(own === undefined ? [] : [all(own)]),
    all(defaultLanguage),
    languages.flatMap(({ key }) => all(key)),
  ]
  return groups.filter((group) => group.length > 0)
}

async function buildIndex(messages: Messages): Promise<PartIndex> {
  const whole = new Map<string, Candidate[]>()
  const byStart = new Map<string, Candidate[]>()
  const byEnd = new Map<string, Candidate[]>()
  const others: Candidate[] = []
  const put = (map: Map<string, Candidate[]>, name: string, candidate: Candidate) => {
    const list = map.get(name)
    if (list) list.push(candidate)
    else map.set(name, [candidate])
  }
  let slice = 0
  for (const [key, message] of messages) {
    if (++slice % SLICE === 0) await breathe()
    for (const shape of shapesOf(message)) {
      const candidate = { key, message, shape }
      const [first = ''] = shape
      const last = shape.at(-1) ?? ''
      if (shape.length === 1) put(whole, first, candidate)
      else if (first.length >= EDGE) put(byStart, first.slice(0, EDGE), candidate)
      else if (last.length >= EDGE) put(byEnd, last.slice(-EDGE), candidate)
      else others.push(candidate)
    }
  }
  return { messages, whole, byStart, byEnd, others }
}

/** Whole messages first; then the ones with the most letters of their own. */
function lookUp({ whole, byStart, byEnd, others }: PartIndex, text: string): readonly Candidate[] {
  if (text === '') return []
  const exact = whole.get(text)
  if (exact) return exact
  const candidates = [...(byStart.get(text.slice(0, EDGE)) ?? []), ...(byEnd.get(text.slice(-EDGE)) ?? []), ...others]
  const literal = ({ shape }: Candidate) => shape.reduce((sum, piece) => sum + piece.length, 0)
  return candidates.filter(({ shape }) => hasShape(text, shape)).sort((a, b) => literal(b) - literal(a))
}
