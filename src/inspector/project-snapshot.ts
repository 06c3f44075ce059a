/** A dev server's project at one moment: files, service and sync side by side. Pure: whatever it needs is given. */
import type { Catalog, Messages } from '../catalog/model.ts'
import { type PartRef, partId, type TextRef } from '../catalog/text-id.ts'
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, formatFinding, messageOf } from '../errors.ts'
import type { SyncEngine, SyncStatus } from '../sync/engine/engine.ts'
import { sortedKeys } from './keys.ts'
import type { PartView, Snapshot } from './port.ts'
import type { Cell, HoldItem, InspectedLanguage, TextState, WaitingItem } from './wire.ts'

/** What the plugin's session knows. */
export interface ProjectState {
  readonly config: ResolvedConfig
  readonly translations: Translations
  readonly loaded: {
    readonly catalog: Catalog
    readonly files: { readonly catalog: Catalog }
    readonly diagnostics: readonly Diagnostic[]
  }
}

export interface ProjectSnapshotInput {
  readonly version: number
  readonly state: ProjectState
  readonly engine: SyncEngine | undefined
  /** The one before: most keys are still the same, and sorting them again takes time. */
  readonly previous?: Snapshot | undefined
}

const viewId = (namespace: string, customer: string | undefined) =>
  partId({ language: '', namespace, ...(customer !== undefined && { customer }) })

const NO_STATUS: Pick<SyncStatus, 'owner' | 'outbox' | 'holds' | 'conflicts' | 'failure'> = {
  owner: undefined,
  outbox: [],
  holds: [],
  conflicts: [],
  failure: undefined,
}
const NO_MESSAGES: Messages = new Map()

