/** Reads the project's sources to find the keys that they use, and where. */
import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { sectionDefaults } from '../../config/complete.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError, messageOf } from '../../errors.ts'
import { createFilePatterns } from '../../files/patterns.ts'
import { withoutQuery } from '../../shared/paths.ts'
import { compareCodeUnits } from '../../shared/split.ts'
import { type Analyzer, createAnalyzer } from '../analyze.ts'
import type { ReadImport } from '../flow/imports.ts'
import { scanTexts } from '../literals.ts'
import { EMPTY_USAGE, type ModuleUsage, type UsePlace, type UseReason, unreadableUsage } from '../model.ts'
import { type Block, type Compile, createCompile, SourceError } from './compile.ts'
import { fileFilter, listFiles } from './list.ts'

export interface SourcesUsage {
  /** Paths relative to the root. */
  readonly files: readonly string[]
  readonly modules: readonly (readonly [file: string, usage: ModuleUsage])[]
  /** Files that cannot be read or compiled. They may use any key. */
  readonly problems: readonly SourceProblem[]
  /** Warnings about globs that match no file. */
  readonly warnings: readonly string[]
}

export interface SourceProblem extends UsePlace {
  readonly file: string
  readonly message: string
  readonly hint?: string | undefined
}

const BATCH = 32

export interface SourcesOptions {
  /** Globs that replace the option `usage.files`. */
  readonly files?: readonly string[] | undefined
  /** Translation functions in addition to those in the options. */
  readonly functions?: readonly string[] | undefined
  /** Files that are ignored if they cannot be read, in addition to those in the options. */
  readonly ignoreIn?: readonly string[] | undefined
  /** Also read the other arguments of calls. */
  readonly details?: boolean
  /** Also read strings that may be keys. Default: only if `prune` needs them. */
  readonly literals?: boolean
  /** The catalog's namespaces, to find strings that begin with a namespace. Default: none. */
  readonly namespaces?: readonly string[]
  /** Also read the files in `usage.literalsIn`. */
  readonly names?: boolean
  /** Reuses the usage of unchanged files in later calls. */
  readonly cache?: UsageCache
}

/** The source that was analyzed and its usage, by file. */
export type UsageCache = Map<string, { readonly source: string; readonly usage: ModuleUsage }>

/** Reads and analyzes all source files. Throws CONFIG_INVALID if no file matches. */
export async function readSourcesUsage(
  config: ResolvedConfig,
  given: SourcesOptions,
  signal: AbortSignal,
): Promise<SourcesUsage> {
  const { root, usage, keySeparator, prune } = config
  const patterns = given.files ?? usage.files
  const { files, unmatched } = await listFiles(root, patterns)
  if (files.length === 0)
    throw new LocalizationError(`no source file matches ${patterns.join(', ')}`, {
      code: 'CONFIG_INVALID',
      hint: 'Set "usage.files", or pass --source "src/**/*.ts".',
    })
  const { details = false, namespaces, cache } = given
  const functions = [...usage.functions, ...(given.functions ?? [])]
  const readImport = createReadImport(root)
  const literals = given.literals || (prune && prune.onUnknown === 'literals') ? 'all' : 'namespaced'
  const analyzer = createAnalyzer({
    ...{ functions, keySeparator, details, readImport, literals, namespaces },
    versionOf: createVersionOf(root),
  })
  const compile = createCompile(root)
  const problems: SourceProblem[] = []
  const readNames = createNamesReader(config)
  const isIgnored = fileFilter(root, [...(prune ? prune.ignoreIn : []), ...(given.ignoreIn ?? [])])
  const usageOf = async (file: string): Promise<ModuleUsage> => {
    let mayCall = true
    try {
      // Files that are not code contain no default texts to extract.
      if (!isCode(file)) return details ? EMPTY_USAGE : await readNames(file)
      const source = (await readBytes(join(root, file))).toString('utf8')
      mayCall = analyzer.mayUseKeys(source)
      // Code without calls may still matter for keys, but contains no default texts.
      if (!mayCall && details) return EMPTY_USAGE
      const known = cache?.get(file)
      // A file with setup is read again, because options that it imports from another file may have changed.
      if (known?.source === source && !known.usage.setup) return known.usage
      const result = await usageOfSource(analyzer, compile, file, source)
      cache?.set(file, { source, usage: result })
      return result
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      if (isIgnored(file) || !mayCall) return EMPTY_USAGE
      const { message, place, hint } = error
      problems.push({ file, ...place, message, hint })
      return unreadableUsage(message, place)
    }
  }
  const modules: (readonly [string, ModuleUsage])[] = []
  for (let at = 0; at < files.length; at += BATCH) {
    signal.throwIfAborted()
    const batch = files.slice(at, at + BATCH)
    modules.push(...(await Promise.all(batch.map(async (file) => [file, await usageOf(file)] as const))))
  }
  const named = given.names ? await readNamedTexts(config) : NO_NAMES
  // Files are read concurrently, so the problems are in no particular order.
  problems.sort((a, b) => compareCodeUnits(a.file, b.file))
  const defaults = sectionDefaults.usage().files
  const option = given.files ? '--source' : 'usage.files'
  const warnings = unmatched.filter((glob) => !defaults.includes(glob)).map((glob) => unmatchedWarning(option, glob))
  return {
    files,
    modules: [...modules, ...named.modules],
    problems: [...problems, ...named.problems],
    warnings: [...warnings, ...named.warnings],
  }
}

