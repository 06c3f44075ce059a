import { expect, test } from 'vitest'
import { createCatalog } from '../../../src/catalog/model.ts'
import { createSnapshot, type SnapshotInput } from '../../../src/inspector/snapshot.ts'
import { traceTexts } from '../../../src/inspector/trace.ts'

const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: { save: 'Save', hello: 'Hello, {name}', fight: 'Both', old: 'Old' },
  de: { save: 'Sichern', hello: 'Hallo, {name}', fight: 'Beide', old: 'Alt' },
}

test('a match names its language, whether it is the whole text, and what is open about it', () => {
  const parts = Object.entries(TEXTS).map(([language, messages]) => ({
    language,
    namespace: 'a',
    messages: Object.entries(messages),
  }))
  const catalog = createCatalog({ parts })
  const ref = (key: string) => ({ language: 'de', namespace: 'a', key })
  const snapshot = createSnapshot({
    kind: 'project',
    defaultLanguage: 'en',
    languages: ['en', 'de'].map((key) => ({ key, name: key, isDefault: key === 'en', isPseudo: false })),
    namespaces: ['a'],
    customers: [],
    catalog,
    edited: catalog,
    conflicts: [{ ref: ref('fight') }] as unknown as SnapshotInput['conflicts'],
    holds: [],
    deletions: [],
    waiting: [],
    stale: [{ ref: ref('old') }] as unknown as SnapshotInput['stale'],
    findings: [],
    broken: [],
    sync: {} as SnapshotInput['sync'],
    isEditable: true,
    chain: (language) => [language],
    messages: (language, namespace) => catalog.messages(language, namespace) ?? new Map(),
    serviceText: () => undefined,
  })
  const texts = ['Sichern', 'Hallo, Ada', 'Beide', 'Alt', 'Save', 'elsewhere']
  const found = traceTexts(snapshot, { texts, language: 'de', loaded: [['de', 'a']] })
  expect(found.map(([match]) => match && [match.key, match.language, match.isExact, match.mark])).toEqual([
    ['save', 'de', true, undefined],
    ['hello', 'de', false, undefined],
    ['fight', 'de', true, 'conflict'],
    ['old', 'de', true, 'stale'],
    ['save', 'en', true, undefined],
    undefined,
  ])
})
