import type { Client } from '../api/client.ts'
import { isTemporary } from '../api/errors.ts'
import type { Layer } from '../catalog/merge.ts'
import type { Catalog } from '../catalog/model.ts'
import type { Value } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, LocalizationError } from '../errors.ts'
import { flattenStrings } from '../shared/flatten.ts'
import { PATH_JOINT } from '../shared/key-path.ts'
import type { ResourceCache } from './resource-cache.ts'
import type { InputDigests, StoredValidator, Validator } from './validator.ts'

export interface SourceContext {
  readonly config: ResolvedConfig
  readonly client: Client
  /** Files from an earlier run, for conditional requests. */
  readonly resourceCache: ResourceCache
  readonly signal?: AbortSignal | undefined
  /**
   * Returns the last load's result if the validator proves that it is still current. If this function is absent, every
   * load downloads the texts.
   */
  readonly revalidate?: ((validator: Validator | undefined) => Promise<SourceResult | undefined>) | undefined
  /** The app's namespaces to read. The others are listed without texts. Default: all. */
  readonly only?: ReadonlySet<string> | undefined
}

export interface SourceResult {
  /** The catalog, in the service's names: see `toAppCatalog`. */
  readonly catalog: Catalog
  /** Where the texts come from, for the summary line, such as `export v4, 75 files`. */
  readonly detail: string
  readonly diagnostics: readonly Diagnostic[]
  /** The service's state before the download. */
  readonly validator?: Validator | undefined
  /** By how much the texts may be older than the validator, because of HTTP caches. Default 0. */
  readonly staleMs?: number | undefined
  /** True if this is the last load's catalog. */
  readonly isUnchanged?: boolean | undefined
  /** The resources that were read; `undefined` if the source cannot tell whether they have changed. */
  readonly inputs?: InputDigests | undefined
}

export interface ServiceInputs extends Pick<SourceResult, 'validator' | 'staleMs'> {
  /** `undefined` if nothing has changed since the known validator. */
  readonly inputs: InputDigests | undefined
}

export interface ServiceSource {
  /** Loads the whole catalog from the service, or throws. */
  load(context: SourceContext): Promise<SourceResult>
  /** The `inputs` that `load` would read, without their texts. Absent if the source cannot tell. */
  inputs?(context: SourceContext, known: StoredValidator | undefined): Promise<ServiceInputs>
  /** True if the source returns all texts in the service. */
  isComplete(config: ResolvedConfig): boolean
}

/**
 * The service's information about the project; `undefined` if the service does not offer it. Throws temporary errors:
 * without the languages, a build would have other texts.
 */
export function projectInfo({ client, signal }: Pick<SourceContext, 'client' | 'signal'>) {
  return client.project.info({ signal }).catch((error: unknown) => {
    if (isTemporary(error)) throw error
    return undefined
  })
}

/**
 * The flat texts of a downloaded object, and its other values. `null` is a missing text, like an empty string. If
 * `values` is `error`, other values are errors. Duplicate keys and nesting that is too deep are always errors: such a
 * file is not a translation file.
 */
export function textsOf(
  value: unknown,
  { keySeparator: separator, values: policy }: Pick<ResolvedConfig, 'keySeparator' | 'values'>,
  where: string,
): Layer {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notTranslations(where, 'not an object')
  // The service nests keys at dots even if `keySeparator` is something else.
  const nesting = separator === PATH_JOINT ? '.' : separator
  const options = { values: policy, elementSeparator: separator }
  const { entries, values, problems } = flattenStrings(value, nesting, options)
  for (const problem of problems) {
    const path = JSON.stringify(problem.path.join(nesting))
    if (problem.kind === 'value' && problem.type === 'null') entries.set(problem.path.join(nesting), '')
    else if (problem.kind === 'value')
      throw notTranslations(where, `contains a value of type ${problem.type} at ${path}`)
    else if (problem.kind === 'depth') throw notTranslations(where, `nested too deeply at ${path.slice(0, 100)}`)
    else {
      const [one, other] = [problem.path, problem.other].map((each) => JSON.stringify(each))
      throw new LocalizationError(
        `${where} has two texts with the key ${path}: one nested as ${one}, one as ${other}`,
        { code: 'FILE_KEY_COLLISION', hint: 'Rename one of them, or choose a different keySeparator.' },
      )
    }
  }
  const kept = new Map<string, Value>()
  for (const [key, each] of values) {
    if (each.kind === 'scalar' && each.json === 'null') entries.set(key, '')
    else kept.set(key, each)
  }
  if (kept.size > 0 && entries.size === 0) throw notTranslations(where, 'contains no texts')
  return { messages: entries, values: kept.size > 0 ? kept : undefined }
}

function notTranslations(where: string, what: string): LocalizationError {
  return new LocalizationError(`${where} is not a translation file: ${what}`, {
    code: 'API_UNEXPECTED_ANSWER',
    hint: 'Check that the URL belongs to the localization service.',
  })
}
