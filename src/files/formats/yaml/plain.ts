/**
 * A fast reader for YAML files that contain only mappings and one-line strings. The library, which takes about ten
 * times as long, reads all other files: those with block strings, multi-line strings, comments after a string, lists,
 * numbers, flow mappings or errors.
 */
import { isUtf8 } from 'node:buffer'
import { MAX_DEPTH } from '../../../shared/flatten.ts'

/** Matches all characters except line feeds and the printable characters that have no special meaning in YAML. */
const UNUSUAL = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ufefe\uff00-\ufffd]/
/** The possible beginnings of a string without quotes. Numbers do not contain spaces. */
const FIRST = /^(?:[A-Za-z\xa1-\uffff]|\d.* )/
/** Matches the end of a string without quotes, or an error in it. */
const ENDS_TEXT = /: | #|:$/
/** Unquoted words that YAML 1.2 or 1.1 parses as other values. */
const OTHER_VALUE = /^(?:null|true|false|yes|no|on|off|y|n)$/i
/** A double-quoted string. Accepts the escapes that YAML and JSON share, except `\u`, which may be half a character. */
const DOUBLE_QUOTED = /^"(?:[^"\\]|\\["\\/bfnrt])*"/
const SINGLE_QUOTED = /^'(?:[^']|'')*'/
/** Slightly less than the 1,024 characters that YAML allows in a key. */
const MAX_KEY_LENGTH = 1000

const SPACE = 0x20
const HASH = 0x23
const DOCUMENT = '---\n'

/** Returns the file as JSON; `undefined` if the library must read it and report its problems. */
export function plainYamlAsJson(file: Buffer): Buffer | undefined {
  if (!isUtf8(file)) return undefined
  const text = file.toString('utf8')
  if (UNUSUAL.test(text)) return undefined
  /** The indentation of each mapping around the current line. */
  const indents: number[] = []
  let json = ''
  /** True if the previous line is a key without a value, so a deeper mapping must follow. */
  let isOpen = true
  let next = 0
  for (let start = text.startsWith(DOCUMENT) ? DOCUMENT.length : 0; start < text.length; start = next) {
    let end = text.indexOf('\n', start)
    if (end === -1) end = text.length
    next = end + 1
    let at = start
    while (at < end && text.charCodeAt(at) === SPACE) at++
    while (end > at && text.charCodeAt(end - 1) === SPACE) end--
    if (at === end || text.charCodeAt(at) === HASH) continue
    const indent = at - start
    if (isOpen) {
      if (indent <= (indents.at(-1) ?? -1) || indents.push(indent) > MAX_DEPTH) return undefined
      json += '{'
    } else {
      for (; indents.length > 1 && (indents.at(-1) as number) > indent; indents.pop()) json += '}'
      if (indents.at(-1) !== indent) return undefined
      json += ','
    }
    const member = memberOf(text.slice(at, end))
    if (member === undefined) return undefined
    json += member
    isOpen = member.endsWith(':')
  }
  return isOpen ? undefined : Buffer.from(json + '}'.repeat(indents.length))
}

/** The line as a member of a JSON object. If it has no value, an object follows on the next lines. */
function memberOf(line: string): string | undefined {
  const quoted = quotedAt(line)
  const length = quoted?.length ?? line.search(/:(?: |$)/)
  if (length <= 0 || length > MAX_KEY_LENGTH || line[length] !== ':') return undefined
  const key = quoted?.json ?? plainJson(line.slice(0, length))
  if (key === undefined || length + 1 === line.length) return key && `${key}:`
  if (line.charCodeAt(length + 1) !== SPACE) return undefined
  const rest = line.slice(length + 2).replace(/^ +/, '')
  const value = quotedAt(rest)
  if (value) return value.length === rest.length ? `${key}:${value.json}` : undefined
  const text = plainJson(rest)
  return text && `${key}:${text}`
}

function quotedAt(line: string): { readonly length: number; readonly json: string } | undefined {
  if (line[0] === '"') {
    const [json] = DOUBLE_QUOTED.exec(line) ?? []
    return json === undefined ? undefined : { length: json.length, json }
  }
  if (line[0] !== "'") return undefined
  const [quoted] = SINGLE_QUOTED.exec(line) ?? []
  if (quoted === undefined) return undefined
  return { length: quoted.length, json: JSON.stringify(quoted.slice(1, -1).replaceAll("''", "'")) }
}

function plainJson(text: string): string | undefined {
  const isText = FIRST.test(text) && !ENDS_TEXT.test(text) && !OTHER_VALUE.test(text) && !text.endsWith(' ')
  return isText ? JSON.stringify(text) : undefined
}
