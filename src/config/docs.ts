/** The options as a table for people, made from the schema so that it cannot go stale. */

import { type JsonSchema, optionsJsonSchema } from './problems.ts'

/** Stand around the table in the README. */
export const OPTIONS_TABLE_START = '<!-- options:start -->'
export const OPTIONS_TABLE_END = '<!-- options:end -->'

/** A Markdown table of every option: name, type, default, meaning. Sections are followed by their own options. */
export function generateOptionsTable(): string {
  const rows = optionRows(optionsJsonSchema(), '').map((cells) => `| ${cells.join(' | ')} |`)
  return ['| Option | Type | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}

/** The text with the table between its two markers brought up to date; `undefined`: a marker is missing. */
export function refreshOptionsTable(readme: string): string | undefined {
  const start = readme.indexOf(OPTIONS_TABLE_START)
  const end = readme.indexOf(OPTIONS_TABLE_END)
  if (start < 0 || end < start) return undefined
  return `${readme.slice(0, start + OPTIONS_TABLE_START.length)}\n${generateOptionsTable()}\n${readme.slice(end)}`
}

function optionRows(schema: JsonSchema, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, option]) => {
    const branches = [option, ...(option.anyOf ?? [])]
    const row = [`\`${prefix}${name}\``, code(typeText(option)), defaultText(option), option.description ?? '']
    return [row.map(escapeCell), ...branches.flatMap((branch) => optionRows(branch, `${prefix}${name}.`))]
  })
}

function typeText(schema: JsonSchema): string {
  if (schema.typeText !== undefined) return schema.typeText
  if (schema.anyOf) return schema.anyOf.map(typeText).join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.type === 'array') return arrayText(typeText(schema.items ?? {}))
  if (schema.type === 'integer') return 'number'
  if (schema.type !== 'object') return schema.type ?? 'unknown'
  if (schema.properties) return 'object'
  const values = typeof schema.additionalProperties === 'object' ? typeText(schema.additionalProperties) : 'unknown'
  return `Record<string, ${values}>`
}

function arrayText(item: string): string {
  return item.includes('|') ? `(${item})[]` : `${item}[]`
}

function defaultText(schema: JsonSchema): string {
  if (schema.defaultText !== undefined) return schema.defaultText
  if (schema.default === undefined || (schema.properties && schema.type === 'object')) return ''
  return code(literal(schema.default))
}

/** A value as TypeScript writes it. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}

function code(text: string): string {
  return `\`${text}\``
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|')
}
