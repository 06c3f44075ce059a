/** Everything that the page shows about a key: its text in every language, its problems and its uses. */

import * as z from 'zod'
import { checkTexts } from '../catalog/check-texts.ts'
import { createCatalog } from '../catalog/model.ts'
import { guessSyntax } from '../catalog/placeholders.ts'
import {
  createPluralRules,
  isPluralGroup,
  PLURAL_CATEGORIES,
  type PluralKey,
  parsePluralKey,
  pluralGroups,
  pluralKeysOf,
} from '../catalog/plurals.ts'
import { type TextRef, textId, textRef } from '../catalog/text-id.ts'
import { createFallbacks } from '../catalog/translations.ts'
import type { InspectedProject } from './endpoint.ts'
import { get, name, post, ref, text } from './endpoint.ts'
import { previewsOf } from './preview.ts'
import type { FindingLine, InspectedLanguage } from './protocol.ts'
import type { Snapshot } from './snapshot.ts'

/** If `language` is set, only its text and the default language's are wanted. */
const keyRequest = z.object({
  namespace: z.string(),
  key: name,
  customer: z.string().optional(),
  language: z.string().optional(),
})
type KeyRequest = z.output<typeof keyRequest>

/** A text that the user is typing. */
const checkRequest = z.strictObject({ ref, text })
type CheckRequest = z.output<typeof checkRequest>

export const keyEndpoints = {
  key: get(keyRequest, async (project, request) => keyAnswerOf(project, await project.snapshot(), request)),
  /** Separate from `key` because it may read many files. */
  uses: get(keyRequest, async (project, request) => {
    const base = pluralFormOf(await project.snapshot(), request)?.base
    return { uses: await project.usesOf?.({ namespace: request.namespace, key: request.key, base }) }
  }),
  details: get(keyRequest, async ({ service }, request) => ({ details: await service?.info(request) })),
  check: post(checkRequest, async (project, request) => {
    const { charactersLimit = -1 } = (await project.service?.info(request.ref)) ?? {}
    return checkDraft(await project.snapshot(), request, charactersLimit < 0 ? undefined : charactersLimit)
  }),
}

export type KeyText = Awaited<ReturnType<typeof keyTextOf>>

const rulesOf = createPluralRules()

export async function keyAnswerOf(project: InspectedProject, snapshot: Snapshot, request: KeyRequest) {
  const defaultFirst = snapshot.languages.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault))
  const form = pluralFormOf(snapshot, request)
  const { language: only } = request
  const wanted = defaultFirst.filter(({ key, isDefault }) => only === undefined || key === only || isDefault)
  const texts = wanted.flatMap((language) => {
    if (!form) return [keyTextOf(project, snapshot, request, language)]
    const categories = categoriesOf(snapshot, request, form, language)
    return categories.map((category) =>
      keyTextOf(project, snapshot, { ...request, key: form.prefix + category }, language, { ...form, category }),
    )
  })
  const answers = await Promise.all(texts)
  const { kind } = snapshot
  return {
    project: project.id,
    kind,
    hasService: project.service !== undefined,
    plural: form?.base,
    texts: answers,
  }
}

/** The problems and previews of a text that the user is typing. */
export function checkDraft(snapshot: Snapshot, { ref, text }: CheckRequest, charactersLimit?: number) {
  const form = pluralFormOf(snapshot, ref)
  const limited = charactersLimit === undefined ? snapshot : limitedTo(snapshot, ref.key, charactersLimit)
  return { problems: problemsOf(limited, ref, text), previews: previewsIn(snapshot, ref, text, form) }
}

function limitedTo(snapshot: Snapshot, key: string, characters: number): Snapshot {
  return { ...snapshot, checks: { ...snapshot.checks, limits: [[key, characters]] } }
}

/** The key's i18next plural form; `undefined` if the key is not a plural in any language. */
export function pluralFormOf(snapshot: Snapshot, { namespace, key, customer }: KeyRequest): PluralKey | undefined {
  const separator = snapshot.checks?.pluralSeparator ?? '_'
  const form = parsePluralKey(key, separator)
  if (!form) return undefined
  const texts = snapshot.namespaceTexts(namespace, customer)
  const isPlural = snapshot.languages.some(({ key: language, isPseudo }) => {
    if (isPseudo) return false
    const keys = PLURAL_CATEGORIES.map((category) => form.prefix + category)
    const messages = new Map(keys.map((each) => [each, texts.own(language, each)]))
    const group = pluralGroups(messages, separator).get(form.prefix)
    return isPluralGroup(group, rulesOf(language, form.type))
  })
  return isPlural ? form : undefined
}

