/** Changes messages in place, so that the page can keep its object. */
import type { Messages } from './types.ts'

/** Returns the name's index in the list. Throws a `RangeError` for an unknown name. */
export function placeIn(known: readonly string[], what: string, name: string): number {
  const at = known.indexOf(name)
  if (at < 0) throw RangeError(`unknown ${what} "${name}"; known: ${known.join(', ')}`)
  return at
}

/** Adds an error code. An app can then recognize that the page was opened before a deployment and needs a reload. */
export const withCode = (error: Error) => Object.assign(error, { code: 'LOAD_FAILED' })

/** `Object.hasOwn` for older browsers. */
export function hasOwn(target: object, key: string): boolean {
  return Reflect.getOwnPropertyDescriptor(target, key) !== undefined
}

export function replaceMessages(target: Messages, source: Messages): void {
  for (const key of Object.keys(target)) if (!hasOwn(source, key)) Reflect.deleteProperty(target, key)
  merge(target, source, replaceMessages)
}

export function addMessages(target: Messages, source: Messages): void {
  merge(target, source, addMessages)
}

function merge(target: Messages, source: Messages, mergeBranch: typeof addMessages): void {
  for (const [key, value] of Object.entries(source)) {
    const old = hasOwn(target, key) ? target[key] : undefined
    if (isBranch(old) && isBranch(value)) mergeBranch(old, value)
    // Assigning to `__proto__` would call a setter.
    else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  }
}

/** Returns true for an object of messages. Arrays, such as compiled texts, are replaced as a whole. */
function isBranch(value: unknown): value is Messages {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
