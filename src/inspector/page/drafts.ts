/** What a person typed and did not save. The browser keeps it when the page is loaded again. */
import { useEffect, useState } from 'preact/hooks'
import { parseTextId, type TextRef, textId } from '../../catalog/text-id.ts'
import { namesStored, readStored, store } from './stored.ts'

export interface Draft {
  readonly text: string
  /** Both sides' texts when the person began: an edit must not overwrite what somebody saved since. */
  readonly expected?: string | undefined
  readonly theirs: string
}

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

/** Draws again when a draft comes or goes, in this tab or another one: then the number is another one. */
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

/** `undefined`: there is none any longer. */
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
