/** Everything about one key: its text in every language, what is wrong with it and where it is used. */
import { checkTexts } from '../catalog/check-texts.ts'
import { createCatalog } from '../catalog/model.ts'
import { parsePluralKey, pluralKeysOf } from '../catalog/plural-keys.ts'
import { type TextRef, textId, textRef } from '../catalog/text-id.ts'
import type { InspectedProject } from './inspected-project.ts'
import type { InspectedLanguage } from './protocol.ts'
import type { KeyRequest } from './requests.ts'
import type { Snapshot } from './snapshot.ts'

export type KeyText = Awaited<ReturnType<typeof keyTextOf>>

export async function keyAnswerOf(project: InspectedProject, snapshot: Snapshot, request: KeyRequest) {
  const isDefault = (at: number) => Number(snapshot.languages[at]?.isDefault)
  const defaultFirst = [...snapshot.languages.keys()].sort((a, b) => isDefault(b) - isDefault(a))
  const [usedAt, ...texts] = await Promise.all([
    project.usedAt(request.key),
    ...defaultFirst.map((at) => keyTextOf(project, snapshot, request, at)),
  ])
  return { texts, usedAt }
}

async function keyTextOf(project: InspectedProject, snapshot: Snapshot, request: KeyRequest, at: number) {
  const { namespace, key, customer } = request
  const { key: language, name, isPseudo } = snapshot.languages[at] as InspectedLanguage
  const texts = snapshot.namespaceTexts(namespace, customer)
  const ref = textRef({ language, namespace, customer }, key)
  const id = textId(ref)
  const isThis = (item: { readonly ref: TextRef }) => textId(item.ref) === id
  const parked = snapshot.waiting.find(isThis)?.parked
  return {
    ...texts.cell(at, key),
    language,
    name,
    /** Without fallbacks. */
    own: texts.own(at, key),
    /** An edit names it, so that nothing unseen is overwritten. */
    inFile: snapshot.inFile(ref),
    theirs: snapshot.serviceText(ref)?.text,
    /** `locales/en/common.json:3:5`, or where the text would go. */
    place: isPseudo ? undefined : await project.placeOf(ref),
    canEdit: snapshot.canEdit(ref),
    conflict: snapshot.conflicts.find(isThis),
    hold: snapshot.holds.find(isThis),
    stale: snapshot.stale.find(isThis),
    refusal: parked?.kind === 'refused' ? parked.reason : undefined,
    problems: problemsOf(snapshot, request, at),
  }
}

/** What `localization check` says about the text beside the default language's. */
function problemsOf(snapshot: Snapshot, { namespace, key, customer }: KeyRequest, at: number): readonly string[] {
  const { languages, defaultLanguage, checks } = snapshot
  const texts = snapshot.namespaceTexts(namespace, customer)
  const own = languages[at]?.key
  if (texts.own(at, key) === '') return []
  const form = parsePluralKey(key, checks?.pluralSeparator ?? '_')
  // A plural is checked with all its forms, and with the languages that fill its gaps.
  const keys = form && customer === undefined ? pluralKeysOf(form) : [key]
  const fallback = checks?.fallback || {}
  const filling = own !== undefined && Object.hasOwn(fallback, own) ? fallback[own] : undefined
  const parts = languages.flatMap(({ key: language, isDefault }, position) => {
    const isCompared = isDefault || position === at || filling?.includes(language)
    const messages = keys.map((each) => [each, texts.own(position, each)] as const).filter(([, text]) => text !== '')
    return isCompared && messages.length > 0 ? [{ language, namespace, messages }] : []
  })
  return checkTexts(createCatalog({ parts }), { ...checks, defaultLanguage, isChecked: (language) => language === own })
    .filter(({ rule, place }) => place.key === key || (rule === 'plurals' && place.key !== form?.base))
    .map(({ message }) => message)
}
