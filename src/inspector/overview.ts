/** The overview: each language's and namespace's progress, and the sizes of texts. */
import type { TextRef } from '../catalog/text-id.ts'
import type { InspectedProject } from './endpoint.ts'
import { get, nothing } from './endpoint.ts'
import type { Coverage, TextState } from './protocol.ts'
import type { Snapshot } from './snapshot.ts'

const MOST_FINDINGS = 50
/** A longer list would not be useful. */
const MOST_CHUNKS = 500
/** In larger namespaces, review states are not counted: each one takes a microsecond at every change. */
const MOST_REVIEWS = 100_000

export type Overview = ReturnType<typeof overviewOf>

export const overviewEndpoints = {
  overview: get(nothing, async (project) => overviewOf(project, await project.snapshot())),
  sizes: get(nothing, async (project) => sizesOf(project, await project.snapshot())),
}

export function overviewOf({ id, name, service }: InspectedProject, snapshot: Snapshot) {
  const { kind, defaultLanguage, languages, namespaces, customers, sync, conflicts, holds, waiting } = snapshot
  const errors = snapshot.findings.filter(({ severity }) => severity === 'error')
  const warnings = snapshot.findings.filter(({ severity }) => severity !== 'error')
  const parts = namespaces.map((namespace) => coverageOf(snapshot, namespace))
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const stateCount = (wanted: TextState) => [...snapshot.states.values()].filter(({ state }) => state === wanted).length
  const counts: Readonly<Record<TextState, number>> = {
    conflict: conflicts.length,
    held: holds.length,
    waiting: waiting.filter(({ parked }) => !parked).length,
    refused: waiting.filter(({ parked }) => parked?.kind === 'refused').length,
    newer: stateCount('newer'),
    'deleted-here': stateCount('deleted-here'),
    'deleted-there': stateCount('deleted-there'),
  }
  return {
    kind,
    project: id,
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
    /** True if there are jobs and environments. */
    hasService: service !== undefined,
    /** Errors come first. */
    findings: [...errors, ...warnings].slice(0, MOST_FINDINGS),
    findingCounts: { errors: errors.length, warnings: warnings.length },
    brokenFiles: snapshot.broken.length,
  }
}

function coverageOf(snapshot: Snapshot, namespace: string) {
  const { languages, defaultLanguage, namespaceTexts, states, stale, serviceText } = snapshot
  const { keys, own } = namespaceTexts(namespace)
  const isHere = (ref: TextRef) => ref.namespace === namespace && ref.customer === undefined
  const differing = [...states.values()].filter(({ ref }) => isHere(ref))
  const staleHere = stale.filter(({ ref }) => isHere(ref))
  const broken = new Set(snapshot.broken.filter((part) => part.namespace === namespace).map(({ language }) => language))
  const expectedIn = snapshot.expectedKeys.of(snapshot.catalog.messages(defaultLanguage, namespace))
  const isCounted = keys.length * languages.length <= MOST_REVIEWS
  let texts = 0
  const byLanguage = languages.map(({ key: language, isPseudo }): Coverage => {
    const expectedKeys = expectedIn(isPseudo ? defaultLanguage : language)
    const expected = expectedKeys.length
    if (isPseudo) return { translated: expected, expected, differing: 0, stale: 0, unreviewed: 0, isBroken: false }
    const ownKeys = keys.filter((key) => own(language, key) !== '')
    texts += ownKeys.length
    const isUnreviewed = (key: string) => serviceText({ language, namespace, key })?.isReviewed === false
    return {
      translated: expectedKeys.filter((key) => own(language, key) !== '').length,
      expected,
      differing: differing.filter(({ ref }) => ref.language === language).length,
      stale: staleHere.filter(({ ref }) => ref.language === language).length,
      unreviewed: isCounted ? ownKeys.filter(isUnreviewed).length : 0,
      isBroken: broken.has(language),
    }
  })
  return { keys: keys.length, texts, byLanguage }
}

async function sizesOf(project: InspectedProject, snapshot: Snapshot) {
  const { chunks = [] } = (await project.report?.()) ?? {}
  return {
    /** From the last production build, largest first. Empty if there is no report. */
    chunks: chunks
      .filter(({ bytes }) => bytes > 0)
      .map(({ name, kind, keys, shared, bytes, language, namespaces }) => {
        return { name, kind, keys, shared, bytes, language, namespaces }
      })
      .sort((a, b) => b.bytes - a.bytes)
      .slice(0, MOST_CHUNKS),
    /** The default language's current texts, largest first. */
    namespaces: snapshot.namespaces
      .map((namespace) => namespaceSize(snapshot, namespace))
      .filter(({ bytes }) => bytes > 0)
      .sort((a, b) => b.bytes - a.bytes),
  }
}

function namespaceSize({ messages, defaultLanguage }: Snapshot, namespace: string) {
  const texts = messages(defaultLanguage, namespace)
  const bytes = texts.size === 0 ? 0 : Buffer.byteLength(JSON.stringify(Object.fromEntries(texts)))
  return { namespace, keys: texts.size, bytes }
}
