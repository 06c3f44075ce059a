/**
 * The faults that the package must survive, one row each; what every row's tests did is put down for the table at the
 * end.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, afterEach, expect, inject } from 'vitest'
import { secretsIn, takeLeaks } from './canary.ts'

export const FAULT_ROWS = {
  1: 'kill -9 during push or pull',
  2: '429, with and without a time',
  3: '5xx, a reset before an answer',
  4: 'a body that is not whole',
  5: 'a server that trickles',
  6: 'an HTML page, a login page, a wrong type',
  7: 'a gzip bomb, a file of 100 MB',
  8: 'a redirect to another origin',
  9: 'an export address on another origin',
  10: 'a resource link that leads elsewhere',
  11: 'names that are no file names',
  12: '__proto__, constructor',
  13: 'U+2028, </script>',
  14: 'ill-formed text, BOM, CRLF',
  15: 'duplicate keys',
  16: 'nesting 100,000 deep',
  17: 'the API key as a canary',
  18: 'two dev servers',
  19: 'read-only disk, full disk, EACCES',
  20: 'a clock that is a day off',
  21: 'echo',
  22: 'half-typed JSON',
  23: 'a key deleted, a file emptied',
  24: 'both sides edited',
  25: 'a folder recreated, a branch switch, lost events',
  26: 'publish while one runs, data that shifts',
  27: 'a process that wakes after a long sleep',
  28: 'two services on one data folder',
  29: 'a dev server asked for anything below .localization',
  30: 'terminal control characters in names',
} as const

export interface RowResult {
  readonly row: number
  readonly tried: number
  readonly failed: number
  readonly lost: number
  readonly leaked: number
}

/** Texts by name, nested as deep as one likes. */
interface Texts {
  readonly [name: string]: string | Texts
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Where results are put down. */
    faultResults: string
  }
}

/** To be called once, at the top of a file: everything in the file is about that row. */
export function faultRow(row: keyof typeof FAULT_ROWS) {
  const result = { row, tried: 0, failed: 0, lost: 0, leaked: 0 }
  let file = `row-${row}`
  afterEach(({ task }) => {
    file = basename(task.file.filepath, '.test.ts')
    result.tried++
    if (task.result?.state === 'fail') result.failed++
  })
  afterAll(() => {
    const leaks = takeLeaks()
    result.leaked += leaks.length
    const folder = inject('faultResults')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${file}.json`), JSON.stringify(result satisfies RowResult))
    if (leaks.length > 0) throw new Error(`secrets got out:\n${leaks.join('\n')}`)
  })
  return {
    /** A test is one case; one that tries more says how many more. */
    alsoTried(count: number) {
      result.tried += count
    },
    /** Asserts that everything is there as it should be; each text that is not counts as lost. */
    kept(actual: Texts, expected: Texts) {
      const [are, should] = [flat(actual), flat(expected)]
      result.lost += [...should].filter(([name, text]) => are.get(name) !== text).length
      expect(actual).toEqual(expected)
    },
    /** Asserts that it shows no secret of this run. */
    silent(...seen: unknown[]) {
      const hits = secretsIn(
        seen.map((one) => (typeof one === 'string' ? one : inspect(one, { depth: 20 }))).join('\n'),
      )
      result.leaked += hits.length
      expect(hits).toEqual([])
    },
  }
}

function flat(texts: Texts, path: readonly string[] = []): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string'
        ? [[JSON.stringify([...path, name]), value]]
        : [...flat(value, [...path, name]).entries()],
    ),
  )
}
