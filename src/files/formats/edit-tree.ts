/**
 * A translation file as a tree that can be edited. Unchanged parts are printed byte for byte. The tree works for all
 * formats: between keys and values, it accepts commas and comments (`//`, `#`, or between slashes and stars).
 */
import type { ArrayNode, JsonNode, ObjectNode } from '../../shared/json-parser.ts'
import { commaIn, commentsOf, endsInLineComment, hasComment, sameLineComments } from './comments.ts'

export interface EditMember {
  /** The name, or the index of an array element. */
  name: string
  /** The source before the key or the element. */
  lead: string
  /** The key in the file, including quotes. Empty for an element. */
  key: string
  /** The source between key and value, including the colon. Empty for an element. */
  colon: string
  value: EditBranch | EditText
  /** The comma after the value, and comments on its line. */
  tail: string
}

export interface EditText {
  /** `other` is a number, a boolean or null. */
  readonly kind: 'text' | 'other'
  /** The value in the file, including quotes. */
  readonly raw: string
}

export interface EditBranch {
  readonly kind: 'object' | 'array'
  /** `flow`: brackets and commas. `block` (YAML): neither, and each member is on its own line. */
  style: 'flow' | 'block'
  /**
   * In `block` style, the whitespace before each member. In `flow` style, the indentation of the branch's first line.
   */
  indent: string
  members: EditMember[]
  /** The source between the last member and the closing bracket. */
  trail: string
  /** The branch's source; `undefined` after a change inside it. */
  raw: string | undefined
}

export interface EditTree {
  readonly root: EditBranch
  /** The offset of the tree's end, after comments on the last line. */
  readonly end: number
}

