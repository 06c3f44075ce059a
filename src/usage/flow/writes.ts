/**
 * The effects of a module on objects that other modules created. These are the properties that the module writes, and
 * the imported values that reach code that is not understood. They are plain data, for the summary of the module.
 */
import type { Node } from '@babel/types'
import type { Analysis } from '../libraries/library.ts'
import type { ImportLeak, PropertyWrite, Renaming } from '../model.ts'
import { type Assignment, assignmentOf, UNKNOWN_ASSIGNMENT } from '../syntax/bindings.ts'
import { type CallNode, isFunction, isMember, memberName, staticName, unwrap } from '../syntax/tree.ts'
import { ELEMENT } from './holes.ts'
import { ADDING } from './known-code.ts'
import { ANYTHING } from './strings.ts'

/** Matches objects of the platform and of module systems, which the app's code does not create. */
const PLATFORM = /^(?:document|process|module|exports|location|history|localStorage|sessionStorage|navigator)$/
/** Matches specifiers of packages, which cannot import a module of the app. */
const PACKAGE_NAME = /^(?:node:.*|[^./@~#][^/]*)$/

interface Effects {
  readonly writes?: readonly PropertyWrite[]
  readonly leaks?: readonly ImportLeak[]
  readonly renamings?: readonly Renaming[]
}

export function readEffects(analysis: Analysis): Effects {
  const writes = readWrites(analysis)
  const { leaks, renamings } = readLeaks(analysis)
  return {
    ...(writes.length > 0 && { writes }),
    ...(leaks.length > 0 && { leaks }),
    ...(renamings.length > 0 && { renamings }),
  }
}

function readWrites(analysis: Analysis): PropertyWrite[] {
  const { module, definitions } = analysis
  const found = new Map<string | undefined, { texts: Set<string>; hasObject: boolean }>()
  const add = (names: readonly string[] | undefined, value: Assignment) => {
    const { texts, hasObject } = writtenValue(analysis, value)
    for (const name of names ?? [undefined]) {
      const known = found.get(name) ?? { texts: new Set(), hasObject: false }
      found.set(name, known)
      for (const text of texts) known.texts.add(text)
      known.hasObject ||= hasObject
    }
  }
  for (const [member, assignments] of module.writes) {
    if (!mayBeOfOthers(analysis, member.object)) continue
    const name = memberName(member)
    const names = name === undefined ? definitions.namesIn(member.property) : [name]
    for (const each of assignments) add(names, each)
  }
  for (const call of module.calls) readWritingCall(analysis, call, add)
  return [...found].map(([name, { texts, hasObject }]) => ({
    ...(name !== undefined && { name }),
    texts: texts.has(ANYTHING.text) ? [ANYTHING.text] : [...texts],
    ...(hasObject && { hasObject }),
  }))
}

type Add = (names: readonly string[] | undefined, value: Assignment) => void

function readWritingCall(analysis: Analysis, { callee: given, arguments: args }: CallNode, add: Add) {
  const callee = unwrap(given)
  if (!isMember(callee)) return
  const name = memberName(callee) ?? ''
  const from = ADDING[name]
  if (from !== undefined && args.length > from) {
    if (!mayBeOfOthers(analysis, callee.object)) return
    for (const each of args.slice(from))
      add(
        [ELEMENT],
        each.type === 'SpreadElement'
          ? { ...assignmentOf(each.argument), path: [{ kind: 'element' }] }
          : assignmentOf(each),
      )
  }
  const { module, definitions } = analysis
  const isStatic = module.isGlobal(callee.object, 'Object') || module.isGlobal(callee.object, 'Reflect')
  const [target, second, third] = args
  if (!isStatic || !target || !second || !mayBeOfOthers(analysis, target)) return
  if (name === 'set' && third) add(definitions.namesIn(second), assignmentOf(third))
  else if (name === 'defineProperty') add(definitions.namesIn(second), UNKNOWN_ASSIGNMENT)
  else if (name === 'defineProperties') add(undefined, UNKNOWN_ASSIGNMENT)
  else if (name === 'assign') for (const source of args.slice(1)) addCopied(analysis, source, add)
}

function addCopied({ definitions }: Analysis, source: Node, add: Add) {
  const { definitions: found, isComplete } = definitions.of(source)
  for (const { node, isOpen } of found) {
    const names =
      node.type === 'ObjectExpression' && !isOpen
        ? node.properties.map((each) =>
            each.type === 'SpreadElement' ? undefined : staticName(each.key, each.computed),
          )
        : [undefined]
    for (const name of names)
      if (name === undefined) add(undefined, UNKNOWN_ASSIGNMENT)
      else add([name], { ...assignmentOf(node), path: [{ kind: 'property', name }] })
  }
  if (!isComplete) add(undefined, UNKNOWN_ASSIGNMENT)
}

/** True if another module, or code that is not followed, may have the same object. */
function mayBeOfOthers({ module, definitions }: Analysis, object: Node): boolean {
  let root = unwrap(object)
  while (isMember(root)) root = unwrap(root.object)
  if (root.type === 'Identifier' && PLATFORM.test(root.name) && !module.bindingOf(root)) return false
  if (root.type === 'ThisExpression' && isOfClass(module.functionAround(root))) return false
  return definitions.allocationsIn(object) === undefined

  function isOfClass(around: Node | undefined): boolean {
    let at = around
    while (at?.type === 'ArrowFunctionExpression') at = module.functionAround(at)
    return at === undefined || at.type === 'ClassMethod' || at.type === 'ClassPrivateMethod'
  }
}

function writtenValue(analysis: Analysis, value: Assignment): { texts: string[]; hasObject: boolean } {
  const { definitions, isComplete } = analysis.definitions.assigned(value)
  const isObject = ({ node }: { readonly node: Node }) =>
    node.type === 'ObjectExpression' || node.type === 'ArrayExpression' || node.type === 'NewExpression'
  const isNoText = ({ node }: { readonly node: Node }) =>
    isFunction(node) || isObject({ node }) || /^(?:Null|RegExp)Literal$|^JSX|^Class/.test(node.type)
  const hasObject = !isComplete || definitions.some(isObject)
  if (isComplete && definitions.every(isNoText)) return { texts: [], hasObject }
  return { texts: analysis.strings.assigned(value).map(({ text }) => text), hasObject }
}

function readLeaks({ module, definitions }: Analysis): { leaks: ImportLeak[]; renamings: Renaming[] } {
  const leaks: ImportLeak[] = []
  const renamings: Renaming[] = []
  for (const binding of module.imports) {
    const { source = '', imported = '' } = binding.import ?? {}
    if (PACKAGE_NAME.test(source)) continue
    for (const { path, reach, name } of definitions.objects.leaksOf(binding)) {
      if (reach !== 'exported') leaks.push({ source, imported, path, ...(reach === 'changed' && { isChanged: true }) })
      else if (imported === '*') leaks.push({ source, imported, path, isChanged: true })
      else renamings.push({ from: imported, to: name ?? '' })
    }
  }
  for (const call of module.calls) {
    const source = wholeImport(call)
    if (source !== undefined) leaks.push({ source, imported: '*', path: [], isChanged: true })
  }
  for (const node of module.nodes) {
    if (node.type !== 'ExportNamedDeclaration' || !node.source) continue
    for (const each of node.specifiers) {
      const to = staticName(each.exported, false) ?? ''
      if (each.type === 'ExportSpecifier') renamings.push({ from: staticName(each.local, false) ?? '', to })
      else leaks.push({ source: node.source.value, imported: '*', path: [], isChanged: true })
    }
  }
  const distinct = <T>(all: readonly T[]) => [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]
  return { leaks: distinct(leaks), renamings: distinct(renamings.filter(({ from, to }) => from !== to)) }
}

/** The module that `import()` or `require()` returns as a whole; `*` if it may be any module. */
function wholeImport(node: CallNode): string | undefined {
  const callee = unwrap(node.callee)
  const isImport = callee.type === 'Import' || (callee.type === 'Identifier' && callee.name === 'require')
  if (isImport) {
    const [first] = node.arguments
    const source = first && staticName(first, true)
    return source !== undefined && PACKAGE_NAME.test(source) ? undefined : (source ?? '*')
  }
  return isMember(callee) && callee.object.type === 'MetaProperty' ? '*' : undefined
}
