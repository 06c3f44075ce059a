/** One round of `localization extract`: reads the code and the files, and writes the keys that no file has. */
import * as z from 'zod'
import type { PartRef, TextRef } from '../../catalog/text-id.ts'
import { assertPrefix, createTranslations } from '../../catalog/translations.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { type Diagnostic, formatFinding, LocalizationError } from '../../errors.ts'
import { applyEdits, type TextEdit } from '../../files/edit.ts'
import { FileIndex, type FilesSnapshot, type SeenFiles, type WriteOutcome } from '../../files/file-index.ts'
import { searchedPlaces, wantedPart } from '../../files/patterns.ts'
import { displayPath } from '../../shared/paths.ts'
import { type ExtractedKey, extractKeys } from '../../usage/extract/extract.ts'
import type { NamespaceTexts } from '../../usage/extract/places.ts'
import { readSourcesUsage, type SourceProblem, type UsageCache } from '../../usage/sources/read.ts'
import { type CommandContext, flag, type Given, list } from '../command.ts'
import { checkFilters, FILTERS, scopeOf } from '../filters.ts'
import { messageWithoutPlace, positionText, quoted } from '../text.ts'

const place = z.object({ file: z.string(), line: z.number().int(), column: z.number().int() })

/**
 * - `conflict`: two calls give different texts for one key
 * - `no-file`: no pattern in the option `files` covers the key
 * - `file`: a translation file cannot be read or written
 * - `source`: a source cannot be read
 * - `skipped`: a key without a text is not written; the message says why
 */
const RULES = ['conflict', 'no-file', 'file', 'source', 'skipped'] as const

export const extractResult = z.object({
  dryRun: z.boolean(),
  /** The default language. */
  language: z.string(),
  /** The number of sources that were read. */
  sources: z.number().int(),
  /** The written keys. With `--dry-run`, the keys that would be written. */
  keys: z.array(
    z.object({
      namespace: z.string(),
      key: z.string(),
      text: z.string(),
      /** Where the text comes from: a call, or the key itself. If `none`, the text is empty. */
      from: z.enum(['call', 'key', 'none']),
      file: z.string(),
      /** The places that use the key. */
      calls: z.array(place),
    }),
  ),
  /** The changed translation files. With `--dry-run`, the files that would change. */
  files: z.array(z.string()),
  findings: z.array(
    z.object({
      rule: z.enum(RULES),
      severity: z.enum(['error', 'warning']),
      message: z.string(),
      namespace: z.string().nullable(),
      key: z.string().nullable(),
      file: z.string().nullable(),
      line: z.number().int().nullable(),
      column: z.number().int().nullable(),
    }),
  ),
})
export type ExtractData = z.infer<typeof extractResult>
type ExtractFinding = ExtractData['findings'][number]

export const EXTRACT_OPTIONS = {
  namespace: FILTERS.namespace,
  dryRun: flag('only show what would be written'),
  watch: flag('keep running, and extract again after each change of a source; press Ctrl-C to stop'),
  source: list('<glob>', 'sources to read instead of "usage.files"; "!" excludes (repeatable)'),
  function: list('<name>', 'a translation function of your own, or a hook that returns one (repeatable)'),
}

export type ExtractOptions = Given<typeof EXTRACT_OPTIONS>

export type ExtractProject = ReturnType<typeof openExtractProject>

/** The state that is kept between rounds. */
export function openExtractProject(config: ResolvedConfig) {
  const cache: UsageCache = new Map()
  return { config, index: new FileIndex(config), cache }
}

/** Must not be called again before it has finished. */
export async function extractOnce(
  { signal }: CommandContext,
  { config, index, cache }: ExtractProject,
  options: ExtractOptions,
): Promise<ExtractData> {
  const seen = await index.scan({ everything: true })
  const language = defaultLanguageOf(seen, config)
  const given = { files: options.source, functions: options.function, details: true, cache }
  const sources = await readSourcesUsage(config, given, signal)
  const texts = textsOf(seen, config, language)
  assertPrefix({ namespaces: texts.map(({ namespace }) => namespace), namespacePrefix: config.namespacePrefix })
  const extracted = extractKeys(sources.modules, texts, language, config)
  const namespaces = [...new Set([...texts, ...extracted.keys].map(({ namespace }) => namespace))]
  await checkFilters({ namespace: options.namespace }, [], namespaces)
  const scope = scopeOf({ namespace: options.namespace })
  const wanted = extracted.keys.filter(({ namespace }) => scope.namespace(namespace))
  const isWanted = wantedPart(config)
  const placed: Placed[] = []
  const withoutFile: ExtractFinding[] = []
  for (const key of wanted) {
    const part = { language, namespace: key.namespace }
    const path = isWanted(part) ? pathOf(index, part) : undefined
    if (path === undefined) withoutFile.push(noFileFinding(key, language))
    else placed.push({ key, file: displayPath(config.root, path) })
  }
  const written = options.dryRun
    ? { done: placed, findings: [] }
    : await write({ index, seen }, placed, language, signal)
  const keys = written.done.map(({ key: { conflict: _, ...key }, file }) => ({ ...key, calls: [...key.calls], file }))
  return {
    dryRun: options.dryRun,
    language,
    sources: sources.files.length,
    keys,
    files: [...new Set(keys.map(({ file }) => file))],
    findings: [
      ...seen.findings.filter(({ severity }) => severity === 'error').map(fileFinding),
      ...sources.problems.map(sourceFinding),
      ...sources.warnings.map((message) => finding('source', 'warning', message, {})),
      ...wanted.flatMap(conflictFinding),
      ...withoutFile,
      ...written.findings,
      ...extracted.skipped.map(({ key, reason, place }) =>
        finding('skipped', 'warning', `${quoted(key)} has no text and is not written: ${reason}`, { key, ...place }),
      ),
    ],
  }
}

