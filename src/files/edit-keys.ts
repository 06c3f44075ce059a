/** Adds keys to a translation file in the layout of its other keys. */
import { LocalizationError } from '../../../errors.ts'
import { MAX_DEPTH } from '../../../shared/flatten.ts'
import { type EditMember, type EditObject, removeMembers } from './edit-tree.ts'
import { type FileLayout, quote, type UpdateOptions } from './layout.ts'

export function addKeys(
  root: EditObject,
  additions: Iterable<readonly [key: string, text: string]>,
  layout: FileLayout,
  options: UpdateOptions,
): void {
  const adder = new KeyAdder(root, layout, options)
  for (const [key, text] of additions) adder.add(key, text)
}

class KeyAdder {
  readonly #root: EditObject
  readonly #layout: FileLayout
  readonly #options: UpdateOptions
  readonly #isNested: boolean
  readonly #isMultiline: boolean
  readonly #colon: string
  /** By object: its members by name. */
  readonly #indexes = new Map<EditObject, Map<string, EditMember>>()

  constructor(root: EditObject, layout: FileLayout, options: UpdateOptions) {
    this.#root = root
    this.#layout = layout
    this.#options = options
    this.#isNested = isNested(root, options.keySeparator) ?? options.shape === 'nested'
    this.#isMultiline =
      layout.indent !== '' || root.members.length === 0 || root.members.some(({ lead }) => /[\r\n]/.test(lead))
    this.#colon = root.members[0]?.colon ?? ': '
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
      const child: EditObject = { kind: 'object', members: [], trail: '', raw: undefined }
      this.#append(node, depth, segments[0] as string, child)
      node = child
      segments = segments.slice(1)
      depth++
    }
    const name = segments.join(keySeparator)
    const occupied = this.#membersOf(node).get(name)
    if (occupied) this.#liftBranch(node, occupied, depth)
    this.#append(node, depth, name, { kind: 'text', raw: quote(text, this.#layout) })
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
    for (const child of branch.members) this.#append(node, depth, name + keySeparator + child.name, child.value)
  }

  #append(node: EditObject, depth: number, name: string, value: EditMember['value']): void {
    const { eol, indent } = this.#layout
    const indentation = (level: number) => (this.#isMultiline ? eol + indent.repeat(level) : '')
    const last = node.members.at(-1)
    const lead = last ? `,${spaceOf(last.lead, eol)}` : indentation(depth + 1)
    if (!last) node.trail = indentation(depth)
    const member = { name, lead, key: quote(name, this.#layout), colon: this.#colon, value }
    this.#membersOf(node).set(name, member)
    node.members.push(member)
    node.raw = undefined
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

/** The white space of a lead, without blank lines. */
function spaceOf(lead: string, eol: string): string {
  const space = lead.replace(',', '')
  const lineStart = Math.max(space.lastIndexOf('\n'), space.lastIndexOf('\r')) + 1
  return lineStart === 0 ? space : eol + space.slice(lineStart)
}

/** True: the file nests keys; false: its keys hold the separator; `undefined`: neither. */
function isNested(root: EditObject, separator: string): boolean | undefined {
  if (root.members.some(({ value }) => value.kind === 'object')) return true
  return separator !== '' && root.members.some(({ name }) => name.includes(separator)) ? false : undefined
}
