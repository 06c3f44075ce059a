/**
 * Checks options and adds their defaults, with rules generated from the schema. This is much faster than loading zod
 * and the schema.
 */
import * as checks from './checks.ts'
import { OPTION_RULES } from './rules.ts'
import type { ParsedOptions } from './schema.ts'

/** The subset of JSON Schema that the generated `rules.ts` uses. */
export interface Rule {
  readonly type?: 'boolean' | 'string' | 'number' | 'integer' | 'array' | 'object'
  readonly anyOf?: readonly Rule[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly minLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Rule
  readonly minItems?: number
  /** If absent, any property names are allowed. */
  readonly properties?: Readonly<Record<string, Rule>>
  readonly required?: readonly string[]
  readonly propertyNames?: Rule
  readonly additionalProperties?: Rule | false
  readonly default?: unknown
  /** Names of functions in `checks.ts`. */
  readonly checks?: readonly string[]
}

const OPTIONS: Rule = OPTION_RULES

/**
 * Returns the options with their defaults, or `undefined` if they may be invalid. The schema must then check them and
 * describe the problems.
 */
export function completeOptions(options: unknown): ParsedOptions | undefined {
  return complete(OPTIONS, options) as ParsedOptions | undefined
}

/** The defaults of sections that may also be `true`. */
export const sectionDefaults = {
  push: () => section('push', {}),
  pull: () => section('pull', {}),
  prune: () => section('prune', {}),
  refresh: () => section('refresh', {}),
  usage: () => section('usage', {}),
  types: (file: string) => section('types', { file }),
}

function section<Name extends keyof ParsedOptions>(name: Name, given: object) {
  const rule = OPTIONS.properties?.[name] ?? {}
  return complete(rule, given) as Extract<ParsedOptions[Name], object>
}

/** Returns a copy with defaults, or `undefined` if the value violates the rule. */
function complete(rule: Rule, value: unknown): unknown {
  const completed = rule.anyOf ? firstBranch(rule.anyOf, value) : completeType(rule, value)
  if (completed === undefined) return undefined
  if (rule.const !== undefined && completed !== rule.const) return undefined
  if (rule.enum?.includes(completed) === false) return undefined
  return rule.checks?.every((name) => CHECKS[name]?.(completed) === undefined) === false ? undefined : completed
}

const CHECKS = checks as unknown as Readonly<Record<string, (value: unknown) => string | undefined>>

function firstBranch(branches: readonly Rule[], value: unknown): unknown {
  for (const branch of branches) {
    const completed = complete(branch, value)
    if (completed !== undefined) return completed
  }
  return undefined
}

function completeType(rule: Rule, value: unknown): unknown {
  switch (rule.type) {
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'string':
      return typeof value === 'string' && isText(rule, value) ? value : undefined
    case 'integer':
    case 'number':
      return typeof value === 'number' && isNumber(rule, value) ? value : undefined
    case 'array':
      return Array.isArray(value) ? completeList(rule, value) : undefined
    case 'object':
      if (!isPlain(value)) return undefined
      return rule.properties ? completeSection(rule.properties, rule, value) : completeRecord(rule, value)
    default:
      // If JSON Schema cannot describe the type of an option, its rule has no type.
      return undefined
  }
}

function isText({ minLength = 0, pattern }: Rule, value: string): boolean {
  return value.length >= minLength && (pattern === undefined || new RegExp(pattern).test(value))
}

function isNumber({ type, minimum = -Infinity, maximum = Infinity }: Rule, value: number): boolean {
  const isOfType = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
  return isOfType && value >= minimum && value <= maximum
}

function completeList({ items = {}, minItems = 0 }: Rule, value: readonly unknown[]): unknown {
  const list = Array.from(value, (item) => complete(items, item))
  return list.length < minItems || list.includes(undefined) ? undefined : list
}

function completeSection(
  properties: Readonly<Record<string, Rule>>,
  { required }: Rule,
  value: Readonly<Record<string, unknown>>,
): unknown {
  if (Object.keys(value).some((name) => !Object.hasOwn(properties, name))) return undefined
  const completed: Record<string, unknown> = {}
  for (const [name, rule] of Object.entries(properties)) {
    const given = value[name] === undefined ? rule.default : value[name]
    if (given !== undefined) {
      completed[name] = complete(rule, given)
      if (completed[name] === undefined) return undefined
    } else if (required?.includes(name)) return undefined
  }
  return completed
}

function completeRecord(rule: Rule, value: Readonly<Record<string, unknown>>): unknown {
  const { propertyNames, additionalProperties } = rule
  if (!propertyNames || !additionalProperties) return undefined
  const completed: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    // Assigning to `__proto__` would set the prototype.
    if (name === '__proto__' || complete(propertyNames, name) === undefined) return undefined
    completed[name] = complete(additionalProperties, item)
    if (completed[name] === undefined) return undefined
  }
  return completed
}

/** False for class instances and other special objects, which only the schema can check. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  const isOrdinary = prototype === Object.prototype || prototype === null
  return isOrdinary && Object.getOwnPropertySymbols(value).length === 0
}
