/** Gathers what a module uses while it is walked. */
import type { Node } from '@babel/types'
import type {
  KeyUse,
  ModuleUsage,
  ReceivingParameter,
  UnknownCondition,
  UnknownReason,
  UnknownUse,
  UseNamespaces,
  UsePlace,
} from './model.ts'
import type { Module } from './scope.ts'
import { concat, type Text } from './texts.ts'

export interface UseOptions {
  readonly isExact?: boolean
  readonly isOnly?: boolean
  readonly isGuess?: boolean
  /** What stands before the key, one of these. */
  readonly prefixes?: readonly Text[] | undefined
  readonly unless?: UnknownCondition | undefined
}

export interface Collector {
  /** One use for each text; what is nothing but a wildcard is an unknown use. */
  keys(node: Node, texts: readonly Text[], namespaces: UseNamespaces, options?: UseOptions): void
  unknown(node: Node, namespaces: UseNamespaces, reason: UnknownReason, options?: UseOptions): void
  unknownUse(node: Node, namespaces: UseNamespaces, reason: UnknownReason, options?: UseOptions): UnknownUse
  load(node: Node, namespaces: UseNamespaces): void
  receiver(receiver: ReceivingParameter): void
  descriptors: { defined: boolean; unclear: boolean }
  result(): ModuleUsage
}

const MOST_CODE = 80

export function createCollector(module: Module, keySeparator: string, nsSeparator: string): Collector {
  const uses = new Map<string, KeyUse>()
  const unknown = new Map<string, UnknownUse>()
  const loads: { namespaces: UseNamespaces; place: UsePlace }[] = []
  const receivers: ReceivingParameter[] = []
  const descriptors = { defined: false, unclear: false }

  const placeOf = (node: Node): UsePlace => ({
    line: node.loc?.start.line ?? 1,
    column: (node.loc?.start.column ?? 0) + 1,
  })
  const codeOf = (node: Node): string => {
    const text = module.code.slice(node.start ?? 0, Math.min(node.end ?? 0, (node.start ?? 0) + 400))
    const line = text.replace(/\s+/g, ' ').trim()
    const characters = [...line]
    return characters.length > MOST_CODE ? `${characters.slice(0, MOST_CODE - 1).join('')}…` : line
  }
  const unknownUse: Collector['unknownUse'] = (node, namespaces, reason, { isExact, isGuess, unless } = {}) => ({
    namespaces,
    code: codeOf(node),
    reason,
    place: placeOf(node),
    ...(isExact && { isExact }),
    ...(isGuess && { isGuess }),
    ...(unless && { unless }),
  })
  const addUnknown: Collector['unknown'] = (node, namespaces, reason, options) => {
    const use = unknownUse(node, namespaces, reason, options)
    unknown.set(JSON.stringify([use.place, namespaces, use.unless]), use)
  }
  const addKey = (node: Node, { text, isPattern }: Text, namespaces: UseNamespaces, options: UseOptions) => {
    const { isExact, isOnly, isGuess } = options
    const use: KeyUse = {
      namespaces,
      key: text,
      isPattern,
      place: placeOf(node),
      ...(isExact && { isExact }),
      ...(isOnly && { isOnly }),
      ...(isGuess && { isGuess }),
    }
    const id = JSON.stringify([text, isPattern, namespaces, isExact, isOnly, isGuess, use.place])
    if (!uses.has(id)) uses.set(id, use)
  }
  return {
    descriptors,
    unknown: addUnknown,
    unknownUse,
    keys(node, texts, namespaces, options = {}) {
      const { prefixes = [{ text: '', isPattern: false }] } = options
      for (const text of texts) {
        for (const prefix of prefixes) {
          const front = prefix.text === '' ? prefix : concat(prefix, { text: keySeparator, isPattern: false })
          const full = concat(front, text)
          if (!full.isPattern) addKey(node, full, namespaces, options)
          else if (saysSomething(full.text)) addKey(node, full, namespaces, options)
          else {
            // `${namespace}:${key}` may be anywhere.
            const isAnywhere = nsSeparator !== '' && full.text.includes(nsSeparator)
            addUnknown(node, isAnywhere ? 'any' : namespaces, 'key', options)
          }
          // A namespace in the key, whatever the prefix does with it.
          if (prefix.text !== '' && nsSeparator !== '' && text.text.includes(nsSeparator))
            addKey(node, text, namespaces, { ...options, isGuess: true })
        }
      }
    },
    load(node, namespaces) {
      loads.push({ namespaces, place: placeOf(node) })
    },
    receiver(receiver) {
      receivers.push(receiver)
    },
    result: () => ({
      uses: [...uses.values()],
      unknown: [...unknown.values()],
      loads,
      ...(receivers.length > 0 && { receivers }),
      ...(descriptors.defined && !descriptors.unclear && { definesDescriptors: true }),
    }),
  }
}

/** A pattern holds a letter or a digit; `*.*` is no more than `*`. */
function saysSomething(pattern: string): boolean {
  return /[\p{L}\p{N}]/u.test(pattern)
}