/** True for files that are analyzed as code, directly or with a compiler. */
const isCode = (file: string) => /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/i.test(file)

type NamedTexts = Pick<SourcesUsage, 'files' | 'modules' | 'problems' | 'warnings'>

const NO_NAMES: NamedTexts = { files: [], modules: [], problems: [], warnings: [] }

export async function readNamedTexts(config: ResolvedConfig): Promise<NamedTexts> {
  const { root, usage } = config
  if (usage.literalsIn.length === 0) return NO_NAMES
  const { files, unmatched } = await listFiles(root, usage.literalsIn)
  const modules: SourcesUsage['modules'][number][] = []
  const problems: SourceProblem[] = []
  const readNames = createNamesReader(config)
  for (const file of files)
    try {
      modules.push([file, await readNames(file)])
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      problems.push({ file, line: 1, column: 1, message: error.message })
      modules.push([file, unreadableUsage('')])
    }
  return { files, modules, problems, warnings: unmatched.map((glob) => unmatchedWarning('usage.literalsIn', glob)) }
}

/**
 * Returns a function that reads a file as text. The project's own translation files, and declarations, do not count as
 * uses.
 */
function createNamesReader(config: ResolvedConfig): (file: string) => Promise<ModuleUsage> {
  const { match } = createFilePatterns(config)
  return async (file) => {
    if (/\.d\.[cm]?ts$/.test(file) || match(file)) return EMPTY_USAGE
    const bytes = await readBytes(join(config.root, file))
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : isUtf8(bytes) ? 'utf8' : 'latin1'
    return { ...EMPTY_USAGE, names: scanTexts(bytes.toString(encoding)) }
  }
}

function unmatchedWarning(option: string, glob: string): string {
  return `${option}: ${JSON.stringify(glob)} matches no file`
}

/** The usage of a source file. Places are those in the original file. Throws SourceError. */
async function usageOfSource(analyzer: Analyzer, compile: Compile, file: string, source: string): Promise<ModuleUsage> {
  return joinUsages((await compile(file, source)).map((block) => analyzeBlock(analyzer, block)))
}

function readBytes(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw new SourceError(`it cannot be read: ${messageOf(error)}`)
  })
}

/** The usage of a block, with places in the original file. */
function analyzeBlock(analyzer: Analyzer, { code, name, place }: Block): ModuleUsage {
  const usage = analyzer.analyze(code, name)
  const unread = usage.unknown.find(({ reason }) => reason === 'syntax')
  if (unread) throw new SourceError(`it ${unread.code}`, place(unread.place))
  const move = <T extends { readonly place: UsePlace }>(use: T): T => ({ ...use, place: place(use.place) })
  const receivers = usage.receivers?.map((receiver) => ({ ...receiver, passedOn: receiver.passedOn.map(move) }))
  const literals = usage.literals?.map((literal) => ({ ...literal, ...place(literal) }))
  const setup = usage.setup && { ...usage.setup, unclear: usage.setup.unclear.map(move) }
  const moved = { uses: usage.uses.map(move), unknown: usage.unknown.map(move) }
  return { ...usage, ...moved, ...(receivers && { receivers }), ...(literals && { literals }), ...(setup && { setup }) }
}

