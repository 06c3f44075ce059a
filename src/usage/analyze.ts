/** What one source file says about keys. */
import type { Node } from '@babel/types'
import { PATH_JOINT } from '../shared/key-path.ts'
import { Collector } from './collector.ts'
import { Definitions } from './flow/definitions.ts'
import { Escapes } from './flow/escapes.ts'
import { createImports, type ReadImport } from './flow/imports.ts'
import { Strings } from './flow/strings.ts'
import { Values } from './flow/values.ts'
import { NO_DETAILS } from './keys/details.ts'
import { readAttributes, readElementCall, readJsxElement } from './keys/elements.ts'
import { readKey, readTranslationCall } from './keys/keys.ts'
import { LIBRARIES } from './libraries/index.ts'
import { type Analysis, Libraries, type Library } from './libraries/library.ts'
import { EMPTY_USAGE, type ModuleUsage, unreadableUsage } from './model.ts'
import { Module } from './syntax/module.ts'
import { parseSource } from './syntax/parse.ts'
import { isCall, isMember } from './syntax/tree.ts'

export interface AnalyzerOptions {
  /** The names of the app's own translation functions and methods, beside those of the known libraries. */
  readonly functions?: readonly string[]
  /** What joins the segments of a key. Default `.`. */
  readonly keySeparator?: string
  /** Also read what calls say beside the key: default texts, counts. Default false. */
  readonly details?: boolean
  /** Reads the module that an import means, for options that are set up elsewhere. Default: they are unknown. */
  readonly readImport?: ReadImport
}

export interface Analyzer {
  /** Whether the source may use any key. Cheap, and never a wrong no. */
  mayUseKeys(code: string): boolean
  /**
   * What the module uses: JavaScript, TypeScript, JSX, or what a compiler made of them. A file that cannot be parsed
   * is one unknown use.
   *
   * @param file its name tells the dialect: `.ts` and `.js` read `<T>x` differently
   */
  analyze(code: string, file: string): ModuleUsage
}

export function createAnalyzer(
  { functions = [], keySeparator = '.', details = false, readImport }: AnalyzerOptions = {},
  table: readonly Library[] = LIBRARIES,
): Analyzer {
  const libraries = new Libraries(table, functions)
  const analyze = (code: string, file: string): ModuleUsage => {
    const tree = parseSource(code, file)
    if (!tree) return unreadableUsage(firstLine(code))
    const module = new Module(tree, code)
    const definitions = new Definitions(module)
    const strings = new Strings(definitions)
    const imports = readImport && createImports(module, file, readImport)
    const values = new Values(module, strings, libraries)
    // Libraries that split no keys put a dot behind a prefix.
    const collector = new Collector(module, keySeparator === PATH_JOINT ? '.' : keySeparator, details)
    return analyzeModule({ module, definitions, strings, values, libraries, collector, imports })
  }
  return {
    mayUseKeys: (code) => libraries.mayUseKeys(code),
    analyze(code, file) {
      if (!libraries.mayUseKeys(code)) return EMPTY_USAGE
      try {
        return analyze(code, file)
      } catch (error) {
        // Nested deeper than the stack: everything may be used.
        if (error instanceof RangeError) return unreadableUsage(firstLine(code))
        throw error
      }
    },
  }
}

function analyzeModule(analysis: Analysis): ModuleUsage {
  const { module, values, collector } = analysis
  const escapes = new Escapes(analysis)
  for (const node of module.nodes) {
    readNode(analysis, node)
    const value = mayBeValue(module, node) ? values.of(node) : undefined
    if (value) escapes.follow(node, value)
  }
  escapes.finish()
  return collector.result()
}

function readNode(analysis: Analysis, node: Node) {
  if (node.type === 'ImportDeclaration') readImported(analysis, node.source.value)
  if (isCall(node)) {
    const call = analysis.values.call(node)
    if (!readTranslationCall(analysis, call)) readElementCall(analysis, call)
    for (const library of analysis.libraries.all) library.readCall?.(call, analysis)
    return
  }
  if (node.type === 'TaggedTemplateExpression') {
    const value = analysis.values.of(node.tag)
    if (value?.kind === 'function') readKey(analysis, node.quasi, { ...value, place: node, details: () => NO_DETAILS })
  } else if (node.type === 'ObjectExpression') readAttributes(analysis, node)
  else if (node.type === 'JSXOpeningElement') readJsxElement(analysis, node)
  for (const library of analysis.libraries.all) library.readNode?.(node, analysis)
}

function readImported({ libraries, collector }: Analysis, source: string) {
  for (const { packages, plurals } of libraries.all)
    if (plurals && packages?.test(source)) collector.addPluralStyle(plurals)
}

/** Whether the value is of the node itself. Other expressions only pass on the values inside. */
function mayBeValue(module: Module, node: Node): boolean {
  return isCall(node) || isMember(node) || (node.type === 'Identifier' && module.isReference(node))
}

function firstLine(code: string): string {
  return (code.trimStart().split('\n', 1)[0] ?? '').slice(0, 80)
}
