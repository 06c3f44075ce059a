/** A full disk is told as such; nothing that was acknowledged is lost, and nothing that was refused is there. */
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { request, SQLITE_DRIVERS, startService } from '../helpers/service.ts'
import { spawnService } from '../helpers/service-process.ts'
import { noMounts, onDisk } from '../helpers/small-disk.ts'
import { tempFolder } from '../helpers/temp.ts'

describe.skipIf(noMounts).each(SQLITE_DRIVERS)('a full disk on %s', (driver) => {
  test('writes are 507 STORAGE_FULL, reads go on, and on a larger disk everything acknowledged is there', async () => {
    const dataDir = join(await tempFolder(), 'data')
    const kept = join(await tempFolder(), 'kept')
    await mkdir(dataDir)
    await mkdir(kept)
    const service = await spawnService({ dataDir, driver, customers: [] }, onDisk(dataDir, 'size=1m', kept))
    const personal = { authorization: service.personalToken }
    const created = await request(`${service.baseUrl}/api/v2/projects`, {
      method: 'POST',
      headers: personal,
      body: { name: 'full' },
    })
    const headers = { 'X-Service-Token': created.body.data.apiKey as string }
    const write = (key: string, text: string) =>
      request(`${service.baseUrl}/api/v1/translations?updateOptions=CREATE_KEY_IF_NOT_FOUND`, {
        method: 'PATCH',
        headers,
        body: { content: [{ key, language: 'en', text }] },
      })
    const acknowledged = new Map<string, string>()
    const refused: string[] = []
    for (let i = 0; refused.length < 5 && i < 2000; i++) {
      const [key, text] = [`key ${i}`, randomBytes(2000).toString('hex')]
      const answer = await write(key, text)
      if (answer.status === 200) acknowledged.set(key, text)
      else {
        expect(answer).toMatchObject({ status: 507, body: { code: 'STORAGE_FULL', traceId: expect.any(String) } })
        refused.push(key)
      }
    }
    expect(refused).toHaveLength(5)
    const read = async (baseUrl: string) => {
      const { body } = await request(`${baseUrl}/api/v2/translations?size=500`, { headers })
      return new Map((body.data as { key: string; text: string }[]).map(({ key, text }) => [key, text]))
    }
    expect(await read(service.baseUrl)).toEqual(acknowledged)
    expect((await request(`${service.baseUrl}/health`)).status).toBe(200)
    // Exported files are kept with the data.
    const exported = await request(`${service.baseUrl}/api/v3/export?downloadFormat=multi-language-json`, { headers })
    expect(exported).toMatchObject({ status: 507, body: { code: 'STORAGE_FULL' } })
    // A job that cannot be kept ends neither the service nor its other answers.
    const job = await request(`${service.baseUrl}/api/v1/jobs/auto-translate`, {
      method: 'POST',
      headers,
      body: { translationProvider: 'PROVIDER_A', targetProjectLanguage: 'en', targetLanguage: 'en' },
    })
    expect([200, 507]).toContain(job.status)
    expect((await request(`${service.baseUrl}/health`)).status).toBe(200)
    expect(service.err()).toBe('')
    await service.close()

    const again = await startService({ dataDir: kept, driver })
    expect(await read(again.baseUrl)).toEqual(acknowledged)
    const more = await request(`${again.baseUrl}/api/v1/translation-keys`, {
      method: 'POST',
      headers,
      body: { key: 'x' },
    })
    expect(more.status).toBe(200)
  })
})
