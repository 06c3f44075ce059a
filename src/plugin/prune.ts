/** The option `prune`. This module removes the texts of unused keys; `pruned-state.ts` finds the used keys. */
import type { Messages } from '../catalog/model.ts'
import type { Translations } from '../catalog/translations.ts'
import { usedWithArrays, type Values } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { branchesOf } from '../shared/key-path.ts'
import type { UsedKeys } from '../usage/used-keys.ts'

export function pruneTranslations(
  translations: Translations,
  used: Pick<UsedKeys, 'isUsed' | 'isWhole'>,
  { shape, keySeparator }: Pick<ResolvedConfig, 'shape' | 'keySeparator'>,
): Translations {
  // The result for each key is cached, because most languages have the same keys.
  const judged = new Map<string, Map<string, boolean>>()
  const judgeOf = (namespace: string) => {
    const known = judged.get(namespace) ?? new Map<string, boolean>()
    judged.set(namespace, known)
    return (key: string): boolean => {
      const isUsed = known.get(key) ?? used.isUsed(namespace, key)
      known.set(key, isUsed)
      return isUsed
    }
  }
  const keyFilter = (namespace: string, messages: Messages, values: Values | undefined) => {
    const isUsed = usedWithArrays(values, keySeparator, messages.keys(), judgeOf(namespace))
    return (key: string) => used.isWhole(namespace) || isUsed(key)
  }
  const prune = (namespace: string, messages: Messages, values: Values | undefined): Messages => {
    if (used.isWhole(namespace)) return messages
    const keys = new Set([...messages.keys()].filter(keyFilter(namespace, messages, values)))
    const kept = shape === 'nested' ? withTextsAbove(keys, messages, keySeparator) : keys
    return new Map([...messages].filter(([key]) => kept.has(key)))
  }
  const pruneValues = (namespace: string, messages: Messages, values: Values): Values => {
    const isKept = keyFilter(namespace, messages, values)
    // Branches are always kept, because they determine how other keys are split.
    return new Map([...values].filter(([key, { kind }]) => kind === 'branch' || isKept(key)))
  }
  return {
    ...translations,
    messages: (...place) => prune(place[1], translations.messages(...place), translations.values(...place)),
    values: (...place) => {
      const values = translations.values(...place)
      return values && pruneValues(place[1], translations.messages(...place), values)
    },
    defaultMessages: (...place) =>
      prune(place[0], translations.defaultMessages(...place), translations.defaultValues(...place)),
    defaultValues: (...place) => {
      const values = translations.defaultValues(...place)
      return values && pruneValues(place[0], translations.defaultMessages(...place), values)
    },
  }
}

/** Returns the keys of each namespace as used keys. */
export function onlyKeys(keys: ReadonlyMap<string, ReadonlySet<string>>): Pick<UsedKeys, 'isUsed' | 'isWhole'> {
  return { isWhole: () => false, isUsed: (namespace, key) => keys.get(namespace)?.has(key) === true }
}

/**
 * Also keeps each text whose key is the beginning of a kept key, because the longer key would be nested differently
 * without it.
 */
function withTextsAbove(keys: ReadonlySet<string>, messages: Messages, separator: string): ReadonlySet<string> {
  const all = new Set(keys)
  for (const key of keys) for (const branch of branchesOf(key, separator)) if (messages.has(branch)) all.add(branch)
  return all
}
