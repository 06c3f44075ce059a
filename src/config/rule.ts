/** The form of the rules in `rules.ts`. */

/** The part of JSON Schema that the options need. */
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
  /** The options that the object may have. If absent, any names are allowed. */
  readonly properties?: Readonly<Record<string, Rule>>
  readonly required?: readonly string[]
  readonly propertyNames?: Rule
  readonly additionalProperties?: Rule | false
  readonly default?: unknown
  /** The names of functions in `checks.ts`. */
  readonly checks?: readonly string[]
}
