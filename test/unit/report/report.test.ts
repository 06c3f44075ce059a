/** The file with the report of a build. */
import { expect, test } from 'vitest'
import { type BuildReport, printReport, readReport } from '../../../src/report/report.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

test('a report is read as it was written, and other files are none', async () => {
  const root = await tempFolder()
  const own: Partial<BuildReport> = {
    version: 1,
    language: 'de',
    kept: [{ namespace: 'common', key: 'a', reason: 'key', by: 'a', at: 'src/a.ts:1:2', bytes: 5, in: [{ chunk: 0 }] }],
    chunks: [],
  }
  await writeTree(root, { 'own.json': printReport({ ...own, later: 1 }), 'foreign.json': '[]', 'half.json': '{' })
  expect(await readReport(`${root}/own.json`)).toMatchObject(own)
  const damaged = [
    { version: 1, chunks: {} },
    { version: 1, chunks: [null] },
    { version: 1, chunks: [{ name: 'a' }] },
  ]
  for (const [at, report] of damaged.entries()) {
    await writeTree(root, { 'damaged.json': report })
    expect([at, await readReport(`${root}/damaged.json`)]).toEqual([at, undefined])
  }
  for (const name of ['none', 'foreign', 'half']) expect(await readReport(`${root}/${name}.json`)).toBeUndefined()
})
