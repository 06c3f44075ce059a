/** The options `--language`, `--namespace` and `--customer`, which select the texts for a command. */
import type { Client } from '../api/client.ts'
import { appLanguage, isLiteral, nameFilter } from '../catalog/names.ts'
import type { PartRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { suggestName } from '../shared/nearest.ts'
import { projectInfo } from '../sources/source.ts'
import { type Given, list, UsageError } from './command.ts'

export const FILTERS = {
  language: list('<name>', 'only this language; a name or a glob such as "pt-*" (repeatable)'),
  namespace: list('<name>', 'only this namespace; a name or a glob (repeatable)'),
  customer: list('<key>', 'only texts of this customer (repeatable)'),
}

export type FilterOptions = Partial<Given<typeof FILTERS>>

export type Scope = ReturnType<typeof scopeOf>

export function scopeOf({ language, namespace, customer }: FilterOptions) {
  const scope = {
    language: nameFilter(language),
    namespace: nameFilter(namespace),
    /** Receives `undefined` for texts that belong to no customer. */
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

/**
 * Throws if a filter matches nothing, because the command would then do nothing and still seem to succeed.
 *
 * @param more loads more languages; called only if `languages` does not contain a given name
 */
export async function checkFilters(
  { language, namespace, customer }: FilterOptions,
  languages: readonly string[],
  namespaces: readonly string[],
  more: () => Promise<readonly string[]> = async () => [],
): Promise<void> {
  // A customer's first texts may be in languages and namespaces that are not known yet.
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
    const verb = isLiteral(name) ? 'does not exist' : 'matches no name'
    throw unknownName(`--${what} ${JSON.stringify(name)} ${verb} in the files or on the service`, name, known)
  }
}

/** Suggests the most similar known name. */
export function unknownName(message: string, name: string, known: readonly string[]): UsageError {
  const hint = suggestName(name, known)
  return new UsageError(hint === undefined ? message : `${message}. ${hint}`)
}

/** The app's names for the project's languages on the service; `undefined` if the service does not list them. */
export async function projectLanguages(client: Client, config: ResolvedConfig) {
  const info = await projectInfo({ client })
  if (!info?.languages) return undefined
  const nameOf = ({ key }: { readonly key: string }) => appLanguage(key, config)
  const [defaultLanguage] = info.languages.filter(({ isDefault }) => isDefault).map(nameOf)
  return { languages: info.languages.map(nameOf), defaultLanguage }
}
