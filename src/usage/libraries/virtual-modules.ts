/** The plugin's virtual modules (with `load()`), its modules with messages, and its glue for libraries. */
import type { ExportAllDeclaration, ExportNamedDeclaration, Node } from '@babel/types'
import { parseRequest } from '../../output/ids.ts'
import { IMPORTS_ID, isHashedRequest, parseImportsRequest } from '../../output/module-paths.ts'
import { propertyName } from '../syntax/tree.ts'
import type { Analysis, Library, MessagesValue, ModuleValue, Value, ValueReader } from './library.ts'

const PREFIXES = ['virtual:translations', 'unplugin-localization-virtual', IMPORTS_ID]

/** The glue for libraries without namespaces, and the index of its options argument. */
const GLUE: Readonly<Record<string, number>> = { createLanguageLoader: 2, createIntlStore: 1 }

export const virtualModules: Library = {
  fragments: PREFIXES,
  words: Object.keys(GLUE),

  readCall({ name = '', source, args }, { collector }) {
    const at = GLUE[name]
    if (at === undefined || !source?.startsWith('unplugin-localization/')) return
    const options = args[at]
    const names = options?.type === 'ObjectExpression' ? options.properties.map(propertyName) : []
    // Keys have no prefix if the option `id` is set. Options that cannot be read may contain it.
    if (!options || (names.length > 0 && !names.includes('id') && !names.includes(undefined)))
      collector.addPrefixedKeys()
  },

  importValue(source, name) {
    const module = moduleOf(source)
    if (!module || name === '*') return module
    return module.exports.get(name) ?? null
  },

  callValue({ callee, called, args: [first, second] }, values) {
    if (callee.type === 'Import') return first && dynamicImport(first, values)
    if (called?.kind !== 'loader') return undefined
    return called.level === 'language'
      ? messages('language', 'any')
      : messages('namespace', values.namespacesOf(second))
  },

  readNodes: { ExportNamedDeclaration: readExport, ExportAllDeclaration: readExport },
}

/** Reads `export { default } from 'virtual:translations/en/shop'`. */
function readExport(node: ExportNamedDeclaration | ExportAllDeclaration, { collector }: Analysis) {
  if (node.source && isOwn(node.source.value))
    collector.addUnknown({ place: node, namespaces: 'any', isExact: true }, 'messages')
}

function isOwn(source: string): boolean {
  return PREFIXES.some((prefix) => source.startsWith(prefix))
}

function dynamicImport(source: Node, { strings }: ValueReader): Value | undefined {
  const own = strings.of(source).filter(({ text }) => isOwn(text))
  const [only, ...others] = own
  if (!only) return undefined
  const module = others.length === 0 && !only.isPattern ? moduleOf(only.text) : undefined
  return module ?? messages('namespace', 'any')
}

function moduleOf(source: string): ModuleValue | undefined {
  const id = parseRequest(source) ?? parseImportsRequest(source)
  switch (id?.kind) {
    case 'manifest':
      return {
        kind: 'module',
        exports: new Map([
          ['load', { kind: 'loader', level: 'namespace' }],
          ['loadLanguage', { kind: 'loader', level: 'language' }],
        ]),
      }
    case 'language':
      return { kind: 'module', exports: new Map([['default', messages('language', 'any')]]) }
    case 'namespace':
      return {
        kind: 'module',
        exports: new Map([['default', messages('namespace', isHashedRequest(source) ? 'any' : [id.namespace])]]),
      }
    default:
      return undefined
  }
}

function messages(level: MessagesValue['level'], namespaces: MessagesValue['namespaces']): MessagesValue {
  return { kind: 'messages', level, namespaces, path: [] }
}
