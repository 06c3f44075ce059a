/** What a file format must do. A file's ending selects the format: see `index.ts`. */
import type { ObjectNode, ParsedJson } from '../../shared/json-parser.ts'
import type { EditBranch } from './edit-tree.ts'
import type { FlatTexts, JoinedKeys } from './json/native.ts'
import type { FileLayout } from './layout.ts'

/** Kinds of nodes and their places are the same in every format. */
export type ParsedTree = ParsedJson
export type { ObjectNode }

export interface FileFormat {
  /** Reads most files without positions. `undefined`: `parse` must read the file, and reports what is wrong with it. */
  readQuickly?(bytes: Buffer, keySeparator: string, keys?: JoinedKeys): FlatTexts | undefined
  /** How the branches of a new file are written. */
  readonly newBranches: EditBranch['style']
  /** Parses the text up to the first problem. Offsets are UTF-16 code units of the text. */
  parse(text: string): ParsedTree
  createPrinter(layout: FileLayout): TextPrinter
}

/** Prints in the style of the text that is replaced, or of the texts and keys beside it. */
export interface TextPrinter {
  /** @param old the text that is replaced, as written */
  text(text: string, owner: EditBranch, old?: string): string
  key(name: string, owner: EditBranch): string
}
