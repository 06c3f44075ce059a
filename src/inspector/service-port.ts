/** The inspector's view of a project in a service, without files: what the service has is all there is, and an edit changes it. */
import type { Client } from '../api/client.ts'
import { isApiError } from '../api/errors.ts'
import { type Catalog, createCatalog, type Messages } from '../catalog/model.ts'
import { appNamespace, serviceNamespace } from '../catalog/names.ts'
import { type PartRef, partId, type TextRef, textId } from '../catalog/text-id.ts'
import type { Activity } from './activity.ts'
import { answerOf } from './answers.ts'
import { sortedKeys } from './keys.ts'
import type { InspectorPort, PartView, Snapshot } from './port.ts'
import { createServiceDesk, type DeskSettings } from './service-desk.ts'
import type { ActionAnswer, InspectedLanguage } from './wire.ts'

export interface ServicePortInput {
  readonly name: string
  readonly client: Client
  readonly activity: Activity
  /** As the service tells them. */
  readonly about: () => Promise<{
    readonly languages: readonly Omit<InspectedLanguage, 'isPseudo'>[]
    readonly customers: readonly string[]
  }>
  /** Called when the service was written to. Returns what ends it. */
  readonly onChange: (listener: () => void) => () => void
}

const NAMES = { defaultNamespace: 'default' }
const DESK: DeskSettings = { languageMap: {}, environment: '_production', service: { timeoutMs: 60_000 } }
const NOTHING: ActionAnswer = {
  done: 0,
  problems: ['there are no files here, so there is nothing between them and the service'],
}

export function createServicePort({ name, client, activity, about, onChange }: ServicePortInput): InspectorPort {
  let version = 0
  let last: Snapshot | undefined
  let current: Promise<Snapshot> | undefined
  const listeners = new Set<() => void>()
  const stale = () => {
    current = undefined
    for (const listener of listeners) listener()
  }
  const stop = onChange(stale)

  const read = async (): Promise<Snapshot> => {
    const { languages, customers } = await about()
    const parts = new Map<string, PartRef & { messages: Map<string, string> }>()
    const reviews = new Map<string, boolean>()
    for (const customer of [undefined, ...customers]) {
      const filter = customer === undefined ? {} : { customerId: customer }
      for await (const row of client.translations.queryAll(filter)) {
        if ((row.customerId ?? undefined) !== customer) continue
        const namespace = appNamespace(row.namespace, NAMES)
        const part = { language: row.language, namespace, ...(customer !== undefined && { customer }) }
        const known = parts.get(partId(part)) ?? { ...part, messages: new Map<string, string>() }
        parts.set(partId(part), known)
        known.messages.set(row.key, row.text)
        reviews.set(textId({ ...part, key: row.key }), row.reviewStatus === 'REVIEWED')
      }
    }
    last = snapshotOf({
      version: ++version,
      catalog: createCatalog({ languages, parts: parts.values() }),
      languages: languages.map((language) => ({ ...language, isPseudo: false })),
      customers,
      reviews,
      previous: last,
    })
    return last
  }

  const snapshot = (): Promise<Snapshot> => {
    if (!current) {
      const reading = read()
      current = reading
      reading.catch(() => {
        if (current === reading) current = undefined
      })
    }
    return current
  }

  const desk = createServiceDesk({ client, activity, config: async () => DESK, snapshot, onServiceChanged: stale })

  const textNow = async ({ language, namespace, key, customer }: TextRef): Promise<string> => {
    const { translations } = await client.translations.query({
      key,
      language,
      namespace: serviceNamespace(namespace, NAMES),
      ...(customer !== undefined && { customerId: customer }),
    })
    return translations.find((row) => (row.customerId ?? undefined) === customer)?.text ?? ''
  }

  return {
    kind: 'service',
    name,
    activity,
    snapshot,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async edit({ ref, text, expected }) {
      if ((await textNow(ref)) !== (expected ?? ''))
        return answerOf([ref], ['it was changed meanwhile; look at it again'])
      const { language, namespace, key, customer } = ref
      const request = {
        key,
        language,
        text,
        namespace: serviceNamespace(namespace, NAMES),
        ...(customer !== undefined && { customerId: customer }),
      }
      try {
        const seen = client.conditionalWrites ? { expected: expected ?? '' } : {}
        await client.translations.set(request, { ...seen, retries: 0 })
      } catch (error) {
        if (!isApiError(error, 'API_PRECONDITION_FAILED')) throw error
        return answerOf([ref], ['it was changed meanwhile; look at it again'])
      }
      activity.note('info', `changed ${language}/${namespace} ${JSON.stringify(key)}`)
      stale()
      return answerOf([ref], [undefined])
    },
    resolve: async () => NOTHING,
    release: async () => NOTHING,
    drop: async () => NOTHING,
    push: async () => NOTHING,
    async refresh() {
      stale()
      return { done: 1, problems: [] }
    },
    placeOf: async () => undefined,
    usedAt: async () => undefined,
    service: desk,
    async close() {
      stop()
      desk.close()
      await client.close()
    },
  }
}

interface SnapshotParts {
  readonly version: number
  readonly catalog: Catalog
  readonly languages: readonly InspectedLanguage[]
  readonly customers: readonly string[]
  readonly reviews: ReadonlyMap<string, boolean>
  readonly previous: Snapshot | undefined
}

const NO_MESSAGES: Messages = new Map()

function snapshotOf({ version, catalog, languages, customers, reviews, previous }: SnapshotParts): Snapshot {
  const views = new Map<string, PartView>()
  const viewId = (namespace: string, customer: string | undefined) => JSON.stringify([namespace, customer])
  const messagesOf = ({ language, namespace, customer }: PartRef) =>
    catalog.messages(language, namespace, customer) ?? NO_MESSAGES
  const textOf = (ref: TextRef) => messagesOf(ref).get(ref.key)

  const viewOf = (namespace: string, customer: string | undefined): PartView => {
    const part = (language: string) => ({ language, namespace, ...(customer !== undefined && { customer }) })
    const columns = languages.map(({ key }) => messagesOf(part(key)))
    const general = languages.map(({ key }) => messagesOf({ language: key, namespace }))
    return {
      keys: sortedKeys(
        new Set([...columns, ...general].flatMap((messages) => [...messages.keys()])),
        previous?.knownKeys(namespace, customer),
      ),
      own: (at, key) => columns[at]?.get(key) ?? '',
      cell(at, key) {
        const text = columns[at]?.get(key) ?? ''
        const isReviewed = reviews.get(textId({ ...part(languages[at]?.key ?? ''), key }))
        return text === '' ? { text, origin: 'none' } : { text, origin: 'service', isReviewed }
      },
    }
  }

  return {
    version,
    defaultLanguage: languages.find(({ isDefault }) => isDefault)?.key ?? languages[0]?.key ?? '',
    languages,
    namespaces: catalog.namespaces,
    customers,
    conflicts: [],
    holds: [],
    waiting: [],
    findings: [],
    sync: { role: 'none', pushes: true },
    hasReviews: true,
    part(namespace, customer) {
      const id = viewId(namespace, customer)
      const view = views.get(id) ?? viewOf(namespace, customer)
      views.set(id, view)
      return view
    },
    knownKeys: (namespace, customer) => views.get(viewId(namespace, customer))?.keys,
    shown: messagesOf,
    // There is no file: an edit is held against what the service has.
    inFile: textOf,
    theirs: textOf,
    canEdit: ({ language, customer }) =>
      languages.some(({ key }) => key === language) && (customer === undefined || customers.includes(customer)),
  }
}
