/** JSON, JSON with comments, and JSON5. */

import { type JsonDialect, type ParsedJson, parseJson } from '../../../shared/json-parser.ts'
import { isJson5Name } from '../../../shared/json5-tokens.ts'
import { keyBeside, textBeside } from '../edit-tree.ts'
import type { FileFormat, FileLayout, TextPrinter } from '../format.ts'
import { readNativeJson } from './native.ts'

export const json: FileFormat = {
  readQuickly: readNativeJson,
  newBranches: 'flow',
  parse: parseStrict,
  createPrinter: (layout) => ({ text: (text) => quote(text, layout), key: (name) => quote(name, layout) }),
}

export const jsonc: FileFormat = dialect('jsonc', json.createPrinter)

export const json5: FileFormat = dialect('json5', createJson5Printer)

function dialect(name: JsonDialect, createPrinter: FileFormat['createPrinter']): FileFormat {
  return { newBranches: 'flow', parse: (text) => parseJson(text, name), createPrinter }
}

function parseStrict(text: string): ParsedJson {
  const parsed = parseJson(text)
  if (!('problem' in parsed) || parsed.problem.message !== 'comments are not allowed in JSON') return parsed
  const hint = 'Remove the comment, or rename the files to .jsonc and change the option "files".'
  return { problem: { ...parsed.problem, hint } }
}

/** Uses the quotes of the old text, or of a nearby text or key. A key gets no quotes if nearby keys have none. */
function createJson5Printer(layout: FileLayout): TextPrinter {
  const inQuotes = (text: string, like: string | undefined) => {
    const quoted = quote(text, layout)
    if (!like?.startsWith("'")) return quoted
    return `'${quoted.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  }
  return {
    text: (text, owner, old) => inQuotes(text, old ?? textBeside(owner, /^["']/)),
    key(name, owner) {
      const like = keyBeside(owner)
      return like !== undefined && !/^["']/.test(like) && isJson5Name(name) ? name : inQuotes(name, like)
    },
  }
}

function quote(text: string, { asciiOnly }: FileLayout): string {
  const quoted = JSON.stringify(text)
  if (!asciiOnly) return quoted
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return quoted.replace(/[^\p{ASCII}]/gu, (character) => character.split('').map(escaped).join(''))
}
