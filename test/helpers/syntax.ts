/** Whether code is of an edition of the language, by webpack's own parser. */
import { createRequire } from 'node:module'

interface Acorn {
  parse(code: string, options: { readonly ecmaVersion: number }): unknown
}

const { parse } = createRequire(createRequire(import.meta.url).resolve('webpack'))('acorn') as Acorn

type Edition = 5 | 2017

/** Throws at the first newer syntax in a script. */
export function assertEdition(code: string, ecmaVersion: Edition, file: string): void {
  try {
    parse(code, { ecmaVersion })
  } catch (error) {
    throw new Error(`${file} is newer than edition ${ecmaVersion}: ${String(error)}`, { cause: error })
  }
}

/** The same for a module, but for its imports and exports. */
export function assertModuleEdition(code: string, ecmaVersion: Edition, file: string): void {
  const script = code
    .replace(/^import [\s\S]*?from\s*["'][^"']+["'];?$/gm, '')
    .replace(/^export default /gm, 'void ')
    .replace(/^export \{[\s\S]*?\};?$/gm, '')
    .replace(/^export (?=var|const|function|async|class)/gm, '')
    .replace(/\bimport\(/g, 'dynamicImport(')
  assertEdition(script, ecmaVersion, file)
}
