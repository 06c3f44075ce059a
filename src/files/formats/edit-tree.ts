/** A translation file as a tree that can be edited: unchanged parts are printed as they were. */
import type { ObjectNode } from '../../../shared/json-parser.ts'

export interface EditMember {
  name: string
  /** The text between the value before (or `{`) and the key. Has a comma, except in the first member. */
  lead: string
  /** The key as written, quotes included. */
  key: string
  /** The text between the key and the value. Has the colon. */
  colon: string
  value: EditObject | EditText
}

export interface EditText {
  readonly kind: 'text'
  /** The text as written, quotes included. */
  readonly raw: string
}

export interface EditObject {
  readonly kind: 'object'
  members: EditMember[]
  /** The text between the last value and `}`. */
  trail: string
  /** The object as written; `undefined` after a change below it. */
  raw: string | undefined
}

/** @param node an object of a text without errors: it holds only objects and strings */
export function createEditTree(text: string, node: ObjectNode): EditObject {
  let last = node.start + 1
  const members = node.members.map(({ key, value }): EditMember => {
    const lead = text.slice(last, key.start)
    last = value.end
    return {
      name: key.text,
      lead,
      key: text.slice(key.start, key.end),
      colon: text.slice(key.end, value.start),
      value:
        value.kind === 'object'
          ? createEditTree(text, value)
          : { kind: 'text', raw: text.slice(value.start, value.end) },
    }
  })
  return { kind: 'object', members, trail: text.slice(last, node.end - 1), raw: text.slice(node.start, node.end) }
}

export function printEditTree(node: EditObject | EditText): string {
  if (node.kind === 'text') return node.raw
  if (node.raw !== undefined) return node.raw
  const members = node.members.map(({ lead, key, colon, value }) => lead + key + colon + printEditTree(value))
  return `{${members.join('')}${node.trail}}`
}

/** The first member has no comma before it: the new first member takes over its lead. */
export function removeMembers(node: EditObject, removed: ReadonlySet<EditMember>): void {
  const firstLead = node.members[0]?.lead ?? ''
  node.members = node.members.filter((member) => !removed.has(member))
  node.raw = undefined
  const [first] = node.members
  if (first) first.lead = firstLead
  else node.trail = ''
}
