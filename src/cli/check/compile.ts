/** Compiles Vue, Svelte and Astro files to JavaScript with the project's own compilers. */
import { createRequire, SourceMap } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
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

interface VueCompiler {
  parse(source: string, options: object): { descriptor: VueDescriptor; errors: readonly Error[] }
  compileScript(descriptor: VueDescriptor, options: object): { content: string; map?: object; bindings?: object }
  compileTemplate(options: object): { code: string; map?: object; errors: readonly (string | Error)[] }
}

interface VueBlock {
  readonly content: string
  readonly lang?: string
  readonly src?: string
  readonly loc: { readonly start: { readonly line: number } }
}

interface VueDescriptor {
  readonly script: VueBlock | null
  readonly scriptSetup: VueBlock | null
  readonly template: (VueBlock & { readonly ast?: object }) | null
}

async function compileVue(load: Load, file: string, source: string): Promise<readonly Compiled[]> {
  const vue = (await load('vue/compiler-sfc')) as VueCompiler
  const { descriptor, errors } = vue.parse(source, { filename: file, sourceMap: true })
  if (errors[0]) throw errors[0]
  const { script, scriptSetup, template } = descriptor
  const lang = (scriptSetup ?? script)?.lang ?? 'js'
  const name = `${file}.${lang}`
  if (template?.lang !== undefined && template.lang !== 'html') throw new Error(`a template in ${template.lang}`)
  const isInline = scriptSetup !== null && template?.src === undefined
  const compiled =
    script || scriptSetup ? vue.compileScript(descriptor, { id: 'x', inlineTemplate: isInline }) : undefined
  const parts: Compiled[] = []
  if (compiled) parts.push({ code: compiled.content, name, place: placesOf(compiled.map) })
  if (template && template.src === undefined && !isInline) {
    const html = vue.compileTemplate({
      id: 'x',
      filename: file,
      source: template.content,
      ast: template.ast,
      compilerOptions: { expressionPlugins: lang.startsWith('ts') ? ['typescript'] : [] },
    })
    if (html.errors[0]) throw html.errors[0] instanceof Error ? html.errors[0] : new Error(html.errors[0])
    parts.push({ code: html.code, name, place: placesOf(html.map) })
  }
  return parts
}

interface SvelteCompiler {
  compile(source: string, options: object): { js: { code: string; map: object } }
}

async function compileSvelte(load: Load, file: string, source: string): Promise<readonly Compiled[]> {
  const { compile } = (await load('svelte/compiler')) as SvelteCompiler
  const { js } = compile(source, { filename: file, generate: 'client' })
  return [{ code: js.code, name: `${file}.js`, place: placesOf(js.map) }]
}

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
