/** Large imports are read one at a time, because each needs memory for all its texts. */
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ServiceContext } from '../../../src/service/context.ts'
import type { Call } from '../../../src/service/endpoint.ts'
import { ImportFile } from '../../../src/service/import-file.ts'
import { transferEndpoints } from '../../../src/service/routes/transfer.ts'
import { openDatabase } from '../../../src/service/store/open.ts'
import { createStore } from '../../../src/service/store/store.ts'

test.each([
  ['many short values', 110_000, ''],
  ['many bytes', 300, 'x'.repeat(60_000)],
])(
  'a second import with %s waits for the first, a small one does not',
  async (_name, count, text) => {
    const database = await openDatabase()
    onTestFinished(() => database.close())
    const store = createStore(database, () => '2026-01-01T00:00:00.000Z')
    const project = await store.transaction(({ projects }) => projects.create('project', 'en'))
    const context = { store, features: {}, maxUploadBytes: 1e9 } as unknown as ServiceContext
    const [endpoint] = transferEndpoints(context)
    const pushed = vi.spyOn(ImportFile.prototype, 'push')
    onTestFinished(() => pushed.mockRestore())

    const upload = (texts: string) => {
      const body = `--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n{${texts}`
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      const incoming = Object.assign(new PassThrough(), { headers })
      const first = pushed.mock.contexts.length
      const answer = endpoint?.handle({
        project,
        query: { uploadFormat: 'single-language-json', languageKey: 'en', importOptions: [] },
        c: { env: { incoming }, req: { header: () => undefined } },
        authorizeAgain: async () => project,
      } as unknown as Call<never, never>)
      incoming.write(body)
      /** The bytes of the file that were read. */
      const read = () => {
        const file = pushed.mock.contexts[first]
        return pushed.mock.calls.reduce(
          (sum, [bytes], at) => sum + (pushed.mock.contexts[at] === file ? bytes.length : 0),
          0,
        )
      }
      const end = () => {
        incoming.end('"last":"x"}\r\n--b--\r\n')
        return answer
      }
      return { read, end }
    }
    const large = Array.from({ length: count }, (_, i) => `"key${i}":"${text}",`).join('')

    const first = upload(large)
    await expect.poll(first.read, { timeout: 60_000 }).toBeGreaterThan(large.length - 100)
    const second = upload(large)
    await expect.poll(second.read, { timeout: 60_000 }).toBeGreaterThan(0)
    const answer = second.end()
    for (let i = 0; i < 20; i++) {
      expect(await upload(`"small${i}":"",`).end()).toMatchObject({ numberOfKeysFound: 2 })
      await nextTurn()
    }
    expect(second.read()).toBeLessThan(large.length)
    expect(await first.end()).toMatchObject({ numberOfKeysFound: count + 1 })
    expect(await answer).toMatchObject({ numberOfKeysFound: count + 1 })
  },
  120_000,
)
