/** Finds the modules of the app that a module imports by a relative path, and the versions of installed packages. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ReadImport } from '../flow/imports.ts'

const EXTENSIONS = [
  '',
  '.ts',
  '.tsx',
  '.js',
  '.jsx',
  '.mjs',
  '.mts',
  '.cjs',
  '.json',
  '/index.ts',
  '/index.tsx',
  '/index.js',
]

/** @param root the folder that the importing files' names begin in; not given: the names are absolute */
export function createReadImport(root = ''): ReadImport {
  return (source, file) => {
    const importer = file.replace(/[?#].*$/, '')
    if (!/^\.\.?\//.test(source) || importer.includes('\0')) return undefined
    const path = join(dirname(importer), source)
    // TypeScript imports `x.ts` as `x.js`.
    const names = [...EXTENSIONS.map((extension) => path + extension), path.replace(/\.([cm]?)js$/, '.$1ts')]
    for (const name of names) {
      try {
        const code = readFileSync(join(root, name), 'utf8')
        return { code: name.endsWith('.json') ? `export default ${code}` : code, file: name }
      } catch {
        // Not this one.
      }
    }
    return undefined
  }
}

/** Returns the versions of the packages that the project has installed; `undefined`: it has none. */
export function createVersionOf(root: string): (name: string) => string | undefined {
  const require = createRequire(join(root, 'package.json'))
  return (name) => {
    try {
      return String((require(`${name}/package.json`) as { version?: unknown }).version)
    } catch {
      return undefined
    }
  }
}
