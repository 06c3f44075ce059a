/** Selects the file whose layout a new file takes over. */
import type { ResolvedConfig } from '../config/types.ts'
import { fileEnding } from '../shared/file-endings.ts'
import type { LayoutModel } from './formats/model.ts'
import type { TranslationFile } from './patterns.ts'
import type { FilesState, KnownFile } from './snapshot.ts'

/**
 * The file of the same namespace, else a file of another namespace, whose nesting and indentation are the same. The
 * default language comes first.
 */
export function modelFor(
  { files }: FilesState,
  file: TranslationFile,
  { defaultLanguage }: Pick<ResolvedConfig, 'defaultLanguage'>,
): LayoutModel | undefined {
  const ending = fileEnding(file.path)
  let best: { readonly known: KnownFile; readonly rank: number } | undefined
  for (const known of files.values()) {
    const other = known.file
    if (other.path === file.path || fileEnding(other.path) !== ending) continue
    const rank =
      (other.namespace === file.namespace ? 8 : 0) +
      (other.language === defaultLanguage ? 4 : 0) +
      (other.language === file.language ? 2 : 0) +
      (other.customer === file.customer ? 1 : 0)
    if (best && best.rank >= rank) continue
    if (known.findings.length === 0 && known.bytes && (known.texts?.messages().size ?? 0) > 0) best = { known, rank }
  }
  if (!best) return undefined
  const {
    file: { path, wrappers },
    bytes = Buffer.alloc(0),
  } = best.known
  return { file: path, text: bytes.toString('utf8'), wrappers }
}
