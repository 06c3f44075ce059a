/** Unknown uses of one module that another module answers for. Pure. */
import type { ModuleUsage, ReceivingParameter, UnknownUse } from './model.ts'

type Modules = readonly (readonly [file: string, usage: ModuleUsage])[]

/** Every unknown use that stays unknown when all modules are seen together. */
export function resolveUnknown(modules: Modules): (readonly [file: string, use: UnknownUse])[] {
  const receivers = new Map<string, (readonly [string, ReceivingParameter])[]>()
  for (const [file, usage] of modules)
    for (const receiver of usage.receivers ?? []) {
      const id = idOf(file, receiver.function, receiver.index)
      receivers.set(id, [...(receivers.get(id) ?? []), [file, receiver]])
    }
  const descriptorFiles = new Set(
    modules.filter(([, { definesDescriptors }]) => definesDescriptors).map(([file]) => bare(file)),
  )
  const left: (readonly [string, UnknownUse])[] = []
  const followed = new Set<string>()
  const pending = modules.flatMap(([file, { unknown }]) => unknown.map((use) => [file, use] as const))
  for (let at = 0; at < pending.length; at++) {
    const [file, use] = pending[at] as (typeof pending)[number]
    const { receiver, descriptorsOf } = use.unless ?? {}
    const known = receiver
      ? (receivers.get(idOf(file, receiver.name, receiver.index)) ?? []).filter(([other]) =>
          isFrom(file, other, receiver.from),
        )
      : []
    if (known.length > 0) {
      for (const [other, { passedOn }] of known) {
        const id = JSON.stringify([other, receiver])
        if (followed.has(id)) continue
        followed.add(id)
        pending.push(...passedOn.map((next) => [other, next] as const))
      }
      continue
    }
    if (descriptorsOf === '.' && descriptorFiles.has(bare(file))) continue
    if (descriptorsOf !== undefined && candidates(file, descriptorsOf).some((path) => descriptorFiles.has(path)))
      continue
    left.push([file, use])
  }
  return left
}

/** Functions of one file are told apart by where they stand. */
const idOf = (file: string, name: string, index: number) =>
  name.includes('#') ? `${index} ${name} ${file}` : `${index} ${name}`

/** Whether an import of `specifier` may mean something in `other`: the file itself, one behind an index, or one an alias leads to. */
function isFrom(file: string, other: string, specifier: string | undefined): boolean {
  if (specifier === undefined) return true
  const path = bare(other)
  const paths = candidates(file, specifier)
  if (paths.length > 0) return paths.some((each) => path === each || path.startsWith(`${each}/`))
  const tail = bare(specifier).split('/').slice(1).join('/')
  return tail !== '' && `/${path}/`.includes(`/${tail}/`)
}

/** Without a query and without an extension. */
function bare(file: string): string {
  return file
    .replaceAll('\\', '/')
    .replace(/[?#].*$/, '')
    .replace(/\.[cm]?[jt]sx?$/, '')
}

/** The files a relative import may mean. Nothing for other imports: they may be anywhere. */
function candidates(file: string, specifier: string): string[] {
  if (!/^\.\.?(?:\/|$)/.test(specifier)) return []
  const segments = bare(file).split('/').slice(0, -1)
  for (const part of bare(specifier).split('/')) {
    if (part === '..') segments.pop()
    else if (part !== '.' && part !== '') segments.push(part)
  }
  const path = segments.join('/')
  return [path, `${path}/index`]
}
