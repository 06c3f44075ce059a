/** Analyzes one source file and returns the keys that it uses. */
import type { File, ImportDeclaration, Node, TaggedTemplateExpression } from '@babel/types'
import { PATH_JOINT } from '../shared/key-path.ts'
import { Collector } from './collector.ts'
import { Conditions } from './flow/conditions.ts'
import { Definitions } from './flow/definitions.ts'
import { Escapes } from './flow/escapes.ts'
import { Imports, type ReadImport } from './flow/imports.ts'
import { Strings } from './flow/strings.ts'
import { Values } from './flow/values.ts'
import { readMemberData, readPatternData } from './keys/data.ts'
import { NO_DETAILS } from './keys/details.ts'
import { readAttributes, readElementCall, readJsxElement } from './keys/elements.ts'
import { readKey, readTranslationCall } from './keys/keys.ts'
import { LIBRARIES } from './libraries/index.ts'
import { type Analysis, Libraries, type Library } from './libraries/library.ts'
import { ALL_LITERALS, asksForBranches, namespacedLiterals, readLiterals, scanLiterals } from './literals.ts'
import { EMPTY_USAGE, type ModuleUsage, unreadableUsage } from './model.ts'
import { Module } from './syntax/module.ts'
import { type CallNode, isCall, isMember, parseOrExplain, TOO_DEEP } from './syntax/tree.ts'

export interface AnalyzerOptions {
  /** The app's own translation functions and methods, in addition to those of the known libraries. */
  readonly functions?: readonly string[]
  /** The separator between the parts of a key. Default `.`. */
  readonly keySeparator?: string
  /** Also read the other arguments of calls, such as default texts and counts. Default false. */
  readonly details?: boolean
  /**
   * The strings to collect as possible keys: all strings, or only those that begin with one of the namespaces. Default
   * `namespaced`.
   */
  readonly literals?: 'all' | 'namespaced'
  /** The catalog's namespaces. Default: none. */
  readonly namespaces?: readonly string[] | undefined
  /** Reads an imported module, to find options that are set in another file. If absent, such options are unknown. */
  readonly readImport?: ReadImport
  /**
   * Finds the version of an installed package, because some libraries behave differently in different versions. If
   * absent, all versions are unknown.
   */
  readonly versionOf?: Analysis['versionOf']
}

export interface Analyzer {
  /** A fast check. False means that the code certainly uses no key. */
  mayUseKeys(code: string): boolean
  /** True for code of an installed package that imports one of the libraries. */
  isUser(code: string, file: string): boolean
  /**
   * Returns the uses in a module: JavaScript, TypeScript, JSX, or a compiler's output. A file that cannot be parsed is
   * reported as one unknown use.
   *
   * @param file the file name, whose extension selects the dialect (`<T>x` means different things in `.ts` and `.js`)
   */
  analyze(code: string, file: string): ModuleUsage
}

export function createAnalyzer(
  {
    functions = [],
    keySeparator = '.',
    details = false,
    literals = 'namespaced',
    namespaces = [],
    readImport,
    versionOf,
  }: AnalyzerOptions = {},
  table: readonly Library[] = LIBRARIES,
): Analyzer {
  const libraries = new Libraries([COMMON, ...table], functions)
  const filter = literals === 'all' ? ALL_LITERALS : namespacedLiterals(namespaces)
  const analysisOf = (tree: File, code: string, file: string): Analysis => {
    const module = new Module(tree, code, file)
    const definitions = new Definitions(module, libraries)
    const conditions = new Conditions(module, definitions)
    const strings = new Strings(definitions, conditions)
    const imports = readImport && new Imports(module, readImport)
    const values = new Values(module, definitions, strings, libraries)
    // If keys are not split, libraries still join a prefix and a key with a dot.
    const separator = keySeparator === PATH_JOINT ? '.' : keySeparator
    const collector = new Collector(module, conditions, separator, details)
    return { module, definitions, strings, conditions, values, libraries, collector, imports, versionOf }
  }
  const analyze = (code: string, file: string): ModuleUsage => {
    const mayCall = libraries.mayUseKeys(code)
    if (!mayCall && !filter.mayHave(code)) return EMPTY_USAGE
    const tree = parseOrExplain(code, file)
    if ('problem' in tree)
      // If the module cannot call a library, only its strings matter, and these can be found without parsing.
      return mayCall ? unreadableUsage(tree.problem, tree.place) : { ...EMPTY_USAGE, literals: scanLiterals(code) }
    const analysis = analysisOf(tree, code, file)
    const usage = mayCall ? analyzeModule(analysis) : EMPTY_USAGE
    const texts = filter.mayHave(code) ? readLiterals(analysis, filter) : []
    const hasBranches = literals === 'all' && asksForBranches(analysis)
    return { ...usage, ...(texts.length > 0 && { literals: texts }), ...(hasBranches && { asksForBranches: true }) }
  }
  return {
    mayUseKeys: (code) => libraries.mayUseKeys(code),
    isUser: (code, file) => libraries.isUser(code, file),
    analyze(code, file) {
      try {
        return analyze(code, file)
      } catch (error) {
        if (error instanceof RangeError) return unreadableUsage(TOO_DEEP.problem)
        throw error
      }
    },
  }
}

function analyzeModule(analysis: Analysis): ModuleUsage {
  const { module, values, libraries, collector, imports } = analysis
  const escapes = new Escapes(analysis)
  for (const node of module.nodes) {
    for (const read of libraries.nodeReaders.get(node.type) ?? []) read(node, analysis)
    const value = mayBeValue(module, node) ? values.of(node) : undefined
    if (value) escapes.follow(node, value)
  }
  escapes.finish()
  const readFiles = imports?.files ?? []
  return { ...collector.result(), ...(readFiles.length > 0 && { readFiles }) }
}

/** Reads nodes that have the same meaning in all libraries. */
const COMMON: Library = {
  readNodes: {
    ImportDeclaration: readImported,
    MemberExpression: readMemberData,
    OptionalMemberExpression: readMemberData,
    ObjectPattern: readPatternData,
    CallExpression: readCall,
    OptionalCallExpression: readCall,
    TaggedTemplateExpression: readTemplate,
    ObjectExpression: (node, analysis) => readAttributes(analysis, node),
    JSXOpeningElement: (node, analysis) => readJsxElement(analysis, node),
  },
}

function readCall(node: CallNode, analysis: Analysis) {
  const call = analysis.values.call(node)
  if (!readTranslationCall(analysis, call)) readElementCall(analysis, call)
  for (const read of analysis.libraries.callReaders) read(call, analysis)
}

function readTemplate(node: TaggedTemplateExpression, analysis: Analysis) {
  const tag = analysis.values.of(node.tag)
  if (tag?.kind === 'function') readKey(analysis, node.quasi, { ...tag, place: node, details: () => NO_DETAILS })
}

function readImported({ source }: ImportDeclaration, { libraries, collector }: Analysis) {
  for (const { packages, plurals } of libraries.all)
    if (plurals && packages?.test(source.value)) collector.addPluralStyle(plurals)
}

/** False for expressions that only pass on the value of an inner expression. */
function mayBeValue(module: Module, node: Node): boolean {
  return isCall(node) || isMember(node) || (node.type === 'Identifier' && module.isReference(node))
}
