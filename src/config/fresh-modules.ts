/**
 * Runs the configuration with the current content of its imports. jiti leaves JSON, CommonJS and plain ES modules to
 * Node, which loads each file only once per process. Therefore, this module makes jiti transpile every file of the
 * project.
 */
import { readFileSync } from 'node:fs'
import nodeModule from 'node:module'
import { dirname, extname, isAbsolute, normalize, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Jiti, JitiOptions, ModuleCache, TransformOptions } from 'jiti'
import { parseJson } from '../shared/json-parser.ts'
import type { OnRead } from './env.ts'

type Require = (request: string) => unknown
type Import = (request: string, ...more: readonly unknown[]) => unknown

interface ModuleFunctions {
  readonly require: Require & { readonly resolve: (request: string) => string }
  readonly jitiImport: Import
  readonly jitiESMResolve: (request: string) => string
  readonly filename: string
}

const RUNNABLE = /\.(?:[cm]?[jt]sx?|json)$/
const IN_PACKAGE = /[\\/]node_modules[\\/]/
/** Matches code that must stay at the start of a module: a hashbang and `"use strict"`. */
const PROLOGUE = /^(?:#!.*\n)?(?:(?:"use strict"|'use strict');)?/
const REPLACE_FUNCTIONS =
  ';[require, jitiImport] = require.options.freshFunctions' +
  '({ require, jitiImport, jitiESMResolve, filename: __filename });'

/** Runs the module once with this content. Resolves to the module's exports. */
export type RunModule = (content: string) => Promise<unknown>

/**
 * Returns a function that runs the file. Throws jiti's errors, for example if tsconfig.json extends a missing file.
 * @param onRead called for each file that the module imports, directly or indirectly
 */
export function openFresh(
  path: string,
  createJiti: (path: string, options: JitiOptions) => Jiti,
  options: JitiOptions,
  onRead: OnRead,
): RunModule {
  const { virtualModules = {} } = options
  // The disk cache is off, because the file may contain a key. The memory cache is off, so that the next load sees
  // edits.
  const uncached = { fsCache: false, moduleCache: false, tryNative: false }
  const { transform } = createJiti(path, uncached).options
  const cache: ModuleCache = {}
  const modules = new Map<string, unknown>()
  /** The files that each module imports. */
  const imports = new Map<string, Set<string>>()

  const run = (filename: string, source: string, isAsync: boolean) => {
    const value = jiti.evalModule(source, {
      filename,
      ext: extname(filename),
      async: isAsync,
      forceTranspile: true,
      cache,
    })
    modules.set(filename, value)
    return value
  }
  const load = (file: string, isAsync: boolean): void => {
    if (modules.has(file) || cache[file]) return
    const source = readFileSync(file, 'utf8')
    onRead(file, source)
    if (file.endsWith('.json')) modules.set(file, jsonModule(source, file))
    else run(file, source, isAsync)
  }
  const imported = async (file: string, from: string): Promise<unknown> => {
    imports.set(from, (imports.get(from) ?? new Set()).add(file))
    load(file, true)
    // As in Node, an import in a cycle gets the exports that exist so far. Other imports wait until the module has run.
    const isCycle = cache[file]?.loaded === false && leadsTo(imports, file, from)
    return isCycle ? cache[file]?.exports : modules.get(file)
  }
  const required = (file: string): unknown => {
    load(file, false)
    return cache[file] ? cache[file].exports : modules.get(file)
  }

  /**
   * The project file to which the request resolves. A missing file is reported too, because it may be created later.
   */
  const find = (request: string, from: string, look: (request: string) => string): string | undefined => {
    if (request in virtualModules || nodeModule.isBuiltin(request)) return undefined
    try {
      const found = look(request)
      const file = found.startsWith('file:') ? fileURLToPath(found) : found
      return isAbsolute(file) && RUNNABLE.test(file) && !IN_PACKAGE.test(file) ? normalize(file) : undefined
    } catch {
      if (/^\.{1,2}\//.test(request)) onRead(resolve(dirname(from), request), undefined)
      return undefined
    }
  }
  const freshRequire = (original: ModuleFunctions['require'], from: string) => {
    const own: Require = (request) => {
      if (isModuleModule(request)) return withCreateRequire
      const file = find(request, from, original.resolve)
      return file === undefined ? original(request) : required(file)
    }
    return Object.assign(own, original)
  }
  /** ES modules use this function to create their own `require`. */
  const createRequire = (from: string | URL) => {
    const filename = String(from).startsWith('file:') ? fileURLToPath(from) : String(from)
    return freshRequire(nodeModule.createRequire(from), filename)
  }
  const withCreateRequire = Object.assign(Object.create(nodeModule), { createRequire })
  const freshFunctions = ({ require, jitiImport, jitiESMResolve, filename }: ModuleFunctions) => {
    const ownImport: Import = async (request, ...more) => {
      if (isModuleModule(request)) return withCreateRequire
      const file = find(request, filename, jitiESMResolve)
      return file === undefined ? jitiImport(request, ...more) : imported(file, filename)
    }
    return [freshRequire(require, filename), ownImport]
  }
  const own = {
    ...options,
    ...uncached,
    interopDefault: true,
    freshFunctions,
    transform(given: TransformOptions) {
      const result = transform?.(given) ?? { code: given.source }
      return { ...result, code: result.code.replace(PROLOGUE, (start) => start + REPLACE_FUNCTIONS) }
    },
  }
  const jiti = createJiti(path, own)
  return async (content) => run(path, content, true)
}

function leadsTo(imports: ReadonlyMap<string, ReadonlySet<string>>, from: string, file: string): boolean {
  const seen = new Set([from])
  for (const each of seen) for (const next of imports.get(each) ?? []) seen.add(next)
  return seen.has(file)
}

const isModuleModule = (request: string) => /^(?:node:)?module$/.test(request)

/** The parsed value, which is also its own default export, as in jiti. */
function jsonModule(source: string, file: string): unknown {
  const parsed = parseJson(source)
  // `JSON.parse` would quote the content in its error, and the file may contain a key.
  if ('problem' in parsed)
    throw new Error(`${file}:${parsed.problem.line}:${parsed.problem.column}: ${parsed.problem.message}`)
  const value: unknown = JSON.parse(source.replace(/^\uFEFF/, ''))
  if (typeof value !== 'object' || value === null || 'default' in value) return value
  return Object.defineProperty(value, 'default', { value, enumerable: false })
}
