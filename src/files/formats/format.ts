/**
 * The interface of a file format, and a file's layout, which writes preserve. The file's extension selects the format.
 */
import type { Values } from '../../catalog/values.ts'
import type { ParsedJson } from '../../shared/json-parser.ts'
import type { WrapperPath } from '../texts-root.ts'
import type { EditBranch } from './edit-tree.ts'
import type { FlatTexts } from './json/native.ts'

export interface FileFormat {
  /** Reads most files, without positions. Returns `undefined` if `parse` must read the file. */
  readQuickly?(bytes: Buffer, keySeparator: string): FlatTexts | undefined
  readonly newBranches: EditBranch['style']
  /** Parses the text up to the first problem. Every format has the same kinds of nodes and positions. */
  parse(text: string): ParsedJson
  createPrinter(layout: FileLayout): TextPrinter
}

/** Prints in the style of the replaced text, or of nearby texts and keys. */
export interface TextPrinter {
  /** @param old the replaced text, as in the file */
  text(text: string, owner: EditBranch, old?: string): string
  key(name: string, owner: EditBranch): string
}

export interface FileLayout {
  readonly eol: '\n' | '\r\n' | '\r'
  /** True if the file writes non-ASCII characters as `\uXXXX`. */
  readonly asciiOnly: boolean
}

/** A file of the same namespace, usually in the default language. */
export interface LayoutModel {
  readonly file: string
  readonly text: string
  /** See `TranslationFile`. */
  readonly wrappers?: readonly WrapperPath[] | undefined
}

export interface UpdateOptions {
  readonly keySeparator: string
  /** The shape of a file if neither the file nor its model shows one. Default `flat`. */
  readonly shape?: 'flat' | 'nested'
  /** See `TranslationFile`. A new file uses the first one. */
  readonly wrappers?: readonly WrapperPath[] | undefined
  /** The arrays and known objects in the namespace's files. New keys are added to them. */
  readonly branches?: Pick<Values, 'get'> | undefined
  /** Determines the layout of a new file, and the place of a new key in an unsorted file. */
  readonly model?: LayoutModel | undefined
  /** The file's name in messages. Its extension selects the format. Default: JSON. */
  readonly file?: string
}

/** Detects the layout of a text. Uses the layout of a new file for everything that the text does not show. */
export function detectLayout(text: string): FileLayout {
  return {
    eol: (/\r\n|\r|\n/.exec(text)?.[0] ?? '\n') as FileLayout['eol'],
    asciiOnly: /\\u(?!00[0-7])[0-9a-fA-F]{4}/.test(text) && !/[^\p{ASCII}]/u.test(text.replace('\uFEFF', '')),
  }
}
