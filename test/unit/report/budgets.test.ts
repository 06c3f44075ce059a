/** Which chunks are over their budget, and which code is named for it. */
import { expect, test } from 'vitest'
import { checkBudgets } from '../../../src/report/budgets.ts'
import { hasRoutes, type KeptKey, printReport, type RouteReport, readReport } from '../../../src/report/report.ts'
import { formatSize, parseSize } from '../../../src/shared/size.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const chunk = (name: string, bytes: number, kind: 'entry' | 'lazy' = 'entry') => ({
  name,
  kind,
  keys: 1,
  shared: 0,
  others: 0,
  bytes,
  language: 'de',
  byLanguage: { de: bytes },
  namespaces: [{ namespace: 'common', bytes }],
})
const kept = (key: string, bytes: number, more: Partial<KeptKey> = {}): KeptKey => ({
  namespace: 'common',
  key,
  reason: 'key',
  by: key,
  at: `src/${key}.ts:1:2`,
  bytes,
  in: [{ chunk: 0 }],
  ...more,
})
const report = (keys: readonly KeptKey[], ...chunks: readonly ReturnType<typeof chunk>[]): RouteReport => ({
  version: 1,
  language: 'de',
  kept: [...keys],
  chunks: [...chunks],
})

test('the first name or pattern that matches counts, and the limit itself is within the budget', () => {
  const { chunks, unmatched } = checkBudgets(
    report([], chunk('src/main.ts', 1000), chunk('src/pages/a.tsx', 600, 'lazy'), chunk('index.html', 9)),
    { 'src/main.ts': '1 KB', 'src/pages/*': 500, '*.tsx': '1 MB', 'src/admin.ts': '1 KB' },
  )
  expect(chunks.map(({ name, bytes, limit }) => [name, bytes, limit])).toEqual([
    ['src/main.ts', 1000, 1000],
    ['src/pages/a.tsx', 600, 500],
  ])
  expect(unmatched).toEqual([{ pattern: 'src/admin.ts', hint: expect.stringContaining('src/main.ts') }])
})

test('the code that keeps most is named first, with its reason in this chunk', () => {
  const call = { reason: 'call', by: 't(x)', at: 'src/table.ts:3:4' }
  const keys = [
    kept('a', 50),
    kept('b', 40, { in: [{ chunk: 0, ...call }] }),
    kept('c', 30, { ...call, namespace: 'shop' }),
    kept('elsewhere', 500, { in: [{ chunk: 1 }] }),
  ]
  const [main] = checkBudgets(report(keys, chunk('main.ts', 120), chunk('b.ts', 500, 'lazy')), { '*': 100 }).chunks
  expect(main).toMatchObject({ isCompared: false })
  expect(main?.causes).toEqual([
    { ...call, namespaces: ['common', 'shop'], keys: 2, bytes: 70 },
    { reason: 'key', by: 'a', at: 'src/a.ts:1:2', namespaces: ['common'], keys: 1, bytes: 50 },
  ])
})

test('compared with an earlier report, only what came or grew is named', () => {
  const before = report(
    [kept('a', 50), kept('gone', 9), kept('moved', 20, { in: [{ chunk: 1 }] })],
    chunk('main.ts', 70),
  )
  const now = report([kept('a', 55), kept('moved', 20), kept('new', 25)], chunk('other.ts', 1), chunk('main.ts', 100))
  const moved = { ...now, kept: now.kept.map((key) => ({ ...key, in: [{ chunk: 1 }] })) }
  const [main] = checkBudgets(moved, { 'main.ts': 90 }, before).chunks
  expect(main?.isCompared).toBe(true)
  expect(main?.causes.map(({ by, bytes }) => [by, bytes])).toEqual([
    ['new', 25],
    ['moved', 20],
    ['a', 5],
  ])
  // Nothing came: perhaps the budget is smaller.
  const same = checkBudgets(before, { 'main.ts': 60 }, before).chunks[0]
  expect(same).toMatchObject({ isCompared: false, causes: [{ by: 'a' }, { by: 'gone' }] })
})

test('a report is read as it was written; old and foreign files are told apart', async () => {
  const root = await tempFolder()
  const own = report([kept('a', 1)], chunk('main.ts', 1))
  await writeTree(root, {
    'own.json': printReport({ ...own, later: 1 }),
    'old.json': '{"version":1}',
    'foreign.json': '[]',
  })
  expect(await readReport(`${root}/own.json`)).toEqual(own)
  const old = await readReport(`${root}/old.json`)
  expect(old && hasRoutes(old)).toBe(false)
  expect(await readReport(`${root}/none.json`)).toBeUndefined()
  await expect(readReport(`${root}/foreign.json`)).rejects.toMatchObject({ code: 'FILE_SYNTAX' })
})

test.each([
  ['20 KB', 20_000, '20 KB'],
  ['1.5MB', 1_500_000, '1.5 MB'],
  ['300 b', 300, '300 B'],
  ['2.44 kb', 2440, '2.4 KB'],
  ['20', undefined, ''],
  ['1 GB', undefined, ''],
  ['-1 KB', undefined, ''],
])('the size %s', (text, bytes, shown) => {
  expect(parseSize(text)).toBe(bytes)
  if (bytes !== undefined) expect(formatSize(bytes)).toBe(shown)
})
