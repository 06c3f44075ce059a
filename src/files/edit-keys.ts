/** Adds keys to a translation file in the layout of its other keys. */
import { LocalizationError } from '../errors.ts'
import { MAX_DEPTH } from '../shared/flatten.ts'
import { type EditMember, type EditObject, indentStep, removeMembers } from './formats/edit-tree.ts'
import type { FileFormat, TextPrinter } from './formats/format.ts'
import { commaIn, commentsOf, endsInLineComment, spaceOf } from './formats/gaps.ts'
import type { FileLayout, UpdateOptions } from './formats/layout.ts'
import { insertionIndex, type NameOrder, nameOrderOf } from './key-order.ts'

export interface KeyAdditions {
  readonly texts: Iterable<readonly [key: string, text: string]>
  readonly layout: FileLayout
  readonly printer: TextPrinter
  readonly newObjects: FileFormat['newObjects']
}

export function addKeys(root: EditObject, additions: KeyAdditions, options: UpdateOptions): void {
  if (root.members.length === 0 && root.trail.trim() === '') root.style = additions.newObjects
  const adder = new KeyAdder(root, additions, options)
  for (const [key, text] of additions.texts) adder.add(key, text)
}

class KeyAdder {
  readonly #root: EditObject
  readonly #eol: string
  readonly #indent: string
  readonly #printer: TextPrinter
  readonly #options: UpdateOptions
  readonly #isNested: boolean
  readonly #isMultiline: boolean
  readonly #colon: string
  readonly #order: NameOrder | undefined
  /** By object: its members by name. */
  readonly #indexes = new Map<EditObject, Map<string, EditMember>>()

  constructor(root: EditObject, { layout, printer }: KeyAdditions, options: UpdateOptions) {
    const step = indentStep(root)
    this.#root = root
    this.#eol = layout.eol
    this.#indent = step ?? (root.style === 'block' || root.members.length === 0 ? '  ' : '')
    this.#printer = printer
    this.#options = options
    this.#isNested = isNested(root, options.keySeparator) ?? options.shape === 'nested'
    const isBraces = root.style === 'braces'
    this.#isMultiline = isBraces && (step !== undefined || root.members.length === 0 || root.members.some(isOnOwnLine))
    const colon = root.members[0]?.colon
    this.#colon = isBraces && colon !== undefined && /^[ \t]*:[ \t]*$/.test(colon) ? colon : ': '
    this.#order = nameOrderOf(root)
  }

  add(key: string, text: string): void {
    const { keySeparator } = this.#options
    let node = this.#root
    let depth = 0
    let segments = keySeparator === '' ? [key] : key.split(keySeparator)
    node.raw = undefined
    for (let branch = this.#branchOf(node, segments); branch; branch = this.#branchOf(node, segments)) {
      node = branch.node
      node.raw = undefined
      segments = segments.slice(branch.taken)
      depth++
    }
    const isSplit = this.#isNested && !segments.includes('') && segments.length + depth <= MAX_DEPTH
    if (!isSplit) segments = [segments.join(keySeparator)]
    while (segments.length > 1 && !this.#membersOf(node).has(segments[0] as string)) {
      const { style } = node
      const indent = style === 'block' ? node.indent + this.#indent : ''
      const child: EditObject = { kind: 'object', style, indent, members: [], trail: '', raw: undefined }
      this.#append(node, depth, segments[0] as string, child)
      node = child
      segments = segments.slice(1)
      depth++
    }
    const name = segments.join(keySeparator)
    const occupied = this.#membersOf(node).get(name)
    if (occupied) this.#liftBranch(node, occupied, depth)
    this.#append(node, depth, name, { kind: 'text', raw: this.#printer.text(text, node) })
  }

  /** The branch that covers most of the path. Names may hold the separator. */
  #branchOf(node: EditObject, segments: readonly string[]): { node: EditObject; taken: number } | undefined {
    const members = this.#membersOf(node)
    for (let taken = segments.length - 1; taken > 0; taken--) {
      const value = members.get(segments.slice(0, taken).join(this.#options.keySeparator))?.value
      if (value?.kind === 'object') return { node: value, taken }
    }
    return undefined
  }

  /**
   * Makes room for a text where a branch has its name: `{"a": {"b": "x"}}` becomes `{"a.b": "x"}`, which frees `"a"`.
   */
  #liftBranch(node: EditObject, member: EditMember, depth: number): void {
    const { keySeparator, file } = this.#options
    const { name, value: branch } = member
    const members = this.#membersOf(node)
    if (
      branch.kind !== 'object' ||
      keySeparator === '' ||
      branch.members.some((child) => members.has(name + keySeparator + child.name))
    ) {
      throw new LocalizationError(`the key ${JSON.stringify(name)} cannot be a text and a branch at once`, {
        code: 'FILE_KEY_COLLISION',
        ...(file !== undefined && { place: { file } }),
        hint: 'Write this file with flat keys.',
      })
    }
    members.delete(name)
    removeMembers(node, new Set([member]))
    for (const child of branch.members)
      this.#append(node, depth, name + keySeparator + child.name, child.value, child.colon)
  }

  #append(node: EditObject, depth: number, name: string, value: EditMember['value'], colon?: string): void {
    const isBlock = node.style === 'block'
    const lead = isBlock ? this.#blockLead(node) : this.#lead(node, depth)
    const index = this.#order ? insertionIndex(node.members, name, this.#order) : node.members.length
    const [first, last] = [node.members[0], node.members.at(-1)]
    let tail = ''
    if (last && !isBlock) {
      if (index < node.members.length || commaIn(last.tail) !== undefined) tail = ','
      else last.tail = `,${last.tail}`
    }
    const isChildBlock = value.kind === 'object' && value.style === 'block'
    const member: EditMember = {
      name,
      lead,
      key: this.#printer.key(name, node),
      colon: (isBlock ? colon : undefined) ?? (isChildBlock ? ':' : this.#colon),
      value,
      tail,
    }
    this.#membersOf(node).set(name, member)
    // Only the first member has no comma before it.
    if (index === 0 && first) [first.lead, member.lead] = [lead, first.lead]
    node.members.splice(index, 0, member)
    node.raw = undefined
  }

  #blockLead(node: EditObject): string {
    return node.members.length === 0 && node === this.#root ? '' : this.#eol + node.indent
  }

  #lead(node: EditObject, depth: number): string {
    const indentation = (level: number) => (this.#isMultiline ? this.#eol + this.#indent.repeat(level) : '')
    const last = node.members.at(-1)
    if (!last) {
      const lead = commentsOf(node.trail) + indentation(depth + 1)
      node.trail = indentation(depth)
      return lead
    }
    const space = spaceOf((node.members.at(-2)?.tail ?? '') + last.lead, this.#eol)
    return endsInLineComment(last.tail) && !/[\r\n]/.test(space) ? this.#eol + this.#indent.repeat(depth + 1) : space
  }

  #membersOf(node: EditObject): Map<string, EditMember> {
    let index = this.#indexes.get(node)
    if (!index) {
      index = new Map(node.members.map((member) => [member.name, member]))
      this.#indexes.set(node, index)
    }
    return index
  }
}

const isOnOwnLine = ({ lead }: EditMember) => /[\r\n]/.test(lead)

/** True: the file nests keys; false: its keys hold the separator; `undefined`: neither. */
function isNested(root: EditObject, separator: string): boolean | undefined {
  if (root.members.some(({ value }) => value.kind === 'object')) return true
  return separator !== '' && root.members.some(({ name }) => name.includes(separator)) ? false : undefined
}
