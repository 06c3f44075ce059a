/** Reports all problems in the options as one error. */

import { LocalizationError } from '../errors.ts'

export interface OptionProblem {
  /** For example `service.apiKey`. Empty for the whole configuration. */
  readonly path: string
  readonly message: string
  readonly hint?: string | undefined
}

export function formatPath(path: readonly PropertyKey[]): string {
  const segments = path.map((segment) => {
    if (typeof segment === 'number') return `[${segment}]`
    const name = String(segment)
    return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name.slice(0, 60))}]`
  })
  return segments.join('').replace(/^\./, '')
}

/**
 * @param secrets strings to remove from the whole message, because the user may have put a key into the wrong option
 * @param sources says where each option's value comes from, if it comes from a variable
 */
export function configError(
  problems: readonly OptionProblem[],
  file: string | undefined,
  secrets: readonly string[],
  sources: ReadonlyMap<string, string>,
): LocalizationError {
  const lines = problems.map(({ path, message, hint }) => {
    const source = sources.get(path)
    const where = [path, source && `(${source})`].filter(Boolean).join(' ')
    return [where === '' ? message : `${where}: ${message}`, hint].filter(Boolean).join('. ')
  })
  const list = lines.map((line) => `  - ${line}`).join('\n')
  const text = lines.length === 1 ? lines.join('') : `the configuration has ${lines.length} problems\n${list}`
  const forms = secrets
    .filter((secret) => secret.trim().length >= 4)
    .flatMap((secret) => [secret, secret.trim(), JSON.stringify(secret).slice(1, -1)])
  return new LocalizationError(
    forms.reduce((shown, form) => shown.replaceAll(form, '***'), text),
    { code: 'CONFIG_INVALID', ...(file !== undefined && { place: { file } }) },
  )
}

/** The error that names the missing variables; `undefined` if there are none. */
export function missingVariablesError(names: readonly string[]): LocalizationError | undefined {
  if (names.length === 0) return undefined
  const [are, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them']
  return new LocalizationError(`a service is configured, but ${names.join(' and ')} ${are} not set`, {
    code: 'CONFIG_VARIABLE_MISSING',
    hint:
      `Set ${them} in the environment (in CI: as a secret) or in .env.local, ` +
      "or set source: 'files' to use local files only.",
  })
}
