import type { Client } from '../api/client.ts'
import type { Layer } from '../catalog/layers.ts'
import type { Catalog } from '../catalog/model.ts'
import type { Value } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, LocalizationError } from '../errors.ts'
import { flattenStrings } from '../shared/flatten.ts'
import { PATH_JOINT } from '../shared/key-path.ts'
import type { ResourceCache } from './resource-cache.ts'
import type { Validator } from './validator.ts'

export interface SourceContext {
  readonly config: ResolvedConfig
  readonly client: Client
  /** Files that an earlier run downloaded, for conditional requests. */
  readonly resourceCache: ResourceCache
  readonly signal?: AbortSignal | undefined
  /** The result of the last load, if the validator proves that it still holds. Absent: every load downloads. */
  readonly revalidate?: ((validator: Validator | undefined) => Promise<SourceResult | undefined>) | undefined
}

export interface SourceResult {
  /** In the service's names: see `toAppCatalog`. */
  readonly catalog: Catalog
  /** How the texts came, for the summary line: `export v4, 75 files`. */
  readonly detail: string
  readonly diagnostics: readonly Diagnostic[]
  /** The service's state before the download. */
  readonly validator?: Validator | undefined
  /** How much older than the validator the texts may be because of caches on the way. Default 0. */
  readonly staleMs?: number | undefined
  /** The catalog is that of the last load. */
  readonly isUnchanged?: boolean | undefined
}

export interface ServiceSource {
  /** Loads the whole catalog from the service, or throws. */
  load(context: SourceContext): Promise<SourceResult>
  /** Whether the texts are all of the editor's texts. */
  isComplete(config: ResolvedConfig): boolean
}

/**
 * The flat texts of one downloaded object, and its other values. `null` is a gap like the empty text. With `values:
 * 'error'` any other value is an error, and so are two texts with one key and too deep nesting: this is not a file of
 * translations.
 */
export function textsOf(
  value: unknown,
  { keySeparator: separator, values: policy }: Pick<ResolvedConfig, 'keySeparator' | 'values'>,
  where: string,
): Layer {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notTranslations(where, 'is no object')
  // The service nests keys at dots, also with another `keySeparator`.
  const nesting = separator === PATH_JOINT ? '.' : separator
  const options = { values: policy, elementSeparator: separator }
  const { entries, values, problems } = flattenStrings(value, nesting, options)
  for (const problem of problems) {
    const path = JSON.stringify(problem.path.join(nesting))
    if (problem.kind === 'value' && problem.type === 'null') entries.set(problem.path.join(nesting), '')
    else if (problem.kind === 'value') throw notTranslations(where, `holds ${problem.type ?? 'a value'} at ${path}`)
    else if (problem.kind === 'depth') throw notTranslations(where, `is nested too deep at ${path.slice(0, 100)}`)
    else {
      const [one, other] = [problem.path, problem.other].map((each) => JSON.stringify(each))
      throw new LocalizationError(
        `${where} holds two texts for the key ${path}: one nested as ${one}, one as ${other}`,
        { code: 'FILE_KEY_COLLISION', hint: 'Rename one of them, or choose another keySeparator.' },
      )
    }
  }
  const kept = new Map<string, Value>()
  for (const [key, each] of values) {
    if (each.kind === 'scalar' && each.json === 'null') entries.set(key, '')
    else kept.set(key, each)
  }
  if (kept.size > 0 && entries.size === 0) throw notTranslations(where, 'holds no text')
  return { messages: entries, values: kept.size > 0 ? kept : undefined }
}

function notTranslations(where: string, what: string): LocalizationError {
  return new LocalizationError(`${where} ${what}, so it is not a file of translations`, {
    code: 'API_UNEXPECTED_ANSWER',
    hint: 'Check that the address is the one of the localization service.',
  })
}
