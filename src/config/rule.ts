/** The subset of JSON Schema that `rules.ts` uses. */
export interface Rule {
  readonly type?: 'boolean' | 'string' | 'number' | 'integer' | 'array' | 'object'
  readonly anyOf?: readonly Rule[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly minLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Rule
  readonly minItems?: number
  /** If absent, any property names are allowed. */
  readonly properties?: Readonly<Record<string, Rule>>
  readonly required?: readonly string[]
  readonly propertyNames?: Rule
  readonly additionalProperties?: Rule | false
  readonly default?: unknown
  /** Names of functions in `checks.ts`. */
  readonly checks?: readonly string[]
}
