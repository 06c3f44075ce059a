/** What is wrong with given options, as findings a person can act on: each with its path, what was expected and what was given. */

import * as z from 'zod'
import { LocalizationError } from '../errors.ts'
import { nearestName, suggestName } from '../shared/nearest.ts'
import { optionsSchema, SECRET_OPTIONS } from './schema.ts'

export interface OptionProblem {
  /** The option's full path, such as `service.apiKey`; empty: the whole configuration. */
  readonly path: string
  readonly message: string
  readonly hint?: string
}

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Turns zod's issues about `value` into problems. Values of secrets and of unknown options are never repeated. */
export function describeIssues(issues: readonly Issue[], value: unknown): OptionProblem[] {
  return issues.flatMap((issue) => describeIssue(issue, issue.path, value))
}

function describeIssue(issue: Issue, path: Path, root: unknown): OptionProblem[] {
  const at = formatPath(path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: formatPath([...path, key]),
      message: 'unknown option',
      hint: suggestOption(path, key),
    }))
  }
  if (issue.code === 'invalid_union') {
    const branches = issue.errors.filter((branch) => !branch.some(isOtherType))
    const branch = branches.length === 1 ? branches[0] : undefined
    if (branch) return branch.flatMap((inner) => describeIssue(inner, [...path, ...inner.path], root))
    const expected = [...new Set(issue.errors.flatMap((inner) => inner.map((each) => expectation(each))))]
    return [{ path: at, message: `expected ${expected.join(' or ')}, given ${given(path, root)}` }]
  }
  if (issue.code === 'custom' || issue.code === 'invalid_format') {
    return [{ path: at, message: withGiven(issue.message, path, root) }]
  }
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element') {
    return [{ path: at, message: 'a name must be a text that is not empty' }]
  }
  const value = valueAt(root, path)
  const hint =
    issue.code === 'invalid_value' && typeof value === 'string'
      ? nearestHint(
          value,
          issue.values.filter((each) => typeof each === 'string'),
        )
      : undefined
  return [{ path: at, message: `expected ${expectation(issue)}, given ${given(path, root)}`, ...(hint && { hint }) }]
}

/** True where a branch of a union does not even have the given value's type. */
function isOtherType(issue: Issue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_NAMES[issue.expected] ?? issue.expected
    case 'invalid_value':
      return issue.values.map((value) => JSON.stringify(value)).join(' or ')
    case 'too_small':
      if (issue.origin === 'string') return 'a text that is not empty'
      if (issue.origin === 'array') return 'a list that is not empty'
      return `a number of at least ${issue.minimum}`
    case 'too_big':
      return `a number of at most ${issue.maximum}`
    default:
      return issue.message
  }
}

function nearestHint(value: string, known: readonly string[]): string | undefined {
  const nearest = nearestName(value, known)
  return nearest === undefined ? undefined : `Did you mean ${JSON.stringify(nearest)}?`
}

/** The nearest option beside the unknown one, else the same name in another section. */
function suggestOption(path: Path, key: string): string | undefined {
  const known = optionPaths()
  const prefix = path.length === 0 ? '' : `${formatPath(path)}.`
  const beside = known.filter((each) => each.startsWith(prefix) && !each.slice(prefix.length).includes('.'))
  const nearest = nearestName(
    key,
    beside.map((each) => each.slice(prefix.length)),
  )
  if (nearest !== undefined) return `Did you mean "${prefix}${nearest}"?`
  const elsewhere = known.filter((each) => nearestName(key, [each.slice(each.lastIndexOf('.') + 1)]) !== undefined)
  if (elsewhere[0] !== undefined) return `Did you mean "${elsewhere[0]}"?`
  return suggestName(key, beside)
}

/** Every option's full path, sections included. */
export function optionPaths(): readonly string[] {
  const paths: string[] = []
  const walk = (schema: JsonSchema, prefix: string): void => {
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      paths.push(prefix + name)
      for (const branch of [child, ...(child.anyOf ?? [])]) walk(branch, `${prefix}${name}.`)
    }
  }
  walk(optionsJsonSchema(), '')
  return paths
}

/** The part of JSON Schema that zod writes for the options. */
export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly defaultText?: string
  /** The type of what JSON cannot hold: one of `types.ts`. */
  readonly typeText?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** What a user may write, as JSON Schema. */
export function optionsJsonSchema(): JsonSchema {
  return z.toJSONSchema(optionsSchema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
}

export function formatPath(path: Path): string {
  let text = ''
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`
    else if (typeof segment === 'string' && /^[A-Za-z_$][\w$]*$/.test(segment))
      text += text === '' ? segment : `.${segment}`
    else text += `[${JSON.stringify(String(segment).slice(0, 60))}]`
  }
  return text
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined
    value = (value as Record<PropertyKey, unknown>)[segment]
  }
  return value
}

function withGiven(message: string, path: Path, root: unknown): string {
  return typeof valueAt(root, path) === 'object' || isSecret(path) ? message : `${message}, given ${given(path, root)}`
}

function isSecret(path: Path): boolean {
  return SECRET_OPTIONS.includes(formatPath(path.slice(0, 2)))
}

/** A key in the wrong place: where an address or the whole section belongs. */
function mayBeSecret(path: Path, value: unknown): boolean {
  const at = path.join('.')
  if (typeof value !== 'string') return false
  return at === 'service' || ((at === 'service.baseUrl' || at === 'service.cdnUrl') && !/^\w+:\/\//.test(value))
}

/** The given value as far as it may be shown: no secret, no credentials in an address, nothing long. */
function given(path: Path, root: unknown): string {
  const value = valueAt(root, path)
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  if (isSecret(path) || mayBeSecret(path, value)) {
    return `a ${typeof value} that is not shown`
  }
  const shown =
    typeof value === 'string' ? value.replace(/\/\/[^/@]*@/, '//***@').replace(/[?#].*/s, '?***') : String(value)
  const short = shown.length > 60 ? `${shown.slice(0, 60)}...` : shown
  return typeof value === 'string' ? JSON.stringify(short) : short
}

/**
 * One error for all problems. `secrets` are cut out of the text wherever they stand: somebody may have written a key into the wrong
 * option.
 */
export function configError(
  problems: readonly OptionProblem[],
  {
    file,
    secrets = [],
    sourceOf,
  }: { file?: string; secrets?: readonly string[]; sourceOf?: (path: string) => string | undefined },
): LocalizationError {
  const lines = problems.map(({ path, message, hint }) => {
    const source = sourceOf?.(path)
    const where = [path, source && `(${source})`].filter(Boolean).join(' ')
    return [where === '' ? message : `${where}: ${message}`, hint].filter(Boolean).join('. ')
  })
  const only = lines.length === 1 ? lines[0] : undefined
  const text =
    only === undefined
      ? `the configuration has ${lines.length} problems\n${lines.map((line) => `  - ${line}`).join('\n')}`
      : only
  return new LocalizationError(redact(text, secrets), {
    code: 'CONFIG_INVALID',
    ...(file !== undefined && { place: { file } }),
  })
}

/** Replaces every secret in a text. */
function redact(text: string, secrets: readonly string[]): string {
  let result = text
  for (const secret of secrets) {
    if (secret.trim().length < 4) continue
    for (const form of [secret, secret.trim(), JSON.stringify(secret).slice(1, -1)])
      result = result.replaceAll(form, '***')
  }
  return result
}
