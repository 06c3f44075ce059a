/** Resolves a module's unknown uses with data from other modules. */
import type { Modules, Receiver, ReceivingParameter, UnknownUse, UseNamespaces } from './model.ts'

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
    for (const [other, { passedOn }] of known) {
      const id = JSON.stringify([other, receiver])
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
  const path = file.replaceAll('\\', '/').replace(/[?#].*$/, '')
  return path.replace(/\.[cm]?[jt]sx?$/, '')
}
