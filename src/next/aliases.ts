/** Resolves `virtual:translations` and `#translations` to the generated files, in Turbopack and in webpack. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LocalizationError } from '../errors.ts'
import { listModules } from '../generate/module-folder.ts'
import { formatRequest, type KnownNames, MANIFEST_ID, type ModuleId, parseRequest } from '../output/ids.ts'
import {
  IMPORTS_ID,
  isHashedRequest,
  parseImportsRequest,
  REVISION_FILE,
  UNKNOWN_FILE,
} from '../output/module-paths.ts'
import { checkNames } from '../plugin/generate.ts'

/**
 * For each imported id, paths relative to the folder for the modules. The first path that exists is used. `*` matches
 * any text.
 */
export type Aliases = ReadonlyMap<string, readonly string[]>

export function readAliases(folder: string): Aliases {
  const aliases = new Map<string, readonly string[]>()
  // Patterns are needed so that new languages and namespaces work without a restart.
  for (const id of [MANIFEST_ID, IMPORTS_ID]) aliases.set(id, ['index.js']).set(`${id}/*`, ['*.js', UNKNOWN_FILE])
  for (const [path, id] of readModules(folder))
    for (const request of spellings(id)) if (!isCovered(request, path)) aliases.set(request, [path])
  return aliases
}

function readModules(folder: string): ReadonlyMap<string, NamedModule> {
  const modules = new Map<string, NamedModule>()
  for (const path of listModules(folder)) {
    const request = `${IMPORTS_ID}/${path}`
    if (!path.endsWith('.js') || OTHER_FILES.includes(path) || isHashedRequest(request)) continue
    const id = parseImportsRequest(request)
    if (id?.kind === 'language' || id?.kind === 'namespace') modules.set(path, id)
  }
  return modules
}

type NamedModule = Extract<ModuleId, { readonly language: string }>

const OTHER_FILES = [UNKNOWN_FILE, REVISION_FILE]

/** Returns the ids by which a module can be imported. As in every bundler, names may be percent-encoded or not. */
function spellings(id: NamedModule): readonly string[] {
  const names = [id.language, ...(id.kind === 'namespace' ? [id.namespace] : [])].join('/')
  const plain = `${MANIFEST_ID}/${names}${id.customer === undefined ? '' : `?customer=${id.customer}`}`
  // In an alias, `*` would act as a wildcard.
  return [formatRequest(id), ...(plain.includes('*') ? [] : [plain])]
}

/** Returns true if the pattern already resolves the request to the path. */
function isCovered(request: string, path: string): boolean {
  return `${request.slice(MANIFEST_ID.length + 1)}.js` === path
}

/**
 * Returns the aliases for Turbopack's `resolveAlias`. `folder` is relative to the project's folder, with forward
 * slashes.
 */
export function turbopackAliases(aliases: Aliases, folder: string): Readonly<Record<string, string | string[]>> {
  const entries = [...aliases].map(([request, paths]) => {
    const files = paths.map((path) => `./${folder}/${path}`)
    return [request, files.length === 1 ? (files[0] as string) : files] as const
  })
  return Object.fromEntries(entries)
}

interface Resource {
  request: string
}

interface WebpackModule {
  readonly NormalModuleReplacementPlugin: new (filter: RegExp, replace: (resource: Resource) => void) => object
}

interface WebpackConfig {
  plugins?: object[]
}

const OURS = /^(?:virtual:|#)translations(?:[/?]|$)/

/**
 * Replaces requests with paths. webpack's own aliases are not used, because they support neither schemes (`virtual:`)
 * nor the `imports` of package.json (`#`).
 *
 * @param folder the absolute path of the folder for the modules
 */
export function addWebpackAliases(
  config: WebpackConfig,
  { NormalModuleReplacementPlugin }: WebpackModule,
  aliases: Aliases,
  folder: string,
): void {
  const plugin = new NormalModuleReplacementPlugin(OURS, (resource) => {
    const { request } = resource
    const [path = `${request.slice(request.indexOf('/') + 1)}.js`] = aliases.get(request) ?? []
    const file = join(folder, path)
    // webpack adds the importing file to this error.
    if (!existsSync(file)) throw unknownModule(request, folder)
    resource.request = file
  })
  config.plugins = [...(config.plugins ?? []), plugin]
}

function unknownModule(request: string, folder: string): unknown {
  const id = request.startsWith(IMPORTS_ID) ? parseImportsRequest(request) : parseRequest(request)
  try {
    if (id) checkNames(namesOf(folder), id)
  } catch (error) {
    return error
  }
  return new LocalizationError(`no generated module for ${JSON.stringify(request)}`, {
    code: 'UNKNOWN_MODULE',
    place: { file: folder },
    hint: 'Restart Next.js.',
  })
}

function namesOf(folder: string): KnownNames {
  const ids = [...readModules(folder).values()]
  const namespaces = ids.flatMap((id) => (id.kind === 'namespace' ? [id.namespace] : []))
  const customers = ids.flatMap(({ customer }) => (customer === undefined ? [] : [customer]))
  return {
    languages: [...new Set(ids.map(({ language }) => language))],
    namespaces: [...new Set(namespaces)],
    customers: [...new Set(customers)],
  }
}
