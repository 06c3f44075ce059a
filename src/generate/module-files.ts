/** Generates the files that `localization generate` writes. They are in the order of writing. */
import { readFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import type { Translations } from '../catalog/translations.ts'
import { formatFindings } from '../errors.ts'
import { type Logger, silentLogger } from '../logger.ts'
import { generateRevisionModule, type HotApi, type LiveFolder, reportCode } from '../output/hot.ts'
import type { ModuleId } from '../output/ids.ts'
import { createModulePaths, REVISION_FILE, relativeSpecifier, UNKNOWN_FILE } from '../output/module-paths.ts'
import { generateModuleTypes, generateUnknownModule, type ModuleTypesInput } from '../output/module-types.ts'
import { type KeptKeys, keptWarning } from '../output/texts.ts'
import { GENERATED_MARK } from '../output/types.ts'
import { generateModule } from '../plugin/generate.ts'
import { createPrebuiltGenerator } from '../plugin/prebuilt-chunks.ts'
import { knownNames, type LoadedState } from '../plugin/state.ts'
import { listed } from '../shared/figures.ts'
import { hashOf } from '../shared/hash.ts'
import { toPosix } from '../shared/paths.ts'

/** `path` is relative to the folder for the modules, with forward slashes. */
export interface GeneratedFile {
  readonly path: string
  readonly content: string
}

export interface ModuleFilesOptions {
  /** Set if a dev server replaces modules in a running page. */
  readonly hot: HotApi | undefined
  /** The texts before pruning, for the types. */
  readonly whole: Translations
  /** The specifier by which TypeScript finds `unplugin-localization/runtime` from the folder. */
  readonly runtimeTypes: string
  readonly unknownFile: boolean
  /** True if a server handles requests from the editor in the page. */
  readonly hasInspector: boolean
  readonly live: LiveFolder | undefined
  readonly logger: Logger
}

/** Generates the files. Each file comes before all files that import it. */
export async function generateModuleFiles(state: LoadedState, options: ModuleFilesOptions): Promise<GeneratedFile[]> {
  const { hot, whole, runtimeTypes, unknownFile, hasInspector, live, logger } = options
  const config = { ...state.config, edit: state.config.edit && hasInspector }
  const { pathOf, hashed } = createModulePaths(knownNames(state))
  if (hashed.length > 0) logger.warn(hashedWarning(hashed))
  const types: ModuleTypesInput = {
    translations: whole,
    options: { ...config, gaps: config.fallback === false },
    pathOf,
    strict: await readFile(STRICT_TYPES_FILE, 'utf8'),
    runtime: runtimeTypes,
  }
  const files: GeneratedFile[] = [{ path: 'package.json', content: PACKAGE }]
  if (unknownFile) files.push({ path: UNKNOWN_FILE, content: generateUnknownModule(knownNames(state)) })
  const kept: KeptKeys[] = []
  for (const id of moduleIds(state)) {
    const path = pathOf(id)
    const specifier = (to: ModuleId) => relativeSpecifier(path, pathOf(to))
    const module = await generateModule({ ...state, config }, id, hot, {
      specifier,
      liveFolder: live,
      isProvided: live !== undefined,
    })
    for (const warning of module.warnings) logger.warn(warning)
    kept.push(...module.kept)
    files.push({ path: typesPath(path), content: generateModuleTypes(types, id) })
    const report = hot === 'next' && id.kind === 'manifest' ? reportOf(state) : ''
    files.push({ path, content: moduleText(path, module.code + report) })
  }
  if (kept.length > 0) logger.warn(keptWarning(kept))
  if (hot === 'next') files.push({ path: REVISION_FILE, content: revisionModule(files) })
  return files
}

function revisionModule(files: readonly GeneratedFile[]): string {
  return moduleText(REVISION_FILE, generateRevisionModule(hashOf(files.map(({ content }) => content).join('\0'), 32)))
}

function reportOf({ loaded }: LoadedState): string {
  return reportCode(formatFindings(loaded.diagnostics.filter(({ severity }) => severity === 'error')))
}

function moduleIds({ translations }: LoadedState): readonly ModuleId[] {
  const { languages, namespaces, customers } = translations
  const places = languages.flatMap(({ key: language }) =>
    [undefined, ...customers].map((customer) => ({ language, customer })),
  )
  return [
    { kind: 'runtime' },
    ...places.flatMap((place) => namespaces.map((namespace) => ({ kind: 'namespace' as const, namespace, ...place }))),
    ...places.map((place) => ({ kind: 'language' as const, ...place })),
    { kind: 'manifest' },
  ]
}

/**
 * With this package.json, Node treats the modules as ES modules even in a CommonJS project, and bundlers can drop
 * unused ones.
 */
const PACKAGE = `${JSON.stringify({ private: true, type: 'module', sideEffects: false }, null, 2)}\n`

function moduleText(path: string, code: string): string {
  const types = `./${typesPath(path).split('/').at(-1)}`
  // Deno finds the types of a module only through this directive.
  return `${GENERATED_MARK}\n/* eslint-disable */\n/* @ts-self-types=${JSON.stringify(types)} */\n${code}`
}

function typesPath(path: string): string {
  return path.replace(/\.js$/, '.d.ts')
}

function hashedWarning(names: readonly string[]): string {
  const shown = listed(names.map((name) => JSON.stringify(name)))
  return (
    `the files of ${shown} have hashed names, because some file systems cannot store the original names or ` +
    'confuse them with others. load() finds the files, but they cannot be imported by name.'
  )
}

/** The path of the types for `unplugin-localization/virtual-strict`, relative to the file in the built package. */
const STRICT_TYPES_FILE = new URL('../src/virtual-strict.d.ts', import.meta.url)

/** `localization release` finds builds by this folder name. */
const LIVE_FOLDER = 'localization'

/** Generates the table and the message files for `delivery: 'live'`, in a folder that the host serves. */
export async function generateLiveFiles(
  state: LoadedState,
  {
    folder: served = 'public',
    base = '/',
  }: { readonly folder?: string | undefined; readonly base?: string | undefined } = {},
) {
  const { root } = state.config
  // Warnings are not logged here, because generating the modules logs the same ones.
  const chunks = await createPrebuiltGenerator(state, silentLogger)('.js')
  const folder = resolve(root, served, LIVE_FOLDER)
  // The table must be written last.
  const files = [...chunks.files, ...(chunks.live?.files ?? []).toReversed()]
  return {
    folder,
    files: files.map(({ name, module }) => ({ path: name, content: module.bytes.toString() })),
    how: { chunks, base: `${base.replace(/\/$/, '')}/${LIVE_FOLDER}/`, folder: toPosix(relative(root, folder)) },
  }
}
