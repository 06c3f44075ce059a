/** The real compiler on a folder with the package's ambient types in it: no build of the package is needed. */
import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type TypeScript from 'typescript'
import { repository } from './bundlers.ts'
import { runProcess } from './processes.ts'
import { writeTree } from './temp.ts'

/** `import` would search the nine megabytes for the names of exports. */
export const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript

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

/** Every error, those in declaration files included. `tsc`: the command of another version, in a process of its own. */
export async function compile(
  folder: string,
  files: readonly string[],
  options: Readonly<Record<string, unknown>> = {},
  tsc?: string,
): Promise<CompilerError[]> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    target: 'ES2023',
    module: 'ESNext',
    moduleResolution: 'Bundler',
    lib: ['ES2023'],
    types: [],
    ...options,
  }
  await writeTree(folder, { 'package.json': { type: 'module' }, 'tsconfig.json': { compilerOptions, files } })
  const command = [process.execPath, tsc ?? '', '-p', folder, '--pretty', 'false']
  const output = tsc === undefined ? checkProject(folder) : (await runProcess(command, { cwd: folder })).stdout
  return [...output.matchAll(/^(\S[^\n]*?)(?:\((\d+),\d+\))?: error (TS\d+): (.*)$/gm)].map(
    ([, file = '', line = '0', code = '', text = '']) => ({ file, line: Number(line), code, text }),
  )
}

/** Parsed declarations of this repository's packages, by name and format: most programs here consist of little else. */
const parsed = new Map<string, TypeScript.SourceFile | undefined>()
const packages = join(repository, 'node_modules')

/** What `tsc -p` prints, without starting the compiler anew for each program. Errors in other packages are not searched. */
export function checkProject(folder: string, file = 'tsconfig.json'): string {
  const { config, error } = ts.readConfigFile(join(folder, file), ts.sys.readFile)
  if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'))
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder)
  const host = ts.createCompilerHost(options)
  host.getCurrentDirectory = () => folder
  // As `tsc` does.
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors
  const parse = host.getSourceFile
  host.getSourceFile = (name, version, ...rest) => {
    if (!name.startsWith(packages) || !name.endsWith('ts')) return parse(name, version, ...rest)
    const key = JSON.stringify([name, version])
    if (!parsed.has(key)) parsed.set(key, parse(name, version, ...rest))
    return parsed.get(key)
  }
  const program = ts.createProgram({ rootNames: fileNames, options, host })
  const own = program.getSourceFiles().filter(({ fileName }) => !fileName.startsWith(packages))
  const found = own.flatMap((source) => [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ])
  const all = [...errors, ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...found]
  return ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(all), host)
}
