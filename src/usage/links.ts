/** Unknown uses of one module that another module answers for. Pure. */
import type { ModuleUsage, ReceivingParameter, UnknownUse } from './model.ts'

type Modules = readonly (readonly [file: string, usage: ModuleUsage])[]

/** Every unknown use that stays unknown when all modules are seen together. */
export function resolveUnknown(modules: Modules): (readonly [file: string, use: UnknownUse])[] {
  const receivers = new Map<string, (readonly [string, ReceivingParameter])[]>()
  for (const [file, usage] of modules)
    for (const receiver of usage.receivers ?? []) {
      const id = idOf(receiver.function, receiver.index)
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
    const known = receiver && receivers.get(idOf(receiver.name, receiver.index))
    if (receiver && known) {
      const id = idOf(receiver.name, receiver.index)
      if (followed.has(id)) continue
      followed.add(id)
      for (const [other, { passedOn }] of known) pending.push(...passedOn.map((next) => [other, next] as const))
      continue
    }
    if (descriptorsOf === '.' && descriptorFiles.has(bare(file))) continue
    if (descriptorsOf !== undefined && candidates(file, descriptorsOf).some((path) => descriptorFiles.has(path)))
      continue
    left.push([file, use])
  }
  return left
}

const idOf = (name: string, index: number) => `${index} ${name}`

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
