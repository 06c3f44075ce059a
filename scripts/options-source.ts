/**
 * Generates the reference in `docs/options.md`, the interfaces in `src/config/options.ts` and the rules in
 * `src/config/rules.ts` from the schema.
 */

import * as z from 'zod'
import * as checks from '../src/config/checks.ts'
import { optionsSchema } from '../src/config/schema.ts'

const WIDTH = 120
/** Without the indentation and the star. */
const COMMENT_WIDTH = WIDTH - 5

/** The part of JSON Schema that zod writes for the options. */
export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly defaultText?: string
  /** The type of a value that JSON cannot hold. */
  readonly typeText?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** The options, as a user may write them, in JSON Schema. */
export function optionsJsonSchema(): JsonSchema {
  return z.toJSONSchema(optionsSchema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
}

/** They stand around the reference in `docs/options.md`. */
export const REFERENCE_START = '<!-- options:start -->'
export const REFERENCE_END = '<!-- options:end -->'

/** A heading for every option, with its type, default and meaning. A section is followed by its own options. */
export function generateReference(): string {
  return optionEntries(optionsJsonSchema(), '').join('\n\n')
}

/** The page with a new reference between its two markers; `undefined` if a marker is missing. */
export function refreshReference(page: string): string | undefined {
  const start = page.indexOf(REFERENCE_START)
  const end = page.indexOf(REFERENCE_END)
  if (start < 0 || end < start) return undefined
  return `${page.slice(0, start + REFERENCE_START.length)}\n\n${generateReference()}\n\n${page.slice(end)}`
}

function optionEntries(schema: JsonSchema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, option]) => {
    const fallback = option.defaultText ?? (hasDefault(option) ? code(literal(option.default)) : '')
    const type = code(typeText(option, REFERENCE_TYPES))
    const facts = fallback === '' ? `Type: ${type}` : `Type: ${type}; default: ${fallback}`
    const heading = `${prefix === '' ? '##' : '###'} ${code(prefix + name)}`
    const own = [heading, wrapped(facts, WIDTH).join('\n'), wrapped(option.description ?? '', WIDTH).join('\n')]
    const branches = [option, ...(option.anyOf ?? [])]
    return [...own, ...branches.flatMap((branch) => optionEntries(branch, `${prefix}${name}.`))]
  })
}

/** The whole of `options.ts`. Declarations made from zod's own types would carry no documentation. */
export function generateOptionsSource(): string {
  const interfaces: string[] = []
  const types: TypeStyle = {
    array: (item) => `readonly ${item}[]`,
    record: (value) => `{ readonly [name: string]: ${value} }`,
    section(schema, option) {
      const name = `${option[0]?.toUpperCase()}${option.slice(1)}Options`
      const text = interfaceText(name, `The options of \`${option}\`.`, schema, types)
      if (!interfaces.includes(text)) interfaces.push(text)
      return name
    },
  }
  const meaning = 'The options of `localization.config.*` and of the plugin. All are optional.'
  const whole = interfaceText('LocalizationOptions', meaning, optionsJsonSchema(), types).replace(
    '\ninterface ',
    '\nexport interface ',
  )
  const head = '/** Generated from `schema.ts` by `node scripts/options.mjs`: change the options there. */'
  const imports = "import type { RequestDispatcher } from './dispatcher.ts'"
  return `${[head, imports, whole, ...interfaces].join('\n\n')}\n`
}

/** The whole of `rules.ts`. Errors: an option needs what `complete.ts` does not know. */
export function generateRules(): string {
  const { $schema: _, ...schema } = z.toJSONSchema(optionsSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      for (const name of Object.keys(jsonSchema)) if (DOCUMENTATION.includes(name)) delete jsonSchema[name]
      const unknown = Object.keys(jsonSchema).find((name) => !RULE_KEYWORDS.includes(name))
      if (unknown !== undefined) throw new Error(`src/config/complete.ts does not know ${unknown}`)
      const checks = customChecks(zodSchema)
      if (checks.length > 0) jsonSchema.checks = checks
    },
  })
  const head = '/** Generated from `schema.ts` by `node scripts/options.mjs`: change the options there. */'
  const rules = `export const OPTION_RULES = ${printed(schema, '')} as const`
  return `${[head, rules].join('\n\n')}\n`
}

const DOCUMENTATION = ['description', 'defaultText', 'typeText']