/** @param node a node of `text`, which must have no errors */
export function createEditTree(text: string, node: ObjectNode | ArrayNode): EditTree {
  const { kind } = node
  const isBlock = !/[[{]/.test(text[node.start] ?? '')
  let last = isBlock ? node.start : node.start + 1
  const members: EditMember[] = []
  const add = (name: string, start: number, keyEnd: number, value: JsonNode) => {
    const before = members.at(-1)
    const gap = text.slice(last, start)
    const tail = before && !isBlock ? tailOf(text, last, gap) : ''
    if (before && !isBlock) before.tail = tail
    const below = createEditValue(text, value)
    const end = below.end
    const member: EditMember = {
      name,
      lead: gap.slice(tail.length),
      key: text.slice(start, keyEnd),
      colon: text.slice(keyEnd, value.start),
      value: below.root,
      tail: isBlock ? sameLineComments(text, end) : '',
    }
    last = end + member.tail.length
    members.push(member)
  }
  if (node.kind === 'object') for (const { key, value } of node.members) add(key.text, key.start, key.end, value)
  else for (const [index, item] of node.items.entries()) add(String(index), item.start, item.start, item)
  const indent = indentAt(text, node.start, isBlock)
  if (isBlock) {
    const raw = text.slice(node.start, last)
    return { root: { kind, style: 'block', indent, members, trail: '', raw }, end: last }
  }
  const gap = text.slice(last, node.end - 1)
  const before = members.at(-1)
  if (before) before.tail = tailOf(text, last, gap)
  const trail = gap.slice(before?.tail.length ?? 0)
  const raw = text.slice(node.start, node.end)
  return { root: { kind, style: 'flow', indent, members, trail, raw }, end: node.end }
}

function createEditValue(text: string, value: JsonNode): { readonly root: EditMember['value']; readonly end: number } {
  if (value.kind === 'object' || value.kind === 'array') return createEditTree(text, value)
  const { kind, start, end } = value
  return { root: { kind: kind === 'string' ? 'text' : 'other', raw: text.slice(start, end) }, end }
}

export function isBranch(value: EditMember['value']): value is EditBranch {
  return value.kind === 'object' || value.kind === 'array'
}

/** The text whose style a new text copies: the last one, preferably without quotes. */
export function textBeside({ members }: EditBranch, isQuoted: RegExp): string | undefined {
  const texts = members.flatMap(({ value }) => (value.kind === 'text' ? [value.raw] : []))
  return texts.findLast((raw) => !isQuoted.test(raw)) ?? texts.at(-1)
}

/** The key whose style a new key copies: the last one, preferably without quotes. */
export function keyBeside({ members }: EditBranch): string | undefined {
  return (members.findLast(({ key }) => !/^["']/.test(key)) ?? members.at(-1))?.key
}

/** The gap up to its comma, if it has one, and the comments that follow on the same line. */
function tailOf(text: string, start: number, gap: string): string {
  const comma = commaIn(gap)
  const end = comma === undefined ? 0 : comma + 1
  return gap.slice(0, end) + sameLineComments(text, start + end)
}

/** @returns whitespace as wide as the text from the line's start to the offset */
function indentAt(text: string, offset: number, isBlock: boolean): string {
  const start = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
  const before = text.slice(start, offset).replace('\uFEFF', '')
  return isBlock ? before.replace(/[^\t]/g, ' ') : (/^[ \t]*/.exec(before)?.[0] ?? '')
}

/** One level of indentation, as shown by the first line in the root or by the first branch in a block. */
export function indentStep(root: EditBranch): string | undefined {
  if (root.style === 'flow') return /[\r\n]([ \t]*)$/.exec(root.members[0]?.lead ?? '')?.[1]
  for (const { value } of root.members) {
    if (isBranch(value) && value.style === 'block' && value.indent.length > root.indent.length)
      return value.indent.slice(root.indent.length)
  }
  return undefined
}

export function printEditTree(node: EditBranch | EditText, eol: string): string {
  if (!isBranch(node) || node.raw !== undefined) return node.raw ?? ''
  // A line comment must not swallow what follows.
  const closed = (gap: string) => (endsInLineComment(gap) ? gap + eol : gap)
  const joined = (tail: string, lead: string) => closed((/^[ \t]*[\r\n]/.test(lead) ? tail : closed(tail)) + lead)
  let gap = ''
  let text = ''
  for (const { lead, key, colon, value, tail } of node.members) {
    text += joined(gap, lead) + key + colon + printEditTree(value, eol)
    gap = tail
  }
  if (node.style === 'block') {
    if (node.members.length > 0) return text + gap + node.trail
    return `${node.trail === '' ? '' : node.trail.trimStart() + eol}${node.kind === 'object' ? '{}' : '[]'}`
  }
  const inside = text + joined(gap, node.trail)
  return node.kind === 'object' ? `{${inside}}` : `[${inside}]`
}

/** Removes members. Also removes the comments on their lines, but keeps the comments on the lines above. */
export function removeMembers(node: EditBranch, removed: ReadonlySet<EditMember>): void {
  const [oldFirst, oldLast] = [node.members[0], node.members.at(-1)]
  let comments = ''
  const kept: EditMember[] = []
  for (const member of node.members) {
    if (removed.has(member)) {
      comments += commentsOf(member.lead)
      continue
    }
    if (kept.length === 0 && member !== oldFirst) member.lead = firstLead(node, member.lead, oldFirst?.lead ?? '')
    member.lead = comments + member.lead
    comments = ''
    kept.push(member)
  }
  node.members = kept
  node.raw = undefined
  const last = kept.at(-1)
  if (last && last !== oldLast && commaIn(oldLast?.tail ?? '') === undefined) last.tail = withoutComma(last.tail)
  if (last || comments !== '' || hasComment(node.trail)) node.trail = comments + node.trail
  else node.trail = ''
}

/**
 * The lead of a member that becomes the first one: its own lead if that contains comments, or else the space before the
 * old first member.
 */
function firstLead({ style }: EditBranch, own: string, old: string): string {
  if (!hasComment(own)) return old.slice(commentsOf(old).length)
  return style === 'block' ? own.replace(/^[ \t]*(?:\r\n|\r|\n)[ \t]*/, '') : own
}

function withoutComma(tail: string): string {
  const comma = commaIn(tail)
  const rest = comma === undefined ? tail : tail.slice(0, comma) + tail.slice(comma + 1)
  return rest.trim() === '' ? '' : rest
}
