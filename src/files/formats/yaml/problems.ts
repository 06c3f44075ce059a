/** Messages about YAML errors. They never quote the file, which may contain an API key. */
import type { CST } from 'yaml'
import { MAX_DEPTH } from '../../../shared/flatten.ts'
import { ParseError, TOO_DEEP } from '../../../shared/json-parser.ts'

type Description = readonly [message: string, hint?: string]

export const EMPTY: Description = ['the file is empty', 'Write {} for a file that has no texts.']

/** Control characters outside escapes, and carriage returns without a line feed. */
export const UNPRINTABLE = /(?![\t\r\n\u0085])[\p{Cc}\ufffe\uffff]|\r(?!\n)/u

const NOT_IN_CATALOGS = 'Not supported in translation files: write the text itself.'

/**
 * The rejected features, by token. They are found before the library creates values from tokens, because a chain of
 * aliases could create a huge value.
 */
const REFUSED: Readonly<Record<string, Description>> = {
  anchor: ['an anchor (&)', NOT_IN_CATALOGS],
  alias: ['an alias (*)', `${NOT_IN_CATALOGS} A text that begins with * needs quotes.`],
  tag: ['a tag (!)', 'Not supported in translation files. A text that begins with ! needs quotes.'],
  directive: ['a directive (%)', 'Remove it: translation files are YAML 1.2.'],
  'explicit-key-ind': ['a key after "?"', 'Write "key: text".'],
}

const MESSAGES: Readonly<Record<string, Description>> = {
  BAD_DQ_ESCAPE: ['invalid escape after a backslash', 'Write \\\\ for a backslash.'],
  BAD_INDENT: ['wrong indentation, or a closing bracket is missing'],
  BAD_SCALAR_START: ['a text without quotes cannot begin with this character', 'Put the text into quotes.'],
  BLOCK_AS_IMPLICIT_KEY: ['a second colon on this line, or wrong indentation', 'Put a text with ": " into quotes.'],
  BLOCK_IN_FLOW: ['an indented block inside brackets'],
  MISSING_CHAR: ['something is missing: a colon, a comma, a bracket or a quote'],
  MULTILINE_IMPLICIT_KEY: ['a key spans several lines, or its colon is missing'],
  TAB_AS_INDENT: ['a tab in the indentation', 'Indent YAML with spaces.'],
  UNPRINTABLE: ['a control character', 'Write it as an escape in double quotes, such as "\\x07".'],
}

const CONFLICT_MARKER = /(?<![^\n])(?:<{7}|={7}|>{7}|\|{7})(?=[ \r\n]|$)/

/** @param code the library's error code */
export function describeYamlError(text: string, code: string, offset: number): ParseError {
  const marker = text.search(CONFLICT_MARKER)
  if (marker >= 0) {
    return new ParseError(marker, ['a merge conflict marker', 'Resolve the conflict in this file first.'])
  }
  return new ParseError(offset, MESSAGES[code] ?? ['invalid YAML', 'Put a text with special characters into quotes.'])
}

/** Throws for the first rejected token. Not recursive: a deeply nested text must not overflow the stack. */
export function findRefused(tokens: readonly CST.Token[]): void {
  const open: { readonly token: unknown; readonly depth: number }[] = []
  const push = (list: readonly unknown[], depth: number) => {
    for (let i = list.length - 1; i >= 0; i--) if (list[i]) open.push({ token: list[i], depth })
  }
  push(tokens, 0)
  let documents = 0
  for (let next = open.pop(); next; next = open.pop()) {
    const { depth } = next
    const token = next.token as Partial<CST.BlockMap & CST.BlockScalar & CST.Document & CST.CollectionItem>
    const { type = '', offset = 0, source } = token as { type?: string; offset?: number; source?: string }
    // Before a text, as Rails tools write it, `!` alone means a string.
    if (Object.hasOwn(REFUSED, type) && source !== '!') throw new ParseError(offset, REFUSED[type] as Description)
    if (type === 'document' && ++documents > 1) {
      throw new ParseError(offset, ['a second document ("---")', 'Keep one document in each file.'])
    }
    if (depth > MAX_DEPTH) throw new ParseError(offset, TOO_DEEP, 'depth')
    const { start, key, sep, value, props, items } = token
    const below = items ? depth + 1 : depth
    push([...asList(start), key, ...asList(sep), value, ...asList(props), ...asList(items)], below)
  }
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value]
}
