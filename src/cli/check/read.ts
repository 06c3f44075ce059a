/** Reads what the project's sources use. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResolvedConfig } from '../../config/types.ts'
import { LocalizationError, messageOf } from '../../errors.ts'
import { type Analyzer, createAnalyzer } from '../../usage/analyze.ts'
import { EMPTY_USAGE, type ModuleUsage, type UsePlace, unreadableUsage } from '../../usage/model.ts'
import { type Block, createCompile, SourceError } from './compile.ts'
import { listSources } from './list.ts'

export interface SourcesUsage {
  /** Paths from the root. */
  readonly files: readonly string[]
  readonly modules: readonly (readonly [file: string, usage: ModuleUsage])[]
  /** Files that cannot be read or compiled: they may use any key. */
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
  const problems: SourcesUsage['problems'][number][] = []
  const usageOf = async (file: string): Promise<ModuleUsage> => {
    try {
      const source = await readSource(join(root, file))
      if (!analyzer.mayUseKeys(source)) return EMPTY_USAGE
      return joinUsages((await compile(file, source)).map((block) => analyzeBlock(analyzer, block)))
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      problems.push({ file, message: error.message, hint: error.hint })
      return unreadableUsage('')
    }
  }
  const modules: (readonly [string, ModuleUsage])[] = []
  for (let at = 0; at < files.length; at += BATCH) {
    signal.throwIfAborted()
    const batch = files.slice(at, at + BATCH)
    modules.push(...(await Promise.all(batch.map(async (file) => [file, await usageOf(file)] as const))))
  }
  return { files, modules, problems }
}

function readSource(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new SourceError(`it cannot be read: ${messageOf(error)}`)
  })
}

/** What a block uses, with the places in its file. */
function analyzeBlock(analyzer: Analyzer, { code, name, place }: Block): ModuleUsage {
  const usage = analyzer.analyze(code, name)
  if (usage.unknown.some(({ reason }) => reason === 'syntax')) throw new SourceError('it cannot be parsed')
  const move = <T extends { readonly place: UsePlace }>(use: T): T => ({ ...use, place: place(use.place) })
  const receivers = usage.receivers?.map((receiver) => ({ ...receiver, passedOn: receiver.passedOn.map(move) }))
  return { ...usage, uses: usage.uses.map(move), unknown: usage.unknown.map(move), ...(receivers && { receivers }) }
}

/** Joins the blocks of one file. */
function joinUsages(usages: readonly ModuleUsage[]): ModuleUsage {
  const [only, ...others] = usages
  if (only && others.length === 0) return only
  const setup = usages.find((usage) => usage.setup)?.setup
  return {
    uses: usages.flatMap(({ uses }) => uses),
    unknown: usages.flatMap(({ unknown }) => unknown),
    receivers: usages.flatMap(({ receivers = [] }) => receivers),
    definesDescriptors: usages.some(({ definesDescriptors }) => definesDescriptors),
    ...(setup && { setup }),
  }
}
