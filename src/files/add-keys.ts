/** Adds keys to a translation file, in the style of its other keys. */
import { indexOf, type Value } from '../catalog/values.ts'
import { LocalizationError } from '../errors.ts'
import { MAX_DEPTH } from '../shared/flatten.ts'
import { PATH_JOINT } from '../shared/key-path.ts'
import { commaIn, commentsOf, endsInLineComment, spaceOf } from './formats/comments.ts'
import { type EditBranch, type EditMember, indentStep, isBranch, removeMembers } from './formats/edit-tree.ts'
import type { FileFormat, FileLayout, TextPrinter, UpdateOptions } from './formats/format.ts'
import { indexBeside, insertionIndex, type NameOrder, nameOrderOf } from './key-order.ts'
import { branchesTo, type ModelTree } from './model-file.ts'
import type { WrapperPath } from './texts-root.ts'

export interface KeyAdditions {
  /** The names of the objects around the texts. Missing objects are created. */
  readonly wrapper: WrapperPath
  readonly texts: Iterable<readonly [key: string, text: string]>
  readonly layout: FileLayout
  readonly printer: TextPrinter
  readonly newBranches: FileFormat['newBranches']
  readonly model: ModelTree | undefined
}

/** Throws FILE_KEY_COLLISION if a key has no place in the file. */
export function addKeys(root: EditBranch, additions: KeyAdditions, options: UpdateOptions): void {
  if (root.members.length === 0 && root.trail.trim() === '') root.style = additions.newBranches
  const adder = new KeyAdder(root, additions, options)
  let waiting = [...additions.texts]
  // Several passes may be needed, because an array's second element may be given before its first.
  for (let count = -1; waiting.length > 0 && waiting.length !== count; ) {
    count = waiting.length
    waiting = waiting.filter(([key, text]) => !adder.add(key, text))
  }
  const [beyond] = waiting
  if (beyond) throw noPlace(beyond[0], 'the array has fewer elements', options)
}

const EMPTY = { kind: 'text', raw: '""' } as const

class KeyAdder {
  readonly #root: EditBranch
  /** The object that contains the texts, and its depth. */
  readonly #start: { readonly node: EditBranch; readonly depth: number }
  readonly #eol: string
  readonly #indent: string
  readonly #printer: TextPrinter
  readonly #options: UpdateOptions
  readonly #isNested: boolean
  readonly #isMultiline: boolean
  readonly #colon: string
  readonly #order: NameOrder | undefined
  /** Maps each object to the same object in the model. */
  readonly #models = new Map<EditBranch, EditBranch>()
  readonly #indexes = new Map<EditBranch, Map<string, EditMember>>()
  /** Blocks that begin on a line with other content. */
  readonly #inline = new Set<EditBranch>()

