/** A project at one point in time: every text with its origin and state. Pure. */

import { createReferenceCheck, type ReferenceOptions } from '../catalog/check-references.ts'
import type { TextCheckOptions } from '../catalog/check-texts.ts'
import { createExpectedKeys, type ExpectedKeys } from '../catalog/coverage.ts'
import type { Catalog, Messages } from '../catalog/model.ts'
import { type PartRef, partId, type TextRef, textId, textRef } from '../catalog/text-id.ts'
import type { StaleText } from '../sync/stale.ts'
import type {
  Cell,
  ConflictItem,
  FileFinding,
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
  /** The texts that an edit replaces: those in the files, or those on the service if there are no files. */
  readonly edited: Catalog
  /** Texts from the service that the app uses instead of older ones in the files. */
  readonly newer?: Catalog | undefined
  readonly conflicts: readonly ConflictItem[]
  readonly holds: readonly HoldItem[]
  readonly waiting: readonly WaitingItem[]
  readonly deletions: readonly { readonly ref: TextRef; readonly state: 'deleted-here' | 'deleted-there' }[]
  readonly stale: readonly StaleText[]
  readonly findings: readonly FileFinding[]
  /** Files that contain an error. */
  readonly broken: readonly PartRef[]
  readonly sync: SyncInfo
  readonly isEditable: boolean
  readonly checks?: (Partial<TextCheckOptions> & Partial<Pick<ReferenceOptions, 'keySeparator'>>) | undefined
  /** The languages from which the app may take this language's texts, in order, starting with the language itself. */
  chain(language: string): readonly string[]
  /** The messages that the app gets. */
  messages(language: string, namespace: string, customer?: string): Messages
  serviceText(ref: TextRef): { readonly text: string | undefined; readonly isReviewed: boolean | undefined } | undefined
}

export interface Snapshot extends SnapshotInput {
  /** The keys are `textId`s. */
  readonly states: ReadonlyMap<string, { readonly ref: TextRef; readonly state: TextState }>
  readonly staleIds: ReadonlySet<string>
  readonly expectedKeys: ExpectedKeys
  readonly checkReferences: ReturnType<typeof createReferenceCheck>
  namespaceTexts(namespace: string, customer?: string): NamespaceTexts
  inFile(ref: TextRef): string | undefined
  canEdit(ref: TextRef): boolean
}

/** The texts of a namespace, or a customer's texts in it. */
export interface NamespaceTexts {
  /** Sorted by code unit. */
  readonly keys: readonly string[]
  /** The language's own text; empty if there is a gap. */
  own(language: string, key: string): string
  cell(language: string, key: string): Cell
}

const NO_MESSAGES: Messages = new Map()

export function createSnapshot(input: SnapshotInput): Snapshot {
  const { languages, namespaces, customers } = input
  const views = new Map<string, NamespaceTexts>()
  const shown = new Map<string, Messages>()
  const snapshot: Snapshot = {
    ...input,
    states: statesOf(input),
    staleIds: new Set(input.stale.map(({ ref }) => textId(ref))),
    expectedKeys: createExpectedKeys(input.defaultLanguage, input.checks?.pluralSeparator),
    checkReferences: createReferenceCheck(input.catalog, { keySeparator: '.', ...input.checks }),
    messages: (language, namespace, customer) =>
      known(shown, partId({ language, namespace, customer }), () => input.messages(language, namespace, customer)),
    namespaceTexts: (namespace, customer) =>
      known(views, JSON.stringify([namespace, customer]), () => namespaceTextsOf(snapshot, namespace, customer)),
    inFile: ({ language, namespace, key, customer }) => input.edited.messages(language, namespace, customer)?.get(key),
    canEdit: ({ language, namespace, customer }) =>
      input.isEditable &&
      languages.some(({ key, isPseudo }) => key === language && !isPseudo) &&
      namespaces.includes(namespace) &&
      (customer === undefined || customers.includes(customer)),
  }
  return snapshot
}

/** If a text has several states, the last one wins. */
function statesOf({ newer, holds, waiting, conflicts, deletions }: SnapshotInput): Snapshot['states'] {
  const texts = (newer?.parts ?? []).flatMap((part) => Array.from(part.messages.keys(), (key) => textRef(part, key)))
  const states: readonly { readonly ref: TextRef; readonly state: TextState }[] = [
    ...texts.map((ref) => ({ ref, state: 'newer' as const })),
    ...deletions,
    ...holds.map(({ ref }) => ({ ref, state: 'held' as const })),
    ...waiting.map(({ ref, parked }) => {
      return { ref, state: parked?.kind === 'refused' ? ('refused' as const) : ('waiting' as const) }
    }),
    ...conflicts.map(({ ref }) => ({ ref, state: 'conflict' as const })),
  ]
  return new Map(states.map((one) => [textId(one.ref), one]))
}

function namespaceTextsOf(snapshot: Snapshot, namespace: string, customer: string | undefined): NamespaceTexts {
  const { kind, catalog, edited, states, staleIds, serviceText } = snapshot
  const columns = snapshot.languages.map(({ key: language, isPseudo }) => {
    const messagesOf = (from: string, layer?: string) => catalog.messages(from, namespace, layer) ?? NO_MESSAGES
    // Where the app looks for a text, in order, starting with the language's own texts.
    const layers = snapshot.chain(language).flatMap((from) => {
      const general = { from, messages: messagesOf(from) }
      return customer === undefined ? [general] : [{ from, messages: messagesOf(from, customer) }, general]
    })
    const own = layers[0]?.messages ?? NO_MESSAGES
    return { language, isPseudo, layers, own, edited: edited.messages(language, namespace, customer) ?? NO_MESSAGES }
  })
  const columnOf = new Map(columns.map((column) => [column.language, column]))
  const reference = catalog.messages(snapshot.defaultLanguage, namespace)
  // For a service, keys that only the general texts have are listed too, so that the user can add a customer's text.
  const listed = columns.flatMap(({ language, layers, own }) =>
    kind === 'service' ? layers.filter(({ from }) => from === language).map(({ messages }) => messages) : [own],
  )
  return {
    keys: [...new Set(listed.flatMap((messages) => [...messages.keys()]))].sort(),
    own: (language, key) => columnOf.get(language)?.own.get(key) ?? '',
    cell(language, key) {
      const { isPseudo, layers, own, edited: replaced } = columnOf.get(language) as (typeof columns)[number]
      if (isPseudo) {
        const text = snapshot.messages(language, namespace, customer).get(key) ?? ''
        return { text, origin: text === '' ? 'none' : 'pseudo' }
      }
      const ref = textRef({ language, namespace, customer }, key)
      const id = textId(ref)
      const isReviewed = serviceText(ref)?.isReviewed
      const about = { state: states.get(id)?.state, isReviewed, isStale: staleIds.has(id) || undefined }
      const layer = layers.find(({ messages }) => messages.get(key))
      const text = layer?.messages.get(key) ?? ''
      if (layer?.messages !== own) {
        const isUnusedForm = snapshot.expectedKeys.isUnusedForm(reference, language, key) || undefined
        if (!layer) return { text, origin: 'none', isUnusedForm, ...about }
        return { text, origin: 'fallback', from: layer.from, isUnusedForm, ...about }
      }
      return { text, origin: kind === 'project' && replaced.get(key) === text ? 'file' : 'service', ...about }
    },
  }
}

function known<Value>(map: Map<string, Value>, id: string, make: () => Value): Value {
  const value = map.get(id) ?? make()
  map.set(id, value)
  return value
}
