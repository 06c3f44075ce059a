/** Compiles Vue, Svelte and Astro files to JavaScript with the project's own compilers. */
import { createRequire, SourceMap } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Svelte from 'svelte/compiler'
import type * as Vue from 'vue/compiler-sfc'
import { messageOf } from '../../errors.ts'
import type { UsePlace } from '../../usage/model.ts'

/** Code that the analyzer can read. `place` maps a place in the code to the place in the file. */
export interface Compiled {
  readonly code: string
  /** The file name by which the analyzer tells the dialect. */
  readonly name: string
  readonly place: (place: UsePlace) => UsePlace
}

export type CompileResult =
  | { readonly ok: true; readonly parts: readonly Compiled[] }
  | { readonly ok: false; readonly problem: string; readonly hint?: string }

/** Compiles one file. Resolves to `undefined` for files that are JavaScript or TypeScript already. */
export type Compile = (file: string, source: string) => Promise<CompileResult | undefined>

type Load = (name: string) => Promise<unknown>
type Compiler = (load: Load, file: string, source: string) => Promise<readonly Compiled[]>

const COMPILERS: Readonly<Record<string, { readonly packages: string; readonly compile: Compiler }>> = {
  vue: { packages: 'vue', compile: compileVue },
  svelte: { packages: 'svelte', compile: compileSvelte },
  astro: { packages: '@astrojs/compiler', compile: compileAstro },
}

class CompilerMissing extends Error {}

/** @param root the folder whose packages are used */
export function createCompile(root: string): Compile {
  const require = createRequire(join(root, 'package.json'))
  const load: Load = async (name) => {
    let path: string
    try {
      path = require.resolve(name)
    } catch (cause) {
      throw new CompilerMissing(name, { cause })
    }
    const loaded = (await import(pathToFileURL(path).href)) as { readonly default?: object }
    // CommonJS has its exports under `default`, not always beside it.
    return { ...loaded.default, ...loaded }
  }
  return async (file, source) => {
    const kind = /\.(vue|svelte|astro)$/.exec(file)?.[1]
    const compiler = kind === undefined ? undefined : COMPILERS[kind]
    if (!compiler) return undefined
    try {
      return { ok: true, parts: await compiler.compile(load, file, source) }
    } catch (error) {
      if (error instanceof CompilerMissing)
        return {
          ok: false,
          problem: `${compiler.packages} is not installed in the project, and .${kind} files cannot be read without it`,
          hint: `Install ${compiler.packages}, or leave the files out with the option usage.files.`,
        }
      return { ok: false, problem: `it cannot be compiled: ${messageOf(error).split('\n', 1)[0]}` }
    }
  }
}

async function compileVue(load: Load, file: string, source: string): Promise<readonly Compiled[]> {
  const vue = (await load('vue/compiler-sfc')) as typeof Vue
  const { descriptor, errors } = vue.parse(source, { filename: file, sourceMap: true })
  if (errors[0]) throw errors[0]
  const { script, scriptSetup, template } = descriptor
  const lang = (scriptSetup ?? script)?.lang ?? 'js'
  const name = `${file}.${lang}`
  if (template?.lang !== undefined && template.lang !== 'html') throw new Error(`a template in ${template.lang}`)
  const isInline = scriptSetup !== null && template?.src === undefined
  const parts: Compiled[] = []
  if (script || scriptSetup) {
    const { content, map } = vue.compileScript(descriptor, { id: 'x', inlineTemplate: isInline })
    parts.push({ code: content, name, place: placesOf(map) })
  }
  if (!template || template.src !== undefined || isInline) return parts
  const {
    code,
    map,
    errors: found,
  } = vue.compileTemplate({
    id: 'x',
    filename: file,
    source: template.content,
    ...(template.ast && { ast: template.ast }),
    compilerOptions: { expressionPlugins: lang.startsWith('ts') ? ['typescript'] : [] },
  })
  if (found[0]) throw found[0] instanceof Error ? found[0] : new Error(found[0])
  return [...parts, { code, name, place: placesOf(map) }]
}

async function compileSvelte(load: Load, file: string, source: string): Promise<readonly Compiled[]> {
  const { compile } = (await load('svelte/compiler')) as typeof Svelte
  const { js } = compile(source, { filename: file, generate: 'client' })
  return [{ code: js.code, name: `${file}.js`, place: placesOf(js.map) }]
}

/** Spelled out, because this package does not install the compiler. */
interface AstroCompiler {
  transform(source: string, options: object): Promise<{ code: string; map: string }>
}

async function compileAstro(load: Load, file: string, source: string): Promise<readonly Compiled[]> {
  const { transform } = (await load('@astrojs/compiler')) as AstroCompiler
  const { code, map } = await transform(source, { filename: file, sourcemap: 'external' })
  return [{ code, name: `${file}.ts`, place: placesOf(map) }]
}

/** Maps places back to the file by the compiler's source map. */
function placesOf(map: object | string | undefined): (place: UsePlace) => UsePlace {
  if (map === undefined || map === '') return (place) => place
  let decoded: SourceMap | undefined
  return ({ line, column }) => {
    decoded ??= new SourceMap(typeof map === 'string' ? JSON.parse(map) : JSON.parse(JSON.stringify(map)))
    const entry = decoded.findEntry(line - 1, column - 1)
    return 'originalLine' in entry
      ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 }
      : { line: 1, column: 1 }
  }
}
