/** Compiles Vue, Svelte and Astro files to JavaScript with the project's own compilers. */
import { createRequire, SourceMap } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Svelte from 'svelte/compiler'
import type * as Vue from 'vue/compiler-sfc'
import { messageOf } from '../../errors.ts'
import type { UsePlace } from '../model.ts'

/** Code for the analyzer: a whole file, or a compiled part of one. */
export interface Block {
  readonly code: string
  /** The file name, whose extension selects the dialect. */
  readonly name: string
  /** Maps a place in the code to its place in the file. */
  readonly place: (place: UsePlace) => UsePlace
}

/** Returns the code blocks in a file. Throws SourceError if the file cannot be compiled. */
export type Compile = (file: string, source: string) => Promise<readonly Block[]>

type Compiler = (compiler: never, file: string, source: string) => Promise<readonly Block[]>

const COMPILERS = {
  vue: { packageName: 'vue', module: 'vue/compiler-sfc', compile: compileVue },
  svelte: { packageName: 'svelte', module: 'svelte/compiler', compile: compileSvelte },
  astro: { packageName: '@astrojs/compiler', module: '@astrojs/compiler', compile: compileAstro },
} satisfies Record<string, { packageName: string; module: string; compile: Compiler }>

/** Thrown if a file cannot be read or compiled. The file may then use any key. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  constructor(
    message: string,
    readonly place: UsePlace = { line: 1, column: 1 },
    readonly hint?: string,
  ) {
    super(message)
  }
}

/** @param root the folder from which packages are resolved */
export function createCompile(root: string): Compile {
  const require = createRequire(join(root, 'package.json'))
  const load = async (name: string): Promise<unknown> => {
    const loaded = (await import(pathToFileURL(require.resolve(name)).href)) as { readonly default?: object }
    // Node exports a CommonJS module as `default`, plus the named exports that Node can detect.
    return { ...loaded.default, ...loaded }
  }
  return async (file, source) => {
    const kind = /\.(vue|svelte|astro)$/.exec(file)?.[1] as keyof typeof COMPILERS | undefined
    if (kind === undefined) return [{ code: source, name: file, place: (place) => place }]
    const { packageName, module, compile } = COMPILERS[kind]
    const compiler = await load(module).catch(() => {
      throw new SourceError(
        `${packageName} is not installed in the project, but .${kind} files need it`,
        undefined,
        `Install ${packageName}, or exclude these files in "usage.files".`,
      )
    })
    try {
      return await compile(compiler as never, file, source)
    } catch (error) {
      const [message = ''] = messageOf(error).split('\n', 1)
      throw new SourceError(`it cannot be compiled: ${message.replace(/\s*\(\d+:\d+\)$/, '')}`, placeOfError(error))
    }
  }
}

async function compileVue(vue: typeof Vue, file: string, source: string): Promise<readonly Block[]> {
  const { descriptor, errors } = vue.parse(source, { filename: file, sourceMap: true })
  if (errors[0]) throw errors[0]
  const { script, scriptSetup, template } = descriptor
  const lang = (scriptSetup ?? script)?.lang ?? 'js'
  const name = `${file}.${lang}`
  if (template?.lang !== undefined && template.lang !== 'html')
    throw new Error(`templates in ${template.lang} are not supported`)
  const isInline = scriptSetup !== null && template?.src === undefined
  const parts: Block[] = []
  if (script || scriptSetup) {
    const { content, map } = compileScript(vue, descriptor, isInline)
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

/** Corrects the place in Vue's syntax errors, which count lines from the start of the block. */
function compileScript({ compileScript: compile }: typeof Vue, descriptor: Vue.SFCDescriptor, inlineTemplate: boolean) {
  try {
    return compile(descriptor, { id: 'x', inlineTemplate })
  } catch (error) {
    const { loc, pos } = error as { readonly loc?: { line: number }; readonly pos?: number }
    const { script, scriptSetup } = descriptor
    const block = [scriptSetup, script].find((each) => loc && pos !== undefined && each && isIn(each.content, loc, pos))
    if (loc && block) loc.line += block.loc.start.line - 1
    throw error
  }
}

/** True if the offset is on this line of the content. */
function isIn(content: string, { line }: { readonly line: number }, offset: number): boolean {
  return offset <= content.length && content.slice(0, offset).split('\n').length === line
}

async function compileSvelte({ compile }: typeof Svelte, file: string, source: string): Promise<readonly Block[]> {
  const { js } = compile(source, { filename: file, generate: 'client' })
  return [{ code: js.code, name: `${file}.js`, place: placesOf(js.map) }]
}

/** The part of the Astro compiler that is used. Declared here, because this package does not install the compiler. */
interface AstroCompiler {
  transform(source: string, options: object): Promise<{ code: string; map: string }>
}

async function compileAstro({ transform }: AstroCompiler, file: string, source: string): Promise<readonly Block[]> {
  const { code, map } = await transform(source, { filename: file, sourcemap: 'external' })
  return [{ code, name: `${file}.ts`, place: placesOf(map) }]
}

/**
 * The place in an error from Babel or Vue (`loc`) or from Svelte (`start`); the start of the file if the error has no
 * place.
 */
function placeOfError(error: unknown): UsePlace {
  const { loc, start = loc } = error as { readonly loc?: ErrorPlace; readonly start?: ErrorPlace }
  const { line = 1, column = 0 } = loc?.start ?? start ?? {}
  return { line, column: loc?.start ? column : column + 1 }
}

interface ErrorPlace extends Partial<UsePlace> {
  readonly start?: UsePlace
}

/** Returns a function that maps places in compiled code to the source file. */
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
