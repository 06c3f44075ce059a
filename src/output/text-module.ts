/** Texts as the module that a page fetches: JSON, which is JavaScript except for one key. */
import type { TextEncoding, TextModule } from '../catalog/model.ts'
import { contentHash } from '../shared/hash.ts'
import { escapeForScript } from './script-text.ts'

const START = 'export default '
const END = '\n'
/** An object literal takes this key for the prototype. */
const PROTOTYPE = '__proto__'
/** As a key, not as a text or a part of one: their quotes are escaped. */
const KEY_OF_PROTOTYPE = /[{,]"__proto__":/

/** Whether JSON of an object is not a JavaScript expression with the same meaning. */
export function isNotScript(json: string): boolean {
  return KEY_OF_PROTOTYPE.test(json)
}

/** `undefined`: the JSON is not a JavaScript expression with the same meaning. */
export function textModule(json: string): string | undefined {
  return isNotScript(json) ? undefined : `${START}${escapeForScript(json, '\\u003c')}${END}`
}

export function moduleOf(bytes: Buffer): TextModule {
  return { bytes, size: bytes.length, hash: contentHash(bytes) }
}

/** What a module of texts exports, on one line. */
export function expressionIn(module: Buffer): string {
  return module.toString('utf8', START.length, module.length - END.length)
}

/** The members of a module's object: `"key":"text"`, with commas between them. */
export function membersIn(module: Buffer): Buffer {
  return module.subarray(START.length + 1, module.length - END.length - 1)
}

/** The inverse of `membersIn`, for members in which nothing need be escaped. Commas come between the pieces. */
export function moduleOfMembers(pieces: readonly Buffer[]): TextModule {
  const comma = Buffer.from(',')
  const all = pieces.flatMap((piece, at) => (at === 0 ? [piece] : [comma, piece]))
  return moduleOf(Buffer.concat([textEncoding.open, ...all, textEncoding.close]))
}

/** What `escapeForScript` may change. */
const ESCAPED = ['<', '\u2028', '\u2029']

/** The same encoding on bytes: a large catalog never becomes strings. */
export const textEncoding: TextEncoding = {
  open: Buffer.from(`${START}{`),
  close: Buffer.from(`}${END}`),
  accepts: (keys) => !keys.includes(PROTOTYPE),
  encode(bytes) {
    const isSafe = !ESCAPED.some((text) => bytes.includes(text))
    return moduleOf(isSafe ? bytes : Buffer.from(escapeForScript(bytes.toString('utf8'), '\\u003c')))
  },
  decode: (module) => JSON.parse(module.toString('utf8', START.length, module.length - END.length)),
}
