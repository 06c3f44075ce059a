/** The options of `localization init`, and the configuration from them, the project's files and questions. */
import { checkAddress, checkPattern } from '../../config/checks.ts'
import type { FilePattern } from '../../config/types.ts'
import { type CommandContext, choice, flag, type Given, UsageError, value } from '../command.ts'
import { TOOL_NAMES } from './detect-bundler.ts'
import type { DetectedFiles } from './detect-files.ts'

export const INIT_OPTIONS = {
  write: flag("add the plugin to the bundler's configuration, types, and a first text; check with a build"),
  firstText: flag("with --write: also add lines to the app's entry that show the first text"),
  noBuild: flag('do not check the changes with a build'),
  baseUrl: value('<address>', "the service's address; 'local' for the local service"),
  cdnUrl: value('<address>', 'the address of the published files'),
  files: value('<pattern>', 'pattern of the translation files, such as "locales/{language}/{namespace}.json"'),
  defaultLanguage: value('<name>', 'the last language of every fallback chain'),
  bundler: choice('<name>', 'the bundler, if another one is found', TOOL_NAMES),
  format: choice('<ending>', 'file extension of the configuration', ['ts', 'mjs', 'json']),
  yes: flag('do not ask, use the detected values'),
  force: flag('replace an existing configuration'),
  dryRun: flag('show every change, and write nothing'),
}
export type InitOptions = Given<typeof INIT_OPTIONS>

/** The known options of the configuration. */
export interface Answers {
  readonly service: { readonly baseUrl: string | undefined; readonly cdnUrl: string | undefined }
  /** `undefined`: there are no files, and no pattern was given. */
  readonly files: DetectedPattern | readonly DetectedPattern[] | undefined
  readonly languages: readonly string[] | undefined
  readonly defaultLanguage: string | undefined
  readonly keySeparator: string | undefined
}

/** The findings in the project's files. */
export interface Proposal {
  readonly found: DetectedFiles | undefined
  readonly defaultLanguage: string
}

type DetectedPattern = string | Required<FilePattern>

type Check = (value: string) => string | undefined

const checkServiceAddress: Check = (value) => (value === 'local' ? undefined : checkAddress(value))

export const DEFAULT_PATTERN = 'locales/{language}/{namespace}.json'

export async function collectAnswers(
  { io, out, signal }: CommandContext,
  given: InitOptions,
  { found, defaultLanguage: language }: Proposal,
): Promise<Answers> {
  checkGiven(given)
  const ask = async (question: string, proposal = '', check: Check = () => undefined): Promise<string | undefined> => {
    for (;;) {
      const shown = proposal === '' ? question : `${question} [${proposal}]`
      const value = (await io.ask(`${shown}: `, signal)) || proposal
      const problem = value === '' ? undefined : check(value)
      if (problem === undefined) return value === '' ? undefined : value
      out.say(`  ${problem}`)
    }
  }
  const asks = !given.yes && io.canAsk
  const proposed = found?.patterns.join(', ')
  const place = found ? 'Where are the translation files?' : 'Where will the translation files be?'
  const files =
    given.files ?? (asks ? await ask(`${place} (several: a, b)`, proposed ?? DEFAULT_PATTERN, checkPatterns) : proposed)
  const defaultLanguage = given.defaultLanguage ?? (asks ? await ask('Default language', language) : language)
  let { baseUrl, cdnUrl } = given
  if (baseUrl === undefined && asks)
    baseUrl = await ask(
      "Address of the service (empty: files only, 'local': the local service)",
      '',
      checkServiceAddress,
    )
  if (cdnUrl === undefined && asks && baseUrl !== undefined && baseUrl !== 'local')
    cdnUrl = await ask('Address of the published files (empty: not used)', '', checkAddress)
  const detected = files === proposed ? found : undefined
  const patterns = (files === undefined ? [] : listOf(files)).map((pattern): DetectedPattern => {
    const { root } = withRoot(pattern, found)
    return root === undefined ? pattern : { pattern, root }
  })
  return {
    service: { baseUrl, cdnUrl },
    files: patterns.length > 1 ? patterns : patterns[0],
    // A list, not exclusions: a name that is not a language is then none of the languages in any command.
    languages: detected && detected.strangers.length > 0 ? detected.languages : undefined,
    defaultLanguage,
    keySeparator: detected?.collides ? '::' : undefined,
  }
}

/** The pattern in the form of the option `files`. */
export function withRoot(pattern: string, found: DetectedFiles | undefined): FilePattern {
  return found?.wrapped.includes(pattern) ? { pattern, root: '{language}' } : { pattern }
}

const listOf = (patterns: string) => patterns.split(',').map((pattern) => pattern.trim())
const checkPatterns: Check = (value) =>
  listOf(value)
    .map(checkPattern)
    .find((problem) => problem !== undefined)

function checkGiven({ baseUrl, cdnUrl, files }: InitOptions): void {
  for (const [option, value, check] of [
    ['--base-url', baseUrl, checkServiceAddress],
    ['--cdn-url', cdnUrl, checkAddress],
    ['--files', files, checkPatterns],
  ] as const) {
    const problem = value === undefined ? undefined : check(value)
    if (problem !== undefined) throw new UsageError(`${option}: ${problem}`)
  }
}
