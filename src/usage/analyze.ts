/** What one source file says about keys. */
import type { Node } from '@babel/types'
import { readCall, readKey, type Tools } from './calls.ts'
import { createCollector } from './collector.ts'
import { readArray, readJsx, readObject } from './elements.ts'
import { createFlow } from './flow.ts'
import { createSetupReader } from './library-setup.ts'
import { EMPTY_USAGE, type ModuleUsage } from './model.ts'
import { createFunctionNames } from './names.ts'
import { parseSource } from './parse.ts'
import { createModule, type Module } from './scope.ts'
import { createTargetFinder } from './targets.ts'
import { createTextReader } from './texts.ts'
import { isCall, isMember } from './tree.ts'
import { createValueReader } from './values.ts'

export interface AnalyzerOptions {
  /** The app's own translation functions, beside those of the known libraries: names, of functions and of properties. */
  readonly functions?: readonly string[]
  /** What joins the segments of a key. Default `.`. */
  readonly keySeparator?: string
  /** What stands between a namespace and a key in one text. Default `:`. */
  readonly nsSeparator?: string
}

export interface Analyzer {
  /** Whether the text may ask for any key. Cheap, and never a wrong no. */
  mayUseKeys(code: string): boolean
  /**
   * What the module uses: JavaScript, TypeScript, JSX, or what a compiler made of them. A file that cannot be parsed is one unknown use.
   *
   * @param file its name tells the dialect: `.ts` and `.js` differ where `<T>x` stands
   */
  analyze(code: string, file: string): ModuleUsage
}

/** The parser is loaded by the first file that is analyzed. */
export function createAnalyzer({
  functions = [],
  keySeparator = '.',
  nsSeparator = ':',
}: AnalyzerOptions = {}): Analyzer {
  const names = createFunctionNames(functions)
  return {
    mayUseKeys: names.mayUse,
    analyze(code, file) {
      if (!names.mayUse(code)) return EMPTY_USAGE
      try {
        const tree = parseSource(code, file)
        if (!tree) return unreadable(code)
        const module = createModule(tree, code, file)
        const finder = createTargetFinder(module)
        const readTexts = createTextReader(finder)
        const values = createValueReader(module, readTexts, names)
        const collector = createCollector(module, keySeparator, nsSeparator)
        return analyzeModule({ module, finder, readTexts, values, names, collector })
      } catch (error) {
        // Nested deeper than the stack: nothing may be concluded.
        if (error instanceof RangeError) return unreadable(code)
        throw error
      }
    },
  }
}

function analyzeModule(tools: Tools): ModuleUsage {
  const { module, values, collector } = tools
  const setup = createSetupReader(tools)
  const flow = createFlow(tools)
  for (const node of module.nodes) {
    if (isCall(node)) {
      readCall(tools, node)
      setup.read(node)
    } else if (node.type === 'TaggedTemplateExpression') readTagged(tools, node)
    else if (node.type === 'ObjectExpression') readObject(tools, node)
    else if (node.type === 'ArrayExpression') readArray(tools, node)
    else if (node.type === 'JSXOpeningElement') readJsx(tools, node)
    else if (node.type === 'JSXAttribute') setup.attribute(node)
    else readReexport(tools, node)
    if (mayBeValue(module, node)) {
      const value = values.of(node)
      if (value) flow.follow(node, value)
    }
  }
  flow.finish()
  const found = setup.result()
  return { ...collector.result(), ...(found && { setup: found }) }
}

/** Expressions whose value may be of interest by themselves; what only passes one on is looked at inside. */
function mayBeValue(module: Module, node: Node): boolean {
  return isCall(node) || isMember(node) || (node.type === 'Identifier' && module.isReference(node))
}

/** t`title` */
function readTagged(tools: Tools, node: Extract<Node, { type: 'TaggedTemplateExpression' }>) {
  const value = tools.values.of(node.tag)
  if (value?.kind === 'function') readKey(tools, node, node.quasi, value.namespaces, { prefixes: value.prefixes })
}

/** `export { default } from 'virtual:translations/en/shop'` */
function readReexport({ collector }: Tools, node: Node) {
  if (node.type !== 'ExportNamedDeclaration' && node.type !== 'ExportAllDeclaration') return
  const source = node.source?.value
  if (source !== undefined && /^(?:virtual:translations|unplugin-localization-virtual)/.test(source))
    collector.unknown(node, 'any', 'messages', { isExact: true })
}

function unreadable(code: string): ModuleUsage {
  const first = code.trimStart().split('\n', 1)[0] ?? ''
  return {
    ...EMPTY_USAGE,
    unknown: [{ namespaces: 'any', code: first.slice(0, 80), reason: 'syntax', place: { line: 1, column: 1 } }],
  }
}
