/** How the app sets up i18next, as far as its modules show it. */
import type { LibrarySetup, UnclearField } from './model.ts'

/** The fields that hold lists of names and separators. */
export type SetupField = Exclude<UnclearField, 'prefixes' | 'childrenKeys'>

/**
 * Joins what several modules, or several calls of one module, show. If none shows any setup, it stays unclear where the
 * library looks: a fallback namespace may be set up elsewhere.
 */
export function joinSetups(setups: readonly (Partial<LibrarySetup> | undefined)[]): LibrarySetup {
  const shown = setups.filter((setup) => setup !== undefined)
  const main = shown.filter(({ isExtra }) => !isExtra)
  const formats = shown.flatMap(({ format }) => format ?? [])
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
    ...(formats[0] && { format: formats.includes('unknown') ? 'unknown' : formats[0] }),
    unclear: [...new Set(shown.flatMap(({ unclear }) => unclear ?? []))],
    unclearAt: shown.flatMap(({ unclearAt }) => unclearAt ?? []),
    isUnclear: main.length === 0 || main.some((setup) => setup.isUnclear),
    ...(shown.length > 0 && main.length === 0 && { isExtra: true }),
  }
}
