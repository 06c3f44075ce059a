/** Catalogs in every file format, printed by hand and not by the package's code. */
import { isDeepStrictEqual } from 'node:util'
import { parse, stringify, type ToStringOptions } from 'yaml'
import type { FileEnding } from '../../src/shared/file-pattern.ts'

type Value = string | number | boolean | null | readonly Value[] | TextTree
export type TextTree = { readonly [key: string]: Value }

/** Quoted as a careful person would, with comments where the format has them. */
export const PRINTERS: Readonly<Record<FileEnding, (tree: object) => string>> = {
  '.json': (tree) => `${JSON.stringify(tree, null, 2)}\n`,
  '.jsonc': (tree) => `// texts\n${JSON.stringify(tree, null, 2).replaceAll('{\n', '{ // below\n')}\n`,
  '.json5': (tree) => `${json5(tree as TextTree, '')} // end\n`,
  '.yaml': (tree) => `# texts\n${yaml(tree, { lineWidth: 0 })}`,
  '.yml': (tree) => yaml(tree, { lineWidth: 40, singleQuote: true, indent: 4 }),
}

/** The library loses white space in some blocks of text. */
function yaml(tree: object, options: ToStringOptions): string {
  const text = stringify(tree, options)
  return isDeepStrictEqual(parse(text), tree) ? text : stringify(tree, { ...options, blockQuote: false })
}

function json5(tree: TextTree, indent: string): string {
  const members = Object.entries(tree).map(([key, value], at) => {
    const name = /^[a-z]+$/.test(key) ? key : JSON.stringify(key)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    const other = isObject ? json5(value as TextTree, `${indent}  `) : JSON.stringify(value)
    const text = typeof value === 'string' ? quoted(value, at) : other
    return `${indent}  ${name}: ${text}, // no. ${at}\n`
  })
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`
}

function quoted(text: string, at: number): string {
  const json = JSON.stringify(text)
  return at % 2 === 0 ? json : `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
