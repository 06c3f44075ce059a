// Writes the declarations of the package's entries into `dist`. `rolldown.config.ts` builds the code, and the CommonJS
// declarations of the bundlers' entries.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import ts from 'typescript'
import { withoutZod } from './plain-types.mjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entries = Object.values(exports).flatMap(({ default: target }) =>
  target === undefined ? [] : [basename(target, '.js')],
)
/** Entries whose declarations exist for CommonJS too. */
const COMMON_JS = ['index', 'client', 'service']

export async function buildTypes() {
  // Inside the project: the declarations name its packages.
  mkdirSync(dist, { recursive: true })
  const folder = mkdtempSync(join(dist, '.types-'))
  try {
    emitDeclarations(folder)
    await bundleDeclarations(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  withoutZod(dist)
  for (const name of COMMON_JS) copyForCommonJs(`${name}.d.ts`)
}

/** Emits only what the entries name, file by file: the checker infers no types that no declaration contains. */
function emitDeclarations(outDir) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram(
    entries.map((name) => join(root, 'src', `${name}.ts`)),
    { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: join(root, 'src'), outDir },
  )
  const files = new Set(program.getRootFileNames())
  for (const file of files) {
    const { diagnostics } = program.emit(program.getSourceFile(file), (path, text) => {
      const imports = ts.preProcessFile(text).importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
      for (const { fileName } of imports) files.add(join(dirname(file), fileName))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, withEnding(text, imports, '.ts', '.js'))
    })
    if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost(options)))
  }
}

const chunkFileNames = ({ name }) => `${name.replace(/\.d$/, '')}-[hash].d.ts`

/** One file for each entry, and one for each set of entries that share declarations. */
async function bundleDeclarations(from) {
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((name) => [name, join(from, `${name}.d.ts`)])),
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[A-Za-z]:/.test(id),
    plugins: [dts({ compilerOptions: { types: [] } })],
    onLog(level, log, report) {
      // Shared declarations stay private on purpose: entries export their own names only.
      if (!log.message.includes('private shared type exports')) report(level, log)
    },
  })
  await bundle.write({ dir: dist, entryFileNames: '[name].d.ts', chunkFileNames })
  await bundle.close()
}

/** Writes `name.d.cts`, and the same for each file of `dist` that the declarations import. */
function copyForCommonJs(name, written = new Set()) {
  if (written.has(name)) return
  written.add(name)
  const text = readFileSync(join(dist, name), 'utf8')
  const imports = ts.preProcessFile(text).importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
  writeFileSync(join(dist, name.replace(/\.ts$/, '.cts')), withEnding(text, imports, '.js', '.cjs'))
  for (const { fileName } of imports) copyForCommonJs(fileName.replace(/^\.\/(.*)\.js$/, '$1.d.ts'), written)
}

/** `text` with another ending of the files that it imports. */
function withEnding(text, imports, from, to) {
  let result = text
  for (const { fileName, pos } of [...imports].sort((a, b) => b.pos - a.pos)) {
    if (!fileName.endsWith(from)) continue
    const end = text.indexOf(fileName, pos) + fileName.length
    result = result.slice(0, end - from.length) + to + result.slice(end)
  }
  return result
}
