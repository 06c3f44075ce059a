/** Contents that are written ahead of the transaction that needs them. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/service/store/open.ts'
import { createStore } from '../../../src/service/store/store.ts'

const file = (bytes: Buffer) => ({
  hash: createHash('sha256').update(bytes).digest('hex'),
  size: bytes.length,
  chunks: [gzipSync(bytes, { level: 0 })],
})

test('many contents are several transactions, and what is removed meanwhile is written again', async () => {
  const database = await openDatabase()
  let transactions = 0
  const store = createStore(
    {
      ...database,
      transaction(work, options) {
        transactions++
        return database.transaction(work, options)
      },
    },
    () => '2026-01-01T00:00:00.000Z',
  )
  const files = Array.from({ length: 6 }, (_, i) => file(Buffer.alloc(1_000_000, `${i}`)))
  await store.addContents(files)
  expect(transactions).toBe(3)
  const kept = () => database.get<{ n: number }>('SELECT COUNT(DISTINCT hash) AS n FROM contents')
  expect(await kept()).toEqual({ n: 6 })
  await database.transaction((tx) => tx.run('DELETE FROM contents WHERE hash = ?', files[2]?.hash ?? ''))
  const tokens = await store.transaction(({ exportedFiles }) => exportedFiles.add(files, 60_000))
  for (const [at, token] of tokens.entries()) {
    expect(await store.exportedFiles.find(token)).toMatchObject({ hash: files[at]?.hash, size: 1_000_000 })
  }
  expect(await kept()).toEqual({ n: 6 })
  await database.close()
})
