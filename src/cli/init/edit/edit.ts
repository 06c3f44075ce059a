/** Edits of configuration files: text in, text out. Each leaves a file that it does not understand as it is. */
import { CannotEdit } from './source.ts'

/** The text without the change's effect: unchanged where it has the change already. */
export type Edited =
  | { readonly text: string; readonly reason?: undefined }
  | { readonly text?: undefined; readonly reason: string; readonly line: number | undefined }

const MARK = '\ufeff'

/** Runs an edit without the byte order mark, which stays. */
export function edit(given: string, change: (text: string) => string): Edited {
  const mark = given.startsWith(MARK) ? MARK : ''
  const text = given.slice(mark.length)
  try {
    return { text: mark + change(text) }
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error
    const line = error.at === undefined ? undefined : text.slice(0, error.at).split('\n').length
    return { reason: error.message, line }
  }
}
