/** Checks that the project's tsconfig.json lets TypeScript find this package's types and the generated declarations. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'
import type TypeScript from 'typescript'
import type { ResolvedConfig } from '../../config/types.ts'
import { toPosix } from '../../shared/paths.ts'

/** One line of `localization doctor`. `level` defaults to `ok`. */
export interface Found {
  readonly level?: 'ok' | 'warning' | 'error'
  readonly found: string
  readonly where?: string | null
  readonly hint?: string | null
}

const CONFIG = 'tsconfig.json'

/** `undefined` if the project has no tsconfig.json. */
export function checkTypeScript({ root, types }: Pick<ResolvedConfig, 'root' | 'types'>): Found | undefined {
  const path = join(root, CONFIG)
  if (!existsSync(path)) return undefined
  const ts = projectTypeScript(root)
  if (!ts) return { found: 'not checked: TypeScript is not installed', where: CONFIG }
  // TypeScript 7 has a different API.
  if (!ts.parseJsonConfigFileContent) return { found: `${ts.version}, ${CONFIG} not checked`, where: CONFIG }
  const programs = programsOf(ts, path)
  const resolution = ts.ModuleResolutionKind
  const classic = programs.find(({ options }) => moduleResolutionOf(ts, options) === resolution.Classic)
  if (classic)
    return {
      level: 'error',
      where: toPosix(relative(root, classic.file)),
      found: 'moduleResolution is "classic", which does not find packages',
      hint: 'Set compilerOptions.moduleResolution to "bundler".',
    }
  const included = new Set(programs.flatMap(({ fileNames }) => fileNames.map((name) => resolve(name))))
  const file = types ? types.file : undefined
  if (file !== undefined && !included.has(resolve(root, file))) {
    const name = toPosix(relative(root, file))
    return { level: 'warning', where: CONFIG, found: `${name} is not included`, hint: `Add "${name}" to include.` }
  }
  return { found: ts.version, where: CONFIG }
}

function projectTypeScript(root: string): typeof TypeScript | undefined {
  try {
    return createRequire(join(root, 'package.json'))('typescript')
  } catch {
    return undefined
  }
}

interface Program {
  readonly file: string
  readonly options: TypeScript.CompilerOptions
  readonly fileNames: readonly string[]
}

/** Includes the programs of project references. */
function programsOf(ts: typeof TypeScript, path: string, seen = new Set<string>()): Program[] {
  if (seen.has(path) || !existsSync(path)) return []
  seen.add(path)
  const { config } = ts.readConfigFile(path, ts.sys.readFile)
  const parsed = ts.parseJsonConfigFileContent(config ?? {}, ts.sys, resolve(path, '..'), undefined, path)
  const own = { file: path, options: parsed.options, fileNames: parsed.fileNames }
  const references = parsed.projectReferences ?? []
  const others = references.flatMap((reference) => programsOf(ts, ts.resolveProjectReferencePath(reference), seen))
  // A tsconfig that only lists references has no files.
  return own.fileNames.length > 0 ? [own, ...others] : others
}

function moduleResolutionOf(ts: typeof TypeScript, options: TypeScript.CompilerOptions) {
  if (options.moduleResolution !== undefined) return options.moduleResolution
  const { ModuleKind, ModuleResolutionKind } = ts
  const isOld = Number(ts.version.split('.')[0]) < 6
  const { module = (options.target ?? 0) >= ts.ScriptTarget.ES2015 ? ModuleKind.ES2015 : ModuleKind.CommonJS } = options
  // Classic was the old default.
  const isClassic = isOld && module !== ModuleKind.CommonJS && module <= ModuleKind.ESNext
  return isClassic ? ModuleResolutionKind.Classic : undefined
}
