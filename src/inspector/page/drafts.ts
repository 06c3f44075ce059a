/** What a person typed and did not save, and the last saves. The browser keeps both when the page is loaded again. */
import { useEffect, useState } from 'preact/hooks'
import { parseTextId, type TextRef, textId } from '../../catalog/text-id.ts'
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

export interface Save {
  readonly ref: TextRef
  readonly before: string
  readonly after: string
}

const MOST_SAVES = 20

/** Where storage is turned off, drafts live as long as the page. */
const held = new Map<string, string>()
const listeners = new Set<() => void>()

addEventListener('storage', () => notify())

function notify(): void {
  for (const listener of [...listeners]) listener()
}

/** Draws again when a draft or a save comes or goes, in this tab or another one. */
export function useKept(): void {
  const [, draw] = useState(0)
  useEffect(() => {
    const listener = () => draw((count) => count + 1)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
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

/** Puts the text from before the save back, if the text is still the saved one. */
export async function undoSave(project: string, { ref, before, after }: Save) {
  const answer = await post('edit', { ref, text: before, expected: after })
  const left = savesOf(project).filter((save) => textId(save.ref) !== textId(ref) || save.after !== after)
  if (answer.problems.length === 0) keep('sessionStorage', savesName(project), left)
  return answer
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
  held.delete(name)
  // A full storage keeps the old value, which would hide the new one.
  if (!store(storage, name, json) && json !== undefined) {
    store(storage, name, undefined)
    held.set(name, json)
  }
  notify()
}
