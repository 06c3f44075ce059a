/** Edits code that esbuild has written, and the code's source map, which may be inline or in a separate file. */
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import type { CodeEdit } from '../../output-texts.ts'

/** Code with its source map. `map` is set only if the source map is in a separate file. */
export interface EditedCode {
  readonly code: string
  readonly map?: string | undefined
}

const INLINE_MAP = /(\n\/\/# sourceMappingURL=data:application\/json;base64,)([\w+/=]+)(\s*)$/

/** Applies the edits. They may be in any order, but they must not overlap or touch. */
export function editCode({ code, map }: EditedCode, edits: readonly CodeEdit[]): EditedCode {
  const inOrder = [...edits].sort((a, b) => a.start - b.start)
  let edited = ''
  let at = 0
  for (const { start, end, text } of inOrder) {
    edited += code.slice(at, start) + text
    at = end
  }
  edited += code.slice(at)
  const shifts = shiftsByLine(code, inOrder)
  return {
    code: edited.replace(INLINE_MAP, (_all, start: string, own: string, end: string) => {
      const shifted = shiftMap(Buffer.from(own, 'base64').toString(), shifts)
      return `${start}${Buffer.from(shifted).toString('base64')}${end}`
    }),
    map: map === undefined ? undefined : shiftMap(map, shifts),
  }
}

/** A replaced range of columns in a line, and by how much the length changed. */
interface Shift {
  readonly start: number
  readonly end: number
  readonly by: number
}

function shiftsByLine(code: string, edits: readonly CodeEdit[]): Map<number, Shift[]> {
  const shifts = new Map<number, Shift[]>()
  let line = 0
  let lineStart = 0
  for (const { start, end, text } of edits) {
    for (let next = code.indexOf('\n', lineStart); next !== -1 && next < start; next = code.indexOf('\n', lineStart)) {
      line++
      lineStart = next + 1
    }
    const ofLine = shifts.get(line) ?? []
    ofLine.push({ start: start - lineStart, end: end - lineStart, by: text.length - (end - start) })
    shifts.set(line, ofLine)
  }
  return shifts
}

function shiftMap(json: string, shifts: ReadonlyMap<number, readonly Shift[]>): string {
  const map = JSON.parse(json) as { mappings: string }
  const lines = decode(map.mappings)
  for (const [line, ofLine] of shifts) lines[line] = shiftSegments(lines[line] ?? [], ofLine)
  return `${JSON.stringify({ ...map, mappings: encode(lines) }, undefined, 2)}\n`
}

function shiftSegments(segments: readonly SourceMapSegment[], shifts: readonly Shift[]): SourceMapSegment[] {
  const shifted: SourceMapSegment[] = []
  let next = 0
  let by = 0
  for (const [column, ...origin] of segments) {
    for (let shift = shifts[next]; shift && shift.end <= column; shift = shifts[++next]) by += shift.by
    // A mapping that points into replaced code is dropped.
    if (column > (shifts[next]?.start ?? column)) continue
    shifted.push([column + by, ...origin] as SourceMapSegment)
  }
  return shifted
}
