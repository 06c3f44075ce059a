/** A translation file as members with their places in the text, for rewriting it piece by piece. */

import { decodeJsonString, scanJson } from '../shared/json-scanner.ts'

export interface Member {
  name: string
  /** What stands before the key: after `{` or the value before, up to the key; holds the comma of all but the first. */
  lead: string
  /** The key's token as it is written, quotes included. */
  key: string
  /** What stands between the key and the value; holds the colon. */
  colon: string
  value: ObjectNode | TextNode
}

export interface TextNode {
  readonly kind: 'text'
  /** The token as it is written. */
  raw: string
  text: string
}

export interface ObjectNode {
  readonly kind: 'object'
  members: Member[]
  /** What stands between the last value and `}`. */
  trail: string
  /** The text as it was; `undefined` once something below it changed. */
  raw: string | undefined
}

export interface FileTree {
  readonly before: string
  readonly root: ObjectNode
  readonly after: string
}

/** Builds the tree of a text that `parseTranslationText` found no fault with: nothing but objects and strings. */
export function parseFileTree(text: string): FileTree {
  const open: { node: ObjectNode; start: number; last: number }[] = []
  let root: { node: ObjectNode; start: number; end: number } | undefined
  let member: { name: string; lead: string; key: string; end: number } | undefined

  const add = (value: ObjectNode | TextNode, start: number): void => {
    const parent = open.at(-1)
    if (!parent || !member) return
    const { name, lead, key, end } = member
    parent.node.members.push({ name, lead, key, colon: text.slice(end, start), value })
  }
  const refuse = (): never => {
    throw new TypeError('a translation file holds objects and strings only')
  }

  scanJson(text, {
    open(kind, start) {
      if (kind === 'array') refuse()
      const node: ObjectNode = { kind: 'object', members: [], trail: '', raw: undefined }
      add(node, start)
      open.push({ node, start, last: start + 1 })
    },
    close(_kind, end) {
      const closed = open.pop()
      if (!closed) return
      closed.node.trail = text.slice(closed.last, end - 1)
      closed.node.raw = text.slice(closed.start, end)
      const parent = open.at(-1)
      if (parent) parent.last = end
      else root = { node: closed.node, start: closed.start, end }
    },
    key(start, end) {
      const last = open.at(-1)?.last ?? start
      member = {
        name: decodeJsonString(text, start, end),
        lead: text.slice(last, start),
        key: text.slice(start, end),
        end,
      }
    },
    string(start, end) {
      add({ kind: 'text', raw: text.slice(start, end), text: decodeJsonString(text, start, end) }, start)
      const parent = open.at(-1)
      if (parent) parent.last = end
    },
    other: refuse,
  })
  if (!root) return refuse()
  return { before: text.slice(0, root.start), root: root.node, after: text.slice(root.end) }
}

/** The tree as text; what did not change comes out as it went in. */
export function printFileTree({ before, root, after }: FileTree): string {
  const parts = [before]
  printObject(root, parts)
  parts.push(after)
  return parts.join('')
}

// Recursive: a tree is at most MAX_DEPTH levels deep.
function printObject(node: ObjectNode, parts: string[]): void {
  if (node.raw !== undefined) {
    parts.push(node.raw)
    return
  }
  parts.push('{')
  for (const { lead, key, colon, value } of node.members) {
    parts.push(lead, key, colon)
    if (value.kind === 'text') parts.push(value.raw)
    else printObject(value, parts)
  }
  parts.push(node.trail, '}')
}
