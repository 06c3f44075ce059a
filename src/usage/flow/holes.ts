/**
 * Holes, which are parts of a key that code of other modules may have written into an object. A module marks the holes
 * in its texts. They are filled after all modules are read.
 */
import type { Node } from '@babel/types'
import { mayImport } from '../cross-module.ts'
import type { ImportLeak, KeyUse, Modules, UnknownUse } from '../model.ts'

/**
 * The steps from an exported value to the object. A step is the name of a property, or `null` for any property or
 * element.
 */
export type ExportPath = readonly (string | null)[]

export interface HoleData {
  /** The property that is read. `undefined` means any property, and `[]` an element of an array. */
  readonly name?: string | undefined
  /** True if the value is read from an object that the property holds. */
  readonly isInside?: boolean | undefined
  /** Set for an object that leaves its module only under these exported names. */
  readonly exports?: readonly (readonly [name: string, path: ExportPath])[] | undefined
}

/** The name for every element of an array in `HoleData` and in writes. */
export const ELEMENT = '[]'

// These are two code points that are not characters.
const START = '\uFDD0'
const END = '\uFDD1'
const HOLE = new RegExp(`${START}([^${END}]*)${END}`, 'g')

interface HoleNode {
  readonly type: 'Hole'
  readonly text: string
}

/** An expression that represents the texts that other code may have written. */
export function holeNode(data: HoleData): Node {
  const text = `${START}${JSON.stringify(data).replaceAll('*', '\\u002a')}${END}`
  return { type: 'Hole', text } satisfies HoleNode as unknown as Node
}

/** The text of a hole; `undefined` if the expression is something else. */
export function holeTextOf(node: Node): string | undefined {
  const given = node as unknown as HoleNode
  return given.type === 'Hole' ? given.text : undefined
}

export function hasHole(text: string): boolean {
  return text.includes(START)
}

/** The text with `*` in place of each hole. */
export function withoutHoles(text: string): string {
  return hasHole(text) ? text.replace(HOLE, '*').replace(/\*{2,}/g, '*') : text
}

/** Every text that results from filling the holes. `fill` returns the texts for one hole. */
function filled(text: string, fill: (hole: HoleData) => readonly string[]): string[] {
  let all = ['']
  let end = 0
  for (const { 0: hole, 1: data = '', index } of text.matchAll(HOLE)) {
    const before = text.slice(end, index)
    const texts = fill(JSON.parse(data) as HoleData)
    all = all.flatMap((start) => texts.map((each) => start + before + each))
    end = index + hole.length
  }
  return all.map((start) => (start + text.slice(end)).replace(/\*{2,}/g, '*'))
}

const ANYTHING = ['*']

/** Replaces the holes of the modules with texts and unknown uses. */
export function fillHoles(modules: Modules): Modules {
  if (!modules.some(([, { uses }]) => uses.some(({ key }) => hasHole(key)))) return modules
  const writes = new Writes(modules)
  return modules.map(([file, usage]) => {
    const withHoles = usage.uses.filter(({ key }) => hasHole(key))
    if (withHoles.length === 0) return [file, usage]
    const found = withHoles.flatMap((use) => writes.fill(file, use))
    const uses = [...usage.uses.filter(({ key }) => !hasHole(key)), ...found.filter((use) => 'key' in use)]
    return [file, { ...usage, uses, unknown: [...usage.unknown, ...found.filter((use) => 'reason' in use)] }]
  })
}

class Writes {
  readonly #byName = new Map<string | undefined, { readonly texts: Set<string>; hasObject: boolean }>()
  readonly #leaks: readonly (readonly [file: string, leak: ImportLeak])[]
  readonly #renamings: ReadonlyMap<string, ReadonlySet<string>>

  constructor(modules: Modules) {
    for (const [, { writes = [] }] of modules)
      for (const { name, texts, hasObject } of writes) {
        const known = this.#byName.get(name) ?? { texts: new Set(), hasObject: false }
        this.#byName.set(name, known)
        for (const text of texts) known.texts.add(text)
        known.hasObject ||= hasObject === true
      }
    this.#leaks = modules.flatMap(([file, { leaks = [] }]) => leaks.map((leak) => [file, leak] as const))
    const renamings = new Map<string, Set<string>>()
    for (const [, usage] of modules)
      for (const { from, to } of usage.renamings ?? []) renamings.set(from, (renamings.get(from) ?? new Set()).add(to))
    this.#renamings = renamings
  }

  fill(file: string, { code = '', ...use }: KeyUse): (KeyUse | UnknownUse)[] {
    const { namespaces, isExact, isGuess, place } = use
    return filled(use.key, (hole) => this.#textsOf(file, hole, new Set())).map((key) => {
      const isPattern = key.includes('*')
      if (isPattern && !/[\p{L}\p{N}]/u.test(key)) return { namespaces, isExact, isGuess, place, code, reason: 'key' }
      return { ...use, key, isPattern, isTentative: true }
    })
  }

  #textsOf(file: string, hole: HoleData, asked: ReadonlySet<string>): readonly string[] {
    const id = JSON.stringify(hole)
    // This text contains itself.
    if (asked.has(id)) return ANYTHING
    const { name, exports, isInside } = hole
    if (exports) {
      const reach = this.#reachOf(file, exports)
      if (reach !== 'lost') return reach === 'changed' ? ANYTHING : []
    }
    const texts = new Set<string>()
    for (const [written, write] of this.#byName) {
      if (!mayMean(name, written)) continue
      if (isInside && (write.hasObject || write.texts.has('*'))) return ANYTHING
      if (isInside) continue
      for (const text of write.texts)
        for (const each of filled(text, (inner) => this.#textsOf(file, inner, new Set([...asked, id])))) texts.add(each)
    }
    return [...texts]
  }

  #reachOf(file: string, exports: NonNullable<HoleData['exports']>): 'closed' | 'lost' | 'changed' {
    const found = exports.flatMap(([name, path]) => this.#leaksOf(file, name, path))
    if (found.some(({ isChanged }) => isChanged)) return 'changed'
    return found.length > 0 ? 'lost' : 'closed'
  }

  #leaksOf(file: string, exported: string, path: ExportPath): ImportLeak[] {
    const names = this.#namesOf(exported)
    return this.#leaks.flatMap(([from, leak]) => {
      const [first, ...rest] = leak.path
      const isNamed = leak.imported !== '*' && names.has(leak.imported)
      const isWhole = leak.imported === '*' && (first === undefined || first === null || names.has(first))
      if (!isNamed && !isWhole) return []
      // Many modules have a default export.
      const isOften = isWhole || (leak.imported === 'default' && exported === 'default')
      if (isOften && leak.source !== '*' && !mayImport(from, leak.source, file) && names.size === 1) return []
      return isBefore(isWhole ? rest : leak.path, path) ? [leak] : []
    })
  }

  /** The name, and every name under which modules export it again. */
  #namesOf(exported: string): ReadonlySet<string> {
    const names = new Set([exported])
    for (const name of names) for (const other of this.#renamings.get(name) ?? []) names.add(other)
    return names
  }
}

function mayMean(name: string | undefined, written: string | undefined): boolean {
  if (name === undefined || written === undefined || name === written) return true
  return name === ELEMENT && /^\d+$/.test(written)
}

/** True if the leaked value is the object, or holds it. */
function isBefore(leak: ExportPath, path: ExportPath): boolean {
  return leak.every((step, at) => at < path.length && (step === null || path[at] === null || step === path[at]))
}
