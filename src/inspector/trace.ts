/** Finds the keys of a text on a page, among the messages of the modules that the page has loaded. */

import { isPluralElement, isSelectElement, type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser'
import * as z from 'zod'
import type { Messages } from '../catalog/model.ts'
import { guessSyntax, parseIcu } from '../catalog/placeholders.ts'
import { keyId, textId } from '../catalog/text-id.ts'
import { foldSpace } from '../shared/fold-space.ts'
import { hasPieces } from '../shared/split.ts'
import { post } from './endpoint.ts'
import type { Snapshot } from './snapshot.ts'

const traceRequest = z.strictObject({
  texts: z.array(z.string().max(5_000)).max(2_000),
  /** The page's language, if the page declares one. */
  language: z.string().max(100).optional(),
  /** The language and namespace of each module that the page has loaded. */
  loaded: z.array(z.tuple([z.string(), z.string()])).max(20_000),
})
type TraceRequest = z.output<typeof traceRequest>

export const traceEndpoints = {
  trace: post(traceRequest, async (project, request) => traceTexts(await project.snapshot(), request)),
}

type ModuleName = readonly [language: string, namespace: string]

interface Candidate {
  readonly key: string
  readonly message: string
  readonly shape: Shape
}

type MessageIndex = ReturnType<typeof createIndex>

export interface TraceMatch {
  /** The language of the module that contains the message. */
  readonly language: string
  readonly namespace: string
  readonly key: string
  /** True if the message has no placeholders and is the whole text. */
  readonly isExact: boolean
  readonly mark?: 'conflict' | 'stale' | undefined
  /** The message with its placeholders. */
  readonly message: string
}

/** More matches would be too many to choose from. */
const MOST_MATCHES = 8

export type TracedTexts = Pick<Snapshot, 'namespaces' | 'defaultLanguage' | 'messages'> & {
  readonly languages: readonly { readonly key: string }[]
} & Partial<Pick<Snapshot, 'states' | 'staleIds'>>

/** The possible keys of each text, most likely first. */
export function traceTexts(snapshot: TracedTexts, { texts, language, loaded }: TraceRequest) {
  const lines = texts.map((text) => ({ line: foldSpace(text), matches: new Map<string, TraceMatch>() }))
  for (const modules of searchOrder(snapshot, loaded, language)) {
    const open = lines.filter(({ matches }) => matches.size === 0)
    if (open.length === 0) break
    for (const [language, namespace] of modules) {
      const index = indexOf(snapshot.messages(language, namespace))
      for (const { line, matches } of open) {
        for (const { key, message, shape } of lookUp(index, line)) {
          const id = keyId({ namespace, key })
          if (matches.has(id) || matches.size >= MOST_MATCHES) continue
          const mark = markOf(snapshot, textId({ language, namespace, key }))
          matches.set(id, { language, namespace, key, message, isExact: shape.length === 1, mark })
        }
      }
    }
  }
  return lines.map(({ matches }) => [...matches.values()])
}

function markOf({ states, staleIds }: TracedTexts, id: string): TraceMatch['mark'] {
  if (states?.get(id)?.state === 'conflict') return 'conflict'
  return staleIds?.has(id) ? 'stale' : undefined
}

/** Groups of modules, most likely first. A group is searched only for texts that were not found in earlier groups. */
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

/** Kept, because the page asks again whenever the user holds Alt. */
const indexes = new WeakMap<Messages, MessageIndex>()

function indexOf(messages: Messages): MessageIndex {
  const index = indexes.get(messages) ?? createIndex(messages)
  indexes.set(messages, index)
  return index
}

function createIndex(messages: Messages) {
  /** Messages without placeholders. The map's keys are the texts. */
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
  return { whole, withPlaceholders }
}

/** Messages without placeholders come first, then those with the most literal letters. */
function lookUp({ whole, withPlaceholders }: MessageIndex, text: string): readonly Candidate[] {
  const letters = ({ shape }: Candidate) => shape.join('').length
  if (text === '') return []
  return (
    whole.get(text) ??
    withPlaceholders.filter(({ shape }) => hasPieces(text, shape)).sort((a, b) => letters(b) - letters(a))
  )
}

/** The literal pieces in order, with any text between them. A single piece matches only itself. */
type Shape = readonly string[]

const ANY_TEXT: Shape = ['', '']

/** Limits nested plurals, which multiply the number of shapes. */
const MOST_SHAPES = 24

const PLACEHOLDER = new RegExp(
  [
    /\{\{[^{}]*\}\}/,
    /%\{\w+\}/,
    /\$\{\w+\}/,
    /\{[^{}]*\}/,
    /\$t\((?:[^()]|\([^()]*\))*\)/,
    /@(?:\.\w+)?:(?:\([^()]*\)|\{[^{}]*\}|[\w.-]+)/,
    /%(?:\d+\$)?[-+0#]*(?:[1-9]\d*)?(?:\.\d+)?[sdifu@]/,
    /__\w+__/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)
const TAG = /<\/?[A-Za-z0-9][^<>]*>/g
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  copy: '©',
}

/** Leaves out shapes that match almost any text, such as a single placeholder. */
function shapesOf(message: string): readonly Shape[] {
  return rawShapes(message).map(asShown).filter(isSpecific)
}

function rawShapes(message: string): readonly Shape[] {
  if (!/[{<%$@&|_]/.test(message)) return [[message]]
  if (guessSyntax(message) === 'icu') {
    try {
      return icuShapes(parseIcu(message))
    } catch {
      return [message.split(PLACEHOLDER)]
    }
  }
  const forms = message.split(/\s\|\s/)
  return [message, ...(forms.length > 1 ? forms : [])].map((form) => form.split(PLACEHOLDER))
}

function icuShapes(elements: readonly MessageFormatElement[]): readonly Shape[] {
  let shapes: readonly Shape[] = [['']]
  for (const element of elements) {
    const next = elementShapes(element)
    shapes = shapes.flatMap((shape) => next.map((more) => joined(shape, more))).slice(0, MOST_SHAPES)
  }
  return shapes
}

function elementShapes(element: MessageFormatElement): readonly Shape[] {
  if (element.type === TYPE.literal) return [[element.value]]
  if (isPluralElement(element) || isSelectElement(element)) {
    return Object.values(element.options).flatMap(({ value }) => icuShapes(value))
  }
  return [ANY_TEXT]
}

function joined(left: Shape, right: Shape): Shape {
  return [...left.slice(0, -1), `${left.at(-1) ?? ''}${right[0] ?? ''}`, ...right.slice(1)]
}

function asShown(shape: Shape): Shape {
  const pieces = shape.map((piece) => withoutEntities(piece.replace(TAG, '')).replace(/\s+/g, ' '))
  return pieces.map((piece, at) => {
    const left = at === 0 ? piece.trimStart() : piece
    return at === pieces.length - 1 ? left.trimEnd() : left
  })
}

function withoutEntities(text: string): string {
  return text.replace(/&(#x[0-9a-f]+|#\d+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole
    const code = Number(name.replace(/^#x/i, '0x').replace('#', ''))
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** False for shapes with fewer than two literal letters around placeholders, which would match everywhere. */
function isSpecific(shape: Shape): boolean {
  const letters = shape.join('').match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return shape.length === 1 ? shape[0] !== '' : letters >= 2
}
