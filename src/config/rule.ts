/** What `rules.ts` says of an option. */

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
  /** Of an object with these options only, or else of one with any names. */
  readonly properties?: Readonly<Record<string, Rule>>
  readonly required?: readonly string[]
  readonly propertyNames?: Rule
  readonly additionalProperties?: Rule | false
  readonly default?: unknown
  /** Names of functions in `checks.ts`. */
  readonly checks?: readonly string[]
}
