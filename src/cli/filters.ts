/** `--language`, `--namespace`, `--customer`: which texts a command is about. */
import type { Command } from 'commander'
import { isLiteral, nameFilter } from '../catalog/names.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { suggestName } from '../shared/nearest.ts'
import { UsageError } from './command.ts'
import { collect } from './options.ts'

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
    .option('--customer <key>', 'only texts of this customer (repeatable)', collect)
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

export interface KnownNames {
  /** On either side. */
  readonly languages: readonly string[]
  readonly namespaces: readonly string[]
  /** Further languages, asked for only where a name is not among the others. */
  readonly more: () => Promise<readonly string[]>
}

/**
 * Throws where a filter names something that exists on neither side: a command that does nothing would look like one
 * that is done.
 */
export async function checkFilters(
  { language, namespace, customer }: FilterOptions,
  { languages, namespaces, more }: KnownNames,
): Promise<void> {
  // A customer's texts may be in none of the namespaces and languages yet.
  if (customer !== undefined) return
  const isKnown = (name: string) => languages.some(nameFilter([name]))
  const all = language?.every(isKnown) ? languages : [...languages, ...(language ? await more() : [])]
  checkNames('language', language, all)
  checkNames('namespace', namespace, namespaces)
}

function checkNames(what: 'language' | 'namespace', given: readonly string[] = [], all: readonly string[]): void {
  const known = [...new Set(all)].sort()
  for (const name of given) {
    if (name.startsWith('!') || known.some(nameFilter([name]))) continue
    const verb = isLiteral(name) ? 'exists' : 'matches a name'
    throw unknownName(`--${what} ${JSON.stringify(name)} ${verb} on neither side`, name, known)
  }
}

/** A name that nothing has, with the nearest that something has. */
export function unknownName(message: string, name: string, known: readonly string[]): UsageError {
  const hint = suggestName(name, known)
  return new UsageError(hint === undefined ? message : `${message}. ${hint}`)
}
