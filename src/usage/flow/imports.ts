/** Constants that a module imports from another module of the app: options that are set up elsewhere. */
import type { Node } from '@babel/types'
import { Module } from '../syntax/module.ts'
import { parseSource } from '../syntax/parse.ts'
import { isMember, memberName, unwrap } from '../syntax/tree.ts'
import { Definitions } from './definitions.ts'
import { Strings } from './strings.ts'

/** Reads the module that `file` imports as `source`. `undefined`: it cannot be found. */
export type ReadImport = (source: string, file: string) => { readonly code: string; readonly file: string } | undefined

export interface Imports {
  /** The texts of an option that is imported: `shared.separator`. `undefined`: they are unknown. */
  settings(node: Node): string[] | undefined
}

export function createImports(module: Module, file: string, readImport: ReadImport): Imports {
  return {
    settings(given) {
      const path: string[] = []
      let object = unwrap(given)
      for (; isMember(object); object = unwrap(object.object)) {
        const name = memberName(object)
        if (name === undefined) return undefined
        path.unshift(name)
      }
      const imported = object.type === 'Identifier' ? module.bindingOf(object)?.import : undefined
      const found = imported && readImport(imported.source, file)
      if (!imported || !found) return undefined
      const names = imported.imported === '*' ? path : [imported.imported, ...path]
      return settingsOf(found.code, found.file, names)
    },
  }
}

function settingsOf(code: string, file: string, [exported = 'default', ...path]: readonly string[]) {
  const tree = parseSource(code, file)
  if (!tree) return undefined
  const module = new Module(tree, code)
  const value = exportOf(module, exported)
  if (!value) return undefined
  const member = path.reduce<Node>((object, name) => {
    return { type: 'MemberExpression', object, property: { type: 'Identifier', name }, computed: false } as Node
  }, value)
  return new Strings(new Definitions(module)).settings(member)
}

/** The expression that the module exports under the name. */
function exportOf({ nodes }: Module, name: string): Node | undefined {
  for (const node of nodes) {
    if (name === 'default' && node.type === 'ExportDefaultDeclaration') return node.declaration
    if (node.type !== 'ExportNamedDeclaration' || node.source) continue
    for (const specifier of node.specifiers)
      if (specifier.type === 'ExportSpecifier' && exportedName(specifier.exported) === name) return specifier.local
    if (node.declaration?.type !== 'VariableDeclaration') continue
    for (const { id } of node.declaration.declarations) if (id.type === 'Identifier' && id.name === name) return id
  }
  return undefined
}

function exportedName(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name
  return node.type === 'StringLiteral' ? node.value : undefined
}
