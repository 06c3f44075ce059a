/** The user's unsaved texts. The browser keeps them when the page is reloaded. */
import { useEffect, useState } from 'preact/hooks'
import { parseTextId, type TextRef, textId } from '../../catalog/text-id.ts'
import { namesStored, readStored, store } from './stored.ts'

export interface Draft {
  readonly text: string
  /** Both sides' texts when the user started editing: an edit must not overwrite later changes. */
  readonly expected?: string | undefined
  readonly theirs: string
}

/** If storage is disabled, drafts live as long as the page. */
const held = new Map<string, string>()
const listeners = new Set<() => void>()
/** Changes after every change of a draft. */
let version = 0

addEventListener('storage', () => {
  version++
  notify()
})

function notify(): void {
  for (const listener of [...listeners]) listener()
}

/** Re-renders when a draft is added or removed, in this tab or another one: the version changes. */
export function useDraftsVersion(): number {
  const [, draw] = useState(0)
  useEffect(() => {
    const listener = () => draw((count) => count + 1)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  return version
}

const prefixOf = (project: string) => `localization-draft ${project} `

export function draftOf(project: string, ref: TextRef): Draft | undefined {
  return read(prefixOf(project) + textId(ref))
}

/** `undefined` removes the draft. */
export function keepDraft(project: string, ref: TextRef, draft: Draft | undefined): void {
  const name = prefixOf(project) + textId(ref)
  const json = draft && JSON.stringify(draft)
  version++
  held.delete(name)
  // A full storage keeps the old value, which would hide the new one.
  if (!store('localStorage', name, json) && json !== undefined) {
    store('localStorage', name, undefined)
    held.set(name, json)
  }
  notify()
}

export function draftsOf(project: string): readonly { readonly ref: TextRef; readonly draft: Draft }[] {
  const prefix = prefixOf(project)
  const names = new Set([...namesStored('localStorage'), ...held.keys()])
  return [...names].flatMap((name) => {
    const draft = name.startsWith(prefix) ? read(name) : undefined
    return draft ? [{ ref: parseTextId(name.slice(prefix.length)), draft }] : []
  })
}

function read(name: string): Draft | undefined {
  try {
    const json = readStored('localStorage', name) ?? held.get(name)
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    return undefined
  }
}
