/** The check at the end of a build that the bundler included the code of every virtual module. */
import { LocalizationError } from '../errors.ts'
import { formatRequest, type IdSpelling, type KnownNames } from '../output/ids.ts'

export interface BuiltModule {
  /** The id that the plugin resolved. */
  readonly id: string
  /** Before minification, in bytes or characters. */
  readonly size: number
}

const UNKNOWN: KnownNames = { languages: [], namespaces: [], customers: [] }

/** Throws if a generated module is empty, because the page would show no texts. Errors: MODULE_EMPTY. */
export function checkNotEmpty(ids: IdSpelling, modules: Iterable<BuiltModule>): void {
  for (const { id, size } of modules) {
    if (size > 0 || !ids.filter.test(id)) continue
    const names = ids.parse(id, UNKNOWN)
    const name = names ? formatRequest(names) : JSON.stringify(id)
    throw new LocalizationError(`${name} is empty in this build`, {
      code: 'MODULE_EMPTY',
      hint: "Another plugin or loader handled it, or the bundler does not support a character in the project's path.",
    })
  }
}
