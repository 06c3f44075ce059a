/** The address of a PostgreSQL database: parsed without a name look-up, described without its password. */
import { startError } from './migrate.ts'

export interface PostgresAddress {
  /** Host or socket folder, and database, for messages. */
  readonly place: string
  /** The address for `pg`, without the settings. */
  readonly connectionString: string
  readonly parameters: URLSearchParams
  /** Session settings: `options` of the address, and the limits that have a separate parameter. */
  readonly settings: Readonly<Record<string, string>>
}

/** Parameters that `pg` would send as it connects. A pooler refuses them or silently drops them. */
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

/** @throws LocalizationError `SERVICE_START`, without any part of the address. */
export function parseAddress(given: string): PostgresAddress {
  const [, rest = ''] = /^postgres(?:ql)?:\/\/(.*)$/s.exec(given.trim()) ?? []
  const userEnd = rest.lastIndexOf('@')
  if (/[@#/?]/.test(rest.slice(0, Math.max(0, userEnd))) || !isDecodable(rest.slice(0, userEnd + 1))) {
    throw startError('the password in the address of the database must be percent-encoded', {
      hint: 'Write % as %25, @ as %40, # as %23, / as %2F and ? as %3F.',
    })
  }
  const host = rest.slice(userEnd + 1)
  // Without a host, as for a socket, it would not be a valid URL.
  const text = `postgres://${rest.slice(0, userEnd + 1)}${/^[/?]|^$/.test(host) ? `localhost${host}` : host}`
  if (rest === '' || !URL.canParse(text) || !isDecodable(new URL(text).pathname) || new URL(text).hash !== '') {
    throw startError('the address of the database cannot be read', {
      hint: 'Write it as postgres://user:password@host:5432/database, with special characters percent-encoded.',
    })
  }
  const url = new URL(text)
  const parameters = new URLSearchParams(url.searchParams)
  const settings: Record<string, string> = parseOptions(parameters.get('options') ?? '')
  for (const name of LIMITS) {
    const value = parameters.get(name)
    if (value !== null) settings[name] = value
  }
  for (const name of ['options', ...LIMITS]) url.searchParams.delete(name)
  const place = `${parameters.get('host') ?? url.host}${url.pathname}`
  return { place, connectionString: url.href, parameters, settings }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** `-c name=value` and `--name=value`. A backslash escapes a space in a value. */
function parseOptions(options: string): Record<string, string> {
  const words = (options.match(/(?:\\.|[^\\\s])+/gs) ?? []).map((word) => word.replace(/\\(.)/gs, '$1'))
  const settings: Record<string, string> = {}
  for (let at = 0; at < words.length; at++) {
    const word = words[at] === '-c' ? `-c${words[++at] ?? ''}` : (words[at] ?? '')
    const [, name, value] = /^(?:-c|--)([\w.-]+)=(.*)$/s.exec(word) ?? []
    if (name === undefined || value === undefined) {
      throw startError('the options in the address of the database cannot be read', {
        hint: 'Write them as options=-c%20search_path%3Dname.',
      })
    }
    settings[name.replaceAll('-', '_')] = value
  }
  return settings
}