  constructor(root: EditBranch, { wrapper, layout, printer, model }: KeyAdditions, options: UpdateOptions) {
    const step = indentStep(root) ?? (root.members.length === 0 && model ? indentStep(model.root) : undefined)
    this.#root = root
    this.#eol = layout.eol
    this.#indent = step ?? (root.style === 'block' || root.members.length === 0 ? '  ' : '')
    this.#printer = printer
    this.#options = options
    const isFlow = root.style === 'flow'
    this.#isMultiline = isFlow && (step !== undefined || root.members.length === 0 || root.members.some(isOnOwnLine))
    const colon = root.members[0]?.colon
    this.#colon = isFlow && colon !== undefined && /^[ \t]*:[ \t]*$/.test(colon) ? colon : ': '
    this.#inline.add(root)
    this.#start = this.#enter(wrapper)
    const like = model && branchesTo(model.root, model.wrapper).at(-1)
    if (like) this.#models.set(this.#start.node, like)
    this.#isNested =
      isNested(this.#start.node, options.keySeparator) ??
      (like && isNested(like, options.keySeparator)) ??
      options.shape === 'nested'
    this.#order = nameOrderOf(this.#start.node)
  }

  /** Returns false if the key's array is too short for its index. */
  add(key: string, text: string): boolean {
    const { keySeparator } = this.#options
    let { node, depth } = this.#start
    let path = ''
    let segments = key.split(keySeparator)
    node.raw = undefined
    for (let branch = this.#branchOf(node, segments); branch; branch = this.#branchOf(node, segments)) {
      this.#enterModel(node, branch.node, segments.slice(0, branch.taken).join(keySeparator))
      node = branch.node
      node.raw = undefined
      path += segments.slice(0, branch.taken).join(keySeparator) + keySeparator
      segments = segments.slice(branch.taken)
      depth++
    }
    if (this.#isBeyond(node.kind === 'array' ? node.members.length : undefined, path, segments)) return false
    for (let taken = -1; taken !== 0; ) {
      if (node.kind === 'array') this.#makeRoom(node, depth, segments[0] as string, key)
      taken = this.#newBranch(node, depth, path, segments)
      if (taken === 0) break
      const name = segments.slice(0, taken).join(keySeparator)
      const kind = this.#options.branches?.get(path + name)?.kind === 'array' ? 'array' : 'object'
      const child = this.#createBranch(kind, node)
      const empty = this.#membersOf(node).get(name)
      if (empty) empty.value = child
      else this.#append(node, depth, name, child)
      this.#enterModel(node, child, name)
      node = child
      path += name + keySeparator
      segments = segments.slice(taken)
      depth++
    }
    if (segments.length > 1 && keySeparator === PATH_JOINT) throw this.#noBranch(path + segments[0])
    const name = segments.join(keySeparator)
    const value = { kind: 'text', raw: this.#printer.text(text, node) } as const
    const occupied = this.#membersOf(node).get(name)
    if (occupied && node.kind === 'array' && occupied.value.kind === 'text') {
      occupied.value = value
      return true
    }
    if (occupied) this.#liftBranch(node, occupied, depth)
    this.#append(node, depth, name, value)
    return true
  }

  #enter(wrapper: WrapperPath): { readonly node: EditBranch; readonly depth: number } {
    let node = this.#root
    for (const [depth, name] of wrapper.entries()) {
      node.raw = undefined
      const member = this.#membersOf(node).get(name)
      if (member && isBranch(member.value) && !isEmptyInBlock(member, node)) node = member.value
      else {
        const child = this.#createBranch('object', node)
        if (member)
          [member.value, member.colon] = [child, node.style === 'block' ? member.colon.trimEnd() : member.colon]
        else this.#append(node, depth, name, child)
        node = child
      }
    }
    return { node, depth: wrapper.length }
  }

  #enterModel(node: EditBranch, child: EditBranch, name: string): void {
    const like = this.#models.get(node)
    const value = like && !this.#models.has(child) ? this.#membersOf(like).get(name)?.value : undefined
    if (value && isBranch(value)) this.#models.set(child, value)
  }

  /**
   * The index for a new member: its place in the sort order or, in an unsorted file, after the member that precedes it
   * in the model.
   */
  #placeOf(node: EditBranch, name: string): number {
    const { members, kind } = node
    if (kind === 'array') return members.length
    if (this.#order) return insertionIndex(members, name, this.#order)
    const like = this.#models.get(node)
    return like ? indexBeside(members, this.#membersOf(node), name, like.members) : members.length
  }

  /** The number of segments that form the name of a new branch; 0 if all segments together are the name of the text. */
  #newBranch(node: EditBranch, depth: number, path: string, segments: readonly string[]): number {
    if (segments.length < 2) return 0
    const members = this.#membersOf(node)
    if (node.kind === 'array') {
      const known = members.get(segments[0] as string)?.value
      // An empty text may come from `#makeRoom`, which adds it for a missing element.
      if (known && !(known.kind === 'text' && known.raw === EMPTY.raw))
        throw noPlace(path + segments[0], 'a different value is already there', this.#options)
      return 1
    }
    const isJoint = this.#options.keySeparator === PATH_JOINT
    const isSplit = isJoint || (this.#isNested && !segments.includes(''))
    if (isSplit && segments.length + depth <= MAX_DEPTH && !members.has(segments[0] as string)) return 1
    const known = this.#knownIn(path, segments)
    return known && !members.has(known.name) ? known.taken : 0
  }

  /** The first branch on the path that another file also has. */
  #knownIn(path: string, segments: readonly string[], isWanted: (value: Value) => boolean = () => true) {
    const { branches, keySeparator } = this.#options
    for (let taken = 1; branches && taken < segments.length; taken++) {
      const name = segments.slice(0, taken).join(keySeparator)
      const value = branches.get(path + name)
      if (value && isWanted(value)) return { name, taken, value }
    }
    return undefined
  }

  /** True if the element would leave a gap in its array, and no file's array is that long. */
  #isBeyond(size: number | undefined, path: string, segments: readonly string[]): boolean {
    const { branches, keySeparator } = this.#options
    if (size !== undefined) {
      const index = indexOf(segments[0] as string) ?? 0
      return index > size && index >= lengthOf(branches?.get(path.slice(0, -keySeparator.length)))
    }
    const array = this.#knownIn(path, segments, ({ kind }) => kind === 'array')
    return array !== undefined && (indexOf(segments[array.taken] as string) ?? 0) >= Math.max(lengthOf(array.value), 1)
  }

  #makeRoom(node: EditBranch, depth: number, segment: string, key: string): void {
    const index = indexOf(segment)
    if (index === undefined) throw noPlace(key, 'an array has the same name', this.#options)
    while (node.members.length < index) this.#append(node, depth, String(node.members.length), EMPTY)
  }

  /** The existing branch with the longest matching name. Names may contain the separator. */
  #branchOf(node: EditBranch, segments: readonly string[]): { node: EditBranch; taken: number } | undefined {
    const members = this.#membersOf(node)
    for (let taken = segments.length - 1; taken > 0; taken--) {
      const value = members.get(segments.slice(0, taken).join(this.#options.keySeparator))?.value
      if (value && isBranch(value)) return { node: value, taken }
    }
    return undefined
  }

  /** Frees a branch's name, so a text can have it: `{"a": {"b": "x"}}` becomes `{"a.b": "x"}`, which frees `"a"`. */
  #liftBranch(node: EditBranch, member: EditMember, depth: number): void {
    const { keySeparator } = this.#options
    const { name, value: branch } = member
    const members = this.#membersOf(node)
    if (
      branch.kind !== 'object' ||
      keySeparator === PATH_JOINT ||
      branch.members.some((child) => members.has(name + keySeparator + child.name))
    ) {
      throw this.#noBranch(name)
    }
    members.delete(name)
    removeMembers(node, new Set([member]))
    for (const child of branch.members)
      this.#append(node, depth, name + keySeparator + child.name, child.value, child.colon)
  }

  #noBranch(name: string): LocalizationError {
    const { keySeparator, file } = this.#options
    return new LocalizationError(`the key ${JSON.stringify(name)} cannot be both a text and a branch`, {
      code: 'FILE_KEY_COLLISION',
      ...(file !== undefined && { place: { file } }),
      hint: keySeparator === PATH_JOINT ? 'Rename one of them on the service.' : 'Write this file with flat keys.',
    })
  }

