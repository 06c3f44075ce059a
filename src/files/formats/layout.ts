/** The layout of a file, which writes preserve. */
import type { Values } from '../../catalog/values.ts'
import type { WrapperPath } from '../texts-root.ts'

export interface FileLayout {
  readonly eol: '\n' | '\r\n' | '\r'
  /** True if the file writes characters outside ASCII as `\uXXXX`. */
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
  /** The shape of a file if neither the file nor its model shows its shape. Default `flat`. */
  readonly shape?: 'flat' | 'nested'
  /** See `TranslationFile`. A new file uses the first one. */
  readonly wrappers?: readonly WrapperPath[] | undefined
  /** The arrays and known objects in the files of the namespace. New keys are added to them. */
  readonly branches?: Pick<Values, 'get'> | undefined
  /** The model, which determines the layout of a new file, and the place of a new key in a file that is not sorted. */
  readonly model?: LayoutModel | undefined
  /** The file's name in messages. Its ending selects the format; without a name, the text is JSON. */
  readonly file?: string
}

/** The layout of a text. What the text does not show is taken from the layout of a new file. */
export function detectLayout(text: string): FileLayout {
  return {
    eol: firstEol(text) ?? '\n',
    asciiOnly: /\\u(?!00[0-7])[0-9a-fA-F]{4}/.test(text) && !/[^\p{ASCII}]/u.test(text.replace('\uFEFF', '')),
  }
}

function firstEol(text: string): FileLayout['eol'] | undefined {
  return /\r\n|\r|\n/.exec(text)?.[0] as FileLayout['eol'] | undefined
}
