import { LocalizationError } from '../errors.ts'

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
