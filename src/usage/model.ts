/** The result of analyzing one module. Plain data: bundlers keep it in their caches and in modules' metadata. */

/** The namespaces that a call searches: these names, the library's default, or any. */
export type UseNamespaces = readonly string[] | 'default' | 'any'

/** Lines and columns count from 1. */
export interface UsePlace {
  readonly line: number
  readonly column: number
}

/** A place in one of several files. */
export interface SourcePlace extends UsePlace {
  readonly file: string
}

interface Use {
  readonly namespaces: UseNamespaces
  /** The namespaces are certain: no fallback namespace of a library can provide the text. */
  readonly isExact?: boolean | undefined
  /** One of several readings of a call: the key need not exist, and an unknown key keeps only namespaces that exist. */
  readonly isGuess?: boolean | undefined
  readonly place: UsePlace
}

/** A text in the code, or the fixed parts of a composed one; `*` matches any characters. */
export interface LiteralText extends UsePlace {
  readonly text: string
  readonly isPattern: boolean
}

/** A key that the module uses. It keeps its forms (`key_one`) and all keys below it (`key.a`). */
export interface KeyUse extends Use {
  /** The spelling of the source, with a namespace prefix (`shop:title`). In a pattern, `*` matches any characters. */
  readonly key: string
  readonly isPattern: boolean
  /** The first property of a selector, read as the name of a namespace. */
  readonly isSelector?: boolean | undefined
  /** Only the key itself, without its forms and the keys below it. */
  readonly isOnly?: boolean | undefined
  /**
   * The key need not exist: the code only checks that it exists, a condition may exclude the code, or only a name
   * suggests that it is a key.
   */
  readonly isTentative?: boolean | undefined
  /** The function is known only by its name. */
  readonly isByName?: boolean | undefined
  /** The key is the one that `<Trans>` derives from its children. */
  readonly isOfChildren?: boolean | undefined
  /** Given with `AnalyzerOptions.details`, for uses that show the text. */
  readonly details?: UseDetails | undefined
}

/** The other arguments of a call, if they are known before the code runs. */
export interface UseDetails {
  /** The default texts: `''` for the key itself, `one` or `ordinal_few` for a plural form. */
  readonly texts: Readonly<Record<string, string>>
  /** The default text is a separate argument, `t('key', 'text')`, which has a different meaning in some libraries. */
  readonly isArgument?: boolean | undefined
  /** The call reads all texts below the key. */
  readonly isBranch?: boolean | undefined
  /** The call gives a count. */
  readonly plural?: 'cardinal' | 'ordinal' | undefined
  /** The contexts that the call may give; `''`: none. */
  readonly contexts?: readonly string[] | undefined
  /** The call may pass a count or a context that the analysis cannot see. */
  readonly isOpen?: boolean | undefined
  /** The translation function is this parameter of a function. */
  readonly parameter?: Receiver | undefined
}

/** A use whose key is unknown: all keys of its namespaces are kept. */
export interface UnknownUse extends Use {
  /** The code on one line, shortened. With the reason `syntax`: the problem. */
  readonly code: string
  readonly reason: UnknownReason
  /** The prefix of the key is unknown too. */
  readonly isPrefixed?: boolean | undefined
  /** The use counts unless an analyzed module resolves it. */
  readonly unless?: UnknownCondition | undefined
}

/**
 * `key`: the key is computed, or defined elsewhere. `function`: a translation function reaches code that is not
 * followed. `messages`: the same for messages of `load()` or of an import. `syntax`: the file cannot be read. `setup`:
 * the i18next options that affect the key cannot be read.
 */
export type UnknownReason = 'key' | 'function' | 'messages' | 'syntax' | 'setup'

/** The data with which another module may resolve the use. */
interface UnknownCondition {
  /** A function gets a translation function as this argument. Functions of that name may call it by a known name. */
  readonly receiver?: Receiver
  /** The import that a message descriptor comes from, if that module defines descriptors. `.`: this module. */
  readonly descriptorsOf?: string
}

/** A parameter of a function, by the function's name. */
export interface Receiver {
  /** `name#offset` for a function of the same file. */
  readonly name: string
  readonly index: number
  /** The module that this one imports it from. */
  readonly from?: string | undefined
}

/** A parameter with the name of a translation function, and the calls that pass it on. */
export interface ReceivingParameter {
  readonly function: string
  /** The function's name with its offset, unique in the file. */
  readonly own: string
  readonly index: number
  readonly passedOn: readonly UnknownUse[]
}

