/**
 * The configuration of the project. It is the existing one, or a new one that is made from options, files and
 * questions.
 */
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { checkAddress, checkPattern } from '../../config/checks.ts'
import type { FilePattern } from '../../config/types.ts'
import { LocalizationError } from '../../errors.ts'
import { count } from '../../shared/figures.ts'
import { isLanguage } from '../../shared/language-name.ts'
import { toPosix } from '../../shared/paths.ts'
import { type CommandContext, choice, flag, type Given, UsageError, value } from '../command.ts'
import { readText } from './changes.ts'
import { type DetectedFiles, describeUnread, detectAbove, detectFiles } from './detect-files.ts'
import { type Project, TOOL_NAMES } from './project.ts'
import { createQuestions, type Questions } from './questions.ts'
import {
  type FileTexts,
  findNaming,
  hasNamespaces,
  largestLanguage,
  namingOptions,
  readTexts,
  type Sources,
} from './texts.ts'

export const INIT_OPTIONS = {
  yes: flag('do not ask: take the default of every question'),
  dryRun: flag('show every change, and write nothing'),
  files: value('<pattern>', 'pattern of the translation files, such as "locales/{language}/{namespace}.json"'),
  languages: value('<list>', 'the languages of a project without texts, such as "en,de"; the first is the default'),
  defaultLanguage: value('<name>', 'the last language of every fallback chain'),
  baseUrl: value('<address>', "the service's address; 'local' for the local service"),
  cdnUrl: value('<address>', 'the address of the published files'),
  bundler: choice('<name>', 'the bundler, if another one is found', TOOL_NAMES),
  format: choice('<ending>', 'file extension of the configuration', ['ts', 'mjs', 'json']),
  firstText: flag("add lines to the app's page that show the first text; an error if there is no place for them"),
  noFirstText: flag("leave the app's page unchanged"),
  configOnly: flag('write only the configuration'),
  noBuild: flag('do not check the changes with a build'),
  force: flag('replace an existing configuration'),
}
export type InitOptions = Given<typeof INIT_OPTIONS>

export interface Setup {
  /** True if the project has no configuration, or if `--force` replaces it. */
  readonly isNew: boolean
  readonly configFile: string
  readonly config: string
  /** The content; `undefined` if the file does not exist yet. */
  readonly before: string | undefined
  readonly files: readonly FilePattern[]
  /** The languages that were found in files. */
  readonly languages: readonly string[]
  /** The languages of new files. The first is the default language. */
  readonly newLanguages: readonly string[]
  readonly leftOut: DetectedFiles['leftOut']
  readonly defaultLanguage: string | undefined
  readonly defaultNamespace: string
  readonly keySeparator: string
  /** The texts of every language. */
  readonly texts: readonly FileTexts[]
  /** True if the texts come from a service that is not on this machine. */
  readonly isRemote: boolean
  /** True if the service is remote, and neither the environment nor a file has its key. */
  readonly needsApiKey: boolean
  /** The file of the option `types`, which writes other types, relative to the root; `undefined` without the option. */
  readonly typesFile: string | undefined
}

const DEFAULT_PATTERN = 'locales/{language}/{namespace}.json'
const DEFAULT_NAMESPACE = 'default'
const isRemoteAddress = (address: string | undefined) => address !== undefined && address !== 'local'

/** Options that are only possible for a new configuration. */
const FOR_NEW = ['files', 'languages', 'defaultLanguage', 'baseUrl', 'cdnUrl', 'format', 'configOnly'] as const

