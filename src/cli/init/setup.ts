/** The configuration of the project: the existing one, or a new one from options, files and questions. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { checkAddress, checkPattern } from '../../config/checks.ts'
import type { FilePattern, ResolvedConfig } from '../../config/types.ts'
import { LocalizationError } from '../../errors.ts'
import { stringLiteral } from '../../output/literal.ts'
import { count } from '../../shared/figures.ts'
import { isLanguage } from '../../shared/language-name.ts'
import { isLikeTag } from '../../shared/language-tag.ts'
import { type CommandContext, choice, flag, type Given, UsageError, value } from '../command.ts'
import { type Change, readText } from './changes.ts'
import { type DetectedFiles, describeUnread, detectAbove, detectFiles } from './detect-files.ts'
import { type Project, TOOL_NAMES } from './project.ts'
import { type FileTexts, findNaming, hasNamespaces, largestLanguage, readTexts, type Sources } from './texts.ts'

export const INIT_OPTIONS = {
  yes: flag('do not ask: take the default of every question'),
  dryRun: flag('show every change, and write nothing'),
  files: value('<pattern>', 'pattern of the translation files, such as "locales/{language}/{namespace}.json"'),
  languages: value('<list>', 'the languages of a project without texts, such as "en,de"; the first is the default'),
  defaultLanguage: value('<name>', 'the last language of every fallback chain'),
  baseUrl: value('<url>', "the service's URL; 'local' for the local service"),
  cdnUrl: value('<url>', 'URL of the published files'),
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
  /** The configuration file. If it is kept, the change is empty. */
  readonly file: Change
  /** The content of the file, with the defaults and the environment. */
  readonly config: ResolvedConfig
  /** The translation files that `init` found. It does not search in a project that has a configuration. */
  readonly found: DetectedFiles | undefined
  /** The languages of new translation files. The first is the default language. */
  readonly newLanguages: readonly string[]
  readonly texts: readonly FileTexts[]
}

/** True if the texts come from a service that is not on this machine. */
export const isRemote = ({ service: { baseUrl } }: ResolvedConfig) => baseUrl !== undefined && baseUrl !== 'local'

/** True if a build would fail because neither the environment nor a file has the API key. */
export const lacksApiKey = (config: ResolvedConfig) => isRemote(config) && config.service.apiKey === undefined

/** Options that are only possible for a new configuration. */
const FOR_NEW = ['files', 'languages', 'defaultLanguage', 'baseUrl', 'cdnUrl', 'format', 'configOnly'] as const

