/** What a file format must do. A file's ending selects the format: see `index.ts`. */
import type { ObjectNode, ParsedJson } from '../../shared/json-parser.ts'
import type { EditBranch } from './edit-tree.ts'
import type { FileLayout } from './layout.ts'

/** Kinds of nodes and their places are the same in every format. */
export type ParsedTree = ParsedJson
export type { ObjectNode }

/** @returns `undefined`: the format's `parse` must read the file, and report what is wrong with it */
export type PlainJson = (file: Buffer) => Buffer | undefined

export interface FileFormat {
  /** The quick reader of `plain.ts` reads most files. */
  readonly isPlain: boolean
  /** Loads what makes JSON for the quick reader of most other files. */
  loadPlainJson?(): Promise<PlainJson>
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
