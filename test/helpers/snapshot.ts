import { createCatalog } from '../../src/catalog/model.ts'
import { createSnapshot, type Snapshot, type SnapshotInput } from '../../src/inspector/snapshot.ts'

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The inspector's view of the namespace `a`, whose files have these texts by language. English is the default. */
export function snapshotOf(
  texts: Texts,
  checks: SnapshotInput['checks'] = {},
  more: Partial<SnapshotInput> = {},
): Snapshot {
  const parts = Object.entries(texts).map(([language, messages]) => ({
    language,
    namespace: 'a',
    messages: Object.entries(messages),
  }))
  const catalog = createCatalog({ parts })
  return createSnapshot({
    kind: 'project',
    defaultLanguage: 'en',
    languages: catalog.languages.map(({ key: language, name }) => {
      return { key: language, name, isDefault: language === 'en', isPseudo: false }
    }),
    namespaces: ['a'],
    customers: [],
    catalog,
    edited: catalog,
    conflicts: [],
    holds: [],
    deletions: [],
    waiting: [],
    stale: [],
    findings: [],
    broken: [],
    sync: {} as SnapshotInput['sync'],
    isEditable: true,
    checks,
    chain: (language) => [language, 'en'],
    messages: (language, namespace) => catalog.messages(language, namespace) ?? new Map(),
    serviceText: () => undefined,
    ...more,
  })
}
