/** Texts as the module that a page fetches: JSON, which is JavaScript except for one key. */
import { contentHash } from '../shared/hash.ts'
import { escapeForScript } from './script-text.ts'

const START = 'export default '
const END = '\n'
/** In an object literal, this key sets the prototype. In a text and in other keys, the quotes are escaped. */
const KEY_OF_PROTOTYPE = /[{,]"__proto__":/

/** A module that a page fetches. */
export interface TextModule {
  readonly bytes: Buffer
  readonly size: number
  /** At least eight hexadecimal characters. */
  readonly hash: string
}

/** `undefined`: the JSON is not a JavaScript expression with the same meaning. */
export function textModule(json: string): string | undefined {
  return KEY_OF_PROTOTYPE.test(json) ? undefined : `${START}${escapeForScript(json, '\\u003c')}${END}`
}

export function moduleOf(bytes: Buffer): TextModule {
  return { bytes, size: bytes.length, hash: contentHash(bytes) }
}

/** The expression that a module of texts exports, on one line. */
export function expressionIn(module: Buffer): string {
  return module.toString('utf8', START.length, module.length - END.length)
}
