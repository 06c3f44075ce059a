/** The result of analyzing one module. Plain data: bundlers keep it in their caches and in modules' metadata. */

/** Where a call looks: in these namespaces, in those that the library is set up with, or in any of them. */
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
  /** The namespaces are certain: no fallback namespace of a library can answer instead. */
  readonly isExact?: boolean | undefined
  /** One of several readings of a call: the key need not exist, and an unknown key keeps only namespaces that exist. */
  readonly isGuess?: boolean | undefined
  readonly place: UsePlace
}

/** A text in the code, or the fixed parts of one that is put together; `*` stands for any characters. */
export interface LiteralText extends UsePlace {
  readonly text: string
  readonly isPattern: boolean
}

/** A key that the module uses. It keeps its forms (`key_one`) and all keys below it (`key.a`). */
export interface KeyUse extends Use {
  /**
   * As the source writes it, with a namespace in front (`shop:title`). In a pattern, `*` stands for any characters, and
   * a hole for what other modules may have written.
   */
  readonly key: string
  /** Given for a key with a hole: the code as it is written, on one line, shortened. */
  readonly code?: string
  readonly isPattern: boolean
  /** The first property of a selector, read as the name of a namespace. */
  readonly isSelector?: boolean | undefined
  /** Only the key itself: neither its forms nor what lies below it. */
  readonly isOnly?: boolean | undefined
  /**
   * The key need not exist: the code only asks whether it does, a condition may exclude the code, or only a name tells
   * that it is a key.
   */
  readonly isTentative?: boolean | undefined
  /** The function is known by its name only. */
  readonly isByName?: boolean | undefined
  /** The key is what `<Trans>` makes of its children. */
  readonly isOfChildren?: boolean | undefined
  /** Given with `AnalyzerOptions.details`, for uses that show the text. */
  readonly details?: UseDetails | undefined
}

/** The other arguments of a call, as far as they are known before the code runs. */
export interface UseDetails {
  /** The default texts: `''` is that of the key, `one` or `ordinal_few` that of a plural form. */
  readonly texts: Readonly<Record<string, string>>
  /** The default text is an argument of its own, `t('key', 'text')`: in some libraries it is something else. */
  readonly isArgument?: boolean | undefined
  /** The call reads all texts below the key. */
  readonly isBranch?: boolean | undefined
  /** The call gives a count. */
  readonly plural?: 'cardinal' | 'ordinal' | undefined
  /** The contexts that the call may give; `''`: none. */
  readonly contexts?: readonly string[] | undefined
  /** The call may give a count or a context that cannot be seen. */
  readonly isOpen?: boolean | undefined
  /** The translation function is this parameter of a function. */
  readonly parameter?: Receiver | undefined
}

/** A use whose key cannot be known: it keeps its namespaces whole. */
export interface UnknownUse extends Use {
  /** The code as it is written, on one line, shortened. With the reason `syntax`: the problem. */
  readonly code: string
  readonly reason: UnknownReason
  /** The prefix of the key is unknown as well. */
  readonly isPrefixed?: boolean | undefined
  /** The use counts only when no analyzed module answers for it. */
  readonly unless?: UnknownCondition | undefined
}

/**
 * `key`: it is computed, or comes from elsewhere. `function`: a translation function goes where it cannot be followed.
 * `messages`: messages of `load()` or of an import do. `syntax`: the file cannot be read. `setup`: the options of
 * i18next that decide about the key cannot be read.
 */
export type UnknownReason = 'key' | 'function' | 'messages' | 'syntax' | 'setup'

/** How another module may resolve the use. */
interface UnknownCondition {
  /** A function gets a translation function as this argument. Functions of that name may call it by a known name. */
  readonly receiver?: Receiver
  /** The import that a message descriptor comes from, if that module defines descriptors. `.`: this module. */
  readonly descriptorsOf?: string
}

