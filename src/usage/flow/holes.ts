/**
 * Holes: parts of a key that code of other modules may have written into an object. A module names them in its texts;
 * they are filled when all modules are seen.
 */
import type { Node } from '@babel/types'

/** Steps from an exported value to the object: names of properties, `null` for any property or element. */
export type ExportPath = readonly (string | null)[]

export interface HoleData {
  /** The property that is read. `undefined`: any. `[]`: an element of an array. */
  readonly name?: string | undefined
  /** The value is read from what the property holds. */
  readonly isInside?: boolean | undefined
  /** Given for an object that leaves its module only under these exported names. */
  readonly exports?: readonly (readonly [name: string, path: ExportPath])[] | undefined
}

/** The name of every element of an array in `HoleData` and in writes. */
export const ELEMENT = '[]'

// Two code points that are no characters.
const START = '\uFDD0'
const END = '\uFDD1'
const HOLE = new RegExp(`${START}([^${END}]*)${END}`, 'g')

interface HoleNode {
  readonly type: 'Hole'
  readonly text: string
}

/** An expression that stands for what other code may have written. */
export function holeNode(data: HoleData): Node {
  const text = `${START}${JSON.stringify(data).replaceAll('*', '\\u002a')}${END}`
  return { type: 'Hole', text } satisfies HoleNode as unknown as Node
}

/** The text of a hole. `undefined`: the expression is something else. */
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

/** Every text that the holes may make of it; `fill` gives the texts for one hole. */
export function filled(text: string, fill: (hole: HoleData) => readonly string[]): string[] {
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
