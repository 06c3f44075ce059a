/** The real compiler on a folder with the package's ambient types in it: no build of the package is needed. */
import { execFile } from 'node:child_process'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeTree } from './temp.ts'

const repository = join(import.meta.dirname, '../..')

/** Puts what the declarations refer to where an installed package would be. */
export async function installTypes(folder: string): Promise<void> {
  const target = join(folder, 'node_modules/unplugin-localization')
  await mkdir(target, { recursive: true })
  for (const name of ['virtual.d.ts', 'virtual-strict.d.ts'])
    await copyFile(join(repository, 'src', name), join(target, name))
  await copyFile(join(repository, 'src/output/runtime/types.ts'), join(target, 'runtime.ts'))
  await writeTree(target, {
    'package.json': {
      name: 'unplugin-localization',
      type: 'module',
      exports: {
        './virtual': { types: './virtual.d.ts' },
        './virtual-strict': { types: './virtual-strict.d.ts' },
        './runtime': { types: './runtime.ts' },
      },
    },
  })
}

export interface CompilerError {
  readonly file: string
  readonly line: number
  readonly code: string
  readonly text: string
}

/** Every error, those in declaration files included. */
export async function compile(
  folder: string,
  files: readonly string[],
  options: Readonly<Record<string, unknown>> = {},
  tsc = join(repository, 'node_modules/typescript/bin/tsc'),
): Promise<CompilerError[]> {
  await writeTree(folder, {
    'package.json': { type: 'module' },
    'tsconfig.json': {
      compilerOptions: {
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        // TypeScript's own libraries: checking them takes longer than everything else.
        skipDefaultLibCheck: true,
        target: 'ES2023',
        module: 'ESNext',
        moduleResolution: 'Bundler',
        lib: ['ES2023', 'DOM'],
        types: [],
        ...options,
      },
      files,
    },
  })
  const run = promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
    maxBuffer: 2 ** 28,
  })
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  return [...stdout.matchAll(/^(\S[^\n]*?)(?:\((\d+),\d+\))?: error (TS\d+): (.*)$/gm)].map(
    ([, file = '', line = '0', code = '', text = '']) => ({ file, line: Number(line), code, text }),
  )
}
