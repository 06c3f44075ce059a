/** Source text to a syntax tree: one parser for raw sources and for what compilers make of them. */
import { createRequire } from 'node:module'
import type { ParserPlugin } from '@babel/parser'
import type { File } from '@babel/types'
import type { UsePlace } from '../model.ts'

const require = createRequire(import.meta.url)

/** Loads the parser with the first file: most commands and every dev server never parse one. */
const loadParser = () => require('@babel/parser') as typeof import('@babel/parser')

/** The reason why a source has no syntax tree. Its place is that of the parser's error. */
export interface SyntaxProblem {
  readonly problem: string
  readonly place: UsePlace
}

/** Deeper than the stack of the parser, or of the analysis. */
export const TOO_DEEP: SyntaxProblem = {
  problem: 'cannot be read: it is nested too deep',
  place: { line: 1, column: 1 },
}

/** `undefined`: the source is valid in no dialect, or nested too deep. */
export function parseSource(code: string, file: string): File | undefined {
  const result = parseOrExplain(code, file)
  return 'problem' in result ? undefined : result
}

export function parseOrExplain(code: string, file: string): File | SyntaxProblem {
  let furthest: ParserError = new SyntaxError()
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
      // Too deep for the stack in one dialect is too deep in all.
      if (error instanceof RangeError) return TOO_DEEP
      if (!(error instanceof SyntaxError)) throw error
      // The dialect that understands most of the file is probably the right one.
      if (furthest.message === '' || posOf(error) > posOf(furthest)) furthest = error
    }
  }
  const { loc, message } = furthest
  const place = { line: loc?.line ?? 1, column: (loc?.column ?? 0) + 1 }
  return { problem: `cannot be parsed: ${message.replace(/\s*\(\d+:\d+\)$/, '').replace(/\.$/, '')}`, place }
}

type ParserError = SyntaxError & { readonly loc?: UsePlace; readonly pos?: number }

const posOf = ({ pos = 0 }: ParserError) => pos

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
