/**
 * Validates an external value. A Standard Schema (standardschema.dev), which other libraries accept too.
 * @example
 * const job = jobSchema.parse(JSON.parse(body))
 */
export interface Schema<Output> {
  /** @throws an `Error` with `issues` if the value is invalid */
  parse(value: unknown): Output
  safeParse(value: unknown): SchemaSuccess<Output> | SchemaFailure
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

interface SchemaSuccess<Output> {
  success: true
  data: Output
  error?: never
}

interface SchemaFailure {
  success: false
  data?: never
  error: Error & { issues: readonly SchemaIssue[] }
}

interface SchemaIssue {
  readonly message: string
  readonly path: readonly PropertyKey[]
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
      }[]
    }
