/**
 * Combines the data of several modules: the rules by which the app's library reads keys, and uses that are known only
 * with another module.
 */
import type { ResolvedConfig } from '../config/types.ts'
import { withoutQuery } from '../shared/paths.ts'
import type {
  LibrarySetup,
  Modules,
  Receiver,
  ReceivingParameter,
  UnclearField,
  UnknownUse,
  UseNamespaces,
} from './model.ts'

export type SetupField = Exclude<UnclearField, 'prefixes' | 'childrenKeys'>

/** Joins the setups from several modules or calls. */
export function joinSetups(setups: readonly (Partial<LibrarySetup> | undefined)[]): LibrarySetup {
  const shown = setups.filter((setup) => setup !== undefined)
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
    unclear: shown.flatMap(({ unclear }) => unclear ?? []),
    isExtra: shown.every(({ isExtra }) => isExtra),
  }
}

/** @param namespaces the namespaces of the default language */
export function findConventions(
  modules: Modules,
  config: Pick<ResolvedConfig, 'defaultNamespace' | 'keySeparator'>,
  namespaces: readonly string[],
) {
  const main = modules.flatMap(([, { mainSetup }]) => mainSetup ?? [])
  const shown = main.length > 0 ? main : modules.flatMap(([, { setup }]) => setup ?? [])
  const setup = joinSetups(shown)
  const unclear = new Set(setup.unclear.map(({ field }) => field))
  // If several instances have different separators, it is unclear which one applies.
  if (setup.keySeparators.length + Number(setup.isFlat) > 1) unclear.add('keySeparators')
  if (setup.nsSeparators.length > 1) unclear.add('nsSeparators')
  const only = (names: readonly string[], field: UnclearField, otherwise: string) => {
    if (unclear.has(field) || names.length > 1) return undefined
    return names[0] ?? otherwise
  }
  const styles = new Set(modules.flatMap(([, { plurals }]) => plurals ?? []))
  return {
    /** The namespace of calls that do not name one; `undefined` if unknown. */
    defaultNamespace: unclear.has('defaultNamespaces')
      ? undefined
      : defaultOf(shown, config.defaultNamespace, namespaces),
    fallbackNamespaces: setup.fallbackNamespaces,
    /** True if the library may also search a namespace that the setup does not name. */
    mayFallBack: shown.length === 0 || unclear.has('fallbackNamespaces'),
    /** The separator between the parts of a key in the code. */
    keySeparator: setup.keySeparators[0] ?? config.keySeparator,
    isFlat: setup.isFlat === true,
    nsSeparator: setup.nsSeparators[0] ?? ':',
    /** The separator before a plural form; `undefined` if unknown. */
    pluralSeparator: only(setup.pluralSeparators, 'pluralSeparators', '_'),
    contextSeparator: only(setup.contextSeparators, 'contextSeparators', '_'),
    /** The options whose values cannot be read. */
    unclear: [...unclear],
    /** The effect of a plugin that replaces i18next's format. */
    format: joinSetups(modules.map(([, usage]) => usage.setup)).format,
    /** The plural style of the whole app; `undefined` if unknown. */
    plurals: styles.size === 1 ? [...styles][0] : undefined,
  }
}

export type Conventions = ReturnType<typeof findConventions>

/**
 * Returns `undefined` if the setups disagree. If no setup names a namespace, returns the option `defaultNamespace` if
 * that namespace exists, or else the only namespace.
 */
function defaultOf(
  setups: readonly LibrarySetup[],
  defaultNamespace: string,
  namespaces: readonly string[],
): string | undefined {
  const names = new Set(setups.flatMap(({ defaultNamespaces }) => defaultNamespaces[0] ?? []))
  if (names.size > 0) return names.size === 1 ? [...names][0] : undefined
  if (namespaces.includes(defaultNamespace)) return defaultNamespace
  return namespaces.length === 1 ? namespaces[0] : undefined
}

