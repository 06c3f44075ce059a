/** Uses a file as the model for another file's layout: its nesting, its indentation and the order of its keys. */
import { longestBranches, type Values } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { fileEnding } from '../shared/file-pattern.ts'
import { hasComment, withoutComments } from './formats/comments.ts'
import { createEditTree, type EditBranch, isBranch } from './formats/edit-tree.ts'
import { detectLayout, type FileLayout, type LayoutModel } from './formats/format.ts'
import { formatOf } from './formats/index.ts'
import type { TranslationFile } from './patterns.ts'
import type { FilesSnapshot } from './snapshot.ts'
import { findWrapper, type WrapperPath } from './texts-root.ts'

export interface ModelTree {
  readonly root: EditBranch
  readonly wrapper: WrapperPath
  readonly layout: FileLayout
  /** The line break at the end of the file; empty if there is none. */
  readonly lastEol: string
}

/**
 * The model for a file: the most similar file without errors. The same namespace counts most, then the default
 * language, then the same language.
 */
export function modelFor(
  { files }: FilesSnapshot,
  file: TranslationFile,
  { defaultLanguage }: Pick<ResolvedConfig, 'defaultLanguage'>,
): LayoutModel | undefined {
  const ending = fileEnding(file.path)
  let best: { readonly file: TranslationFile; readonly bytes: Buffer; readonly rank: number } | undefined
  for (const known of files.values()) {
    const other = known.file
    if (other.path === file.path || fileEnding(other.path) !== ending) continue
    const rank =
      (other.namespace === file.namespace ? 8 : 0) +
      (other.language === defaultLanguage ? 4 : 0) +
      (other.language === file.language ? 2 : 0) +
      (other.customer === file.customer ? 1 : 0)
    if (best && best.rank >= rank) continue
    const { bytes, findings } = known.content
    if (findings.length === 0 && bytes && known.messages().size > 0) best = { file: other, bytes, rank }
  }
  if (!best) return undefined
  const { path, wrappers } = best.file
  return { file: path, text: best.bytes.toString('utf8'), wrappers }
}

/** The model's tree; `undefined` if the model has an error or a different format. */
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

/** The objects on the path to the texts, outermost first. The last one contains the texts. */
export function branchesTo(root: EditBranch, wrapper: WrapperPath): EditBranch[] {
  const branches = [root]
  for (const name of wrapper) {
    const value = branches.at(-1)?.members.find((member) => member.name === name)?.value
    if (!value || !isBranch(value)) break
    branches.push(value)
  }
  return branches
}

/** Removes the model's comments from a copy, because they describe the model's texts. */
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

/** The arrays and known objects in the namespace's files, by key. */
export function branchesOf(seen: FilesSnapshot, namespace: string): Pick<Values, 'get'> {
  const files = [...seen.files.values()].filter(({ file }) => file.namespace === namespace)
  return longestBranches(files.map(({ values }) => values))
}
