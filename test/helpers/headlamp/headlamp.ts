/** The application headlamp, which is not in this repository: copies, builds, and what its `t()` gives. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { repository } from '../bundlers.ts'
import { runToSuccess } from '../processes.ts'

/** Shared with the benchmarks. */
interface Headlamp {
  readonly hasHeadlamp: boolean
  copyHeadlamp(folder: string): Promise<void>
  languagesOf(folder: string): Promise<readonly { readonly language: string; readonly bytes: number }[]>
  useThePlugin(folder: string, options: object): Promise<void>
  buildHeadlamp(folder: string): Promise<{ readonly firstModules: readonly string[] }>
}

const path = join(repository, 'bench/lib/headlamp.mjs')
export const headlamp = (await import(pathToFileURL(path).href)) as Headlamp
if (!headlamp.hasHeadlamp) process.stdout.write('skipped: the application headlamp is not there\n')

export interface ResultsOptions {
  /** The folder with the built texts. Left out: the texts come as the app itself loads them. */
  readonly output?: string
  /** Only the texts that the first page fetches, and only the keys of these modules. */
  readonly isFirstPage?: boolean
  readonly files?: readonly string[]
}

/** By language, namespace, key and options: what `t()` gives for every key that the code uses. */
export async function translationResults(
  cwd: string,
  options: ResultsOptions = {},
): Promise<Readonly<Record<string, string>>> {
  const resultFile = join(cwd, 'results.json')
  const script = join(import.meta.dirname, 'results.mjs')
  await runToSuccess([process.execPath, script, JSON.stringify({ ...options, resultFile })], { cwd })
  return JSON.parse(await readFile(resultFile, 'utf8'))
}
