/** Collects the uses in a module while its nodes are visited. */
import type { Node } from '@babel/types'
import { joinSetups } from './cross-module.ts'
import type { Conditions } from './flow/conditions.ts'
import { concat, EMPTY, literal, type StringValue } from './flow/strings.ts'
import type {
  KeyUse,
  LibrarySetup,
  ModuleUsage,
  PluralStyle,
  ReceivingParameter,
  UnclearField,
  UnknownReason,
  UnknownUse,
  UseDetails,
} from './model.ts'
import type { Module } from './syntax/module.ts'
import { placeOf } from './syntax/tree.ts'

/** A place that uses keys, and the namespaces to search. */
export interface Lookup
  extends Pick<
    KeyUse,
    | 'namespaces'
    | 'isExact'
    | 'isOnly'
    | 'isGuess'
    | 'isSelector'
    | 'isTentative'
    | 'mayBeNamespace'
    | 'isByName'
    | 'isOfChildren'
  > {
  readonly place: Node
  /** True if the call only checks whether the key has a text. A missing text is then not an error. */
  readonly isQuery?: boolean | undefined
  readonly prefixes?: readonly StringValue[] | undefined
  readonly unless?: UnknownUse['unless']
  readonly isPrefixed?: UnknownUse['isPrefixed']
  /** Reads the other arguments of the call. `undefined` if the call shows no text. */
  readonly details?: (() => UseDetails) | undefined
}

const MAX_CODE_LENGTH = 80
/** The objects that Vue's compiler adds before the names of a template. */
const VUE_SCOPE = /(?<![\w$.])(?:_ctx|\$setup|\$props|\$data|\$options)\./g

export class Collector {
  readonly #uses = new Map<string, KeyUse>()
  readonly #unknown = new Map<string, UnknownUse>()
  readonly #receivers: ReceivingParameter[] = []
  readonly #setups: Partial<LibrarySetup>[] = []
  readonly #mainSetups: Partial<LibrarySetup>[] = []
  readonly #plurals = new Set<PluralStyle>()
  /** Message descriptors whose key was collected at the call or element that they are passed to. */
  readonly readDescriptors = new Set<Node>()
  /** Keys that the module only checks for existence. */
  readonly #queried = new Set<string>()
  #hasPrefixedKeys = false
  #descriptors: 'none' | 'seen' | 'open' = 'none'

  constructor(
    private readonly module: Module,
    private readonly conditions: Conditions,
    private readonly keySeparator: string,
    readonly wantsDetails = false,
  ) {}

  /** Adds one use for each key. A pattern that matches everything becomes an unknown use. */
  addKeys(lookup: Lookup, keys: readonly StringValue[]) {
    const { prefixes = [EMPTY] } = lookup
    for (const key of keys) for (const prefix of prefixes) this.#addPrefixed(lookup, prefix, key)
  }

