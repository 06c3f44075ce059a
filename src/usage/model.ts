/** The result of analyzing a module. It is plain data, because bundlers store it in caches and module metadata. */

/** The namespaces that a call searches. `default` means the library's default namespace. */
export type UseNamespaces = readonly string[] | 'default' | 'any'

/** Line and column are 1-based. */
export interface UsePlace {
  readonly line: number
  readonly column: number
}

export interface SourcePlace extends UsePlace {
  readonly file: string
}

interface Use {
  readonly namespaces: UseNamespaces
  /** True if the call searches exactly these namespaces, and no fallback namespace. */
  readonly isExact?: boolean | undefined
  /** True if the use is only one of several interpretations of a call. The key or the namespace then need not exist. */
  readonly isGuess?: boolean | undefined
  readonly place: UsePlace
}

/** A string in the code, or the fixed parts of a composed string, in which `*` matches any characters. */
export interface LiteralText extends UsePlace {
  readonly text: string
  readonly isPattern: boolean
}

/** A key that the module uses. Its forms (`key_one`) and all keys below it (`key.a`) count as used too. */
export interface KeyUse extends Use {
  /**
   * The key as the code spells it, including a namespace prefix (`shop:title`). In a pattern, `*` matches any
   * characters.
   */
  readonly key: string
  readonly isPattern: boolean
  /** True if the namespace was read from the first property of a selector. */
  readonly isSelector?: boolean | undefined
  /** True if only the key itself is used, not its forms or the keys below it. */
  readonly isOnly?: boolean | undefined
  /**
   * True if the key need not exist, because the code may never run, only checks whether the key exists, or may not use
   * it as a key at all.
   */
  readonly isTentative?: boolean | undefined
  /** True if the use reads texts as data. The name of a namespace then refers to all its texts, as in `tm('shop')`. */
  readonly mayBeNamespace?: boolean | undefined
  /** True if the translation function is recognized only by its name. */
  readonly isByName?: boolean | undefined
  /** True if `<Trans>` derives the key from its children. */
  readonly isOfChildren?: boolean | undefined
  /** Set for uses that show the text, if `AnalyzerOptions.details` is set. */
  readonly details?: UseDetails | undefined
}

/** A call's other arguments, if they are known before the code runs. */
export interface UseDetails {
  /** The default texts by form: `''` for the key itself, `one` or `ordinal_few` for a plural form. */
  readonly texts: Readonly<Record<string, string>>
  /**
   * True if the default text is a separate argument, as in `t('key', 'text')`. In some libraries, this argument means
   * something else.
   */
  readonly isArgument?: boolean | undefined
  /** True if the call reads all texts below the key. */
  readonly isBranch?: boolean | undefined
  /** Set if the call passes a count. */
  readonly plural?: 'cardinal' | 'ordinal' | undefined
  /** The contexts that the call may pass. `''` means no context. */
  readonly contexts?: readonly string[] | undefined
  /** True if the call may pass a count or context that the analysis cannot see. */
  readonly isOpen?: boolean | undefined
  /** If the call's translation function is a parameter of a function around the call: that parameter. */
  readonly parameter?: Receiver | undefined
}

/** A use whose key is unknown. It keeps all keys of its namespaces. */
export interface UnknownUse extends Use {
  /** The code, shortened to one line, or the problem if the reason is `syntax`. */
  readonly code: string
  readonly reason: UnknownReason
  /** True if the call also adds an unknown prefix to the key. */
  readonly isPrefixed?: boolean | undefined
  /** If set, the use counts only if no analyzed module meets the condition. */
  readonly unless?: UnknownCondition | undefined
}

/**
 * `key`: the key is computed or defined elsewhere. `function`: unknown code receives a translation function.
 * `messages`: unknown code receives messages from `load()` or an import. `syntax`: the file cannot be read. `setup`:
 * i18next options that affect the key cannot be read.
 */
export type UnknownReason = 'key' | 'function' | 'messages' | 'syntax' | 'setup'

/** The content that a module must have to resolve the use. The keys are then found in that module. */
interface UnknownCondition {
  /** The parameter that receives the translation function. A module that contains its function resolves the use. */
  readonly receiver?: Receiver
  /**
   * The import that a message descriptor comes from, or `.` for this module. The imported module resolves the use if it
   * defines descriptors.
   */
  readonly descriptorsOf?: string
}

/** A function's parameter. */
export interface Receiver {
  /** The function's name, or `name#offset` for a function in the same file. */
  readonly name: string
  readonly index: number
  /** The import that the function comes from. */
  readonly from?: string | undefined
}

