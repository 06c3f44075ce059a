/** Language tags (BCP 47, as Unicode locale identifiers). */

/** The name as a canonical tag: `pt-BR` of `pt_br`, `he` of `iw`. `undefined`: the name is no tag. */
export function tagOf(name: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(name.replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}
