/** Edits package.json and tsconfig.json by insertions. The files may have comments and trailing commas. */
import type { Node, ObjectExpression } from '@babel/types'
import { propertyOf } from '../../../usage/syntax/tree.ts'
import { appendItem } from './insert.ts'
import { CannotEdit, type Edited, edit, type Insertion, insert, parse, type Source, startOf } from './source.ts'

interface JsonSource extends Source {
  readonly root: ObjectExpression
}

/** The lines of a tool that takes no plugins: names below `imports`, and scripts that generate first. */
export function addToManifest(
  given: string,
  imports: Readonly<Record<string, string>>,
  scripts: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Edited {
  return editJson(given, (source) => [
    ...addMembers(source, source.root, { imports, ...more }),
    ...scripts.flatMap((name) => generateFirst(source, name)),
  ])
}

/** Adds a package to `compilerOptions.types`, if the file has this list. */
export function addToTypes(given: string, name: string): Edited {
  return editJson(given, (source) => {
    const options = propertyOf(source.root, 'compilerOptions').value
    const types = options && propertyOf(options, 'types').value
    if (types?.type !== 'ArrayExpression') throw new CannotEdit('it has no list "types"')
    if (types.elements.some((item) => item?.type === 'StringLiteral' && item.value === name)) return []
    return appendItem(source, types, JSON.stringify(name))
  })
}

function editJson(given: string, change: (source: JsonSource) => Insertion[]): Edited {
  return edit(given, (text) => {
    // JSON is an expression of JavaScript.
    const source = parse(`(${text}\n)`, 'file.json')
    const [statement] = source.ast.program.body
    const root = statement?.type === 'ExpressionStatement' ? statement.expression : undefined
    if (root?.type !== 'ObjectExpression') throw new CannotEdit('it does not contain an object')
    const style = { ...source.style, trailingComma: '' as const }
    const insertions = change({ ...source, style, root })
    return insert(
      text,
      insertions.map(({ at, text: added }) => ({ at: at - 1, text: added })),
    )
  })
}

/** Members that the object lacks; objects are joined. */
function addMembers(
  source: JsonSource,
  object: ObjectExpression,
  members: Readonly<Record<string, unknown>>,
): Insertion[] {
  const missing: string[] = []
  const insertions: Insertion[] = []
  for (const [name, value] of Object.entries(members)) {
    const node = propertyOf(object, name).value
    const isObject = typeof value === 'object' && value !== null
    if (!node) missing.push(`${JSON.stringify(name)}: ${JSON.stringify(value, null, source.style.indent)}`)
    else if (isObject && node.type === 'ObjectExpression')
      insertions.push(...addMembers(source, node, value as Readonly<Record<string, unknown>>))
    else if (isObject) throw new CannotEdit(`"${name}" is not an object`, node)
  }
  return missing.length > 0 ? [...insertions, ...appendItem(source, object, missing.join(',\n'))] : insertions
}

const GENERATE = 'localization generate'

function generateFirst(source: JsonSource, name: string): Insertion[] {
  const scripts = propertyOf(source.root, 'scripts').value
  const script: Node | undefined = scripts && propertyOf(scripts, name).value
  if (script?.type !== 'StringLiteral' || script.value.includes(GENERATE)) return []
  return [{ at: startOf(script) + 1, text: `${GENERATE} && ` }]
}