function joinUsages(usages: readonly ModuleUsage[]): ModuleUsage {
  const [only, ...others] = usages
  if (only && others.length === 0) return only
  const setup = usages.find((usage) => usage.setup)?.setup
  const mainSetup = usages.find((usage) => usage.mainSetup)?.mainSetup
  const plurals = [...new Set(usages.flatMap((usage) => usage.plurals ?? []))]
  return {
    uses: usages.flatMap(({ uses }) => uses),
    unknown: usages.flatMap(({ unknown }) => unknown),
    receivers: usages.flatMap(({ receivers = [] }) => receivers),
    literals: usages.flatMap(({ literals = [] }) => literals),
    asksForBranches: usages.some((usage) => usage.asksForBranches),
    definesDescriptors: usages.some(({ definesDescriptors }) => definesDescriptors),
    ...(setup && { setup }),
    ...(mainSetup && { mainSetup }),
    ...(plurals.length > 0 && { plurals }),
  }
}

/** The places of all keys, patterns, strings and calls in one source file. */
type PlacesOf = ReadonlyMap<string, readonly UsePlace[]>

/** Returns the place of a use in the source file; `undefined` if the file does not contain it. */
export type SourcePlaceOf = (reason: UseReason) => UsePlace | undefined

/** Analyzes the files on disk again, because the modules that the bundler passes may be compiled, with other places. */
export async function readSourcePlaces(
  files: Iterable<string | undefined>,
  namespaces: readonly string[],
  { root, usage: { functions, literalsIn }, keySeparator, prune }: ResolvedConfig,
): Promise<SourcePlaceOf> {
  const literals = prune && prune.onUnknown === 'literals' ? 'all' : 'namespaced'
  const [readImport, versionOf] = [createReadImport(), createVersionOf(root)]
  const analyzer = createAnalyzer({ functions, keySeparator, literals, namespaces, readImport, versionOf })
  const compile = createCompile(root)
  const places = new Map<string, PlacesOf | undefined>()
  for (const file of new Set(files)) {
    if (file === undefined) continue
    const path = resolve(root, withoutQuery(file))
    if (!isCode(path)) continue
    const source = await readFile(path, 'utf8').catch(() => undefined)
    const read = source === undefined ? undefined : usageOfSource(analyzer, compile, path, source)
    // Errors are ignored, because the bundler may be able to compile a file that fails here.
    const usage = await read?.catch(() => undefined)
    places.set(file, usage && placesOf(usage))
  }
  const isText = fileFilter(root, literalsIn)
  return ({ kind, name, file = '', line, column }) => {
    // Files in `usage.literalsIn` are read as text, so their places are already exact.
    if (line !== undefined && column !== undefined && !isCode(file) && isText(file)) return { line, column }
    const own = places.get(file)
    const found = own?.get(idOf(kind, name)) ?? (kind === 'pattern' ? own?.get(idOf('literal', name)) : undefined)
    // If the bundler did not compile the file, one place is the same as the given one. Otherwise, the first place is
    // used.
    return found?.find((place) => place.line === line && place.column === column) ?? found?.[0]
  }
}

function placesOf({ uses, unknown, setup, literals = [] }: ModuleUsage): PlacesOf {
  const places = new Map<string, UsePlace[]>()
  const add = (kind: UseReason['kind'], name: string, { line, column }: UsePlace) => {
    const id = idOf(kind, name)
    places.set(id, [...(places.get(id) ?? []), { line, column }])
  }
  for (const { key, isPattern, place } of uses) add(isPattern ? 'pattern' : 'key', key, place)
  for (const literal of literals) add('literal', literal.text, literal)
  for (const { code, place } of [...unknown, ...(setup?.unclear ?? [])]) add('call', code, place)
  return places
}

const idOf = (kind: UseReason['kind'], name: string) => `${kind} ${name}`

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

/**
 * Returns a function that reads modules of the app that are imported by a relative path.
 *
 * @param root the folder to which the paths of the importing files are relative; by default, these paths are absolute
 */
export function createReadImport(root = ''): ReadImport {
  return (source, file) => {
    const importer = withoutQuery(file)
    if (!/^\.\.?\//.test(source) || importer.includes('\0')) return undefined
    const path = join(dirname(importer), source)
    // TypeScript code may import `x.ts` as `x.js`.
    const names = [...EXTENSIONS.map((extension) => path + extension), path.replace(/\.([cm]?)js$/, '.$1ts')]
    for (const name of names) {
      try {
        const code = readFileSync(join(root, name), 'utf8')
        return { code: name.endsWith('.json') ? `export default ${code}` : code, file: name }
      } catch {
        // Try the next name.
      }
    }
    return undefined
  }
}

/** Returns a function that finds the version of an installed package; `undefined` if it is not installed. */
export function createVersionOf(root: string): (name: string) => string | undefined {
  const require = createRequire(join(root, 'package.json'))
  return (name) => {
    try {
      return String((require(`${name}/package.json`) as { version?: string }).version)
    } catch {
      return undefined
    }
  }
}
