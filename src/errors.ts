/**
 * Errors that this package throws deliberately, and findings, which are reported without stopping the work. Messages
 * say what failed and where, `hint` says what to do, and `code` is stable, so code may depend on it.
 */
import { printable, printableLines } from './shared/escape.ts'

/** All error codes. New ones may be added; the meaning of a code never changes. */
export type ErrorCode =
  // configuration
  | 'CONFIG_INVALID'
  | 'CONFIG_NOT_FOUND'
  | 'CONFIG_LOAD'
  | 'CONFIG_VARIABLE_MISSING'
  // calls to the service; see `api/errors`
  | 'API_AUTHENTICATION'
  | 'API_PLAN'
  | 'API_NOT_FOUND'
  | 'API_CONFLICT'
  | 'API_PRECONDITION_FAILED'
  | 'API_VALIDATION'
  | 'API_RATE_LIMIT'
  | 'API_SERVER'
  | 'API_NETWORK'
  | 'API_TIMEOUT'
  | 'API_ABORTED'
  | 'API_UNEXPECTED_ANSWER'
  | 'API_TOO_LARGE'
  | 'API_REDIRECT'
  | 'API_ORIGIN'
  | 'API_JOB_FAILED'
  // files
  | 'FILE_READ'
  | 'FILE_WRITE'
  | 'FILE_SYNTAX'
  | 'FILE_ENCODING'
  | 'FILE_VALUE'
  | 'FILE_ROOT'
  | 'FILE_DUPLICATE_KEY'
  | 'FILE_KEY_COLLISION'
  | 'FILE_DEPTH'
  | 'FILE_PATTERN'
  | 'FILE_NAME_COLLISION'
  // catalog and sources
  | 'CATALOG_EMPTY'
  | 'DELETION_LIMIT'
  | 'CATALOG_NAME'
  | 'CATALOG_NESTING'
  | 'SOURCE_NAMESPACES'
  | 'SOURCE_FAILED'
  | 'FINGERPRINT_UNKNOWN'
  | 'SNAPSHOT_MISSING'
  | 'SNAPSHOT_INVALID'
  // sync
  | 'SYNC_HELD'
  | 'SYNC_VERSION'
  // virtual modules
  | 'UNKNOWN_LANGUAGE'
  | 'UNKNOWN_NAMESPACE'
  | 'UNKNOWN_CUSTOMER'
  | 'UNKNOWN_MODULE'
  | 'MODULE_EMPTY'
  | 'WORKER_TEXTS'
  | 'SECRET_EXPOSED'
  | 'MESSAGE_FILE_MISSING'
  | 'COVERAGE_TOO_LOW'
  | 'RELEASE_REFUSED'
  // local service
  | 'SERVICE_START'
  | 'SERVICE_LOCKED'
  | 'INTERNAL'

/** Where a finding is. Lines and columns are 1-based. */
export interface Place {
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly language?: string
  readonly namespace?: string
  readonly key?: string
  readonly customer?: string
}

export interface LocalizationErrorOptions {
  readonly code: ErrorCode
  /** The next step for the user, in one sentence. */
  readonly hint?: string
  readonly place?: Place
  readonly cause?: unknown
}

/** The class of every error that this package throws on purpose. `message` already includes the place and the hint. */
export class LocalizationError extends Error {
  override readonly name: string = 'LocalizationError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly place: Place | undefined

  constructor(message: string, { code, hint, place, cause }: LocalizationErrorOptions) {
    super(formatFinding({ message, hint, place }), cause === undefined ? undefined : { cause })
    this.code = code
    this.hint = hint
    this.place = place
  }
}

/** A finding as data. The severity `error` means that the file or text is unusable. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning'
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string
  readonly place?: Place
}

/** `file:line:column`, which editors and terminals turn into a link. If there is no file, the text's name. */
export function formatPlace(place: Place | undefined): string {
  if (!place) return ''
  if (place.file !== undefined) return [place.file, place.line, place.line && place.column].filter(Boolean).join(':')
  const parts = [place.language, place.namespace].filter((part) => part !== undefined)
  const text = parts.join('/') + (place.customer === undefined ? '' : `?customer=${place.customer}`)
  return place.key === undefined ? text : [text, JSON.stringify(place.key)].filter(Boolean).join(' ')
}

/** Formats the place, message and hint on one line. */
export function formatFinding({ message, hint, place }: Pick<Diagnostic, 'message' | 'hint' | 'place'>): string {
  const where = printable(formatPlace(place))
  const text = where === '' ? message : `${where}: ${message}`
  // Bundlers print errors unescaped, and names may come from the service.
  return printableLines(hint === undefined ? text : `${text.replace(/[.]?$/, '.')} ${hint}`)
}

type Finding = Pick<Diagnostic, 'code' | 'message' | 'hint' | 'place'>

/** Findings that differ only in names, numbers and places each get their own line, up to this many. */
const MAX_ALIKE = 3

/**
 * Formats each finding as one line. Many similar findings share one line, which contains the first finding, their
 * number, two more places, and the command that lists them all.
 */
export function formatFindings(findings: readonly Finding[], seeAll = 'localization check --verbose'): string[] {
  const kinds = new Map<string, Finding[]>()
  for (const finding of findings) {
    const kind = `${finding.code} ${finding.message.replace(/"(?:[^"\\]|\\.)*"|'[^' ]*'|\d+/g, '…')}`
    const known = kinds.get(kind)
    if (known) known.push(finding)
    else kinds.set(kind, [finding])
  }
  return [...kinds.values()].flatMap((alike) => {
    if (alike.length <= MAX_ALIKE) return alike.map(formatFinding)
    const [first, ...others] = alike as [Finding, ...Finding[]]
    const places = others.slice(0, MAX_ALIKE - 1).map(({ place, message }) => formatPlace(place) || message)
    const total = alike.length.toLocaleString('en')
    const more = `${total} similar findings, also at ${places.join(' and ')}; ${seeAll} shows all`
    return `${formatFinding(first).replace(/[.]$/, '')} (${more})`
  })
}

/** The message of any thrown value, even if the value is not an Error. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown as number | string)
  if ('message' in thrown && typeof thrown.message === 'string') return thrown.message
  try {
    return JSON.stringify(thrown)
  } catch {
    return 'an object'
  }
}
