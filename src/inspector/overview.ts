/** The answers for the overview and the sync view. */
import type { InspectedProject } from './inspected-project.ts'
import type { Coverage, TextState } from './protocol.ts'
import type { Snapshot } from './snapshot.ts'

/** Nobody reads more of them: the total says how many there are. */
const MOST_ITEMS = 500
const MOST_FINDINGS = 50

export type Overview = ReturnType<typeof overviewOf>

export function overviewOf({ name, tasks }: InspectedProject, snapshot: Snapshot) {
  const { kind, defaultLanguage, languages, namespaces, customers, sync, conflicts, holds, waiting } = snapshot
  const parts = namespaces.map((namespace) => coverageOf(snapshot, namespace))
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const counts: Readonly<Record<TextState, number>> = {
    conflict: conflicts.length,
    held: holds.length,
    waiting: waiting.filter(({ parked }) => !parked).length,
    refused: waiting.filter(({ parked }) => parked?.kind === 'refused').length,
    newer: [...snapshot.states.values()].filter(({ state }) => state === 'newer').length,
  }
  return {
    kind,
    name,
    defaultLanguage,
    languages,
    namespaces,
    customers,
    keys: sum(parts.map(({ keys }) => keys)),
    texts: sum(parts.map(({ texts }) => texts)),
    /** By namespace, then by language. */
    coverage: parts.map(({ byLanguage }) => byLanguage),
    counts,
    stale: snapshot.stale.length,
    sync,
    /** Whether jobs and environments can be asked for. */
    hasService: tasks !== undefined,
    findings: snapshot.findings.slice(0, MOST_FINDINGS),
  }
}

function coverageOf({ languages, defaultLanguage, namespaceTexts, states }: Snapshot, namespace: string) {
  const { keys, own } = namespaceTexts(namespace)
  const differing = [...states.values()].filter(({ ref }) => ref.namespace === namespace && ref.customer === undefined)
  const reference = languages.findIndex(({ key }) => key === defaultLanguage)
  const expectedKeys = keys.filter((key) => own(reference, key) !== '')
  const expected = expectedKeys.length
  let texts = 0
  const byLanguage = languages.map(({ key: language, isPseudo }, at): Coverage => {
    if (isPseudo) return { translated: expected, expected, differing: 0 }
    texts += keys.filter((key) => own(at, key) !== '').length
    const translated = expectedKeys.filter((key) => own(at, key) !== '').length
    return { translated, expected, differing: differing.filter(({ ref }) => ref.language === language).length }
  })
  return { keys: keys.length, texts, byLanguage }
}

export function syncListsOf({ conflicts, holds, waiting }: Snapshot) {
  // A conflict is in the outbox as well, and is shown once.
  const open = waiting.filter(({ parked }) => parked?.kind !== 'conflict')
  return { conflicts: listed(conflicts), holds: listed(holds), waiting: listed(open) }
}

function listed<Item>(items: readonly Item[]) {
  return { total: items.length, items: items.slice(0, MOST_ITEMS) }
}
