/** The rules by which the app's library reads keys: separators, namespaces and plurals. */

import type { LibrarySetup, Modules, PluralStyle, UnclearField } from './model.ts'

export type SetupField = Exclude<UnclearField, 'prefixes' | 'childrenKeys'>

/**
 * Joins the setups from several modules or calls. If no setup is found, the namespaces that the library searches are
 * unknown, because code elsewhere may set a fallback namespace.
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

export interface Conventions {
  /** The namespace of calls that do not name one; `undefined` if unknown. */
  readonly defaultNamespace: string | undefined
  readonly fallbackNamespaces: readonly string[]
  /** True if the library may also search a namespace that the setup does not name. */
  readonly mayFallBack: boolean
  /** The separator between the parts of a key in the code. */
  readonly keySeparator: string
  /** True if keys are not split. */
  readonly isFlat: boolean
  readonly nsSeparator: string
  /** The separator before a plural form; `undefined` if unknown. */
  readonly pluralSeparator: string | undefined
  readonly contextSeparator: string | undefined
  /** The options whose values cannot be read. */
  readonly unclear: readonly string[]
  /** The effect of a plugin that replaces i18next's format. */
  readonly format: LibrarySetup['format']
  /** The plural style of the whole app; `undefined` if unknown. */
  readonly plurals: PluralStyle | undefined
}

export interface ConventionSettings {
  readonly defaultNamespace: string
  readonly keySeparator: string
  /** The namespaces of the default language. */
  readonly namespaces: readonly string[]
}

export function findConventions(modules: Modules, settings: ConventionSettings): Conventions {
  const main = modules.flatMap(([, { mainSetup }]) => mainSetup ?? [])
  const shown = main.length > 0 ? main : modules.flatMap(([, { setup }]) => setup ?? [])
  const setup = joinSetups(shown)
  const unclear = new Set(setup.unclear)
  // If several instances have different separators, it is unclear which one applies.
  if (setup.keySeparators.length + Number(setup.isFlat) > 1) unclear.add('keySeparators')
  if (setup.nsSeparators.length > 1) unclear.add('nsSeparators')
  const only = (names: readonly string[], field: UnclearField, otherwise: string) => {
    if (unclear.has(field) || names.length > 1) return undefined
    return names[0] ?? otherwise
  }
  const styles = new Set(modules.flatMap(([, { plurals }]) => plurals ?? []))
  return {
    defaultNamespace: unclear.has('defaultNamespaces') ? undefined : defaultOf(shown, settings),
    fallbackNamespaces: setup.fallbackNamespaces,
    mayFallBack: shown.length === 0 || unclear.has('fallbackNamespaces'),
    keySeparator: setup.keySeparators[0] ?? settings.keySeparator,
    isFlat: setup.isFlat === true,
    nsSeparator: setup.nsSeparators[0] ?? ':',
    pluralSeparator: only(setup.pluralSeparators, 'pluralSeparators', '_'),
    contextSeparator: only(setup.contextSeparators, 'contextSeparators', '_'),
    unclear: [...unclear],
    format: joinSetups(modules.map(([, usage]) => usage.setup)).format,
    plurals: styles.size === 1 ? [...styles][0] : undefined,
  }
}

/**
 * Returns `undefined` if the setups disagree. If no setup names a namespace, returns the option `defaultNamespace` if
 * that namespace exists, or else the only namespace.
 */
function defaultOf(setups: readonly LibrarySetup[], settings: ConventionSettings): string | undefined {
  const names = new Set(setups.flatMap(({ defaultNamespaces }) => defaultNamespaces[0] ?? []))
  if (names.size > 0) return names.size === 1 ? [...names][0] : undefined
  const { defaultNamespace, namespaces } = settings
  if (namespaces.includes(defaultNamespace)) return defaultNamespace
  return namespaces.length === 1 ? namespaces[0] : undefined
}
