/** The figures of the first page, and everything about one key. Pure but for looking up places. */
import { checkTexts } from '../catalog/check-texts.ts'
import { createCatalog } from '../catalog/model.ts'
import { type TextRef, textId } from '../catalog/text-id.ts'
import type { InspectorPort, Snapshot } from './port.ts'
import type { KeyAnswer, KeyText, Listed, Overview, PartFigure, SyncAnswer, TextState } from './wire.ts'

/** Of more the figure has to do. */
const MOST_ITEMS = 500
const MOST_FINDINGS = 50

export function overviewOf(port: InspectorPort, snapshot: Snapshot): Overview {
  const { version, defaultLanguage, languages, namespaces, customers, conflicts, holds, waiting } = snapshot
  const counts: Record<TextState, number> = {
    conflict: conflicts.length,
    held: holds.length,
    waiting: waiting.filter(({ parked }) => parked === undefined).length,
    refused: waiting.filter(({ parked }) => parked === 'refused').length,
    newer: 0,
  }
  let keys = 0
  let texts = 0
  const matrix = namespaces.map((namespace) => {
    const part = snapshot.part(namespace, undefined)
    keys += part.keys.length
    const reference = languages.findIndex(({ key }) => key === defaultLanguage)
    const expectedKeys = part.keys.filter((key) => part.own(reference, key) !== '')
    return languages.map(({ isPseudo }, at): PartFigure => {
      if (isPseudo) return { translated: expectedKeys.length, expected: expectedKeys.length, differing: 0 }
      let differing = 0
      for (const key of part.keys) {
        if (part.own(at, key) !== '') texts++
        const { state } = part.cell(at, key)
        if (state !== undefined) differing++
        if (state === 'newer') counts.newer++
      }
      const translated = expectedKeys.filter((key) => part.own(at, key) !== '').length
      return { translated, expected: expectedKeys.length, differing }
    })
  })
  return {
    version,
    kind: port.kind,
    name: port.name,
    defaultLanguage,
    languages,
    namespaces,
    customers,
    keys,
    texts,
    matrix,
    counts,
    sync: snapshot.sync,
    hasService: port.service !== undefined,
    hasReviews: snapshot.hasReviews,
    findings: snapshot.findings.slice(0, MOST_FINDINGS),
  }
}

export function syncAnswerOf({ conflicts, holds, waiting }: Snapshot): SyncAnswer {
  // A conflict's entry waits as well, and is shown once.
  const open = waiting.filter(({ parked }) => parked !== 'conflict')
  return { conflicts: listed(conflicts), holds: listed(holds), waiting: listed(open) }
}

function listed<T>(items: readonly T[]): Listed<T> {
  return { total: items.length, items: items.slice(0, MOST_ITEMS) }
}

export async function keyAnswerOf(
  port: InspectorPort,
  snapshot: Snapshot,
  { namespace, key, customer }: { namespace: string; key: string; customer: string | undefined },
): Promise<KeyAnswer> {
  const part = snapshot.part(namespace, customer)
  const problems = problemsOf(snapshot, namespace, key, customer)
  const [usedAt, ...texts] = await Promise.all([
    port.usedAt(namespace, key),
    ...snapshot.languages.map(async ({ key: language, isPseudo }, at): Promise<KeyText> => {
      const ref: TextRef = { language, namespace, key, ...(customer !== undefined && { customer }) }
      const id = textId(ref)
      return {
        ...part.cell(at, key),
        language,
        own: isPseudo ? '' : part.own(at, key),
        inFile: snapshot.inFile(ref) ?? null,
        theirs: snapshot.theirs(ref) ?? null,
        place: (isPseudo ? undefined : await port.placeOf(ref)) ?? null,
        canEdit: snapshot.canEdit(ref),
        conflict: snapshot.conflicts.find((one) => textId(one.ref) === id),
        hold: snapshot.holds.find((one) => textId(one.ref) === id),
        refusal: snapshot.waiting.find((one) => one.parked === 'refused' && textId(one.ref) === id)?.reason,
        problems: problems.get(language) ?? [],
      }
    }),
  ])
  return { version: snapshot.version, namespace, key, customer: customer ?? null, texts, usedAt: usedAt ?? null }
}

/** What `localization check` would say of this key. */
function problemsOf(
  { languages, defaultLanguage, part: partOf }: Snapshot,
  namespace: string,
  key: string,
  customer: string | undefined,
): ReadonlyMap<string, readonly string[]> {
  const part = partOf(namespace, customer)
  const catalog = createCatalog({
    parts: languages.flatMap(({ key: language, isPseudo }, at) => {
      const text = part.own(at, key)
      return isPseudo || text === '' ? [] : [{ language, namespace, messages: [[key, text] as const] }]
    }),
  })
  const problems = new Map<string, string[]>()
  for (const { place, message } of checkTexts(catalog, { defaultLanguage })) {
    if (place?.language === undefined) continue
    problems.set(place.language, [...(problems.get(place.language) ?? []), message])
  }
  return problems
}
