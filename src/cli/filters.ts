/** `--language`, `--namespace`, `--customer`: which texts a command is about. */
import type { Command } from 'commander'
import { nameFilter } from '../catalog/names.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { collect } from './command.ts'

export interface FilterOptions {
  readonly language?: readonly string[]
  readonly namespace?: readonly string[]
  readonly customer?: readonly string[]
}

export interface Scope {
  readonly language: (name: string) => boolean
  readonly namespace: (name: string) => boolean
  /** `undefined`: everybody's texts. */
  readonly customer: (name: string | undefined) => boolean
  has(part: { readonly language: string; readonly namespace: string; readonly customer?: string | undefined }): boolean
}

/** Adds the three options. */
export function addFilters(command: Command): Command {
  return command
    .option('--language <name>', 'only this language; a name or a glob such as "pt-*" (repeatable)', collect)
    .option('--namespace <name>', 'only this namespace; a name or a glob (repeatable)', collect)
    .option('--customer <key>', "only this customer's own texts (repeatable)", collect)
}

export function scopeOf({ language, namespace, customer }: FilterOptions): Scope {
  const scope = {
    language: nameFilter(language),
    namespace: nameFilter(namespace),
    customer: customer ? (name: string | undefined) => name !== undefined && customer.includes(name) : () => true,
  }
  return {
    ...scope,
    has: (part) => scope.language(part.language) && scope.namespace(part.namespace) && scope.customer(part.customer),
  }
}

/** The configuration with the customers that were asked for by name. */
export function withCustomers(config: ResolvedConfig, { customer = [] }: FilterOptions): ResolvedConfig {
  const customers = [...new Set([...config.customers, ...customer])]
  return customers.length === config.customers.length ? config : Object.freeze({ ...config, customers })
}
