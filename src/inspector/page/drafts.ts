/** The user's unsaved texts. The browser keeps them across reloads. */

import { useEffect, useState } from 'preact/hooks'
import { parseTextId, type TextRef, textId } from '../../catalog/text-id.ts'
import type { KeyText } from '../key-answer.ts'
import type { ActionAnswer } from '../protocol.ts'
import { notify, post, readAgain, useEvents } from './calls.ts'
import { namesStored, readStored, store } from './route.ts'

export interface Draft {
  readonly text: string
  /** Both sides' texts when the user started editing, so that the edit does not overwrite later changes. */
  readonly expected?: string | undefined
  readonly theirs: string
}

// Another tab may have changed a draft.
addEventListener('storage', () => notify('drafts'))

const prefixOf = (project: string) => `localization-draft ${project} `

/** `undefined` removes the draft. */
export function keepDraft(project: string, ref: TextRef, draft: Draft | undefined): void {
  store('localStorage', prefixOf(project) + textId(ref), draft && JSON.stringify(draft))
  notify('drafts')
}

export function useDrafts(project: string) {
  useEvents('drafts')
  const prefix = prefixOf(project)
  return namesStored('localStorage').flatMap((name) => {
    const draft = name.startsWith(prefix) ? read(name) : undefined
    return draft ? [{ ref: parseTextId(name.slice(prefix.length)), draft }] : []
  })
}

function read(name: string): Draft | undefined {
  try {
    const json = readStored('localStorage', name)
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    return undefined
  }
}

/**
 * Saves a draft, and removes it if it was saved. A text with errors is saved only if the user has accepted them;
 * otherwise, they are returned.
 */
export async function saveDraft(project: string, { ref, draft }: { ref: TextRef; draft: Draft }, isAccepted = false) {
  const { text, expected, theirs } = draft
  const { problems } = await post('check', { ref, text })
  const errors = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)
  if (errors.length > 0 && !isAccepted) return { done: 0, problems: [], errors }
  const answer = await post('edit', { ref, text, expected, theirs })
  if (answer.problems.length === 0) keepDraft(project, ref, undefined)
  return { ...answer, errors: [] }
}

const TYPING_MS = 250

export function useDraft(project: string, ref: TextRef, text: KeyText) {
  useEvents('drafts')
  const { own, inFile, theirs } = text
  const draft = read(prefixOf(project) + textId(ref))
  const value = draft?.text ?? own
  const isChanged = draft !== undefined && draft.text !== own
  const [accepted, accept] = useState<string>()
  const [saved, setSaved] = useState<string>()
  const checked = useCheck(ref, value, isChanged)
  const keep = (next: Draft | undefined) => keepDraft(project, ref, next)
  /** A draft based on both sides' current texts. */
  const rebased = (typed: string): Draft => ({ text: typed, expected: inFile, theirs: theirs ?? '' })
  const conflict = draft && isChanged ? conflictOf(draft, text) : undefined
  return {
    value,
    isChanged,
    conflict,
    /** True if the user has seen the errors in exactly this text. */
    isWarned: isChanged && accepted === value,
    // Until the first check, these are the saved text's problems, so that nothing moves when the user begins to type.
    problems: (isChanged && checked?.problems) || text.problems,
    previews: (isChanged && checked?.previews) || text.previews,
    /** True if the text was just saved and has not changed since. */
    isSaved: !isChanged && saved === own,
    discard: () => keep(undefined),
    type: (typed: string) => keep(typed === own ? undefined : { ...(draft ?? rebased(typed)), text: typed }),
    keepMine: () => keep(rebased(value)),
    async save(): Promise<ActionAnswer> {
      const answer = await saveDraft(project, { ref, draft: draft ?? rebased(value) }, accepted === value)
      if (answer.errors.length > 0) accept(value)
      // The other text may not have arrived yet, and the user needs it to decide.
      else if (answer.problems.length > 0) readAgain()
      else setSaved(value)
      return answer
    },
  }
}

/** The findings and previews of the text that the user is typing. */
function useCheck(ref: TextRef, value: string, isChanged: boolean) {
  const [checked, setChecked] = useState<Awaited<ReturnType<typeof post<'check'>>>>()
  useEffect(() => {
    if (!isChanged) return setChecked(undefined)
    let isOver = false
    const timer = setTimeout(() => {
      post('check', { ref, text: value }).then(
        (answer) => !isOver && setChecked(answer),
        // Ignored: if the server is not responding, saving reports it.
        () => undefined,
      )
    }, TYPING_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [value, isChanged])
  return checked
}

/**
 * The text that someone else saved after the user started editing. Must match the conditions under which the server
 * rejects an edit. A missing text counts as empty.
 */
function conflictOf(draft: Draft, { inFile = '', theirs = '' }: KeyText) {
  const { expected = '' } = draft
  if (inFile !== expected) return { side: 'file', text: inFile }
  return theirs === draft.theirs || theirs === expected ? undefined : { side: 'service', text: theirs }
}
