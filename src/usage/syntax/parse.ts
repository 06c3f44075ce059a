/** Source text to a syntax tree: one parser for raw sources and for what compilers make of them. */
import { createRequire } from 'node:module'
import type { ParserPlugin } from '@babel/parser'
import type { File } from '@babel/types'

const require = createRequire(import.meta.url)

/** Loads the parser with the first file: most commands and every dev server never parse one. */
const loadParser = () => require('@babel/parser') as typeof import('@babel/parser')

/** `undefined`: the source is valid in no dialect. */
export function parseSource(code: string, file: string): File | undefined {
  for (const plugins of dialects(file)) {
    try {
      return loadParser().parse(code, {
        sourceType: 'unambiguous',
        errorRecovery: true,
        allowReturnOutsideFunction: true,
        allowAwaitOutsideFunction: true,
        allowImportExportEverywhere: true,
        allowNewTargetOutsideFunction: true,
        allowSuperOutsideMethod: true,
        allowUndeclaredExports: true,
        createImportExpressions: false,
        plugins: [...plugins, 'decorators', 'decoratorAutoAccessors', 'explicitResourceManagement', 'importReflection'],
      })
    } catch (error) {
      // Too deep for the stack in one dialect is too deep in all. For everything else the next dialect may do.
      if (error instanceof RangeError) throw error
    }
  }
  return undefined
}

const TYPESCRIPT: readonly ParserPlugin[] = ['typescript']
const TSX: readonly ParserPlugin[] = ['typescript', 'jsx']
const JSX: readonly ParserPlugin[] = ['jsx']

/** A compiled module keeps the name of its source: `.vue`, `.tsx` and even `.ts` may be plain JavaScript. */
function dialects(file: string): readonly (readonly ParserPlugin[])[] {
  const path = file.replace(/[?#].*$/, '')
  if (/\.[cm]?ts$/.test(path)) return [TYPESCRIPT, TSX, JSX]
  if (/\.[cm]?jsx?$/.test(path)) return [JSX, TSX, TYPESCRIPT, ['flow', 'jsx']]
  return [TSX, TYPESCRIPT, JSX]
}