  #createBranch(kind: EditBranch['kind'], parent: EditBranch): EditBranch {
    const { style } = parent
    const isInline = style === 'block' && parent.kind === 'array'
    const step = isInline ? ' '.repeat(dashOf(parent).length) : this.#indent
    const indent = style === 'block' ? parent.indent + step : ''
    const child: EditBranch = { kind, style, indent, members: [], trail: '', raw: undefined }
    if (isInline) this.#inline.add(child)
    return child
  }

  /** @param colon the colon of the value's old key */
  #append(node: EditBranch, depth: number, name: string, value: EditMember['value'], colon?: string): void {
    const isBlock = node.style === 'block'
    const lead = isBlock ? this.#blockLead(node) : this.#flowLead(node, depth)
    const index = this.#placeOf(node, name)
    const [first, last] = [node.members[0], node.members.at(-1)]
    let tail = ''
    if (last && !isBlock) {
      if (index < node.members.length || commaIn(last.tail) !== undefined) tail = ','
      else last.tail = `,${last.tail}`
    }
    const isChildBlock = isBranch(value) && value.style === 'block'
    const written =
      node.kind === 'array'
        ? { key: '', colon: '' }
        : {
            key: this.#printer.key(name, node),
            colon: (isBlock ? colon : undefined) ?? (isChildBlock ? ':' : this.#colon),
          }
    const member = { name, lead, ...written, value, tail }
    this.#membersOf(node).set(name, member)
    // The first member has no comma before it, so its lead goes to the new first member.
    if (index === 0 && first) [first.lead, member.lead] = [lead, first.lead]
    node.members.splice(index, 0, member)
    node.raw = undefined
  }

  #blockLead(node: EditBranch): string {
    const isFirstInline = node.members.length === 0 && this.#inline.has(node)
    return (isFirstInline ? '' : this.#eol + node.indent) + (node.kind === 'array' ? dashOf(node) : '')
  }

  #flowLead(node: EditBranch, depth: number): string {
    const last = node.members.at(-1)
    if (!last) {
      const comments = commentsOf(node.trail)
      // In a YAML block, the lines after a comment must be indented.
      const isSplit = this.#isMultiline || endsInLineComment(comments)
      const indentation = (level: number) => (isSplit ? this.#eol + this.#indent.repeat(level) : '')
      node.trail = indentation(depth)
      return comments + indentation(depth + 1)
    }
    const isSpaced = node.kind === 'array' && (this.#isMultiline || this.#root.style === 'block')
    // A one-line array with only one element does not show the space between elements.
    const space = spaceOf((node.members.at(-2)?.tail ?? '') + last.lead, this.#eol) || (isSpaced ? ' ' : '')
    return endsInLineComment(last.tail) && !/[\r\n]/.test(space) ? this.#eol + this.#indent.repeat(depth + 1) : space
  }

  #membersOf(node: EditBranch): Map<string, EditMember> {
    let index = this.#indexes.get(node)
    if (!index) {
      index = new Map(node.members.map((member) => [member.name, member]))
      this.#indexes.set(node, index)
    }
    return index
  }
}

