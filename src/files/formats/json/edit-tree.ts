/** A translation file as a tree that can be edited: unchanged parts are printed as they were. */
import type { ArrayNode, JsonNode, ObjectNode } from '../../../shared/json-parser.ts'

export interface EditMember {
  /** Of an element: its index. */
  name: string
  /** The text between the value before (or `{`) and the key. Has a comma, except in the first member. */
  lead: string
  /** The key as written, quotes included. Of an element: empty. */
  key: string
  /** The text between the key and the value. Has the colon. Of an element: empty. */
  colon: string
  value: EditBranch | EditText
}

export interface EditText {
  /** `other`: a number, a boolean or null. */
  readonly kind: 'text' | 'other'
  /** The value as written, quotes included. */
  readonly raw: string
}

/** An object or an array. */
export interface EditBranch {
  readonly kind: 'object' | 'array'
  members: EditMember[]
  /** The text between the last value and the closing bracket. */
  trail: string
  /** The branch as written; `undefined` after a change below it. */
  raw: string | undefined
}

export function createEditTree(text: string, node: ObjectNode | ArrayNode): EditBranch {
  let last = node.start + 1
  const member = (name: string, start: number, keyEnd: number, value: JsonNode): EditMember => {
    const lead = text.slice(last, start)
    last = value.end
    return {
      name,
      lead,
      key: text.slice(start, keyEnd),
      colon: text.slice(keyEnd, value.start),
      value: createEditValue(text, value),
    }
  }
  const members =
    node.kind === 'object'
      ? node.members.map(({ key, value }) => member(key.text, key.start, key.end, value))
      : node.items.map((item, index) => member(String(index), item.start, item.start, item))
  const raw = text.slice(node.start, node.end)
  return { kind: node.kind, members, trail: text.slice(last, node.end - 1), raw }
}

function createEditValue(text: string, value: JsonNode): EditBranch | EditText {
  if (value.kind === 'object' || value.kind === 'array') return createEditTree(text, value)
  return { kind: value.kind === 'string' ? 'text' : 'other', raw: text.slice(value.start, value.end) }
}

export function isBranch(value: EditBranch | EditText): value is EditBranch {
  return value.kind === 'object' || value.kind === 'array'
}

export function printEditTree(node: EditBranch | EditText): string {
  if (!isBranch(node) || node.raw !== undefined) return node.raw ?? ''
  const members = node.members.map(({ lead, key, colon, value }) => lead + key + colon + printEditTree(value))
  const inside = members.join('') + node.trail
  return node.kind === 'object' ? `{${inside}}` : `[${inside}]`
}

/** The first member has no comma before it: the new first member takes over its lead. */
export function removeMembers(node: EditBranch, removed: ReadonlySet<EditMember>): void {
  const firstLead = node.members[0]?.lead ?? ''
  node.members = node.members.filter((member) => !removed.has(member))
  node.raw = undefined
  const [first] = node.members
  if (first) first.lead = firstLead
  else node.trail = ''
}
