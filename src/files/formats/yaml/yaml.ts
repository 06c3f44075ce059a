/** YAML 1.2 without anchors, aliases, merge keys, tags and multiple documents. */

import { type EditBranch, keyBeside, textBeside } from '../edit-tree.ts'
import type { FileFormat, TextPrinter } from '../format.ts'
import { readNativeJson } from '../json/native.ts'
import { parseYaml } from './parse.ts'
import { plainYamlAsJson } from './plain.ts'

function yamlPrinter(eol: string): TextPrinter {
  return {
    text(text, owner, old) {
      const block = old !== undefined && owner.style === 'block' ? printBlock(text, old, owner, eol) : undefined
      if (block !== undefined || old === undefined)
        return block ?? printBeside(text, textBeside(owner, /^["'|>]/), owner)
      return printInline(text, /^["']/.exec(old)?.[0], owner)
    },
    key: (name, owner) => printBeside(name, keyBeside(owner), owner, true),
  }
}

/**
 * Prints a text in the style of a nearby text.
 * @param like the nearby text. Its quotes count as its style only if its characters require none
 */
function printBeside(text: string, like: string | undefined, owner: EditBranch, isKey = false): string {
  const quote = /^["']/.exec(like ?? '')?.[0]
  const isStyle = quote !== undefined && isPlainText(like?.slice(1, -1) ?? '', true)
  const isPlain = !isStyle && isPlainText(text, owner.style === 'flow' || isKey)
  return isPlain ? text : printInline(text, quote ?? '"', owner)
}

/** @param quote the quote to keep */
function printInline(text: string, quote: string | undefined, { style }: EditBranch): string {
  if (quote === undefined && isPlainText(text, style === 'flow')) return text
  return quote === "'" && !NOT_INLINE.test(text) ? `'${text.replaceAll("'", "''")}'` : doubleQuoted(text)
}

/** Characters that need an escape or another line: line breaks, tabs and other control characters. */
const NOT_INLINE = /[\p{Cc}\u2028\u2029\ufeff\ufffe\uffff]/u
const NEEDS_ESCAPE = /[\p{Cc}\u2028\u2029\ufeff\ufffe\uffff]/gu

const INDICATOR_FIRST = /^[-?:,[\]{}#&*!|>'"%@`=<]/
/** Words that YAML 1.1 or 1.2 does not parse as strings. They are quoted so that every parser reads a string. */
const WORD = /^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?\.(?:inf|nan))$/i
const NUMBER = /^[-+]?(?:[.\d][\d_.,:]*(?:e[-+]?\d+)?|0x[\da-f_]+|0o?[0-7_]+|0b[01_]+)$/i
const DATE = /^\d{4}-\d\d?-\d\d?(?:[Tt \t].*)?$/

/**
 * True if the text needs no quotes.
 * @param isStrict true for keys, and for texts inside brackets
 */
function isPlainText(text: string, isStrict: boolean): boolean {
  if (NOT_INLINE.test(text)) return false
  if (text === '' || text !== text.trim() || INDICATOR_FIRST.test(text)) return false
  if (WORD.test(text) || NUMBER.test(text) || DATE.test(text)) return false
  if (/^\.\.\.|:(?: |$)| #/.test(text)) return false
  return !isStrict || !/[,[\]{}:#]/.test(text)
}

function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(NEEDS_ESCAPE, (character) => {
    const code = character.charCodeAt(0).toString(16)
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code}`
  })
}

const HEADER = /^([|>])[-+0-9]*([ \t]+#[^\r\n]*|[ \t]*)(\r?\n|$)/

/** The text as a block (`|` or `>`), if the old text is a block and the new one can be. */
function printBlock(text: string, old: string, owner: EditBranch, eol: string): string | undefined {
  const [header, style, comment = ''] = HEADER.exec(old) ?? []
  if (header === undefined || style === undefined) return undefined
  const chomped = text.endsWith('\n') ? text.slice(0, -1) : text
  const lines = chomped.split('\n')
  const isSimple = lines.every((line) => line === '' || (!BLOCK_ONLY_ESCAPED.test(line) && line.trim() !== ''))
  // A blank or indented first line, or blank lines at the end, would need more than `-` in the block's header.
  if (!isSimple || !/^[^\s]/.test(lines[0] ?? '') || lines.at(-1) === '') return undefined
  if (style === '>' && lines.some((line) => /^[ \t]|[ \t]$/.test(line))) return undefined
  const indent = /(?:^|\n)( +)[^ \r\n]/.exec(old.slice(header.length))?.[1] ?? `${owner.indent}  `
  // In a folded block, one line break in the text is two in the file.
  const folded = style === '>' ? chomped.replace(/\n+/g, '$&\n').split('\n') : lines
  const body = folded.map((line) => (line === '' ? '' : indent + line))
  return [`${style}${text.endsWith('\n') ? '' : '-'}${comment}`, ...body].join(eol)
}

const BLOCK_ONLY_ESCAPED = /(?!\t)[\p{Cc}\u2028\u2029\ufeff\ufffe\uffff]/u

export const yaml: FileFormat = {
  readQuickly(bytes, keySeparator) {
    const json = plainYamlAsJson(bytes)
    return json && readNativeJson(json, keySeparator)
  },
  newBranches: 'block',
  parse: parseYaml,
  createPrinter: ({ eol }) => yamlPrinter(eol),
}
