import { expect, test } from 'vitest'
import type { ScanResult, TextChange } from '../../../src/files/file-index.ts'
import { joinScans } from '../../../src/files/join-scans.ts'

const scan = (given: Partial<ScanResult>): ScanResult => ({
  changes: [],
  found: [],
  files: [],
  findingsChanged: false,
  missed: false,
  suspect: false,
  ...given,
})
const change = (key: string, before: string | undefined, after: string | undefined): TextChange => ({
  ref: { language: 'en', namespace: 'common', key },
  before,
  after,
})

test('a text goes from before the first to after the second; one that came back did not change', () => {
  const first = scan({ changes: [change('a', 'A', 'A1'), change('b', 'B', 'B1'), change('c', undefined, 'C1')] })
  const second = scan({ changes: [change('a', 'A1', 'A2'), change('b', 'B1', 'B'), change('d', 'D', undefined)] })
  expect(joinScans(first, second).changes).toEqual([
    change('a', 'A', 'A2'),
    change('c', undefined, 'C1'),
    change('d', 'D', undefined),
  ])
})

test('a deletion that the second scan took back is the change it leaves', () => {
  const first = scan({ changes: [change('a', 'A', undefined)] })
  const second = scan({ changes: [change('a', undefined, 'A2')] })
  expect(joinScans(first, second).changes).toEqual([change('a', 'A', 'A2')])
})

test('what was found stays found when it changes once more', () => {
  const first = scan({ found: [change('a', undefined, 'A1')] })
  const second = scan({ changes: [change('a', 'A1', 'A2'), change('b', 'B', 'B1')] })
  const joined = joinScans(first, second)
  expect(joined.found).toEqual([change('a', undefined, 'A2')])
  expect(joined.changes).toEqual([change('b', 'B', 'B1')])
})

test('files once each; what either noticed counts, and what the last one suspects', () => {
  const first = scan({ files: ['/a', '/b'], findingsChanged: true, suspect: true })
  const second = scan({ files: ['/b', '/c'], missed: true })
  expect(joinScans(first, second)).toMatchObject({
    files: ['/a', '/b', '/c'],
    findingsChanged: true,
    missed: true,
    suspect: false,
  })
})
