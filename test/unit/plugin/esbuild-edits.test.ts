/** Edits of a code and of its source map: what was not touched comes from where it came from. */
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import fc from 'fast-check'
import MagicString from 'magic-string'
import { expect, test } from 'vitest'
import { editCode } from '../../../src/plugin/bundlers/esbuild/output.ts'
import type { CodeEdit } from '../../../src/plugin/output-texts.ts'

const line = fc.stringMatching(/^[a-z ]{0,40}$/)
const words = fc.array(fc.stringMatching(/^[A-Z]{1,12}$/), { maxLength: 8 })

/** Spans of a code within its lines, none of which touches another. */
function spansIn(code: string, numbers: readonly number[]): CodeEdit[] {
  const edits: CodeEdit[] = []
  let at = 0
  for (const number of numbers) {
    const start = at + (number % 17)
    const end = Math.min(start + (number % 5), code.length)
    if (start >= code.length) break
    at = end + 1
    if (!code.slice(start, end).includes('\n')) edits.push({ start, end, text: '' })
  }
  return edits
}

function positionOf(code: string, at: number) {
  const lines = code.slice(0, at).split('\n')
  return { line: lines.length, column: lines.at(-1)?.length ?? 0 }
}

test('every character that stays keeps its origin', () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      words,
      fc.array(fc.nat(1000), { maxLength: 8 }),
      (lines, texts, numbers) => {
        const code = lines.join('\n')
        const edits = spansIn(code, numbers).map((span, i) => ({ ...span, text: texts[i] ?? 'X' }))
        const map = new MagicString(code).generateMap({ source: 'source.js', hires: true }).toString()
        const inline = `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`
        const edited = editCode({ code: inline, map }, [...edits].reverse())
        const expected = edits.reduceRight(
          (all, { start, end, text }) => all.slice(0, start) + text + all.slice(end),
          code,
        )
        expect(edited.code.startsWith(`${expected}\n//# sourceMappingURL=`)).toBe(true)
        const [, own = ''] = /base64,(\S+)/.exec(edited.code) ?? []
        const maps = [edited.map as string, Buffer.from(own, 'base64').toString()].map((json) => new TraceMap(json))
        let shift = 0
        for (let at = 0; at < code.length; at++) {
          for (const { end, start, text } of edits) if (end === at) shift += text.length - (end - start)
          const isTouched = edits.some(({ start, end }) => at >= start && at < end)
          if (isTouched || code[at] === '\n') continue
          const { line, column } = positionOf(code, at)
          for (const trace of maps)
            expect(originalPositionFor(trace, positionOf(expected, at + shift))).toMatchObject({ line, column })
        }
      },
    ),
  )
})

test('a code without a map stays without', () => {
  expect(editCode({ code: 'a b' }, [{ start: 1, end: 2, text: ' + ' }])).toEqual({ code: 'a + b', map: undefined })
})
