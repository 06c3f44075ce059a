/** The interface of a file format. A file's extension determines the format: see `index.ts`. */
import type { ObjectNode, ParsedJson } from '../../shared/json-parser.ts'
import type { EditBranch } from './edit-tree.ts'
import type { FlatTexts, JoinedKeys } from './json/native.ts'
import type { FileLayout } from './layout.ts'

/** A parsed file. The kinds of nodes and their positions are the same in every format. */
export type ParsedTree = ParsedJson
export type { ObjectNode }

export interface FileFormat {
  /** Reads most files without positions. `undefined` if `parse` must read the file and report its problems. */
  readQuickly?(bytes: Buffer, keySeparator: string, keys?: JoinedKeys): FlatTexts | undefined
  /** The style of the branches in a new file. */
  readonly newBranches: EditBranch['style']
  /** Parses the text up to the first problem. Offsets are UTF-16 code units of the text. */
  parse(text: string): ParsedTree
  createPrinter(layout: FileLayout): TextPrinter
}

/** Prints in the style of the replaced text, or of texts and keys nearby. */
export interface TextPrinter {
  /** @param old the replaced text in the file */
  text(text: string, owner: EditBranch, old?: string): string
  key(name: string, owner: EditBranch): string
}
