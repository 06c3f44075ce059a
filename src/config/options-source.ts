/** Generates `options.ts`: the options as documented interfaces, from the schema. Declarations made from zod's types have no documentation. */

import { literal } from './docs.ts'
import { type JsonSchema, optionsJsonSchema } from './problems.ts'

const WIDTH = 120

/** The whole of `options.ts`. */
export function generateOptionsSource(): string {
  const interfaces: string[] = []
  const imports = new Set<string>()
  const typeOf = (schema: JsonSchema, name: string): string => {
    if (schema.typeText !== undefined) {
      imports.add(schema.typeText)
      return schema.typeText
    }
    if (schema.anyOf) return [...new Set(schema.anyOf.map((branch) => typeOf(branch, name)))].join(' | ')
    if (schema.const !== undefined) return literal(schema.const)
    if (schema.enum) return schema.enum.map(literal).join(' | ')
    if (schema.type === 'array') return `readonly ${inParentheses(typeOf(schema.items ?? {}, name))}[]`
    if (schema.type === 'integer') return 'number'
    if (schema.type !== 'object') return schema.type ?? 'unknown'
    if (schema.properties) {
      const section = `${name[0]?.toUpperCase()}${name.slice(1)}Options`
      interfaces.push(interfaceText(section, `The options of \`${name}\`.`, schema, typeOf))
      return section
    }
    const { additionalProperties: values } = schema
    return `{ readonly [name: string]: ${typeof values === 'object' ? typeOf(values, name) : 'unknown'} }`
  }
  const whole = interfaceText(
    'LocalizationOptions',
    'What `localization.config.*` and the plugin take; every option may be left out.',
    optionsJsonSchema(),
    typeOf,
  )
  return [
    '/** Generated from `schema.ts` by `node scripts/options.mjs`: change the options there. */',
    ...(imports.size > 0 ? [`import type { ${[...imports].sort().join(', ')} } from './types.ts'`] : []),
    whole,
    ...interfaces,
  ]
    .join('\n\n')
    .concat('\n')
}

type TypeOf = (schema: JsonSchema, name: string) => string

function interfaceText(name: string, meaning: string, schema: JsonSchema, typeOf: TypeOf): string {
  const { properties = {}, required = [] } = schema
  const members = Object.entries(properties).flatMap(([option, value]) => {
    const type = typeOf(value, option)
    return [
      ...documentation(value).map((line) => `  ${line}`),
      required.includes(option) ? `  ${option}: ${type}` : `  ${option}?: ${type} | undefined`,
    ]
  })
  return [`/** ${meaning} */`, `export interface ${name} {`, ...members, '}'].join('\n')
}

/** The description and the default as a comment. A glob may hold what would end it. */
function documentation(schema: JsonSchema): string[] {
  const lines = [...wrapped(schema.description ?? ''), ...defaultLines(schema)].map((line) =>
    line.replaceAll('*/', '*\\/'),
  )
  return lines.length === 1 ? [`/** ${lines[0]} */`] : ['/**', ...lines.map((line) => ` * ${line}`), ' */']
}

function defaultLines(schema: JsonSchema): string[] {
  if (schema.defaultText !== undefined) return wrapped(`@default ${schema.defaultText}`)
  if (schema.default === undefined || (schema.properties && schema.type === 'object')) return []
  return wrapped(`@default ${literal(schema.default)}`)
}

function wrapped(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length > WIDTH - ' * '.length - 3) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function inParentheses(type: string): string {
  return type.includes('|') ? `(${type})` : type
}