  #addPrefixed(lookup: Lookup, prefix: StringValue, key: StringValue) {
    const hasNamespace = (text: string) => /[^\p{L}\p{N}\s_.*-]/u.test(text)
    const isPrefixed = prefix.text !== ''
    const full = isPrefixed ? concat(concat(prefix, literal(this.keySeparator)), key) : key
    // `*.*` says as little about the key as `*`.
    const saysNothing = full.isPattern && !/[\p{L}\p{N}]/u.test(full.text)
    // `${namespace}:${key}` may be in any namespace.
    const where: Lookup = saysNothing && hasNamespace(full.text) ? { ...lookup, namespaces: 'any' } : lookup
    if (saysNothing) this.addUnknown({ ...where, isPrefixed }, 'key')
    else this.#addKey(where, full)
    // If the key names its own namespace, the library may or may not add the prefix.
    if (isPrefixed && hasNamespace(key.text)) this.#addKey({ ...lookup, isGuess: true }, key)
  }

  #addKey({ details: read, ...lookup }: Lookup, { text: key, isPattern, isExcluded }: StringValue) {
    const { namespaces, isExact, isOnly, isGuess, isSelector, mayBeNamespace, isByName, isOfChildren, isQuery } = lookup
    const details = this.wantsDetails && !isPattern && !isGuess ? read?.() : undefined
    const place = placeOf(lookup.place)
    if (isQuery) this.#queried.add(key)
    const mayBeExcluded = isExcluded || (!isPattern && this.conditions.mayExclude(lookup.place))
    const isTentative = lookup.isTentative || isQuery || mayBeExcluded
    const flags = { isExact, isOnly, isGuess, isSelector, isTentative, mayBeNamespace, isByName, isOfChildren }
    const use: KeyUse = { namespaces, key, isPattern, ...flags, place, details }
    const id = JSON.stringify(use, (_, value) => value || undefined)
    if (!this.#uses.has(id)) this.#uses.set(id, use)
  }

  addUnknown(lookup: Lookup, reason: UnknownReason) {
    const use = this.unknownUse(lookup, reason)
    this.#unknown.set(JSON.stringify([use.place, use.namespaces, use.unless, use.isPrefixed]), use)
  }

  unknownUse({ place, namespaces, isExact, isGuess, unless, isPrefixed }: Lookup, reason: UnknownReason): UnknownUse {
    const code = this.#codeOf(place)
    return {
      namespaces,
      code,
      reason,
      isExact,
      isGuess,
      unless,
      ...(isPrefixed && { isPrefixed }),
      place: placeOf(place),
    }
  }

  addReceiver(receiver: ReceivingParameter) {
    this.#receivers.push(receiver)
  }

  /** @param isMain true if the setup belongs to the instance that the whole app uses */
  addSetup(setup: Partial<LibrarySetup>, isMain = true) {
    this.#setups.push(setup)
    if (isMain && this.wantsDetails) this.#mainSetups.push(setup)
  }

  /** Adds a setup option that cannot be read. */
  addUnclearSetup(field: UnclearField, node: Node, { isMain, isExtra }: { isMain: boolean; isExtra: boolean }) {
    this.addSetup({ unclear: [{ field, code: this.#codeOf(node), place: placeOf(node) }], isExtra }, isMain)
  }

  addPluralStyle(style: PluralStyle) {
    if (this.wantsDetails) this.#plurals.add(style)
  }

  addPrefixedKeys() {
    this.#hasPrefixedKeys = true
  }

  /** @param isOpen true if the module may define descriptors that the analysis does not find */
  addDescriptors(isOpen: boolean) {
    this.#descriptors = isOpen || this.#descriptors === 'open' ? 'open' : 'seen'
  }

  result(): ModuleUsage {
    return {
      uses: [...this.#uses.values()].map((use) => (this.#queried.has(use.key) ? { ...use, isTentative: true } : use)),
      unknown: [...this.#unknown.values()],
      ...(this.#receivers.length > 0 && { receivers: this.#receivers }),
      ...(this.#hasPrefixedKeys && { hasPrefixedKeys: true }),
      ...(this.#descriptors === 'seen' && { definesDescriptors: true }),
      ...(this.#setups.length > 0 && { setup: joinSetups(this.#setups) }),
      ...(this.#mainSetups.length > 0 && { mainSetup: joinSetups(this.#mainSetups) }),
      ...(this.#plurals.size > 0 && { plurals: [...this.#plurals] }),
    }
  }

  /** The beginning of the code, on one line. */
  #codeOf({ start, end }: Node): string {
    const from = start ?? 0
    const text = this.module.code.slice(from, Math.min(end ?? 0, from + 400))
    const characters = [...text.replace(VUE_SCOPE, '').replace(/\s+/g, ' ').trim()]
    if (characters.length <= MAX_CODE_LENGTH) return characters.join('')
    return `${characters.slice(0, MAX_CODE_LENGTH - 1).join('')}…`
  }
}
