/** i18next's selectors, `($) => $.section.title`: the keys that they name. */
import type { Node } from '@babel/types'
import { branchesOf, type FunctionNode, isMember, returnsOf, staticName, unwrap } from '../syntax/tree.ts'
import { ANYTHING, concat, literal, type Strings, type StringValue } from './strings.ts'

/** The paths that the selector may return, joined with a dot. `*`: it returns something else. */
export function selectedPaths(selector: FunctionNode, strings: Strings): readonly StringValue[] {
  const [parameter] = selector.params
  if (parameter?.type !== 'Identifier') return [ANYTHING]
  const returned = returnsOf(selector)
  const paths = returned.flatMap((value) => pathsOf(unwrap(value), parameter.name, strings))
  return paths.length === 0 ? [ANYTHING] : paths
}

function pathsOf(value: Node, parameter: string, strings: Strings): readonly StringValue[] {
  const branches = branchesOf(value)
  if (branches) return branches.flatMap((branch) => pathsOf(branch, parameter, strings))
  let paths: readonly StringValue[] = []
  let object = value
  for (; isMember(object); object = unwrap(object.object)) {
    const name = staticName(object.property, object.computed)
    const names = name === undefined ? strings.of(object.property) : [literal(name)]
    paths = paths.length === 0 ? names : join(names, paths)
  }
  const isOfParameter = object.type === 'Identifier' && object.name === parameter
  return isOfParameter && paths.length > 0 ? paths : [ANYTHING]
}

function join(before: readonly StringValue[], after: readonly StringValue[]): readonly StringValue[] {
  return before.flatMap((first) => after.map((rest) => concat(first, concat(literal('.'), rest))))
}