function noPlace(key: string, why: string, { file }: UpdateOptions): LocalizationError {
  return new LocalizationError(`the key ${JSON.stringify(key)} cannot be written into the file: ${why}`, {
    code: 'FILE_KEY_COLLISION',
    ...(file !== undefined && { place: { file } }),
    hint: 'Change the file, or rename the key on the service.',
  })
}

/** True for `name: {}` in a YAML block, where texts inside the braces would share one line. */
function isEmptyInBlock({ value, tail }: EditMember, { style }: EditBranch): boolean {
  return style === 'block' && tail === '' && isBranch(value) && value.members.length === 0 && value.trail.trim() === ''
}

const dashOf = ({ members }: EditBranch) => /- +$/.exec(members.at(-1)?.lead ?? '')?.[0] ?? '- '

const lengthOf = (value: Value | undefined) => (value?.kind === 'array' ? value.length : 0)

const isOnOwnLine = ({ lead }: EditMember) => /[\r\n]/.test(lead)

/** True if the file nests keys, false if its keys contain the separator, `undefined` if it shows neither. */
function isNested(root: EditBranch, separator: string): boolean | undefined {
  if (root.members.some(({ value }) => value.kind === 'object')) return true
  return root.members.some(({ name }) => name.includes(separator)) ? false : undefined
}
