/** Finds and reads `localization.config.*`. */

import { basename, join, resolve } from 'node:path'
import { LocalizationError, messageOf } from '../errors.ts'
import { parseJson } from '../shared/json-parser.ts'
import { orExit } from '../shared/or-exit.ts'
import { type ConfigContext, defineConfig } from './define.ts'
import { type OnRead, readIfPresent } from './env.ts'
import { CONFIG_FILE_NAMES } from './find.ts'
import type { RunModule } from './fresh-modules.ts'

export interface LoadedConfigFile {
  readonly path: string
  /** The file's export, or its result if the export is a function. Not checked yet. */
  readonly value: unknown
}

interface LoadNotices {
  readonly onRead: OnRead
  /** Called if loading takes a long time. */
  readonly warn?: ((message: string) => void) | undefined
}

/**
 * Reads the given configuration file, or the only one in `root` (`findRoot` has already searched the parent folders).
 * Returns `undefined` if there is none. Reads the file again on every call. Throws CONFIG_NOT_FOUND if the given file
 * does not exist. Throws CONFIG_LOAD if the file cannot be read or run, if its promise never settles, or if there are
 * several files.
 */
export async function loadConfigFile(
  context: ConfigContext,
  named: string | undefined,
  { onRead, warn }: LoadNotices,
): Promise<LoadedConfigFile | undefined> {
  const { root } = context
  const looked = named === undefined ? CONFIG_FILE_NAMES.map((name) => join(root, name)) : [resolve(root, named)]
  const contents = await Promise.all(looked.map(readIfPresent))
  for (const [at, path] of looked.entries()) onRead(path, contents[at])
  const found = looked.flatMap((path, at) => {
    const content = contents[at]
    return content === undefined ? [] : [{ path, content }]
  })
  if (found.length > 1) throw severalConfigurations(root, found)
  const [file] = found
  if (!file && named !== undefined) {
    throw new LocalizationError(`configuration file not found`, {
      code: 'CONFIG_NOT_FOUND',
      place: { file: resolve(root, named) },
      hint: 'Check the option "configFile" or --config.',
    })
  }
  return file && { path: file.path, value: await load(file, context, { onRead, warn }) }
}

interface ConfigSource {
  readonly path: string
  readonly content: string
}

function load(file: ConfigSource, context: ConfigContext, { onRead, warn }: LoadNotices): unknown {
  return file.path.endsWith('.json') ? readJson(file) : settled(runModule(file, context, onRead), file.path, warn)
}

function severalConfigurations(root: string, found: readonly ConfigSource[]): LocalizationError {
  const names = found.map(({ path }) => basename(path))
  return new LocalizationError(`found several configuration files: ${names.join(' and ')}`, {
    code: 'CONFIG_LOAD',
    place: { file: root },
    hint: 'Keep one of them, or choose one with "configFile" or --config.',
  })
}

function readJson({ path, content }: ConfigSource): unknown {
  const parsed = parseJson(content)
  if ('problem' in parsed) {
    const { problem } = parsed
    throw new LocalizationError(problem.message, {
      code: 'CONFIG_LOAD',
      place: { file: path, line: problem.line, column: problem.column },
      hint: problem.hint,
    })
  }
  const value: unknown = JSON.parse(content.replace(/^\uFEFF/, ''))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { $schema: _schema, ...options } = value as Record<string, unknown>
  return options
}

/** After this time, a warning names the file that is still loading. */
const SLOW_SECONDS = 10

async function settled<T>(work: Promise<T>, path: string, warn?: (message: string) => void): Promise<T> {
  const say = () => warn?.(`still waiting for ${path} after ${SLOW_SECONDS} seconds: its promise has not settled`)
  const timer = setTimeout(say, SLOW_SECONDS * 1000)
  timer.unref()
  try {
    return await orExit(work, () => neverSettled(path))
  } finally {
    clearTimeout(timer)
  }
}

function neverSettled(path: string): LocalizationError {
  return new LocalizationError("the configuration's promise never settles", {
    code: 'CONFIG_LOAD',
    place: { file: path },
    hint: 'Look for an await whose promise never resolves, for example because a callback is never called.',
  })
}

async function runModule(file: ConfigSource, context: ConfigContext, onRead: OnRead): Promise<unknown> {
  const { path } = file
  const [{ createJiti }, { openFresh }] = await Promise.all([import('jiti'), import('./fresh-modules.ts')])
  const open = (tsconfigPaths: boolean) => {
    const virtualModules = { 'unplugin-localization': { defineConfig } }
    return openFresh(path, createJiti, { tsconfigPaths, virtualModules }, onRead)
  }
  try {
    return await evaluate(open(false), file, context)
  } catch (cause) {
    if (!MISSING_PACKAGE.test(messageOf(cause))) throw loadError(path, cause)
    let withAliases: RunModule
    try {
      withAliases = open(true)
    } catch {
      // tsconfig.json may extend a file that has not been generated yet.
      throw loadError(path, cause)
    }
    return await evaluate(withAliases, file, context).catch((second: unknown) => {
      throw loadError(path, second)
    })
  }
}

async function evaluate(run: RunModule, { content }: ConfigSource, context: ConfigContext): Promise<unknown> {
  const module = (await run(content)) as { default?: unknown }
  if (typeof module !== 'function' && !('default' in module) && exportsNothing(module))
    throw new Error('no default export')
  const exported = module.default ?? module
  return typeof exported === 'function' ? await exported(context) : await exported
}

/** Matches the error for an import of a package that is not installed, or of an unresolved path alias. */
const MISSING_PACKAGE = /^Cannot find (?:module|package) '[^./][^']*'/

/**
 * True if the module has no exports, or is an ES module with only named exports. `module.exports = {...}` is a
 * configuration.
 */
function exportsNothing(module: object): boolean {
  return Object.keys(module).length === 0 || Object.hasOwn(module, '__esModule')
}

function loadError(path: string, cause: unknown): LocalizationError {
  // Other lines may quote the file, which may contain a key.
  const [line = '', where = ''] = messageOf(cause).split('\n')
  const [, row, column] = where.startsWith(` ${path}:`) ? (/:(\d+):(\d+)$/.exec(where) ?? []) : []
  return new LocalizationError(`cannot load the configuration file: ${line.trim()}`, {
    code: 'CONFIG_LOAD',
    ...hintFor(line),
    place: row === undefined ? { file: path } : { file: path, line: Number(row), column: Number(column) },
    cause,
  })
}

function hintFor(line: string): { hint?: string } {
  if (line.includes('no default export')) return { hint: 'Write `export default defineConfig({ ... })`.' }
  if (!MISSING_PACKAGE.test(line)) return {}
  const alias = 'Path aliases must be in `compilerOptions.paths` of tsconfig.json (project references are ignored)'
  return { hint: `Install it, or import a file by its relative path. ${alias}.` }
}
