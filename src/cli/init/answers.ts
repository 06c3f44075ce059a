/** The options that `localization init` writes: from flags, from the project's files, from questions. */
import { checkAddress, checkPattern } from '../../config/checks.ts'
import type { FilePattern } from '../../config/types.ts'
import { type CommandContext, UsageError } from '../command.ts'
import type { DetectedFiles } from './detect-files.ts'

export interface GivenAnswers {
  baseUrl?: string
  cdnUrl?: string
  files?: string
  defaultLanguage?: string
  yes?: boolean
}

/** The options of the configuration, as far as they are known. */
export interface Answers {
  readonly service: { readonly baseUrl: string | undefined; readonly cdnUrl: string | undefined }
  /** `undefined`: there are no files, and nobody said where they will be. */
  readonly files: DetectedPattern | readonly DetectedPattern[] | undefined
  readonly languages: readonly string[] | undefined
  readonly defaultLanguage: string | undefined
  readonly keySeparator: string | undefined
}

/** What the project's files show. */
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
  given: GivenAnswers,
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

/** The pattern as an option. */
export function withRoot(pattern: string, found: DetectedFiles | undefined): FilePattern {
  return found?.wrapped.includes(pattern) ? { pattern, root: '{language}' } : { pattern }
}

const listOf = (patterns: string) => patterns.split(',').map((pattern) => pattern.trim())
const checkPatterns: Check = (value) =>
  listOf(value)
    .map(checkPattern)
    .find((problem) => problem !== undefined)

function checkGiven({ baseUrl, cdnUrl, files }: GivenAnswers): void {
  for (const [option, value, check] of [
    ['--base-url', baseUrl, checkServiceAddress],
    ['--cdn-url', cdnUrl, checkAddress],
    ['--files', files, checkPatterns],
  ] as const) {
    const problem = value === undefined ? undefined : check(value)
    if (problem !== undefined) throw new UsageError(`${option}: ${problem}`)
  }
}