export async function readSetup(context: CommandContext, given: InitOptions, path: string): Promise<Setup> {
  const option = FOR_NEW.find((name) => given[name] !== undefined && given[name] !== false)
  if (option !== undefined)
    throw new LocalizationError(`there is a configuration already, which --${kebab(option)} does not change`, {
      code: 'FILE_WRITE',
      place: { file: path },
      hint: 'Edit it, use --force to replace it, or omit the option to add what is missing.',
    })
  const config = await context.config()
  const text = await readFile(join(context.globals.root, path), 'utf8')
  return {
    file: { path, before: text, after: text },
    config,
    found: undefined,
    newLanguages: [config.defaultLanguage ?? 'en'],
    texts: await readTexts(config),
  }
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Makes a new configuration, and asks for what the project's files do not show. */
export async function askSetup(
  context: CommandContext,
  given: InitOptions,
  { project, sources, existing }: { project: Project; sources: Sources; existing: string | undefined },
): Promise<Setup> {
  checkGiven(given)
  const { root } = context.globals
  const path = `localization.config.${given.format ?? (project.isTypeScript ? 'ts' : 'mjs')}`
  if (existing !== undefined && existing !== path)
    context.out.warn(`${existing} still exists and may be loaded instead: delete it`)
  const found = (await detectFiles(root)) ?? (await detectAbove(project))
  for (const line of [...describeFiles(found), ...(await describeUnread(root))]) context.out.say(line)

  const canAsk = !given.yes && !given.dryRun && context.io.canAsk
  const questions = canAsk ? await createQuestions(context) : undefined
  const proposed = found?.patterns.join(', ')
  const named =
    given.files ??
    proposed ??
    (await questions?.text('Where will the translation files be?', PROPOSED, checkPatterns)) ??
    ''
  const isOwn = named === proposed
  const files = ((isOwn && found?.patterns) || listOf(named)).map((pattern): FilePattern => {
    return found?.wrapped.includes(pattern) ? { pattern, root: '{language}' } : { pattern }
  })
  const keySeparator = isOwn && found?.collides ? '::' : '.'
  const { languageMap = {}, strangers = [] } = (isOwn && found) || {}
  const all = await readTexts({ root, files, defaultNamespace: 'default', keySeparator, languageMap })
  const texts = all.filter(({ language }) => !strangers.includes(language))
  if (given.files !== undefined && texts.length === 0) context.out.say(`no file matches ${given.files} yet`)
  if (given.languages !== undefined && texts.length > 0)
    throw new UsageError('--languages: the project has texts, whose files name the languages')
  const service = { baseUrl: given.baseUrl ?? (questions && (await askService(questions))), cdnUrl: given.cdnUrl }
  const newLanguages = await askLanguages(questions, given, texts, service.baseUrl)
  const defaultLanguage = given.defaultLanguage ?? newLanguages[0] ?? (await askDefault(questions, texts))

  const own = texts.filter(({ language }) => language === defaultLanguage)
  const isSplit = files.length === 0 || hasNamespaces(files)
  const options = {
    ...(Object.values(service).some(Boolean) && { service }),
    ...(files.length > 0 && { files: patternOption(files) }),
    // Lists the languages, so that commands accept no other names, and those whose names are unknown.
    ...(isOwn &&
      found &&
      (strangers.length > 0 || !found.languages.every(isLikeTag)) && { languages: found.languages }),
    ...(Object.keys(languageMap).length > 0 && { languageMap }),
    defaultLanguage,
    ...(keySeparator === '::' && { keySeparator }),
    ...findNaming(project.library, own, sources, isSplit).options,
  }
  const config = await context.config(undefined, options)
  return {
    file: { path, before: await readText(root, path), after: configText(options, path) },
    config,
    found,
    newLanguages: [...new Set([defaultLanguage, ...newLanguages])],
    texts: await readTexts(config),
  }
}

const listOf = (names: string) =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Makes a check for lists of names. */
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
const checkService = (url: string) => (url === 'local' ? undefined : checkAddress(url))

/** Throws UsageError. */
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

const PROPOSED = 'locales/{language}/{namespace}.json'

async function askService(questions: Questions): Promise<string | undefined> {
  const answer = await questions.choose('Where do the texts come from?', [
    ['files', 'only from the files'],
    ['local', 'from the files and a local service, which starts with the dev server'],
    ['url', 'from a service at a URL'],
  ])
  if (answer !== 'url') return answer === 'local' ? answer : undefined
  return questions.text('URL of the service', 'https://localization.example.com', checkAddress)
}

/** Asks for the languages of a project without texts. Returns none if the files name the languages. */
async function askLanguages(
  questions: Questions | undefined,
  { languages, defaultLanguage: proposal = 'en' }: InitOptions,
  texts: readonly FileTexts[],
  baseUrl: string | undefined,
): Promise<string[]> {
  if (languages !== undefined) return listOf(languages)
  if (texts.length > 0) return []
  const message =
    baseUrl === undefined || baseUrl === 'local' ? 'Languages, with the default language first' : 'Default language'
  return listOf((await questions?.text(message, proposal, checkLanguages)) ?? proposal)
}

/** Asks only if files have several languages. The proposal is the language with the most texts. */
async function askDefault(questions: Questions | undefined, texts: readonly FileTexts[]): Promise<string> {
  const largest = largestLanguage(texts) ?? 'en'
  const all = [...new Set([largest, ...texts.map(({ language }) => language).sort()])]
  if (questions === undefined || all.length === 1) return largest
  return questions.choose(
    'Default language',
    all.map((language) => [language, language]),
  )
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

/** A string for one pattern, and a list for several. */
function patternOption(files: readonly FilePattern[]) {
  const short = files.map(({ pattern, root }) => (root === undefined ? pattern : { pattern, root }))
  return short.length > 1 ? short : short[0]
}

function configText(given: object, path: string): string {
  const options = JSON.parse(JSON.stringify(given)) as object
  if (path.endsWith('.json')) return `${JSON.stringify(options, null, 2)}\n`
  const lines = Object.entries(options).map(([name, option]) => `  ${name}: ${literal(option)},`)
  const head = ["import { defineConfig } from 'unplugin-localization'", '', 'export default defineConfig({']
  return [...head, ...lines, '})', ''].join('\n')
}

function literal(given: unknown): string {
  if (Array.isArray(given)) return `[${given.map(literal).join(', ')}]`
  if (typeof given === 'object' && given !== null) {
    const members = Object.entries(given).map(([name, item]) => `${name}: ${literal(item)}`)
    return `{ ${members.join(', ')} }`
  }
  return typeof given === 'string' ? stringLiteral(given) : JSON.stringify(given)
}

/** Both methods reject on Ctrl-C. */
interface Questions {
  /** `check` returns the reason why an answer is rejected. */
  text(message: string, proposal: string, check: (answer: string) => string | undefined): Promise<string>
  /** The first option is the proposal. */
  choose<T extends string>(message: string, options: readonly (readonly [value: T, label: string])[]): Promise<T>
}

export async function createQuestions(context: CommandContext): Promise<Questions> {
  const { env } = context.io
  const moves = env.TERM !== 'dumb' && typeof process.stdin.setRawMode === 'function'
  return moves ? prompts(context) : lines(context)
}

async function prompts({ signal, globals }: CommandContext): Promise<Questions> {
  // The library's colors depend on this variable.
  if (!globals.color) process.env.NO_COLOR = '1'
  const { isCancel, select, text } = await import('@clack/prompts')
  const streams = { input: process.stdin, output: process.stderr, signal }
  const answered = async (asked: Promise<string | symbol>): Promise<string> => {
    const answer = await asked
    if (!isCancel(answer)) return answer as string
    // In raw mode, Ctrl-C is a key, not a signal. The timer keeps the process running until the signal arrives.
    if (!signal.aborted) process.kill(process.pid, 'SIGINT')
    await setTimeout(10_000, undefined, { signal }).catch(() => undefined)
    throw signal.reason
  }
  return {
    text: async (message, proposal, check) => {
      const validate = (answer: string | undefined) => check(answer?.trim() || proposal)
      const asked = text({ ...streams, message, placeholder: proposal, defaultValue: proposal, validate })
      return (await answered(asked)).trim() || proposal
    },
    choose: (message, given) => {
      const options = given.map(([value, label]) => ({ value: value as string, label }))
      return answered(select({ ...streams, message, options })) as never
    },
  }
}

function lines({ io, out, signal }: CommandContext): Questions {
  const ask = async <T>(message: string, proposal: string, take: (answer: string) => T | Error) => {
    for (;;) {
      const taken = take((await io.ask(`${message} [${proposal}]: `, signal)) || proposal)
      if (!(taken instanceof Error)) return taken
      out.say(`  ${taken.message}`)
    }
  }
  return {
    text: (message, proposal, check) =>
      ask(message, proposal, (answer) => {
        const problem = check(answer)
        return problem === undefined ? answer : new Error(problem)
      }),
    choose: (message, options) => {
      for (const [at, [, label]] of options.entries()) out.say(`  ${at + 1}) ${label}`)
      const numbers = `1 to ${options.length}`
      return ask(`${message} (${numbers})`, '1', (answer) => {
        return options[Number(answer) - 1]?.[0] ?? new Error(`expected a number from ${numbers}`)
      })
    },
  }
}
