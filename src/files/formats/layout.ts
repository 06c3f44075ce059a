/** The layout of a file, which writes preserve. */
import type { Values } from '../../catalog/values.ts'
import type { WrapperPath } from '../texts-root.ts'

export interface FileLayout {
  readonly eol: '\n' | '\r\n' | '\r'
  /** True if the file escapes non-ASCII characters as `\uXXXX`. */
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
  /** A file's shape if neither the file nor its model shows one. Default `flat`. */
  readonly shape?: 'flat' | 'nested'
  /** See `TranslationFile`. A new file uses the first one. */
  readonly wrappers?: readonly WrapperPath[] | undefined
  /** The arrays and known objects in the namespace's files, to which new keys are added. */
  readonly branches?: Pick<Values, 'get'> | undefined
  /** Determines a new file's layout, and where a new key goes in a file that is not sorted. */
  readonly model?: LayoutModel | undefined
  /** For messages. Its extension determines the format; without a name, the text is JSON. */
  readonly file?: string
}

/** Detects a text's layout. What the text does not show comes from the layout of new files. */
export function detectLayout(text: string): FileLayout {
  return {
    eol: firstEol(text) ?? '\n',
    asciiOnly: /\\u(?!00[0-7])[0-9a-fA-F]{4}/.test(text) && !/[^\p{ASCII}]/u.test(text.replace('\uFEFF', '')),
  }
}

function firstEol(text: string): FileLayout['eol'] | undefined {
  return /\r\n|\r|\n/.exec(text)?.[0] as FileLayout['eol'] | undefined
}
