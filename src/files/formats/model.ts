/** Another file as the model of a file's layout: its nesting, its indentation, and the order of its keys. */
import { fileEnding } from '../../shared/file-endings.ts'
import { findWrapper, type WrapperPath } from '../wrapper.ts'
import { createEditTree, type EditBranch, isBranch } from './edit-tree.ts'
import { hasComment, withoutComments } from './gaps.ts'
import { formatOf } from './index.ts'
import { detectLayout, type FileLayout } from './layout.ts'

/** A file of the same namespace, usually in the default language. */
export interface LayoutModel {
  readonly file: string
  readonly text: string
  /** See `TranslationFile`. */
  readonly wrappers?: readonly WrapperPath[] | undefined
}

export interface ModelTree {
  readonly root: EditBranch
  /** The names of the objects that lead to the texts. */
  readonly wrapper: WrapperPath
  readonly layout: FileLayout
  /** The line end of the last line; empty: none. */
  readonly lastEol: string
}

/** `undefined`: the model has an error, or another format than the file. */
export function modelTree(model: LayoutModel | undefined, file: string | undefined): ModelTree | undefined {
  if (!model || fileEnding(model.file) !== fileEnding(file ?? '.json')) return undefined
  const { text } = model
  const parsed = formatOf(model.file).parse(text)
  if (!('root' in parsed) || parsed.root.kind !== 'object') return undefined
  const found = findWrapper(parsed.root, model.wrappers)
  if (found.kind !== 'found') return undefined
  const { root } = createEditTree(text, parsed.root)
  const layout = detectLayout(text)
  return { root, wrapper: found.path, layout, lastEol: /[\r\n]\s*$/.test(text) ? layout.eol : '' }
}

/** The objects around the texts and the one that holds them, from the outside. */
export function branchesTo(root: EditBranch, wrapper: WrapperPath): EditBranch[] {
  const branches = [root]
  for (const name of wrapper) {
    const value = branches.at(-1)?.members.find((member) => member.name === name)?.value
    if (!value || !isBranch(value)) break
    branches.push(value)
  }
  return branches
}

/** Comments are about the model's own texts. */
export function removeComments(branch: EditBranch): void {
  branch.raw = undefined
  branch.trail = withoutComments(branch.trail)
  for (const member of branch.members) {
    if (hasComment(member.lead)) member.lead = withoutComments(member.lead)
    if (hasComment(member.colon)) member.colon = withoutComments(member.colon)
    if (hasComment(member.tail)) member.tail = withoutComments(member.tail)
    if (isBranch(member.value)) removeComments(member.value)
  }
}