/** Returns the uses that remain unknown when all modules are considered. */
export function resolveUnknown(modules: Modules): (readonly [file: string, use: UnknownUse])[] {
  const receivers = receiversOf(modules)
  const descriptorFiles = new Set(
    modules.filter(([, usage]) => usage.definesDescriptors).map(([file]) => withoutExtension(file)),
  )
  const unknown: (readonly [string, UnknownUse])[] = []
  const followed = new Set<string>()
  const pending = modules.flatMap(([file, usage]) => usage.unknown.map((use) => [file, use] as const))
  for (const [file, use] of pending) {
    const { receiver, descriptorsOf } = use.unless ?? {}
    const known = receiver ? receivers(file, receiver) : []
    for (const [other, { own, index, passedOn }] of known) {
      const id = JSON.stringify([other, own, index])
      if (!followed.has(id)) pending.push(...passedOn.map((next) => [other, next] as const))
      followed.add(id)
    }
    const sources = descriptorsOf === '.' ? [withoutExtension(file)] : pathsOf(file, descriptorsOf ?? '')
    if (known.length === 0 && !sources.some((path) => descriptorFiles.has(path))) unknown.push([file, use])
  }
  return unknown
}

/**
 * Returns the namespaces of the translation functions that are passed to the parameter; none if some of them are
 * unknown. `parameter.name` is the function's `own` name (see `ReceivingParameter`).
 */
export type PassedNamespaces = (file: string, parameter: Receiver) => readonly UseNamespaces[]

/** Follows translation functions from the calls that pass them to the parameters that receive them. */
export function followParameters(modules: Modules): PassedNamespaces {
  const receivers = receiversOf(modules)
  const found = new Map<string, Map<string, UseNamespaces>>()
  const idOf = (file: string, own: string, index: number) => JSON.stringify([file, own, index])
  const follow = (file: string, { unless }: UnknownUse, namespaces: UseNamespaces) => {
    for (const [other, { own, index, passedOn }] of unless?.receiver ? receivers(file, unless.receiver) : []) {
      const id = idOf(other, own, index)
      const known = found.get(id) ?? new Map<string, UseNamespaces>()
      found.set(id, known)
      if (known.has(JSON.stringify(namespaces))) continue
      known.set(JSON.stringify(namespaces), namespaces)
      for (const next of passedOn) follow(other, next, namespaces)
    }
  }
  for (const [file, { unknown }] of modules)
    for (const use of unknown) if (use.reason === 'function') follow(file, use, use.namespaces)
  return (file, { name, index }) => {
    const all = [...(found.get(idOf(file, name, index))?.values() ?? [])]
    return all.includes('any') ? [] : all
  }
}

/** Returns a function that finds the parameters that may receive an argument of a call. */
function receiversOf(modules: Modules) {
  const all = new Map<string, (readonly [file: string, parameter: ReceivingParameter])[]>()
  // A name with an offset is unique only in its file.
  const idOf = (file: string, name: string, index: number) =>
    JSON.stringify([name, index, name.includes('#') ? file : ''])
  for (const [file, { receivers = [] }] of modules)
    for (const receiver of receivers) {
      const id = idOf(file, receiver.function, receiver.index)
      all.set(id, [...(all.get(id) ?? []), [file, receiver]])
    }
  return (file: string, { name, index, from }: Receiver) =>
    (all.get(idOf(file, name, index)) ?? []).filter(([other]) => mayImport(file, from, other))
}

/** True if the import may refer to the file, either directly, through an index file, or through an alias. */
function mayImport(file: string, specifier: string | undefined, imported: string): boolean {
  if (specifier === undefined) return true
  const path = withoutExtension(imported)
  const paths = pathsOf(file, specifier)
  if (paths.length > 0) return paths.some((each) => path === each || path.startsWith(`${each}/`))
  const [, ...tail] = withoutExtension(specifier).split('/')
  return tail.join('/') !== '' && `/${path}/`.includes(`/${tail.join('/')}/`)
}

/** The paths to which a relative import may resolve. Other imports have none, because they may refer to any file. */
function pathsOf(file: string, specifier: string): string[] {
  if (!/^\.\.?(?:\/|$)/.test(specifier)) return []
  const segments = withoutExtension(file).split('/').slice(0, -1)
  for (const part of withoutExtension(specifier).split('/')) {
    if (part === '..') segments.pop()
    else if (part !== '.' && part !== '') segments.push(part)
  }
  const path = segments.join('/')
  return [path, `${path}/index`]
}

function withoutExtension(file: string): string {
  return withoutQuery(file.replaceAll('\\', '/')).replace(/\.[cm]?[jt]sx?$/, '')
}