/** A parameter whose name suggests a translation function, and the uses to which it is passed on. */
export interface ReceivingParameter {
  readonly function: string
  /** The function's name with its offset, which is unique in the file. */
  readonly own: string
  readonly index: number
  readonly passedOn: readonly UnknownUse[]
}

/** The part of the app's i18next setup that a module contains. */
export interface LibrarySetup {
  readonly defaultNamespaces: readonly string[]
  readonly fallbackNamespaces: readonly string[]
  readonly keySeparators: readonly string[]
  readonly nsSeparators: readonly string[]
  readonly pluralSeparators: readonly string[]
  readonly contextSeparators: readonly string[]
  /** True for `keySeparator: false`. */
  readonly isFlat?: boolean
  /**
   * Set if a plugin replaces i18next's format. `messages`: plurals are inside the messages. `unknown`: the keys that
   * the plugin looks up are unknown.
   */
  readonly format?: 'messages' | 'unknown'
  /** The options whose values cannot be read, with their places. */
  readonly unclear: readonly UnclearOption[]
  /** True if the module sets up no instance, but contains only options of single calls or a plugin for a format. */
  readonly isExtra?: boolean
}

/**
 * An option, the prefix of every key (`prefixes`), or the keys that `<Trans>` derives from its children
 * (`childrenKeys`).
 */
export type UnclearField =
  | Exclude<keyof LibrarySetup, 'isFlat' | 'format' | 'unclear' | 'isExtra'>
  | 'prefixes'
  | 'childrenKeys'

interface UnclearOption {
  readonly field: UnclearField
  readonly code: string
  readonly place: UsePlace
}

export interface ModuleUsage {
  readonly uses: readonly KeyUse[]
  readonly unknown: readonly UnknownUse[]
  readonly setup?: LibrarySetup
  /** Other files that contain parts of `setup`. */
  readonly readFiles?: readonly string[]
  /** If `AnalyzerOptions.details` is set: the part of `setup` for the instance that the whole app uses. */
  readonly mainSetup?: LibrarySetup
  /** If `AnalyzerOptions.details` is set: the plural styles of the imported libraries. */
  readonly plurals?: readonly PluralStyle[]
  readonly receivers?: readonly ReceivingParameter[]
  /** If `AnalyzerOptions.literals` is set: strings that may be keys. */
  readonly literals?: readonly LiteralText[]
  /** The strings in a file that is not analyzed as code. Each one counts as a use of every key that it may refer to. */
  readonly names?: readonly LiteralText[]
  /** If `AnalyzerOptions.literals` is set: true if a call may read all texts below a key. */
  readonly asksForBranches?: boolean
  /** True if the module uses the glue that adds the namespace to each key (unless `namespacePrefix` is false). */
  readonly hasPrefixedKeys?: boolean
  /** True if the module defines message descriptors (`defineMessages`), and the analysis finds all of them. */
  readonly definesDescriptors?: boolean
}

/** The modules of an app, by file. */
export type Modules = readonly (readonly [file: string, usage: ModuleUsage])[]

/** `keys`: one key for each plural form (`item_one`). `messages`: one message with all forms. */
export type PluralStyle = 'keys' | 'messages'

export const EMPTY_USAGE: ModuleUsage = Object.freeze({ uses: [], unknown: [] })

/**
 * The usage of a module that cannot be read. It may use any key.
 *
 * @param problem completes a sentence about the file, for example "cannot be parsed: Unexpected token"
 */
export function unreadableUsage(problem: string, place: UsePlace = { line: 1, column: 1 }): ModuleUsage {
  return { uses: [], unknown: [{ namespaces: 'any', code: problem, reason: 'syntax', place }] }
}

/**
 * Why a key counts as used. `key`: the code names it. `pattern`: the code names part of it. `literal`: it is a string
 * in the code, and a call with an unknown key may use it. `call`: a call keeps the whole namespace. `reference`: a text
 * refers to it. `keep`: the option lists it.
 */
export type ReasonKind = 'key' | 'pattern' | 'literal' | 'call' | 'reference' | 'keep'

export interface UseReason extends Partial<UsePlace> {
  readonly kind: ReasonKind
  /** The key, pattern or string in the code, the call's code, the reference in the text, or the pattern in `keep`. */
  readonly name: string
  readonly file?: string
}

/** `undefined` if the key does not count as used. */
export type ReasonOf = (namespace: string, key: string) => UseReason | undefined

/** `array`: another element of the same array is used. */
export const REASON_TEXTS = {
  key: 'named in the code',
  pattern: 'by a pattern',
  literal: 'a string in the code',
  call: 'only by a call with an unknown key',
  reference: 'by a text that refers to it',
  keep: 'by the option "keep"',
  array: 'with their array',
} as const satisfies Record<ReasonKind | 'array', string>