const RULE_KEYWORDS = [
  ...['$schema', 'type', 'anyOf', 'const', 'enum', 'minLength', 'pattern', 'minimum', 'maximum', 'items', 'minItems'],
  ...['properties', 'required', 'propertyNames', 'additionalProperties', 'default', 'checks'],
]

/** The names of the functions of `checks.ts` that check the value. */
function customChecks({ _zod: { def } }: z.core.$ZodType): string[] {
  return (def.checks ?? []).flatMap(({ _zod }) => {
    if (_zod.def.check !== 'custom') return []
    const { rule } = _zod.check as { readonly rule?: string }
    if (rule === undefined || !(rule in checks)) throw new Error('a check is not a function of src/config/checks.ts')
    return [rule]
  })
}

/** As the formatter prints it. */
function printed(value: unknown, indent: string): string {
  if (!isObject(value)) return literal(value)
  const members = Object.entries(value).map(([name, item]) => [Array.isArray(value) ? '' : `${name}: `, item] as const)
  const print = (inner: string) => members.map(([name, item]) => `${name}${printed(item, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }']
  const short = `${open}${print('').join(', ')}${close}`
  if (members.length === 0) return `${open}${close}`.replaceAll(' ', '')
  const isTable =
    Array.isArray(value) && value.length > 1 && value.every((item) => isObject(item) && Object.keys(item).length > 1)
  // A name of 30 letters fits before it.
  if (!isTable && !short.includes('\n') && indent.length + short.length <= WIDTH - 30) return short
  const lines = print(`${indent}  `).map((line) => `${indent}  ${line},\n`)
  return `${open.trim()}\n${lines.join('')}${indent}${close.trim()}`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function interfaceText(name: string, meaning: string, schema: JsonSchema, types: TypeStyle): string {
  const members = Object.entries(schema.properties ?? {}).flatMap(([option, value]) => {
    const type = typeText(value, types, option)
    const member = schema.required?.includes(option) ? `${option}: ${type}` : `${option}?: ${type} | undefined`
    return [...documentation(value), member].map((line) => `  ${line}`)
  })
  return [`/** ${meaning} */`, `interface ${name} {`, ...members, '}'].join('\n')
}

/** The description and the default as a comment, on one line if they fit. */
function documentation(schema: JsonSchema): string[] {
  const fallback = schema.defaultText ?? (hasDefault(schema) ? literal(schema.default) : undefined)
  const parts = [schema.description ?? '', ...(fallback === undefined ? [] : [`@default ${fallback}`])]
  // A glob may hold what would end the comment.
  const [text = '', ...tags] = parts.map((part) => part.replaceAll('*/', '*\\/'))
  const short = `/** ${[text, ...tags].join(' ')} */`
  if (short.length <= WIDTH - 2) return [short]
  return ['/**', ...[text, ...tags].flatMap((part) => wrapped(part, COMMENT_WIDTH)).map((line) => ` * ${line}`), ' */']
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

interface TypeStyle {
  readonly array: (item: string) => string
  readonly record: (value: string) => string
  readonly section: (schema: JsonSchema, option: string) => string
}

const REFERENCE_TYPES: TypeStyle = {
  array: (item) => `${item}[]`,
  record: (value) => `Record<string, ${value}>`,
  section: () => 'object',
}

function typeText(schema: JsonSchema, types: TypeStyle, option = ''): string {
  const inner = (each: JsonSchema) => typeText(each, types, option)
  if (schema.typeText !== undefined) return schema.typeText
  if (schema.anyOf) return [...new Set(schema.anyOf.map(inner))].join(' | ')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.type === 'integer') return 'number'
  if (schema.type === 'array') {
    const item = inner(schema.items ?? {})
    return types.array(item.includes('|') ? `(${item})` : item)
  }
  if (schema.type !== 'object') return schema.type ?? 'unknown'
  if (schema.properties) return types.section(schema, option)
  const { additionalProperties: values } = schema
  return types.record(typeof values === 'object' ? inner(values) : 'unknown')
}

function hasDefault(schema: JsonSchema): boolean {
  const isSection = schema.properties !== undefined && schema.type === 'object'
  return schema.default !== undefined && !isSection
}

/** A value as TypeScript writes it. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\')}'` : JSON.stringify(value)
}

function code(text: string): string {
  return `\`${text}\``
}
