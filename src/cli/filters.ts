/** `--language`, `--namespace`, `--customer`: which texts a command is about. */
import type { Command } from 'commander'
import { isLiteral, nameFilter } from '../catalog/names.ts'
import type { PartRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { suggestName } from '../shared/nearest.ts'
import { UsageError } from './command.ts'
import { collect } from './options.ts'

export interface FilterOptions {
  readonly language?: readonly string[]
  readonly namespace?: readonly string[]
  readonly customer?: readonly string[]
}

export type Scope = ReturnType<typeof scopeOf>

/** The options of a command's switches, from a table of what each says. */
export type Switches<Table> = { readonly [Name in keyof Table]?: boolean }

/** Adds a command about both sides, with its switches and the filters. */
export function addSyncCommand(program: Command, name: string, switches: Readonly<Record<string, string>>): Command {
  const command = program.command(name)
  for (const [option, description] of Object.entries(switches))
    command.option(`--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, description)
  return addFilters(command)
}

export function addFilters(command: Command): Command {
  return command
    .option('--language <name>', 'only this language; a name or a glob such as "pt-*" (repeatable)', collect)
    .option('--namespace <name>', 'only this namespace; a name or a glob (repeatable)', collect)
    .option('--customer <key>', 'only texts of this customer (repeatable)', collect)
}

export function scopeOf({ language, namespace, customer }: FilterOptions) {
  const scope = {
    language: nameFilter(language),
    namespace: nameFilter(namespace),
    /** `undefined`: everybody's texts. */
    customer: customer ? (name: string | undefined) => name !== undefined && customer.includes(name) : () => true,
  }
  return {
    ...scope,
    has: (part: PartRef) =>
      scope.language(part.language) && scope.namespace(part.namespace) && scope.customer(part.customer),
  }
}

export function withCustomers(config: ResolvedConfig, { customer = [] }: FilterOptions): ResolvedConfig {
  const customers = [...new Set([...config.customers, ...customer])]
  return customers.length === config.customers.length ? config : Object.freeze({ ...config, customers })
}

export interface KnownNames {
  readonly languages: readonly string[]
  readonly namespaces: readonly string[]
  /** More languages. Called only if a name is not among the others. */
  readonly more: () => Promise<readonly string[]>
}

/** Throws if a filter matches nothing on either side: without an error, the command would seem to have succeeded. */
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
