/** Reads what the project's sources use. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError, messageOf } from '../../errors.ts'
import { type Analyzer, createAnalyzer } from '../../usage/analyze.ts'
import { EMPTY_USAGE, type ModuleUsage, type UsePlace, unreadableUsage } from '../../usage/model.ts'
import { type Compiled, createCompile } from './compile.ts'
import { listSources } from './list.ts'

export interface SourcesUsage {
  /** Paths from the root. */
  readonly files: readonly string[]
  readonly modules: readonly (readonly [file: string, usage: ModuleUsage])[]
  /** Files that could not be read or compiled: they may use any key. */
  readonly problems: readonly { readonly file: string; readonly message: string; readonly hint?: string | undefined }[]
}

const BATCH = 32

/** Reads and analyzes every source. Throws CONFIG_INVALID if no file matches. */
export async function readSourcesUsage(
  { root, usage, keySeparator }: ResolvedConfig,
  given: { readonly files?: readonly string[] | undefined; readonly functions?: readonly string[] | undefined },
  signal: AbortSignal,
): Promise<SourcesUsage> {
  const patterns = given.files ?? usage.files
  const files = await listSources(root, patterns)
  if (files.length === 0)
    throw new LocalizationError(`no source file matches ${patterns.join(', ')}`, {
      code: 'CONFIG_INVALID',
      hint: 'Set the option usage.files, or give --source "src/**/*.ts".',
    })
  const analyzer = createAnalyzer({ functions: [...usage.functions, ...(given.functions ?? [])], keySeparator })
  const compile = createCompile(root)
  const modules: (readonly [string, ModuleUsage])[] = []
  const problems: SourcesUsage['problems'][number][] = []
  const unreadable = (file: string, message: string, hint?: string): ModuleUsage => {
    problems.push({ file, message, hint })
    return unreadableUsage('')
  }
  const usageOf = async (file: string): Promise<ModuleUsage> => {
    let source: string
    try {
      source = await readFile(join(root, file), 'utf8')
    } catch (error) {
      return unreadable(file, `it cannot be read: ${messageOf(error)}`)
    }
    if (!analyzer.mayUseKeys(source)) return EMPTY_USAGE
    const compiled = await compile(file, source)
    if (compiled && !compiled.ok) return unreadable(file, compiled.problem, compiled.hint)
    if (compiled) return joinUsages(compiled.parts.map((part) => analyzeCompiled(analyzer, part)))
    const own = analyzer.analyze(source, file)
    if (own.unknown.some(({ reason }) => reason === 'syntax')) return unreadable(file, 'it cannot be parsed')
    return own
  }
  for (let at = 0; at < files.length; at += BATCH) {
    signal.throwIfAborted()
    const batch = files.slice(at, at + BATCH)
    const usages = await Promise.all(batch.map(usageOf))
    for (const [index, usage] of usages.entries()) modules.push([batch[index] ?? '', usage])
  }
  return { files, modules, problems }
}

/** The usage of compiled code, with the places of the file. */
function analyzeCompiled(analyzer: Analyzer, { code, name, place }: Compiled): ModuleUsage {
  const usage = analyzer.analyze(code, name)
  const move = <T extends { readonly place: UsePlace }>(use: T): T => ({ ...use, place: place(use.place) })
  return {
    ...usage,
    uses: usage.uses.map(move),
    unknown: usage.unknown.map(move),
    ...(usage.receivers && {
      receivers: usage.receivers.map((receiver) => ({ ...receiver, passedOn: receiver.passedOn.map(move) })),
    }),
  }
}

/** Joins the blocks of one file. */
function joinUsages(usages: readonly ModuleUsage[]): ModuleUsage {
  const setup = usages.find((usage) => usage.setup)?.setup
  const receivers = usages.flatMap((usage) => usage.receivers ?? [])
  return {
    uses: usages.flatMap(({ uses }) => uses),
    unknown: usages.flatMap(({ unknown }) => unknown),
    ...(setup && { setup }),
    ...(receivers.length > 0 && { receivers }),
    ...(usages.some(({ definesDescriptors }) => definesDescriptors) && { definesDescriptors: true }),
  }
}
