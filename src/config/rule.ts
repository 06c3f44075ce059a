/** The rules for an option in `rules.ts`. */

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
  /** The options of an object that allows only these. If absent, the object allows any names. */
  readonly properties?: Readonly<Record<string, Rule>>
  readonly required?: readonly string[]
  readonly propertyNames?: Rule
  readonly additionalProperties?: Rule | false
  readonly default?: unknown
  /** Names of functions in `checks.ts`. */
  readonly checks?: readonly string[]
}
