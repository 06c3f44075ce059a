/** What a person typed and did not save, and the last saves. The browser keeps both when the page is loaded again. */
import { useEffect, useState } from 'preact/hooks'
import { parseTextId, type TextRef, textId } from '../../catalog/text-id.ts'
import type { ActionAnswer, RemovedText } from '../protocol.ts'
import { post } from './calls.ts'
import { namesStored, readStored, store } from './stored.ts'

export interface Draft {
  readonly text: string
  /** Both sides' texts when the person began: an edit must not overwrite what somebody saved since. */
  readonly expected?: string | undefined
  readonly theirs: string
  /** Made of both sides of a conflict: saved, it decides the conflict. */
  readonly isJoined?: boolean
}

export interface EditSave {
  readonly ref: TextRef
  readonly before: string
  readonly after: string
}

/** A deletion of keys. */
export interface RemovalSave {
  readonly removed: readonly RemovedText[]
}

export type Save = EditSave | RemovalSave

const MOST_SAVES = 20
/** Texts that one request puts back. */
const MOST_RESTORED = 2_000

/** Where storage is turned off, drafts live as long as the page. */
const held = new Map<string, string>()
const listeners = new Set<() => void>()
/** Another one after each change. */
let version = 0

addEventListener('storage', () => {
  version++
  notify()
})

function notify(): void {
  for (const listener of [...listeners]) listener()
}

/** Draws again when a draft or a save comes or goes, in this tab or another one: then the number is another one. */
export function useKept(): number {
  const [, draw] = useState(0)
  useEffect(() => {
    const listener = () => draw((count) => count + 1)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  return version
}

const draftsName = (project: string) => `localization-draft ${project} `
const savesName = (project: string) => `localization-saves ${project}`

export function draftOf(project: string, ref: TextRef): Draft | undefined {
  return read(draftsName(project) + textId(ref))
}

/** `undefined`: there is none any longer. */
export function keepDraft(project: string, ref: TextRef, draft: Draft | undefined): void {
  keep('localStorage', draftsName(project) + textId(ref), draft)
}

export function draftsOf(project: string): readonly { readonly ref: TextRef; readonly draft: Draft }[] {
  const prefix = draftsName(project)
  const names = new Set([...namesStored('localStorage'), ...held.keys()])
  return [...names].flatMap((name) => {
    const draft = name.startsWith(prefix) ? read<Draft>(name) : undefined
    return draft ? [{ ref: parseTextId(name.slice(prefix.length)), draft }] : []
  })
}

/** The last one first. */
export function savesOf(project: string): readonly Save[] {
  return read(savesName(project), 'sessionStorage') ?? []
}

export function noteSave(project: string, save: Save): void {
  keep('sessionStorage', savesName(project), [save, ...savesOf(project)].slice(0, MOST_SAVES))
}

/** Puts the text from before the save back, if the text is still the saved one; or texts that were deleted. */
export async function undoSave(project: string, save: Save): Promise<ActionAnswer> {
  const answer = 'removed' in save ? await restore(save.removed) : await undoEdit(save)
  const id = JSON.stringify(save)
  const left = savesOf(project).filter((other) => JSON.stringify(other) !== id)
  if (answer.problems.length === 0) keep('sessionStorage', savesName(project), left)
  return answer
}

function undoEdit({ ref, before, after }: EditSave): Promise<ActionAnswer> {
  return post('edit', { ref, text: before, expected: after })
}

async function restore(texts: readonly RemovedText[]): Promise<ActionAnswer> {
  const answers: ActionAnswer[] = []
  for (let at = 0; at < texts.length; at += MOST_RESTORED) {
    answers.push(await post('restore', { texts: texts.slice(at, at + MOST_RESTORED) }))
  }
  return {
    done: answers.reduce((sum, { done }) => sum + done, 0),
    problems: answers.flatMap(({ problems }) => problems),
  }
}

function read<Value>(name: string, storage: 'localStorage' | 'sessionStorage' = 'localStorage'): Value | undefined {
  try {
    const json = readStored(storage, name) ?? held.get(name)
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    return undefined
  }
}

function keep(storage: 'localStorage' | 'sessionStorage', name: string, value: unknown): void {
  const json = value === undefined ? undefined : JSON.stringify(value)
  version++
  held.delete(name)
  // A full storage keeps the old value, which would hide the new one.
  if (!store(storage, name, json) && json !== undefined) {
    store(storage, name, undefined)
    held.set(name, json)
  }
  notify()
}
