/** Writes texts of the service into files, and names what was left out. */
import type { TextRef } from '../catalog/text-id.ts'
import { applyEdits, type EditOptions, type TextEdit } from '../files/edit.ts'
import type { FileIndex, WriteOutcome } from '../files/file-index.ts'
import { displayPath } from '../files/patterns.ts'

export interface FileWriteResult {
  readonly written: readonly TextEdit[]
  /** Relative to the root. */
  readonly files: readonly string[]
  readonly skipped: readonly { readonly edit: TextEdit; readonly file: string; readonly reason: string }[]
}

const WHY: Readonly<Record<Exclude<WriteOutcome, 'written'>, string>> = {
  changed: 'was changed meanwhile',
  broken: 'cannot be read',
  unmatched: 'has no place in the option files',
  unnameable: 'would have a longer name than a file may have',
}

/** To be called while nobody else scans or writes. Errors: see `applyEdits`. */
export async function writeFiles(
  edits: readonly TextEdit[],
  root: string,
  files: FileIndex,
  options: EditOptions,
): Promise<FileWriteResult> {
  const nameOf = ({ language, namespace, customer }: TextRef) => {
    const path = files.pathOf({ language, namespace, customer })
    return path === undefined ? `${language}/${namespace}` : displayPath(root, path)
  }
  const { outcomes, files: paths } = await applyEdits(files, edits, options)
  const skipped = edits.flatMap((edit, i) => {
    const outcome = outcomes[i]
    if (!outcome || outcome === 'written') return []
    const file = nameOf(edit.ref)
    return [{ edit, file, reason: `${file} ${WHY[outcome]}` }]
  })
  const written = edits.filter((_, i) => outcomes[i] === 'written')
  return { written, files: paths.map((path) => displayPath(root, path)), skipped }
}
