import { nameFilter, relevantLanguages } from '../catalog/names.ts'
import type { PartRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'

/** Whether the configuration wants the texts of a language, namespace and customer. */
export function wantedPart(config: ResolvedConfig): (part: PartRef) => boolean {
  const isNamespace = nameFilter(config.namespaces)
  const isLanguage = relevantLanguages(config)
  return ({ language, namespace, customer }) =>
    isLanguage(language) && isNamespace(namespace) && (customer === undefined || config.customers.includes(customer))
}