export function createProjectSnapshot({ version, state, engine, previous }: ProjectSnapshotInput): Snapshot {
  const { config, translations, loaded } = state
  const { catalog, files } = loaded
  const status = engine?.status() ?? { role: 'none' as const, ...NO_STATUS }
  const languages: InspectedLanguage[] = translations.languages.map((language) => ({
    ...language,
    isPseudo: language.key === config.pseudo && !catalog.languages.some(({ key }) => key === config.pseudo),
  }))
  const states = statesByPart(status, engine?.serviceCatalog())
  const theirs = (ref: TextRef) => engine?.serviceText(ref).text
  const views = new Map<string, PartView>()
  const shownParts = new Map<string, Messages>()

  const shown = (part: PartRef): Messages => {
    const id = partId(part)
    const known = shownParts.get(id) ?? translations.messages(part.language, part.namespace, part.customer)
    shownParts.set(id, known)
    return known
  }

  const viewOf = (namespace: string, customer: string | undefined): PartView => {
    const part = (language: string, layer = customer): PartRef => ({
      language,
      namespace,
      ...(layer !== undefined && { customer: layer }),
    })
    const messagesOf = (from: Catalog, language: string, layer = customer) =>
      from.messages(language, namespace, layer) ?? NO_MESSAGES
    const columns = languages.map(({ key: language, isPseudo }) => ({
      language,
      isPseudo,
      own: messagesOf(catalog, language),
      inFile: messagesOf(files.catalog, language),
      states: states.get(partId(part(language))),
      /** What is looked at when the language has no text of its own, in order. */
      standIns: translations
        .chain(language)
        .flatMap((other) => [
          ...(other === language || customer === undefined ? [] : [{ other, messages: messagesOf(catalog, other) }]),
          ...(other === language && customer === undefined
            ? []
            : [{ other, messages: catalog.messages(other, namespace) ?? NO_MESSAGES }]),
        ]),
    }))
    const cell = (at: number, key: string): Cell => {
      const column = columns[at] as (typeof columns)[number]
      if (column.isPseudo) {
        const text = shown(part(column.language)).get(key) ?? ''
        return { text, origin: text === '' ? 'none' : 'pseudo' }
      }
      const state = column.states?.get(key)
      const isReviewed = engine?.serviceText({ ...part(column.language), key }).isReviewed
      const known = { ...(state && { state }), ...(isReviewed !== undefined && { isReviewed }) }
      const own = column.own.get(key) ?? ''
      if (own !== '') return { text: own, origin: column.inFile.get(key) === own ? 'file' : 'service', ...known }
      for (const { other, messages } of column.standIns) {
        const text = messages.get(key)
        if (text) return { text, origin: 'fallback', from: other, ...known }
      }
      return { text: '', origin: 'none', ...known }
    }
    const keys = new Set(columns.flatMap(({ own, isPseudo }) => (isPseudo ? [] : [...own.keys()])))
    return {
      keys: sortedKeys(keys, previous?.knownKeys(namespace, customer)),
      cell,
      own: (at, key) => columns[at]?.own.get(key) ?? '',
    }
  }

  return {
    version,
    defaultLanguage: translations.defaultLanguage,
    languages,
    namespaces: translations.namespaces,
    customers: translations.customers,
    conflicts: status.conflicts.map(({ ref, base, ours, theirs: other }) => ({
      ref,
      base: base ?? null,
      ours: ours ?? null,
      theirs: other ?? null,
    })),
    holds: status.holds.map((hold): HoldItem => ({ ...hold, theirs: theirs(hold.ref) ?? null })),
    waiting: status.outbox.map(
      ({ ref, text, parked }): WaitingItem => ({ ref, text, parked: parked?.kind, reason: parked?.reason }),
    ),
    findings: loaded.diagnostics.map((finding) => ({ severity: finding.severity, message: formatFinding(finding) })),
    sync: {
      role: status.role,
      ...(status.owner && { ownerPid: status.owner.pid }),
      pushes: config.push !== false && config.service.apiKey !== undefined,
      ...(status.failure !== undefined && { failure: messageOf(status.failure) }),
    },
    hasReviews: languages.some(({ key: language }) =>
      translations.namespaces.some((namespace) => {
        const [key] = catalog.messages(language, namespace)?.keys() ?? []
        return key !== undefined && engine?.serviceText({ language, namespace, key }).isReviewed !== undefined
      }),
    ),
    knownKeys: (namespace, customer) => views.get(viewId(namespace, customer))?.keys,
    part(namespace, customer) {
      const id = viewId(namespace, customer)
      const view = views.get(id) ?? viewOf(namespace, customer)
      views.set(id, view)
      return view
    },
    shown,
    inFile: ({ language, namespace, key, customer }) => files.catalog.messages(language, namespace, customer)?.get(key),
    theirs,
    canEdit: ({ language, namespace, customer }) =>
      engine !== undefined &&
      languages.some(({ key, isPseudo }) => key === language && !isPseudo) &&
      translations.namespaces.includes(namespace) &&
      (customer === undefined || translations.customers.includes(customer)),
  }
}

/** By part, then by key: no id is made for each of a hundred thousand texts. */
function statesByPart(
  { conflicts, holds, outbox }: Pick<SyncStatus, 'conflicts' | 'holds' | 'outbox'>,
  newer: Catalog | undefined,
): ReadonlyMap<string, ReadonlyMap<string, TextState>> {
  const parts = new Map<string, Map<string, TextState>>()
  const note = ({ key, ...part }: TextRef, state: TextState) => {
    const id = partId(part)
    const known = parts.get(id) ?? new Map<string, TextState>()
    parts.set(id, known.set(key, state))
  }
  for (const { messages, ...part } of newer?.parts ?? [])
    for (const key of messages.keys()) note({ ...part, key }, 'newer')
  for (const { ref } of holds) note(ref, 'held')
  for (const { ref, parked } of outbox) note(ref, parked?.kind === 'refused' ? 'refused' : 'waiting')
  for (const { ref } of conflicts) note(ref, 'conflict')
  return parts
}
