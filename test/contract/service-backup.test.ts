/** A backup while the service runs. Not in the contract. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { request as send } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkService } from '../../src/service/check.ts'
import { createProject, request, SQLITE_DRIVERS, startService, waitFor } from '../helpers/service.ts'
import { tempFolder } from '../helpers/temp.ts'

describe.each(SQLITE_DRIVERS)('a backup on %s', (driver) => {
  test('holds every write that was acknowledged before, while others write and publish', async () => {
    const service = await startService({ driver, dataDir: await tempFolder() })
    const project = await createProject(service)
    // More than a commit leaves in the log.
    await project.import({ en: Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`key${i}`, `Text ${i}`])) })
    const set = (text: string) => project.api('PATCH', '/api/v2/translations', { key: 'key1', language: 'en', text })
    let written = 0
    let isOver = false
    const writing = (async () => {
      while (!isOver) {
        expect((await set(String(written + 1))).status).toBe(200)
        written++
        if (written % 20 === 0) await project.publish()
      }
    })()
    for (let round = 0; round < 5; round++) {
      await waitFor(
        () => written,
        (count) => count > round * 10,
      )
      const before = written
      const answer = await fetch(`${service.baseUrl}/_service/backup`, {
        method: 'POST',
        headers: { authorization: service.personalToken },
      })
      expect(answer.status).toBe(200)
      const restored = await tempFolder()
      const file = join(restored, 'service.sqlite')
      await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(file))
      expect(await checkService({ dataDir: restored, driver })).toMatchObject({ data: file })
      const copy = await startService({ driver, dataDir: restored })
      const headers = { 'X-Service-Token': project.apiKey }
      const { body } = await request(`${copy.baseUrl}/api/v2/translations?size=500&key=key1`, { headers })
      expect(Number(body.data[0].text)).toBeGreaterThanOrEqual(before)
      const last = await request(`${copy.baseUrl}/api/v2/translations?size=1&key=key29999`, { headers })
      expect(last.body.data).toMatchObject([{ text: 'Text 29999' }])
      await copy.close()
    }
    isOver = true
    await writing
  })

  test('one at a time; when its reader leaves or reads no more, the next one may begin', async () => {
    const service = await startService({ driver, dataDir: await tempFolder() })
    const project = await createProject(service)
    // More than the sockets of both sides hold.
    const texts = Array.from({ length: 20_000 }, (_, i) => [`key${i}`, `${i} `.repeat(200)])
    await project.import({ en: Object.fromEntries(texts) })
    const backUp = () =>
      request(`${service.baseUrl}/_service/backup`, {
        method: 'POST',
        headers: { authorization: service.personalToken },
      })
    const ask = async () => {
      const asked = send(`${service.baseUrl}/_service/backup`, {
        method: 'POST',
        headers: { authorization: service.personalToken },
      }).end()
      const [response] = await once(asked, 'response')
      response.pause().on('error', () => {})
      return { asked, status: response.statusCode }
    }
    const begin = async () => {
      // The one before may still be ending.
      const { asked } = await waitFor(ask, ({ status }) => status === 200)
      expect(await backUp()).toMatchObject({ status: 409, body: { code: 'BACKUP_RUNNING' } })
      return asked
    }
    const first = await begin()
    expect(
      (await project.api('PATCH', '/api/v2/translations', { key: 'key1', language: 'en', text: 'x' })).status,
    ).toBe(200)
    first.destroy()
    await waitFor(backUp, ({ status }) => status === 200)

    const sockets: Socket[] = []
    const note = (message: unknown) => sockets.push((message as { readonly socket: Socket }).socket)
    subscribe('http.server.request.start', note)
    onTestFinished(() => void unsubscribe('http.server.request.start', note))
    const stalled = await begin()
    const socket = sockets.find(({ remotePort }) => remotePort === stalled.socket?.localPort)
    expect(socket?.timeout).toBe(60_000)
    socket?.emit('timeout')
    await waitFor(backUp, ({ status }) => status === 200)
    stalled.destroy()
  })
})

test('a backup needs a personal token, and a file', async () => {
  const service = await startService()
  const project = await createProject(service)
  expect(await project.api('POST', '/_service/backup')).toMatchObject({ status: 403, body: { code: 'CREDENTIALS' } })
  const headers = { authorization: service.personalToken }
  expect(await request(`${service.baseUrl}/_service/backup`, { method: 'POST', headers })).toMatchObject({
    status: 400,
  })
})
