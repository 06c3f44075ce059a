/** What the modules together say about how i18next is set up. Pure. */
import type { LibrarySetup } from './model.ts'

/**
 * Joins what several modules show. Where none shows any setup, nothing may be concluded about namespaces: a fallback namespace may be set
 * up elsewhere.
 */
export function joinSetups(setups: readonly (LibrarySetup | undefined)[]): LibrarySetup {
  const shown = setups.filter((setup) => setup !== undefined)
  const join = (of: (setup: LibrarySetup) => readonly string[]) => [...new Set(shown.flatMap(of))]
  return {
    defaultNamespaces: join((setup) => setup.defaultNamespaces),
    fallbackNamespaces: join((setup) => setup.fallbackNamespaces),
    keySeparators: join((setup) => setup.keySeparators),
    nsSeparators: join((setup) => setup.nsSeparators),
    formSeparators: join((setup) => setup.formSeparators),
    isUnclear: shown.length === 0 || shown.some((setup) => setup.isUnclear),
  }
}
