/**
 * The compatibility suite, `test/compatibility`, builds with tools and settings that real projects use beside this
 * plugin. Its results are the table in `docs/compatibility.md`. A test file declares what it covers:
 *
 *     covers({ tool: 'vite-plugin-pwa', setting: '`generateSW`', bundlers: ['vite'], limit: 'what does not work' })
 *
 * `covers` is called at the top of a file or in a `describe`, and declares one row. The row says "works" when every
 * test of that scope passes. Rows that differ in their bundlers only become one row, so `describe.each` over bundlers
 * is fine. When `tool` is the name of a package, its version is added. `compatibility-table.ts` writes the table.
 *
 * Packages that this repository does not have are pinned in `test/compatibility/packages/package.json`. They are
 * installed once, before the first test. `importPackage(name)` imports one, in a `describe.skipIf(noPackages)`.
 */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, inject } from 'vitest'
import type { BUNDLERS } from './compatibility-table.ts'

export interface Coverage {
  /** A package's name, or what is covered in plain words. */
  readonly tool: string
  /** As little as says what was set. */
  readonly setting: string
  readonly bundlers: readonly (keyof typeof BUNDLERS)[]
  /** What the tests show when they pass, if it is not that everything works: `fails with UNSUPPORTED_FORMAT`. */
  readonly result?: string
  /** What a user has to know: what does not work, what to set. */
  readonly limit?: string
}

export interface CoverageResult extends Coverage {
  /** The name of the test file. */
  readonly file: string
  /** `skipped`: not every test of the scope ran. */
  readonly state: 'passed' | 'failed' | 'skipped'
}

declare module 'vitest' {
  interface ProvidedContext {
    compatibility: {
      /** Where results are put down. */
      readonly results: string
      /** Where packages are installed. */
      readonly packages: string
      /** Why they are not. */
      readonly failure: string | undefined
    }
  }
}

interface Task {
  readonly type: string
  readonly result?: { readonly state: string } | undefined
  readonly tasks?: readonly Task[]
}

/** Declares a row of the table: see the top of this file. */
export function covers(coverage: Coverage): void {
  const path = join(inject('compatibility').results, `${randomUUID()}.json`)
  const file = basename(expect.getState().testPath ?? '')
  const put = (state: CoverageResult['state']) =>
    writeFileSync(path, JSON.stringify({ ...coverage, file, state } satisfies CoverageResult))
  // Hooks of a scope that is skipped do not run.
  put('skipped')
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from the first parameter.
  afterAll(({}, suite) => {
    const states = testsIn(suite).map(({ result }) => result?.state)
    if (states.includes('fail')) put('failed')
    else if (states.length > 0 && states.every((state) => state === 'pass')) put('passed')
  })
}

function testsIn({ tasks = [] }: { readonly tasks?: readonly Task[] }): Task[] {
  return tasks.flatMap((task) => (task.type === 'test' ? [task] : testsIn(task)))
}

/**
 * Whether the packages could not be installed: such tests are skipped, and the reason is printed. In continuous
 * integration they run, and fail.
 */
export const noPackages: boolean = inject('compatibility').failure !== undefined && !process.env.CI
if (noPackages) process.stdout.write(`compatibility tests skipped: ${inject('compatibility').failure}\n`)

/** Imports one of the packages, or one of this repository's. */
export async function importPackage<T>(name: string): Promise<T> {
  const { packages, failure } = inject('compatibility')
  if (failure !== undefined) throw new Error(failure)
  const { load } = (await import(pathToFileURL(join(packages, 'index.mjs')).href)) as {
    load(name: string): Promise<T>
  }
  return load(name)
}

/** The path of a file of one of the packages. */
export function packageFile(path: string): string {
  return join(inject('compatibility').packages, 'node_modules', path)
}
