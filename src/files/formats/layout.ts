/** The layout of a file, which a write keeps. */
import type { Values } from '../../catalog/values.ts'
import type { WrapperPath } from '../wrapper.ts'

export interface FileLayout {
  readonly eol: '\n' | '\r\n' | '\r'
  /** The file writes characters outside ASCII as `\uXXXX`. */
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
  /**
   * The shape of a file that does not show one, without a model that does. Default `flat`.
   */
  readonly shape?: 'flat' | 'nested'
  /** See `TranslationFile`. A new file gets the first one. */
  readonly wrappers?: readonly WrapperPath[] | undefined
  /** The arrays and known objects in the files of the namespace: a new key goes into them. */
  readonly branches?: Pick<Values, 'get'> | undefined
  /** Gives a new file its layout, and a new key its place where the file is not sorted. */
  readonly model?: LayoutModel | undefined
  /** The file's name in messages. Its ending selects the format; without a name, the text is JSON. */
  readonly file?: string
}

/** The layout of a text; where the text does not show it, the layout of a new file. */
export function detectLayout(text: string): FileLayout {
  return {
    eol: firstEol(text) ?? '\n',
    asciiOnly: /\\u(?!00[0-7])[0-9a-fA-F]{4}/.test(text) && !/[^\p{ASCII}]/u.test(text.replace('\uFEFF', '')),
  }
}

function firstEol(text: string): FileLayout['eol'] | undefined {
  return /\r\n|\r|\n/.exec(text)?.[0] as FileLayout['eol'] | undefined
}
