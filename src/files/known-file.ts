/** What is known of one translation file. */
import type { Diagnostic } from '../errors.ts'
import type { FileTexts } from './file-texts.ts'
import type { TranslationFile } from './patterns.ts'

export interface KnownFile {
  readonly file: TranslationFile
  /** From the last read. `undefined`: the file is unreadable. */
  readonly bytes: Buffer | undefined
  /** From the last content without errors. `undefined`: there was none. */
  readonly texts: FileTexts | undefined
  readonly findings: readonly Diagnostic[]
  /** The file has been broken since the first scan, so its texts are unknown. */
  readonly isUnknown: boolean
}