/** The project's own configuration, which is kept. */
export async function readSetup(context: CommandContext, given: InitOptions, configFile: string): Promise<Setup> {
  const option = FOR_NEW.find((name) => given[name] !== undefined && given[name] !== false)
  if (option !== undefined)
    throw new LocalizationError(`there is a configuration already, which --${kebab(option)} does not change`, {
      code: 'FILE_WRITE',
      place: { file: configFile },
      hint: 'Edit it, give --force to replace it, or leave the option out to add what is missing.',
    })
  const config = await context.config()
  const text = await readFile(join(context.globals.root, configFile), 'utf8')
  const isRemote = isRemoteAddress(config.service.baseUrl)
  const { defaultLanguage, defaultNamespace, keySeparator, files, types } = config
  return {
    isNew: false,
    configFile,
    config: text,
    before: text,
    files,
    languages: [],
    newLanguages: [defaultLanguage ?? 'en'],
    leftOut: [],
    defaultLanguage,
    defaultNamespace,
    keySeparator,
    texts: await readTexts(config),
    isRemote,
    needsApiKey: isRemote && config.service.apiKey === undefined,
    typesFile: types ? toPosix(relative(config.root, types.file)) : undefined,
  }
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Asks for the options that the project's files do not show. */
export async function askSetup(
  context: CommandContext,
  given: InitOptions,
  { project, sources, existing }: { project: Project; sources: Sources; existing: string | undefined },
): Promise<Setup> {
  checkGiven(given)
  const { root } = context.globals
  const { library, packages, isTypeScript } = project
  const configFile = `localization.config.${given.format ?? (isTypeScript ? 'ts' : 'mjs')}`
  if (existing !== undefined && existing !== configFile)
    context.out.warn(`${existing} still exists and may be loaded instead: delete it`)
  const found = (await detectFiles(root)) ?? (await detectAbove(root, packages))
  for (const line of [...describeFiles(found), ...(await describeUnread(root))]) context.out.say(line)

  const canAsk = !given.yes && !given.dryRun && context.io.canAsk
  const questions = canAsk ? await createQuestions(context) : undefined
  const proposed = found?.patterns.join(', ')
  const files = given.files ?? proposed ?? (await questions?.text(WHERE))
  const isOwn = files === proposed
  const patterns = listOf(files ?? '').map((pattern): FilePattern => {
    return found?.wrapped.includes(pattern) ? { pattern, root: '{language}' } : { pattern }
  })
  const keySeparator = isOwn && found?.collides ? '::' : '.'
  const texts = await readTexts({ root, files: patterns, defaultNamespace: DEFAULT_NAMESPACE, keySeparator })
  if (given.files !== undefined && texts.length === 0) context.out.say(`no file matches ${given.files} yet`)
  const service = { baseUrl: given.baseUrl ?? (questions && (await askService(questions))), cdnUrl: given.cdnUrl }
  const proposal = given.defaultLanguage ?? 'en'
  const isRemote = isRemoteAddress(service.baseUrl)
  const question = { ...LANGUAGES, ...(isRemote && { message: 'Default language' }), proposal }
  if (given.languages !== undefined && texts.length > 0)
    throw new UsageError('--languages: the project has texts, whose files name the languages')
  const asks = given.languages === undefined && texts.length === 0
  const newLanguages = listOf(given.languages ?? (asks ? ((await questions?.text(question)) ?? proposal) : ''))
  const defaultLanguage = given.defaultLanguage ?? (await askDefault(questions, newLanguages, texts))

  const own = texts.filter(({ language }) => language === defaultLanguage)
  const isSplit = patterns.length === 0 || hasNamespaces(patterns)
  const naming = namingOptions(library, findNaming(library, own, sources, isSplit), sources, isSplit)
  const { defaultNamespace = DEFAULT_NAMESPACE } = naming
  const strangers = isOwn && found && found.strangers.length > 0
  const config = {
    ...(Object.values(service).some(Boolean) && { service }),
    ...(patterns.length > 0 && { files: patternOption(patterns) }),
    // This is a list instead of exclusions, so that a name that is not a language is not one in any command.
    ...(strangers && { languages: found.languages }),
    defaultLanguage,
    ...(keySeparator === '::' && { keySeparator }),
    ...naming,
  }
  return {
    isNew: true,
    configFile,
    config: configText(config, configFile),
    before: await readText(root, configFile),
    // The plugin's default is used if the configuration names no files.
    files: patterns.length > 0 ? patterns : [{ pattern: DEFAULT_PATTERN }],
    languages: found?.languages ?? [],
    newLanguages: [...new Set([defaultLanguage, ...newLanguages])],
    leftOut: found?.leftOut ?? [],
    defaultLanguage,
    defaultNamespace,
    keySeparator,
    texts: isSplit ? texts : texts.map((one) => ({ ...one, namespace: defaultNamespace })),
    isRemote,
    needsApiKey: isRemote && !(await hasApiKey(context)),
    typesFile: undefined,
  }
}

const listOf = (names: string) =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** The first problem in a list of names. */
const checkEach = (check: (name: string) => string | undefined) => (names: string) =>
  names.trim() === ''
    ? 'expected a name'
    : listOf(names)
        .map(check)
        .find((problem) => problem !== undefined)
const checkPatterns = checkEach(checkPattern)
const checkLanguages = checkEach((name) =>
  isLanguage(name) ? undefined : `"${name}" is not the code of a language, such as en or pt-BR`,
)
const checkService = (address: string) => (address === 'local' ? undefined : checkAddress(address))

/** Checks the options. Throws UsageError. */
function checkGiven({ baseUrl, cdnUrl, files, languages }: InitOptions): void {
  for (const [option, given, check] of [
    ['--base-url', baseUrl, checkService],
    ['--cdn-url', cdnUrl, checkAddress],
    ['--files', files, checkPatterns],
    ['--languages', languages, checkLanguages],
  ] as const) {
    const problem = given === undefined ? undefined : check(given)
    if (problem !== undefined) throw new UsageError(`${option}: ${problem}`)
  }
}

const WHERE = {
  message: 'Where will the translation files be?',
  proposal: DEFAULT_PATTERN,
  check: checkPatterns,
}
const LANGUAGES = {
  message: 'Languages, with the default language first',
  check: checkLanguages,
}

async function askService(questions: Questions): Promise<string | undefined> {
  const answer = await questions.choose({
    message: 'Where do the texts come from?',
    options: [
      { value: 'files', label: 'only from the files' },
      { value: 'local', label: 'from the files and a local service, which starts with the dev server' },
      { value: 'address', label: 'from a service at an address' },
    ],
  })
  if (answer === 'files') return undefined
  if (answer === 'local') return 'local'
  return questions.text({
    message: 'Address of the service',
    proposal: 'https://localization.example.com',
    check: checkAddress,
  })
}

/** Asks only if files have several languages. The proposal is the language with the most texts. */
async function askDefault(
  questions: Questions | undefined,
  newLanguages: readonly string[],
  texts: readonly FileTexts[],
): Promise<string> {
  const largest = largestLanguage(texts) ?? newLanguages[0] ?? 'en'
  const all = [...new Set([largest, ...texts.map(({ language }) => language).sort()])]
  if (questions === undefined || newLanguages.length > 0 || all.length === 1) return largest
  const options = all.map((value) => ({ value, label: value }))
  return questions.choose({ message: 'Default language', options })
}

/** True if the environment or a file such as `.env.local` has the key. */
async function hasApiKey(context: CommandContext): Promise<boolean> {
  const config = await context.config().catch(() => undefined)
  return config?.service.apiKey !== undefined
}

function describeFiles(found: DetectedFiles | undefined): string[] {
  if (!found) return ['translation files: none found']
  const { patterns, wrapped, languages, files, collides, strangers, leftOut } = found
  const places = `${patterns.join(', ')}, ${count(languages.length, 'language')} in ${count(files, 'file')}`
  const names = `${strangers.join(', ')}; the option "languages" lists the others`
  return [
    `translation files: ${places}`,
    ...wrapped.map((pattern) => `${pattern}: the texts are inside an object with the language's name`),
    ...(collides ? ['keys collide when they are joined with ".": keySeparator will be "::"'] : []),
    ...(strangers.length > 0 ? [`left out, because these names are not languages: ${names}`] : []),
    ...leftOut.map((one) => {
      return `left out: ${one.pattern}, ${count(one.files, 'file')} with the languages and namespaces of others`
    }),
  ]
}

function patternOption(patterns: readonly FilePattern[]) {
  const short = patterns.map(({ pattern, root }) => (root === undefined ? pattern : { pattern, root }))
  return short.length > 1 ? short : short[0]
}

function configText(given: object, configFile: string): string {
  const options = JSON.parse(JSON.stringify(given)) as object
  if (configFile.endsWith('.json')) return `${JSON.stringify(options, null, 2)}\n`
  const lines = Object.entries(options).map(([name, option]) => `  ${name}: ${literal(option)},`)
  const head = ["import { defineConfig } from 'unplugin-localization'", '', 'export default defineConfig({']
  return [...head, ...lines, '})', ''].join('\n')
}

/** A value as JavaScript, with single quotes. */
function literal(given: unknown): string {
  if (Array.isArray(given)) return `[${given.map(literal).join(', ')}]`
  if (typeof given === 'object' && given !== null) {
    const members = Object.entries(given).map(([name, item]) => `${name}: ${literal(item)}`)
    return `{ ${members.join(', ')} }`
  }
  if (typeof given === 'boolean') return String(given)
  return `'${JSON.stringify(given).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