/** A parameter of a function, by the function's name. */
export interface Receiver {
  /** `name#offset` where the function is one of the same file. */
  readonly name: string
  readonly index: number
  /** What the module imports it from. */
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

/** How the app sets up i18next, as far as the module shows it. */
export interface LibrarySetup {
  readonly defaultNamespaces: readonly string[]
  readonly fallbackNamespaces: readonly string[]
  readonly keySeparators: readonly string[]
  readonly nsSeparators: readonly string[]
  /** The separators before a plural or context form. */
  readonly formSeparators: readonly string[]
  /** The separators before a plural form, and before a context. Also in `formSeparators`. */
  readonly pluralSeparators?: readonly string[]
  readonly contextSeparators?: readonly string[]
  /** `keySeparator: false`. */
  readonly isFlat?: boolean
  /** A plugin in place of i18next's format: its messages hold the plurals, or which keys it looks up is unknown. */
  readonly format?: 'messages' | 'unknown'
  /** What is computed: nothing may be concluded about it. */
  readonly unclear: readonly UnclearField[]
  /** The code that computes it. */
  readonly unclearAt: readonly UnclearPlace[]
  /** Which namespaces the library looks in is computed. */
  readonly isUnclear: boolean
  /** It is about single calls. */
  readonly isExtra?: boolean
}

/** A field of the setup, what stands before every key, or the keys that `<Trans>` makes of its children. */
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
  /** Other files that `setup` comes from. */
  readonly readFiles?: readonly string[]
  /** With `AnalyzerOptions.details`: the part of `setup` that is about the instance that the whole app uses. */
  readonly mainSetup?: LibrarySetup
  /** With `AnalyzerOptions.details`: how the libraries that the module imports write plurals. */
  readonly plurals?: readonly PluralStyle[]
  readonly receivers?: readonly ReceivingParameter[]
  /** With `AnalyzerOptions.literals`: texts that may be keys where a call's key is unknown. */
  readonly literals?: readonly LiteralText[]
  /** Texts of a file that is not analyzed as code: each names every key that it can mean. */
  readonly names?: readonly LiteralText[]
  /** With `AnalyzerOptions.literals`: a call may read all texts below a key. */
  readonly asksForBranches?: boolean
  /** Glue for a library without namespaces puts the namespace before each key, unless `namespacePrefix` is false. */
  readonly hasPrefixedKeys?: boolean
  /** Properties that the module writes on objects that other modules may have made. */
  readonly writes?: readonly PropertyWrite[]
  /** Imported values that leave the code that is understood. */
  readonly leaks?: readonly ImportLeak[]
  /** Exports of other modules that the module exports under other names. */
  readonly renamings?: readonly Renaming[]
  /** The module defines message descriptors (`defineMessages`), and exports nothing else that could be one. */
  readonly definesDescriptors?: boolean
}

/** The modules of an app, by their files. */
export type Modules = readonly (readonly [file: string, usage: ModuleUsage])[]

export interface PropertyWrite {
  /** `undefined`: any property. `[]`: an element of an array. */
  readonly name?: string
  /** The texts that may be written; `*` stands for any characters. */
  readonly texts: readonly string[]
  /** An object or an array may be written. */
  readonly hasObject?: boolean
}

export interface ImportLeak {
  readonly source: string
  readonly imported: string
  /** The properties that lead to what leaves; `null`: any. */
  readonly path: readonly (string | null)[]
  /** Code that is not analyzed may change it. Otherwise only the app's modules may. */
  readonly isChanged?: true
}

export interface Renaming {
  readonly from: string
  readonly to: string
}

/** Plurals have a key for each form (`item_one`), or one message for all forms. */
export type PluralStyle = 'keys' | 'messages'

export const EMPTY_USAGE: ModuleUsage = Object.freeze({ uses: [], unknown: [] })

/**
 * A module that cannot be read may use any key.
 *
 * @param problem what the report says about the file, for example "cannot be parsed: Unexpected token"
 */
export function unreadableUsage(problem: string, place: UsePlace = { line: 1, column: 1 }): ModuleUsage {
  return { uses: [], unknown: [{ namespaces: 'any', code: problem, reason: 'syntax', place }] }
}

/**
 * `key`: code names it. `pattern`: code names a part of it. `literal`: it is a text somewhere in the code, and a call
 * with an unknown key may ask for it. `call`: a call keeps the whole namespace. `reference`: a text refers to it.
 * `keep`: the option names it.
 */
export type ReasonKind = 'key' | 'pattern' | 'literal' | 'call' | 'reference' | 'keep'

export interface UseReason extends Partial<UsePlace> {
  readonly kind: ReasonKind
  /** The key, pattern or text as the code has it, the code of the call, the referring key, or the pattern of `keep`. */
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
  call: 'only by a call whose key is not known',
  reference: 'by a text that refers to it',
  keep: 'by the option keep',
  array: 'with their array',
} as const satisfies Record<ReasonKind | 'array', string>
