/** The configuration that `init` writes, or the one that the project has. */
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FilePattern } from '../../config/types.ts'
import { LocalizationError } from '../../errors.ts'
import { count } from '../../shared/figures.ts'
import type { CommandContext } from '../command.ts'
import { type Answers, collectAnswers, DEFAULT_PATTERN, type InitOptions, withRoot } from './answers.ts'
import { type DetectedFiles, detectFiles, matchesFiles } from './detect-files.ts'
import { describeUnread, detectAbove } from './other-catalogs.ts'
import type { Project } from './project.ts'
import { findNaming, type NamingOptions, namingOptions, type Sources } from './sources.ts'
import { type FileTexts, hasNamespaces, largestLanguage, readTexts } from './texts.ts'

export interface ConfigFile {
  /** The project has no configuration, or `--force` replaces it. */
  readonly isNew: boolean
  readonly configFile: string
  readonly config: string
  /** `undefined`: the file does not exist yet. */
  readonly before: string | undefined
  readonly patterns: readonly FilePattern[]
  readonly languages: readonly string[]
  readonly leftOut: DetectedFiles['leftOut']
  readonly defaultLanguage: string | undefined
  readonly defaultNamespace: string
  readonly keySeparator: string
  /** The texts of every language. */
  readonly texts: readonly FileTexts[]
  /** The texts come from a service that is not on this machine. */
  readonly isRemote: boolean
  /** The service is remote, and neither the environment nor a file has its key. */
  readonly needsApiKey: boolean
  readonly hasTypes: boolean
}

/** The project's own configuration, which stays. */
export async function readConfigFile(context: CommandContext, configFile: string): Promise<ConfigFile> {
  const config = await context.config()
  const { baseUrl, apiKey } = config.service
  const text = await readFile(join(context.globals.root, configFile), 'utf8')
  const isRemote = baseUrl !== undefined && baseUrl !== 'local'
  return {
    isNew: false,
    configFile,
    config: text,
    before: text,
    patterns: config.files,
    languages: [],
    leftOut: [],
    defaultLanguage: config.defaultLanguage,
    defaultNamespace: config.defaultNamespace,
    keySeparator: config.keySeparator,
    texts: await readTexts(config),
    isRemote,
    needsApiKey: isRemote && apiKey === undefined,
    hasTypes: Boolean(config.types),
  }
}

export function existingConfigError(file: string): LocalizationError {
  return new LocalizationError('there is a configuration already', {
    code: 'FILE_WRITE',
    place: { file },
    hint: 'Edit it, give --force to replace it, or give --write to add the plugin.',
  })
}

interface Found {
  readonly existing: string | undefined
  readonly project: Project
  readonly sources: Sources
}

/** Asks for the options that the project's files do not show. */
export async function createConfigFile(
  context: CommandContext,
  options: InitOptions,
  { existing, project, sources }: Found,
): Promise<ConfigFile> {
  const { out, globals } = context
  const { root } = globals
  const ending = options.format ?? ((await exists(join(root, 'tsconfig.json'))) ? 'ts' : 'mjs')
  const configFile = `localization.config.${ending}`
  if (existing !== undefined && existing !== configFile)
    out.warn(`${existing} still exists and may be loaded instead: delete it`)
  const { library, packages } = project
  const found = (await detectFiles(root)) ?? (await detectAbove(root, packages))
  for (const line of [...describeFiles(found), ...(await describeUnread(root))]) out.say(line)
  const keySeparator = found?.collides ? '::' : '.'
  const read = (files: readonly FilePattern[]) =>
    readTexts({ root, files, defaultNamespace: DEFAULT_NAMESPACE, keySeparator })
  const proposed = await read((found?.patterns ?? []).map((pattern) => withRoot(pattern, found)))
  const defaultLanguage = largestLanguage(proposed) ?? 'en'
  const answers = await collectAnswers(context, options, { found, defaultLanguage })
  const { baseUrl } = answers.service
  const given = [answers.files ?? []].flat().map((file) => (typeof file === 'string' ? { pattern: file } : file))
  for (const { pattern } of given) if (!(await matchesFiles(root, pattern))) out.warn(`no file matches ${pattern} yet`)
  const isRemote = baseUrl !== undefined && baseUrl !== 'local'
  const all = await read(given)
  const own = all.filter(({ language }) => language === answers.defaultLanguage)
  const isSplit = given.length === 0 || hasNamespaces(given)
  const naming = namingOptions(library, findNaming(library, own, sources, isSplit), sources, isSplit)
  const { defaultNamespace = DEFAULT_NAMESPACE } = naming
  return {
    isNew: true,
    configFile,
    config: configText({ ...answers, ...naming }, configFile),
    before: await readFile(join(root, configFile), 'utf8').catch(() => undefined),
    patterns: given,
    languages: found?.languages ?? [],
    leftOut: found?.leftOut ?? [],
    defaultLanguage: answers.defaultLanguage,
    defaultNamespace,
    keySeparator,
    texts: isSplit ? all : all.map((texts) => ({ ...texts, namespace: defaultNamespace })),
    isRemote,
    needsApiKey: isRemote && !(await hasApiKey(context)),
    hasTypes: false,
  }
}

const DEFAULT_NAMESPACE = 'default'

/** The plugin's default is used if the configuration names no files. */
export const patternsOf = ({ patterns }: ConfigFile): readonly FilePattern[] =>
  patterns.length > 0 ? patterns : [{ pattern: DEFAULT_PATTERN }]

/** True if the environment or a file such as `.env.local` has the key. */
async function hasApiKey(context: CommandContext): Promise<boolean> {
  const config = await context.config().catch(() => undefined)
  return config?.service.apiKey !== undefined
}

function describeFiles(found: DetectedFiles | undefined): string[] {
  if (!found) return ['translation files: none found']
  const { patterns, wrapped, languages, files, collides, strangers, leftOut } = found
  return [
    `translation files: ${patterns.join(', ')}, ${count(languages.length, 'language')} in ${count(files, 'file')}`,
    ...wrapped.map((pattern) => `${pattern}: the texts are inside an object with the language's name`),
    ...(collides ? ['keys collide when they are joined with ".": keySeparator will be "::"'] : []),
    ...(strangers.length > 0
      ? [
          `left out, because these names are not languages: ${strangers.join(', ')}; the option languages lists the others`,
        ]
      : []),
    ...leftOut.map((one) => {
      return `left out: ${one.pattern}, ${count(one.files, 'file')} with the languages and namespaces of others`
    }),
  ]
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

function configText(answers: Answers & NamingOptions, configFile: string): string {
  const service = withoutUndefined(answers.service)
  const hasService = Object.keys(service).length > 0
  const options = withoutUndefined({ ...answers, service: hasService ? service : undefined })
  if (configFile.endsWith('.json')) return `${JSON.stringify(options, null, 2)}\n`
  const lines = Object.entries(options).map(([name, value]) => `  ${name}: ${literal(value)},`)
  const head = ["import { defineConfig } from 'unplugin-localization'", '', 'export default defineConfig({']
  return [...head, ...lines, '})', ''].join('\n')
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined))
}

/** A value as JavaScript, with single quotes. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, item]) => `${name}: ${literal(item)}`)
    return `{ ${members.join(', ')} }`
  }
  if (typeof value === 'boolean') return String(value)
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