/** The categories that the language needs, and any others that it has. */
function categoriesOf(
  snapshot: Snapshot,
  { namespace, customer }: KeyRequest,
  form: PluralKey,
  { key: language, isPseudo }: InspectedLanguage,
): readonly string[] {
  const texts = snapshot.namespaceTexts(namespace, customer)
  const source = isPseudo ? snapshot.defaultLanguage : language
  const required = rulesOf(source, form.type)?.required() ?? ['one', 'other']
  return PLURAL_CATEGORIES.filter(
    (category) => required.includes(category) || texts.own(language, form.prefix + category) !== '',
  )
}

async function keyTextOf(
  project: InspectedProject,
  snapshot: Snapshot,
  { namespace, key, customer }: KeyRequest,
  { key: language, name, isPseudo }: InspectedLanguage,
  form?: PluralKey,
) {
  const texts = snapshot.namespaceTexts(namespace, customer)
  const ref = textRef({ language, namespace, customer }, key)
  const id = textId(ref)
  const isThis = (item: { readonly ref: TextRef }) => textId(item.ref) === id
  const parked = snapshot.waiting.find(isThis)?.parked
  const cell = texts.cell(language, key)
  const own = texts.own(language, key)
  return {
    ...cell,
    language,
    name,
    key,
    /** Set if each form of the plural has its own key. */
    form: form && { category: form.category, type: form.type },
    own,
    /** The file's text. An edit sends it back, so that only the text that the user saw is overwritten. */
    inFile: snapshot.inFile(ref),
    theirs: snapshot.serviceText(ref)?.text,
    /** Such as `locales/en/common.json:3:5`. If there is no text yet, the place where it would be added. */
    place: isPseudo ? undefined : await project.placeOf?.(ref),
    canEdit: snapshot.canEdit(ref),
    conflict: snapshot.conflicts.find(isThis),
    hold: snapshot.holds.find(isThis),
    stale: snapshot.stale.find(isThis),
    refusal: parked?.kind === 'refused' ? parked.reason : undefined,
    problems: problemsOf(snapshot, ref),
    previews: previewsIn(snapshot, ref, own, form),
  }
}

function previewsIn(snapshot: Snapshot, ref: TextRef, text: string, form: PluralKey | undefined) {
  const { language, namespace, key, customer } = ref
  const source = snapshot.namespaceTexts(namespace, customer).own(snapshot.defaultLanguage, key)
  return previewsOf(text, language, guessSyntax(source) === 'icu', form)
}

/**
 * The findings of `localization check` for the text, or for `typed` instead of it, compared with the default language.
 */
function problemsOf(snapshot: Snapshot, ref: TextRef, typed?: string): readonly FindingLine[] {
  const { language: own, namespace, key, customer } = ref
  const { languages, defaultLanguage, checks } = snapshot
  const texts = snapshot.namespaceTexts(namespace, customer)
  const textIn = (language: string, each: string) =>
    typed !== undefined && language === own && each === key ? typed : texts.own(language, each)
  if (textIn(own, key) === '') return []
  const form = parsePluralKey(key, checks?.pluralSeparator ?? '_')
  // A plural is checked with all its forms, and with the texts that fill its gaps.
  const keys = form && customer === undefined ? pluralKeysOf(form) : [key]
  const known = languages.map((language) => language.key)
  const filling = createFallbacks(known, checks?.fallback ?? {})(own)
  const parts = languages.flatMap(({ key: language, isDefault }) => {
    const isCompared = isDefault || language === own || filling.includes(language)
    const messages = keys.map((each) => [each, textIn(language, each)] as const).filter(([, text]) => text !== '')
    return isCompared && messages.length > 0 ? [{ language, namespace, messages }] : []
  })
  const found = checkTexts(createCatalog({ parts }), {
    ...checks,
    defaultLanguage,
    isChecked: (language) => language === own,
  }).filter(({ rule, place }) => place.key === key || (rule === 'plurals' && place.key !== form?.base))
  const references = snapshot.checkReferences(ref, textIn(own, key))
  return [...found, ...references].map(({ severity, message }) => ({ severity, message }))
}
