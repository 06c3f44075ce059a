/** How the app sets up i18next, as far as its modules show it. */
import type { LibrarySetup } from './model.ts'

/** The fields that hold lists of names and separators. */
export type SetupField = Exclude<keyof LibrarySetup, 'isUnclear' | 'isFlat' | 'unclear'>

/**
 * Joins what several modules, or several calls of one module, show. If none shows any setup, it stays unclear where the
 * library looks: a fallback namespace may be set up elsewhere.
 */
export function joinSetups(setups: readonly (Partial<LibrarySetup> | undefined)[]): LibrarySetup {
  const shown = setups.filter((setup) => setup !== undefined)
  const join = (field: SetupField) => [...new Set(shown.flatMap((setup) => setup[field] ?? []))]
  return {
    defaultNamespaces: join('defaultNamespaces'),
    fallbackNamespaces: join('fallbackNamespaces'),
    keySeparators: join('keySeparators'),
    nsSeparators: join('nsSeparators'),
    formSeparators: join('formSeparators'),
    pluralSeparators: join('pluralSeparators'),
    contextSeparators: join('contextSeparators'),
    isFlat: shown.some(({ isFlat }) => isFlat),
    unclear: [...new Set(shown.flatMap(({ unclear }) => unclear ?? []))],
    isUnclear: shown.length === 0 || shown.some((setup) => setup.isUnclear),
  }
}
