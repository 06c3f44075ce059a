/** A project at one moment: every text with its origin and its state. Pure. */
import type { Catalog, Messages } from '../catalog/model.ts'
import { partId, type TextRef, textRef } from '../catalog/text-id.ts'
import type {
  Cell,
  ConflictItem,
  FindingLine,
  HoldItem,
  InspectedLanguage,
  ProjectKind,
  SyncInfo,
  TextState,
  WaitingItem,
} from './protocol.ts'

export interface SnapshotInput {
  readonly kind: ProjectKind
  readonly defaultLanguage: string
  readonly languages: readonly InspectedLanguage[]
  readonly namespaces: readonly string[]
  readonly customers: readonly string[]
  /** Every text of the project, without fallbacks. */
  readonly catalog: Catalog
  /** What an edit replaces: the texts of the files, or of the service where there are no files. */
  readonly edited: Catalog
  /** Texts of the service that the app gets in place of older ones in the files. */
  readonly newer?: Catalog | undefined
  readonly conflicts: readonly ConflictItem[]
  readonly holds: readonly HoldItem[]
  readonly waiting: readonly WaitingItem[]
  readonly findings: readonly FindingLine[]
  readonly sync: SyncInfo
  readonly isEditable: boolean
  /** The languages whose texts the app may get for this one, itself first. */
  chain(language: string): readonly string[]
  /** What the app gets. */
  messages(language: string, namespace: string, customer?: string): Messages
  serviceText(ref: TextRef): { readonly text: string | undefined; readonly isReviewed: boolean | undefined } | undefined
}

export interface Snapshot extends SnapshotInput {
  namespaceTexts(namespace: string, customer?: string): NamespaceTexts
  inFile(ref: TextRef): string | undefined
  canEdit(ref: TextRef): boolean
}

/** The texts of one namespace, or of one customer in it. `language` is a position in `Snapshot.languages`. */
export interface NamespaceTexts {
  /** Sorted by code unit. */
  readonly keys: readonly string[]
  /** The language's own text; a gap is empty. */
  own(language: number, key: string): string
  state(language: number, key: string): TextState | undefined
  cell(language: number, key: string): Cell
}

const NO_MESSAGES: Messages = new Map()

export function createSnapshot(input: SnapshotInput): Snapshot {
  const { languages, namespaces, customers } = input
  const states = statesByNamespace(input)
  const views = new Map<string, NamespaceTexts>()
  const shown = new Map<string, Messages>()
  const snapshot: Snapshot = {
    ...input,
    messages: (language, namespace, customer) =>
      known(shown, partId({ language, namespace, customer }), () => input.messages(language, namespace, customer)),
    namespaceTexts: (namespace, customer) =>
      known(views, partId({ language: '', namespace, customer }), () =>
        namespaceTextsOf(snapshot, states, namespace, customer),
      ),
    inFile: ({ language, namespace, key, customer }) => input.edited.messages(language, namespace, customer)?.get(key),
    canEdit: ({ language, namespace, customer }) =>
      input.isEditable &&
      languages.some(({ key, isPseudo }) => key === language && !isPseudo) &&
      namespaces.includes(namespace) &&
      (customer === undefined || customers.includes(customer)),
  }
  return snapshot
}

/** By language, namespace and customer, then by key. */
type States = ReadonlyMap<string, ReadonlyMap<string, TextState>>

/** Of a text with several states the last one counts. */
function statesByNamespace({ newer, holds, waiting, conflicts }: SnapshotInput): States {
  const states = new Map<string, Map<string, TextState>>()
  const set = ({ key, ...part }: TextRef, state: TextState) => {
    known(states, partId(part), () => new Map<string, TextState>()).set(key, state)
  }
  for (const part of newer?.parts ?? []) for (const key of part.messages.keys()) set(textRef(part, key), 'newer')
  for (const { ref } of holds) set(ref, 'held')
  for (const { ref, parked } of waiting) set(ref, parked?.kind === 'refused' ? 'refused' : 'waiting')
  for (const { ref } of conflicts) set(ref, 'conflict')
  return states
}

interface Column {
  readonly language: string
  readonly states: ReadonlyMap<string, TextState> | undefined
  /** Where the app looks for a text, in order; the language's own texts come first. */
  readonly layers: readonly { readonly from: string; readonly messages: Messages }[]
  readonly own: Messages
  readonly edited: Messages
  /** A pseudo language has no texts of its own. */
  readonly isPseudo: boolean
}

function namespaceTextsOf(
  snapshot: Snapshot,
  states: States,
  namespace: string,
  customer: string | undefined,
): NamespaceTexts {
  const { kind, catalog, edited } = snapshot
  const columns = snapshot.languages.map(({ key: language, isPseudo }): Column => {
    const layers = snapshot.chain(language).flatMap((from) =>
      (customer === undefined ? [undefined] : [customer, undefined]).map((layer) => ({
        from,
        messages: catalog.messages(from, namespace, layer) ?? NO_MESSAGES,
      })),
    )
    return {
      language,
      isPseudo,
      states: states.get(partId({ language, namespace, customer })),
      layers,
      own: layers[0]?.messages ?? NO_MESSAGES,
      edited: edited.messages(language, namespace, customer) ?? NO_MESSAGES,
    }
  })
  // A service lists the keys that a customer has no text for as well: that is where such texts are made.
  const listed = ({ language, layers, own }: Column) =>
    kind === 'service' ? layers.filter(({ from }) => from === language).map(({ messages }) => messages) : [own]
  const keys = new Set(columns.flatMap(listed).flatMap((messages) => [...messages.keys()]))
  return {
    keys: [...keys].sort(),
    own: (at, key) => columns[at]?.own.get(key) ?? '',
    state: (at, key) => columns[at]?.states?.get(key),
    cell: (at, key) => cellOf(columns[at] as Column, snapshot, { namespace, key, customer }),
  }
}

function cellOf(
  { language, isPseudo, states, layers, own, edited }: Column,
  { kind, messages, serviceText }: Snapshot,
  { namespace, key, customer }: Omit<TextRef, 'language'>,
): Cell {
  if (isPseudo) {
    const text = messages(language, namespace, customer).get(key) ?? ''
    return { text, origin: text === '' ? 'none' : 'pseudo' }
  }
  const isReviewed = serviceText(textRef({ language, namespace, customer }, key))?.isReviewed
  const known = { state: states?.get(key), isReviewed }
  const layer = layers.find((one) => one.messages.get(key))
  const text = layer?.messages.get(key) ?? ''
  if (!layer) return { text, origin: 'none', ...known }
  if (layer.messages !== own) return { text, origin: 'fallback', from: layer.from, ...known }
  return { text, origin: kind === 'project' && edited.get(key) === text ? 'file' : 'service', ...known }
}

function known<Value>(map: Map<string, Value>, id: string, make: () => Value): Value {
  const value = map.get(id) ?? make()
  map.set(id, value)
  return value
}
