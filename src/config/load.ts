/** Finding and reading `localization.config.*`. */

import { readFile, stat } from 'node:fs/promises'
import { extname, isAbsolute, join, resolve } from 'node:path'
import { LocalizationError, messageOf } from '../errors.ts'
import { scanJson } from '../shared/json-scanner.ts'
import { type ConfigContext, defineConfig } from './define.ts'

/** In the order they are looked for. */
export const CONFIG_FILE_NAMES: readonly string[] = ['ts', 'mts', 'js', 'mjs', 'json'].map(
  (ending) => `localization.config.${ending}`,
)

export interface LoadedConfigFile {
  readonly path: string
  /** What the file exports, functions already called; not yet checked. */
  readonly value: unknown
}

/**
 * Reads the configuration file: the one named, else the first of `CONFIG_FILE_NAMES` in `root` itself (parents are not searched).
 * Every call reads the file anew. `undefined`: there is none. Errors: CONFIG_NOT_FOUND for a named file that is absent, CONFIG_LOAD
 * for one that cannot be read or run.
 */
export async function loadConfigFile(
  context: ConfigContext,
  named?: string | undefined,
): Promise<LoadedConfigFile | undefined> {
  const path = named === undefined ? await findConfigFile(context.root) : absolute(context.root, named)
  if (path === undefined) return undefined
  if (named !== undefined && !(await isFile(path))) {
    throw new LocalizationError(`the configuration file is not there`, {
      code: 'CONFIG_NOT_FOUND',
      place: { file: path },
      hint: 'Check the name given as configFile or --config.',
    })
  }
  const value = path.endsWith('.json') ? await readJson(path) : await runModule(path, context)
  return { path, value }
}

async function findConfigFile(root: string): Promise<string | undefined> {
  for (const name of CONFIG_FILE_NAMES) if (await isFile(join(root, name))) return join(root, name)
  return undefined
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw loadError(path, messageOf(cause), cause)
  })
  const { problem } = scanJson(text)
  if (problem) {
    throw new LocalizationError(problem.message, {
      code: 'CONFIG_LOAD',
      place: { file: path, line: problem.line, column: problem.column },
      hint: problem.hint,
    })
  }
  const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { $schema: _schema, ...options } = value as Record<string, unknown>
  return options
}

async function runModule(path: string, context: ConfigContext): Promise<unknown> {
  const { createJiti } = await import('jiti')
  // No cache on disk: the file may hold a key. None in memory: a second load must see an edit.
  const jiti = createJiti(path, {
    fsCache: false,
    moduleCache: false,
    interopDefault: true,
    virtualModules: { 'unplugin-localization': { defineConfig } },
  })
  let exported: unknown
  try {
    // Not `import`: it hands ES modules to Node where Node can run them, and Node keeps them for good.
    const source = await readFile(path, 'utf8')
    const options = { filename: path, ext: extname(path), async: true, forceTranspile: true }
    const module = (await jiti.evalModule(source, options)) as { default?: unknown }
    exported = module.default ?? module
    if (!('default' in module) && exportsNothing(module)) throw new Error('it has no default export')
    if (typeof exported === 'function') exported = await exported(context)
    else exported = await exported
  } catch (cause) {
    throw loadError(path, messageOf(cause), cause)
  }
  return exported
}

/** `module.exports = {...}` is a configuration; named exports of an ES module, and a file that exports nothing, are none. */
function exportsNothing(module: object): boolean {
  return Object.keys(module).length === 0 || Object.hasOwn(module, '__esModule')
}

function loadError(path: string, reason: string, cause: unknown): LocalizationError {
  // The first line only: what follows may be an excerpt of the file, and the file may hold a key.
  const [line = '', where = ''] = reason.split('\n')
  const [, row, column] = where.startsWith(` ${path}:`) ? (/:(\d+):(\d+)$/.exec(where) ?? []) : []
  return new LocalizationError(`the configuration file cannot be loaded: ${line.trim()}`, {
    code: 'CONFIG_LOAD',
    ...(line.includes('no default export') && { hint: 'Write `export default defineConfig({ ... })`.' }),
    place: row === undefined ? { file: path } : { file: path, line: Number(row), column: Number(column) },
    cause,
  })
}

function absolute(root: string, path: string): string {
  return isAbsolute(path) ? path : resolve(root, path)
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