/** The part of the app's i18next setup that the module shows. */
export interface LibrarySetup {
  readonly defaultNamespaces: readonly string[]
  readonly fallbackNamespaces: readonly string[]
  readonly keySeparators: readonly string[]
  readonly nsSeparators: readonly string[]
  /** The separators before a plural form, and before a context. */
  readonly pluralSeparators: readonly string[]
  readonly contextSeparators: readonly string[]
  /** `keySeparator: false`. */
  readonly isFlat?: boolean
  /** A plugin replaces i18next's format: its messages contain the plurals, or the keys that it looks up are unknown. */
  readonly format?: 'messages' | 'unknown'
  /** The computed fields: nothing may be concluded from them. */
  readonly unclear: readonly UnclearField[]
  /** The code that computes it. */
  readonly unclearAt: readonly UnclearPlace[]
  /** The namespaces that the library searches are computed. */
  readonly isUnclear: boolean
  /** The setup applies to single calls. */
  readonly isExtra?: boolean
}

/** A field of the setup, the prefix of every key, or the keys that `<Trans>` derives from its children. */
export type UnclearField =
  | Exclude<keyof LibrarySetup, 'isUnclear' | 'isFlat' | 'format' | 'unclear' | 'unclearAt' | 'isExtra'>
  | 'prefixes'
  | 'childrenKeys'

interface UnclearPlace {
  readonly fields: readonly UnclearField[]
  readonly code: string
  readonly place: UsePlace
}

export interface ModuleUsage {
  readonly uses: readonly KeyUse[]
  readonly unknown: readonly UnknownUse[]
  readonly setup?: LibrarySetup
  /** Other files that contain parts of `setup`. */
  readonly readFiles?: readonly string[]
  /** With `AnalyzerOptions.details`: the part of `setup` that belongs to the instance of the whole app. */
  readonly mainSetup?: LibrarySetup
  /** With `AnalyzerOptions.details`: the plural styles of the libraries that the module imports. */
  readonly plurals?: readonly PluralStyle[]
  readonly receivers?: readonly ReceivingParameter[]
  /** With `AnalyzerOptions.literals`: texts that may be keys of calls with an unknown key. */
  readonly literals?: readonly LiteralText[]
  /** Texts of a file that is not analyzed as code. Each one names every key that it may mean. */
  readonly names?: readonly LiteralText[]
  /** With `AnalyzerOptions.literals`: a call may read all texts below a key. */
  readonly asksForBranches?: boolean
  /** The glue for a library without namespaces adds the namespace to each key, unless `namespacePrefix` is false. */
  readonly hasPrefixedKeys?: boolean
  /** The module defines message descriptors (`defineMessages`), and every other export is certainly something else. */
  readonly definesDescriptors?: boolean
}

/** The modules of an app, by their files. */
export type Modules = readonly (readonly [file: string, usage: ModuleUsage])[]

/** Plurals have a key for each form (`item_one`), or one message for all forms. */
export type PluralStyle = 'keys' | 'messages'

export const EMPTY_USAGE: ModuleUsage = Object.freeze({ uses: [], unknown: [] })

/**
 * The usage of a module that cannot be read: it may use any key.
 *
 * @param problem the report's words about the file, for example "cannot be parsed: Unexpected token"
 */
export function unreadableUsage(problem: string, place: UsePlace = { line: 1, column: 1 }): ModuleUsage {
  return { uses: [], unknown: [{ namespaces: 'any', code: problem, reason: 'syntax', place }] }
}

/**
 * `key`: code names it. `pattern`: code names a part of it. `literal`: the code contains it as a text, and a call with
 * an unknown key may use it. `call`: a call keeps the whole namespace. `reference`: a text refers to it. `keep`: the
 * option names it.
 */
export type ReasonKind = 'key' | 'pattern' | 'literal' | 'call' | 'reference' | 'keep'

export interface UseReason extends Partial<UsePlace> {
  readonly kind: ReasonKind
  /** The key, pattern or text in the code, the code of the call, the referring key, or the pattern of `keep`. */
  readonly name: string
  readonly file?: string
}

/** `undefined`: the key does not count as used. */
export type ReasonOf = (namespace: string, key: string) => UseReason | undefined

/** Each reason in words. `array`: another element of the array is used. */
export const REASON_TEXTS = {
  key: 'named in the code',
  pattern: 'by a pattern',
  literal: 'a text in the code',
  call: 'only by a call with an unknown key',
  reference: 'by a text that refers to it',
  keep: 'by the option "keep"',
  array: 'with their array',
} as const satisfies Record<ReasonKind | 'array', string>
