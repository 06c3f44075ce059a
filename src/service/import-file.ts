/** Parses and checks an uploaded file before any of its texts are stored. */
import type { FileFormat, ImportOption } from '../api/schemas.ts'
import { type Flattened, flattenStrings, jsonType } from '../shared/flatten.ts'
import { badRequest, tooManyLanguages } from './http-error.ts'
import { JsonBodyParser } from './json-body.ts'
import { LIMITS } from './limits.ts'
import { isStorable } from './request.ts'

type Texts = Map<string, Map<string, string>>

/** True if the file has texts in a single language but does not name the language. */
export function isSingleLanguage(format: FileFormat, options: ReadonlySet<ImportOption>): boolean {
  return format === 'single-language-json' && !options.has('MULTI_LANGUAGE') && !options.has('LANGUAGES_NESTED')
}

/**
 * Parses and checks the file as it arrives. Nested keys are joined with `.`. `MULTI_LANGUAGE` allows several languages
 * in either format. `LANGUAGES_NESTED` puts the languages below the keys: `{key: {language: text}}`.
 */
export class ImportFile {
  private readonly texts: Texts = new Map()
  private readonly parser = new JsonBodyParser(LIMITS.fileValues, (root) => this.add(root))

  constructor(
    private readonly format: FileFormat,
    /** Required for `single-language-json`. For `multi-language-json`, only this language is imported. */
    private readonly language: string | undefined,
    private readonly options: ReadonlySet<ImportOption>,
  ) {}

  push(bytes: Buffer): void {
    this.parser.push(bytes)
  }

  /** The number of objects, arrays and values so far. */
  get values(): number {
    return this.parser.values
  }

  /** Returns the texts by language and key. */
  end(): Texts {
    this.parser.end()
    return this.texts
  }

  private add(root: unknown): void {
    const { language, options } = this
    if (isSingleLanguage(this.format, options)) {
      if (language === undefined) {
        throw badRequest('single-language-json requires languageKey, because the file does not name its language.')
      }
      this.addMessages(language, readTexts(root, language))
      return
    }
    if (jsonType(root) !== 'object') throw badRequest(`The file is ${jsonType(root)}, not an object.`)
    const nested = options.has('LANGUAGES_NESTED')
    for (const [name, messages] of nested ? languagesBelowKeys(root) : Object.entries(root as object)) {
      checkLanguage(name)
      if (language !== undefined && name !== language) continue
      this.addMessages(name, messages instanceof Map ? messages : readTexts(messages, name))
    }
  }

  private addMessages(language: string, entries: Iterable<readonly [key: string, text: string]>): void {
    let messages = this.texts.get(language)
    if (!messages) {
      checkLanguage(language)
      if (this.texts.size >= LIMITS.languages) throw tooManyLanguages(LIMITS.languages)
      messages = new Map()
      this.texts.set(language, messages)
    }
    for (const [key, text] of entries) {
      const changed = unescapeText(text, this.options)
      checkMessage(key, changed, language)
      if (messages.has(key))
        throw badRequest(`The file cannot be imported: ${language}: duplicate key ${JSON.stringify(key)}`)
      messages.set(key, changed)
    }
  }
}

function languagesBelowKeys(root: unknown): Texts {
  const { entries, paths } = flattenTexts(root, 'the file')
  const texts: Texts = new Map()
  for (const [joined, text] of entries) {
    const path = paths.get(joined) ?? []
    const name = path.at(-1) ?? ''
    if (path.length < 2)
      throw badRequest(`${JSON.stringify(name)} is a string, not an object with one text per language.`)
    const messages = texts.get(name) ?? new Map<string, string>()
    texts.set(name, messages.set(path.slice(0, -1).join('.'), text))
  }
  return texts
}

function readTexts(value: unknown, where: string): Iterable<readonly [key: string, text: string]> {
  const members = jsonType(value) === 'object' ? Object.entries(value as object) : []
  const isFlat = members.length > 0 && members.every(([, member]) => typeof member === 'string')
  return isFlat ? members : flattenTexts(value, where).entries
}

function flattenTexts(value: unknown, where: string): Flattened {
  if (jsonType(value) !== 'object') throw badRequest(`${where}: the texts are ${jsonType(value)}, not an object.`)
  const flattened = flattenStrings(value as object, '.')
  const { problems } = flattened
  if (problems.length === 0) return flattened
  const errors = problems.slice(0, 20).map((problem) => {
    const place = `${where}: ${JSON.stringify(problem.path.length < 20 ? problem.path : problem.path.slice(0, 20))}`
    if (problem.kind === 'collision')
      return `${place} and ${JSON.stringify(problem.other)} are the same key when joined with "."`
    if (problem.kind === 'depth') return `${place} is nested too deeply`
    return `${place} is ${problem.type}, not a string`
  })
  throw badRequest(`The file cannot be imported: ${errors[0]}`, errors)
}

function unescapeText(text: string, options: ReadonlySet<ImportOption>): string {
  let changed = text
  if (options.has('UNESCAPE_NEW_LINES')) changed = changed.replaceAll('\\r', '\r').replaceAll('\\n', '\n')
  if (options.has('UNESCAPE_SINGLE_QUOTES')) changed = changed.replaceAll("\\'", "'")
  return options.has('TRIM_LEADING_TRAILING_SPACES') ? changed.trim() : changed
}

/** Names that hosting uses for other files, or that have a special meaning in paths. */
const RESERVED_LANGUAGES = ['_index', '_languages', '_customers', '.', '..']

export function checkLanguage(language: string): void {
  if (language === '' || language.length > LIMITS.languageLength || !isStorable(language)) {
    throw badRequest(
      `A language's key must have 1 to ${LIMITS.languageLength} well-formed characters: ${JSON.stringify(language)}`,
    )
  }
  if (RESERVED_LANGUAGES.includes(language)) throw badRequest(`A language cannot be named ${language}.`)
}

export function checkNamespace(namespace: string): void {
  if (namespace.length > LIMITS.namespaceLength) {
    throw badRequest(`A namespace can have at most ${LIMITS.namespaceLength} characters.`)
  }
  // Clients refuse such paths.
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(namespace)) throw badRequest(`A namespace cannot be named ${namespace}.`)
}

function checkMessage(key: string, text: string, language: string): void {
  if (key === '') throw badRequest(`${language}: a key is empty.`)
  const name = JSON.stringify(key.length > 80 ? `${key.slice(0, 80)}...` : key)
  if (key.length > LIMITS.keyLength) {
    throw badRequest(`${language}: a key has more than ${LIMITS.keyLength} characters: ${name}`)
  }
  if (text.length > LIMITS.textLength) {
    throw badRequest(`${language}: the text of ${name} has more than ${LIMITS.textLength} characters.`)
  }
  if (isStorable(key) && isStorable(text)) return
  const what = isStorable(key) ? `the text of ${name}` : `the key ${name}`
  throw badRequest(`${language}: ${what} contains NUL or an unpaired surrogate.`)
}