/** `undefined` if no pattern covers the part. */
function pathOf(index: FileIndex, part: PartRef): string | undefined {
  try {
    return index.pathOf(part)
  } catch (error) {
    if (error instanceof LocalizationError) return undefined
    throw error
  }
}

/** If no language has files yet, this is the configured default language. */
function defaultLanguageOf({ catalog }: FilesSnapshot, config: ResolvedConfig): string {
  if (catalog.languages.length > 0) return createTranslations(catalog, config).defaultLanguage
  if (config.defaultLanguage !== undefined) return config.defaultLanguage
  throw new LocalizationError(`the default language is unknown: no file matches ${searchedPlaces(config)}`, {
    code: 'CATALOG_EMPTY',
    hint: 'Set the option "defaultLanguage", or check the option "files".',
  })
}

/** Includes namespaces that only other languages have. */
function textsOf(files: FilesSnapshot, config: ResolvedConfig, language: string): NamespaceTexts[] {
  const isWanted = wantedPart(config)
  const own = new Map<string, NamespaceTexts>()
  const add = (texts: NamespaceTexts) => {
    if (isWanted({ language, namespace: texts.namespace })) own.set(texts.namespace, texts)
  }
  // Files of a pattern without {namespace} contain only the default namespace.
  if (config.files.some(({ pattern }) => !pattern.includes('{namespace}')))
    add({ namespace: config.defaultNamespace, messages: new Map() })
  for (const { namespace } of files.parts()) add({ namespace, messages: new Map() })
  for (const { language: each, namespace, customer, messages } of files.parts())
    if (each === language && customer === undefined)
      add({ namespace, messages, isBroken: files.isUnknown({ language, namespace }) })
  return [...own.values()]
}

/** A key and its file. */
interface Placed {
  readonly key: ExtractedKey
  readonly file: string
}

const idOf = ({ namespace, key }: Pick<TextRef, 'namespace' | 'key'>) => JSON.stringify([namespace, key])

async function write(files: SeenFiles, placed: readonly Placed[], language: string, signal: AbortSignal) {
  const edits = placed.map(({ key: { namespace, key, text } }): TextEdit => {
    return { ref: { language, namespace, key }, text, expected: undefined }
  })
  const errors = new Map<string, unknown>()
  const { outcomes } = await applyEdits(files, edits, {
    signal,
    onError: (refs, error) => {
      for (const ref of refs) errors.set(idOf(ref), error)
    },
  })
  const findings = placed.flatMap(({ key, file }, at) => {
    const error = errors.get(idOf(key))
    return outcomes[at] === 'written' ? [] : [notWritten(key, file, outcomes[at], error)]
  })
  return { done: placed.filter((_, at) => outcomes[at] === 'written'), findings }
}

type Where = Partial<Pick<ExtractFinding, 'namespace' | 'key' | 'file' | 'line' | 'column'>>

function finding(
  rule: ExtractFinding['rule'],
  severity: ExtractFinding['severity'],
  message: string,
  { namespace = null, key = null, file = null, line = null, column = null }: Where,
): ExtractFinding {
  return { rule, severity, message, namespace, key, file, line, column }
}

function conflictFinding({ namespace, key, text, calls: [call], conflict }: ExtractedKey): ExtractFinding[] {
  if (!conflict || !call) return []
  const other = `${quoted(conflict.text)} at ${positionText(conflict.place)}`
  const message = `${quoted(key)} has two default texts: ${quoted(text)} here, and ${other}; the first one is used`
  return [finding('conflict', 'error', message, { namespace, key, ...call })]
}

function noFileFinding({ namespace, key, calls: [call] }: ExtractedKey, language: string): ExtractFinding {
  const message = `${quoted(key)} is not written: no pattern in the option "files" covers ${language}/${namespace}`
  return finding('no-file', 'error', message, { namespace, key, ...call })
}

export const OUTCOMES: Readonly<Record<WriteOutcome, string>> = {
  written: '',
  changed: 'another program changed the file in the meantime: run the command again',
  broken: 'the file has an error',
  unmatched: 'no pattern in the option "files" covers it',
  unnameable: "the file's name would be too long",
}

function notWritten({ namespace, key }: ExtractedKey, file: string, outcome: WriteOutcome | undefined, error: unknown) {
  const whyNot = error === undefined ? 'the command was stopped' : messageWithoutPlace(error)
  const reason = outcome ? OUTCOMES[outcome] : whyNot
  return finding('file', 'error', `${quoted(key)} is not written: ${reason}`, { namespace, key, file })
}

function fileFinding({ message, hint, place = {} }: Diagnostic): ExtractFinding {
  return finding('file', 'error', formatFinding({ message, ...(hint !== undefined && { hint }) }), place)
}

function sourceFinding({ message, hint, ...place }: SourceProblem): ExtractFinding {
  const text = `${message}: its keys are unknown${hint === undefined ? '' : `. ${hint}`}`
  return finding('source', 'warning', text, place)
}
