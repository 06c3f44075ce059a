/** Formats findings for the commands `check`, `extract` and `doctor`. */
import { formatPlace, LocalizationError, messageOf } from '../errors.ts'
import { printable } from '../shared/printable.ts'
import type { Paint } from './text.ts'

/** A position in a file, as `--json` prints it. */
interface Position {
  readonly file?: string | null | undefined
  readonly line?: number | null | undefined
  readonly column?: number | null | undefined
}

interface ShownFinding extends Position {
  readonly rule: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly language?: string | null
  readonly namespace: string | null
}

/** Formats a position as `file:line:column`. Unknown parts are omitted. */
export function positionText({ file, line, column }: Position): string {
  return [file, line, column].filter((part) => part !== null && part !== undefined).join(':')
}

export function findingLine(finding: ShownFinding, paint: Paint): string {
  const { severity, rule, message, file } = finding
  const where = file === null ? partName(finding) : positionText(finding)
  const tone = severity === 'error' ? 'red' : 'yellow'
  const text = `${paint(tone, severity)} ${printable(message)} ${paint('dim', `(${rule})`)}`
  return where === '' ? text : `${where}: ${text}`
}

/** Formats a language and namespace as `en/common`. Unknown parts are omitted. */
export function partName({ language = null, namespace }: Pick<ShownFinding, 'language' | 'namespace'>): string {
  return [language, namespace].filter((part) => part !== null).join('/')
}

/** The error's message, for output that shows the error's place separately. */
export function messageWithoutPlace(error: unknown): string {
  const message = messageOf(error)
  const place = error instanceof LocalizationError ? formatPlace(error.place) : ''
  return place !== '' && message.startsWith(`${place}: `) ? message.slice(place.length + 2) : message
}
