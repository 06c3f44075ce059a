/** Finds the object inside a file that contains the texts: the pattern's `root`. */
import type { ErrorCode } from '../errors.ts'
import type { JsonNode, ObjectNode } from '../shared/json-parser.ts'
import { isLanguage } from '../shared/language-name.ts'
import { nearestName } from '../shared/nearest.ts'

/** The names of the objects around the texts, outermost first. */
export type WrapperPath = readonly string[]

type FoundWrapper =
  | { readonly kind: 'found'; readonly node: ObjectNode; readonly path: WrapperPath }
  /** The file has no texts yet, but the objects can be added. */
  | { readonly kind: 'room' }
  | { readonly kind: 'wrong' | 'missing'; readonly problem: WrapperProblem }

interface WrapperProblem {
  readonly code: ErrorCode
  readonly offset: number
  readonly message: string
  readonly hint: string
}

/** The kinds of results, in order of preference. */
const ORDER: readonly FoundWrapper['kind'][] = ['found', 'wrong', 'room', 'missing']

/** @param paths the possible paths, best first. By default, the whole file contains the texts */
export function findWrapper(root: ObjectNode, paths: readonly WrapperPath[] = [[]]): FoundWrapper {
  const found = paths.map((path) => walk(root, path))
  const [best = { kind: 'room' }] = found.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
  return best
}

function walk(root: ObjectNode, path: WrapperPath): FoundWrapper {
  let node = root
  const shown = JSON.stringify(path.join('.'))
  for (const name of path) {
    const [member, second] = node.members.filter(({ key }) => key.text === name)
    if (!member) {
      if (node.members.length === 0) return { kind: 'room' }
      return { kind: 'missing', problem: missing(node, name, shown) }
    }
    const wrong = (code: ErrorCode, offset: number, message: string, hint: string): FoundWrapper => {
      return { kind: 'wrong', problem: { code, offset, message, hint } }
    }
    if (second) {
      const message = `duplicate root ${shown}`
      return wrong('FILE_DUPLICATE_KEY', second.key.start, message, 'Merge the two objects.')
    }
    const { value } = member
    if (value.kind !== 'object') {
      const message = `the root ${shown} is not an object of texts: ${JSON.stringify(name)} is ${nounOf(value)}`
      return wrong('FILE_ROOT', member.key.start, message, 'Write {} where there are no texts.')
    }
    node = value
  }
  return { kind: 'found', node, path }
}

function missing({ members }: ObjectNode, name: string, shown: string): WrapperProblem {
  const names = members.map(({ key }) => key.text)
  const [other] = isLanguage(name) ? names.filter(isLanguage) : []
  const nearest = nearestName(name, names)
  const listed = names.slice(0, 5).map((each) => JSON.stringify(each.slice(0, 80)))
  const more = names.length > listed.length ? `, and ${names.length - listed.length} more` : ''
  const there = listed.join(', ') + more
  const offset = members[0]?.key.start ?? 0
  const message = `the root ${shown} is missing: the file has ${there}`
  if (other !== undefined && other.replaceAll('_', '-').toLowerCase() !== name.replaceAll('_', '-').toLowerCase()) {
    const hint = `${JSON.stringify(other)} is a different language: put its texts into a separate file.`
    return { code: 'FILE_ROOT', offset, message, hint }
  }
  const hint =
    nearest === undefined
      ? `Put the texts into ${shown}, or change "root" in the option "files".`
      : `Rename ${JSON.stringify(nearest)}.`
  return { code: 'FILE_ROOT', offset, message, hint }
}

function nounOf({ kind }: JsonNode): string {
  if (kind === 'null') return 'null'
  return kind === 'array' ? 'an array' : kind === 'string' ? 'a text' : `a ${kind}`
}
