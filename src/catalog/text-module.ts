/** Texts as the module a page fetches: JSON, which is JavaScript but for one key. */

import { contentHash } from '../shared/hash.ts'
import { escapeForScript } from '../shared/script-text.ts'
import type { LazyTexts, PlainTexts, TextModule } from './model.ts'

export const MODULE_START = 'export default '
export const MODULE_END = '\n'

/** `undefined`: an object literal would take the key for the prototype. */
export function textModule(json: string): string | undefined {
  return json.includes('"__proto__"') ? undefined : `${MODULE_START}${escapeForScript(json, '\\u003c')}${MODULE_END}`
}

export function moduleOf(bytes: Buffer, hash = contentHash(bytes)): TextModule {
  return { bytes, size: bytes.length, hash }
}

/** Texts that are kept as such a module. */
export function lazyModule(module: TextModule, keys: readonly string[], count: number): LazyTexts {
  return { hash: module.hash, count, keys, module, plain: remembered(() => parseTextModule(module.bytes)) }
}

/** As long as somebody else needs it. */
export function remembered(make: () => PlainTexts, first?: PlainTexts): () => PlainTexts {
  let made = first && new WeakRef(first)
  return () => {
    const known = made?.deref()
    if (known) return known
    const plain = make()
    made = new WeakRef(plain)
    return plain
  }
}

/** The inverse of `textModule`. */
function parseTextModule(module: Uint8Array): PlainTexts {
  const json = Buffer.from(
    module.buffer,
    module.byteOffset + MODULE_START.length,
    module.byteLength - MODULE_START.length - MODULE_END.length,
  )
  return JSON.parse(json.toString('utf8')) as PlainTexts
}

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
