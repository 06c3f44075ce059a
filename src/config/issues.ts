/** Describes the problems that the schema finds: the option, the expected value and the actual value. */

import * as z from 'zod'
import { nearestName, suggestName } from '../shared/nearest.ts'
import { formatPath, type OptionProblem } from './problems.ts'
import { optionsSchema, type ParsedOptions, SECRET_OPTIONS } from './schema.ts'

export type Checked = { readonly options: ParsedOptions } | { readonly problems: readonly OptionProblem[] }

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** `jitless`: zod's generated code is faster only for many values. `reportInput`: issues include the actual value. */
const PARSING = { jitless: true, reportInput: true }

export function parseOptions(options: unknown): Checked {
  const parsed = optionsSchema.safeParse(options, PARSING)
  return parsed.success ? { options: parsed.data } : { problems: describeIssues(parsed.error.issues) }
}

/** Hides the values of secrets and of unknown options. */
function describeIssues(issues: readonly Issue[], below: Path = []): OptionProblem[] {
  return issues.flatMap((issue) => describeIssue(issue, [...below, ...issue.path]))
}

function describeIssue(issue: Issue, path: Path): OptionProblem[] {
  const problem = (message: string, hint?: string) => [{ path: formatPath(path), message, hint }]
  const given = describeGiven(path, issue.input)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: formatPath([...path, key]),
        message: 'unknown option',
        hint: suggestOption(path, key),
      }))
    case 'invalid_union': {
      const [branch, ...others] = issue.errors.filter((errors) => !errors.some(isOtherType))
      if (branch && others.length === 0) return describeIssues(branch, path)
      const expected = new Set(issue.errors.flat().map(expectation))
      return problem(`expected ${[...expected].join(' or ')}, received ${given}`)
    }
    case 'custom':
    case 'invalid_format': {
      const isShown = typeof issue.input !== 'object' && !isSecret(path)
      return problem(isShown ? `${issue.message}, received ${given}` : issue.message)
    }
    case 'invalid_key':
    case 'invalid_element':
      return problem('names must be non-empty strings')
    default:
      return problem(`expected ${expectation(issue)}, received ${given}`, nearestValue(issue))
  }
}

/** True if the value does not have the type that this branch of a union expects. */
function isOtherType({ path, code }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
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
      if (issue.origin === 'string') return 'a non-empty string'
      return issue.origin === 'array' ? 'a non-empty list' : `a number of at least ${issue.minimum}`
    case 'too_big':
      return `a number of at most ${issue.maximum}`
    default:
      return issue.message
  }
}

function nearestValue(issue: Issue): string | undefined {
  if (issue.code !== 'invalid_value' || typeof issue.input !== 'string') return undefined
  const known = issue.values.filter((each) => typeof each === 'string')
  const nearest = nearestName(issue.input, known)
  return nearest === undefined ? undefined : `Did you mean ${JSON.stringify(nearest)}?`
}

/** Suggests the most similar option in the same section, or else one in another section. */
function suggestOption(path: Path, key: string): string | undefined {
  const known = optionPaths()
  const prefix = path.length === 0 ? '' : `${formatPath(path)}.`
  const beside = known.filter((each) => each.startsWith(prefix) && !each.slice(prefix.length).includes('.'))
  const names = beside.map((each) => each.slice(prefix.length))
  const nearest = nearestName(key, names)
  const found =
    nearest === undefined
      ? known.find((each) => nearestName(key, [each.slice(each.lastIndexOf('.') + 1)]) !== undefined)
      : prefix + nearest
  return found === undefined ? suggestName(key, beside) : `Did you mean "${found}"?`
}

export function optionPaths(schema: unknown = optionsSchema, prefix = ''): string[] {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional)
    return optionPaths(schema.unwrap(), prefix)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((branch) => optionPaths(branch, prefix))
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape).flatMap(([name, child]) => [
    prefix + name,
    ...optionPaths(child, `${prefix}${name}.`),
  ])
}

function isSecret(path: Path): boolean {
  return SECRET_OPTIONS.includes(formatPath(path.slice(0, 2)))
}

/** True if the value may be a key in the wrong place, such as in a URL option or in place of a section. */
function mayBeSecret(path: Path, value: string): boolean {
  const at = path.join('.')
  return at === 'service' || ((at === 'service.baseUrl' || at === 'service.cdnUrl') && !/^\w+:\/\//.test(value))
}

/** The value in a form that is safe to print: shortened and without secrets. */
function describeGiven(path: Path, value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  if (isSecret(path)) return `a ${typeof value} (hidden)`
  const cut = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}...` : text)
  if (typeof value !== 'string') return cut(String(value as number | bigint | boolean))
  if (mayBeSecret(path, value)) return 'a string (hidden)'
  return JSON.stringify(cut(value.replace(/\/\/[^/@]*@/, '//***@').replace(/[?#].*/s, '?***')))
}
