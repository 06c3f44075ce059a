/** Acknowledged means on disk; one process per folder; backup is one file. */
import { chmod, copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkService } from '../../src/service/check.ts'
import { lockFolder } from '../../src/service/lock/folder-lock.ts'
import { openDatabase } from '../../src/service/store/open.ts'
import { createLocalService, joinLocalService } from '../../src/service.ts'
import { holdFirstPublish } from '../helpers/held-publish.ts'
import { repeats } from '../helpers/repeats.ts'
import { createProject, request, SQLITE_DRIVERS, startService, waitFor } from '../helpers/service.ts'
import { spawnService } from '../helpers/service-process.ts'
import { tempFolder } from '../helpers/temp.ts'

/** How often the service is killed on each driver. */
const KILLS = Number(process.env.KILLS ?? repeats(2, 10))

describe.each(SQLITE_DRIVERS)('durability on %s', (driver) => {
  test(`${KILLS} kill -9 during mixed writes: nothing acknowledged is lost, and it is up again at once`, async () => {
    const dataDir = join(await tempFolder(), 'data')
    const acknowledged = new Map<string, string>()
    const deleted = new Set<string>()
    let apiKey: string | undefined
    let written = 0
    const check = async (baseUrl: string, key: string) => {
      const found = new Map<string, string>()
      for (let page = 0; ; page++) {
        const { body } = await request(`${baseUrl}/api/v2/translations?size=500&page=${page}`, {
          headers: { 'X-Service-Token': key },
        })
        for (const row of body.data) found.set(row.key, row.text)
        if (body.data.length < 500) break
      }
      for (const [name, text] of acknowledged) {
        if (!deleted.has(name)) expect(found.get(name), name).toBe(text)
      }
      for (const name of deleted) expect(found.has(name), name).toBe(false)
    }
    for (let kill = 0; kill <= KILLS; kill++) {
      const service = await spawnService({ dataDir, driver })
      if (apiKey === undefined) {
        const { body } = await request(`${service.baseUrl}/api/v2/projects`, {
          method: 'POST',
          headers: { authorization: service.personalToken },
          body: { name: 'killed' },
        })
        apiKey = body.data.apiKey as string
      }
      const headers = { 'X-Service-Token': apiKey }
      await check(service.baseUrl, apiKey)
      if (kill === KILLS) {
        expect(await service.end('SIGTERM')).toBe(0)
        break
      }
      const before = acknowledged.size
      const writer = async (id: string) => {
        for (let i = 0; ; i++) {
          const key = `${id}-${i}`
          const text = `text ${written++}`
          const call = (method: string, path: string, body?: unknown) =>
            request(`${service.baseUrl}${path}`, { method, headers, body })
          await call('POST', '/api/v1/translation-keys', { key })
          const set = await call('PATCH', '/api/v2/translations', { key, language: 'en', text })
          if (set.status === 200) acknowledged.set(key, text)
          if (i % 10 === 3) {
            const removed = await call('DELETE', `/api/v1/translation-keys?key=${key}`)
            if (removed.status === 200) deleted.add(key)
            else acknowledged.delete(key)
          }
          if (i % 25 === 7) await call('POST', '/api/v2/environments/_latest/publish')
        }
      }
      const writers = ['a', 'b', 'c'].map((name) => writer(`${kill}${name}`).catch(() => {}))
      // A delete whose answer the kill takes may or may not have happened: such a key is not held against either.
      await waitFor(
        () => acknowledged.size,
        (size) => size >= before + 40 + ((kill * 17) % 30),
      )
      expect(await service.end('SIGKILL')).toBe('SIGKILL')
      await Promise.all(writers)
      await forgetUnanswered(dataDir, acknowledged, deleted, apiKey, driver)
    }
    expect(acknowledged.size).toBeGreaterThan(40 * KILLS)
    expect(await readdir(dataDir)).toEqual(['.gitignore', 'service.sqlite'])
  })

  /** Deletes that were sent and not answered are the one thing that may be either way. */
  async function forgetUnanswered(
    dataDir: string,
    acknowledged: Map<string, string>,
    deleted: ReadonlySet<string>,
    apiKey: string,
    name: typeof driver,
  ) {
    const service = await createLocalService({ dataDir, driver: name })
    try {
      for (const key of [...acknowledged.keys()]) {
        if (deleted.has(key) || Number(key.split('-')[1]) % 10 !== 3) continue
        const { body } = await request(`${service.baseUrl}/api/v2/translations?key=${key}`, {
          headers: { 'X-Service-Token': apiKey },
        })
        if (body.data.length === 0) acknowledged.delete(key)
      }
    } finally {
      await service.close()
    }
  }

  test('everything is there after a restart: projects, texts, files; a start ends the personal tokens of earlier ones unless told', async () => {
    const dataDir = await tempFolder()
    const first = await createLocalService({ driver, dataDir })
    const project = await createProject(first)
    await project.import({ en: { a: 'A' }, pl: { a: 'Ą' } })
    await project.publish()
    await project.api('PATCH', '/api/v2/translations', { key: 'a', language: 'en', text: 'A2' })
    await first.close()

    const second = await startService({
      driver,
      dataDir,
      customers: ['late'],
      environments: ['staging'],
      revokeTokens: false,
    })
    expect(second.personalToken).not.toBe(first.personalToken)
    for (const { personalToken } of [first, second]) {
      const { body } = await request(`${second.baseUrl}/api/v2/projects`, { headers: { Authorization: personalToken } })
      expect(body.data).toMatchObject([
        { apiKey: project.apiKey, unpublishedChanges: 1, customers: [{ key: 'late' }], keys: 1 },
      ])
    }
    const headers = { 'X-Service-Token': project.apiKey }
    const hosted = await request(`${second.cdnUrl}/${project.projectToken}/_latest/en`)
    expect(hosted.body).toEqual({ a: 'A' })
    const texts = await request(`${second.baseUrl}/api/v2/translations`, { headers })
    expect(texts.body.data).toMatchObject([{ text: 'A2' }, { text: 'Ą' }])
    const staged = await request(`${second.baseUrl}/api/v2/environments/staging/publish`, { method: 'POST', headers })
    expect(staged.status).toBe(200)
    await second.close()

    const third = await createLocalService({ driver, dataDir })
    for (const { personalToken } of [first, second]) {
      const old = await request(`${third.baseUrl}/api/v2/projects`, { headers: { Authorization: personalToken } })
      expect(old).toMatchObject({ status: 403, body: { code: 'CREDENTIALS' } })
    }
    await third.close()
    // A fixed one, as of a service that goes on with what another one began.
    const { personalToken } = third
    const fourth = await startService({ driver, dataDir, personalToken })
    const kept = await request(`${fourth.baseUrl}/api/v2/projects`, { headers: { Authorization: personalToken } })
    expect(kept.status).toBe(200)
  })

  test('the personal token is not in the file', async () => {
    const dataDir = await tempFolder()
    const service = await createLocalService({ driver, dataDir, personalToken: 'canary-personal-token-12345' })
    await createProject(service)
    await service.close()
    expect((await readFile(join(dataDir, 'service.sqlite'))).includes('canary-personal-token')).toBe(false)
  })

  test("backup is copying one file; folder and file are their owner's alone", async () => {
    const dataDir = join(await tempFolder(), 'made', 'here')
    const service = await createLocalService({ driver, dataDir })
    const project = await createProject(service)
    await project.import({ en: { a: 'A' } })
    await service.close()
    expect((await readdir(dataDir)).sort()).toEqual(['.gitignore', 'service.sqlite'])
    expect((await stat(join(dataDir, 'service.sqlite'))).mode & 0o777).toBe(0o600)
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)

    const restored = await tempFolder()
    await copyFile(join(dataDir, 'service.sqlite'), join(restored, 'service.sqlite'))
    const again = await startService({ driver, dataDir: restored })
    const { body } = await request(`${again.baseUrl}/api/v2/translations`, {
      headers: { 'X-Service-Token': project.apiKey },
    })
    expect(body.data).toMatchObject([{ text: 'A' }])
  })

  test("a file that others could read is its owner's alone from then on", async () => {
    const dataDir = await tempFolder()
    await writeFile(join(dataDir, 'service.sqlite'), '', { mode: 0o644 })
    await startService({ driver, dataDir })
    expect((await stat(join(dataDir, 'service.sqlite'))).mode & 0o777).toBe(0o600)
  })

  test("while it runs, no file in a folder that others can read holds anything for them; its journal is its owner's too", async () => {
    const dataDir = await tempFolder()
    await chmod(dataDir, 0o755)
    const service = await startService({ driver, dataDir })
    await createProject(service)
    const names = await readdir(dataDir)
    expect(names).toEqual(expect.arrayContaining(['service.sqlite', 'service.sqlite-wal', 'service.json']))
    for (const name of names) {
      const { mode, size } = await stat(join(dataDir, name))
      if ((await stat(join(dataDir, name))).isFile() && size > 0) expect([name, mode & 0o077]).toEqual([name, 0])
    }
  })

  test('a key that is deleted leaves no text behind for one that is made after a restart', async () => {
    const dataDir = await tempFolder()
    const first = await createLocalService({ driver, dataDir })
    const project = await createProject(first)
    await project.import({ en: { only: 'ghost' } })
    await project.api('DELETE', '/api/v1/translation-keys?key=only')
    await first.close()
    const second = await startService({ driver, dataDir })
    const headers = { 'X-Service-Token': project.apiKey }
    await request(`${second.baseUrl}/api/v1/translation-keys`, { method: 'POST', headers, body: { key: 'new' } })
    expect((await request(`${second.baseUrl}/api/v2/translations`, { headers })).body.data).toEqual([])
  })

  test('files that no environment has any more are gone from disk', async () => {
    const dataDir = await tempFolder()
    const service = await createLocalService({ driver, dataDir })
    const project = await createProject(service)
    for (const text of ['one', 'two', 'three']) {
      const options = 'uploadFormat=multi-language-json&importOptions=REPLACE_TRANSLATION_IF_FOUND'
      await project.import({ en: { a: text } }, options)
      await project.publish()
    }
    await service.close()
    const database = await openDatabase(join(dataDir, 'service.sqlite'), driver)
    onTestFinished(() => database.close())
    // _index, _languages, _customers, and en, which is the same with and without its one namespace.
    expect(await database.all('SELECT hash FROM contents')).toHaveLength(4)
  })

  test('a file that one driver wrote is read by every other', async () => {
    const dataDir = await tempFolder()
    const service = await createLocalService({ driver, dataDir })
    const project = await createProject(service)
    await project.import({ en: { a: 'A', '\b': '😀' } })
    await service.close()
    for (const other of SQLITE_DRIVERS) {
      const again = await createLocalService({ driver: other, dataDir })
      const { body } = await request(`${again.baseUrl}/api/v2/translations`, {
        headers: { 'X-Service-Token': project.apiKey },
      })
      expect(body.data).toMatchObject([{ text: '😀' }, { text: 'A' }])
      await again.close()
    }
  })

  test("a second service on the same folder is refused and names the first one's process; after close it is free", async () => {
    const dataDir = await tempFolder()
    const first = await spawnService({ dataDir, driver })
    await expect(createLocalService({ driver, dataDir })).rejects.toMatchObject({
      code: 'SERVICE_LOCKED',
      message: expect.stringContaining(`process ${first.pid}`),
    })
    expect(await first.end('SIGINT')).toBe(0)
    const second = await startService({ driver, dataDir })
    await expect(createLocalService({ driver, dataDir: join(dataDir, '.', '') })).rejects.toMatchObject({
      code: 'SERVICE_LOCKED',
      message: expect.stringContaining(`process ${process.pid}`),
    })
    expect((await request(`${second.baseUrl}/health`)).status).toBe(200)
  })

  test('without dataDir nothing is kept', async () => {
    const service = await startService({ driver })
    await createProject(service)
    const other = await startService({ driver })
    const { body } = await request(`${other.baseUrl}/api/v2/projects`, {
      headers: { Authorization: other.personalToken },
    })
    expect(body.data).toEqual([])
  })

  test('a file that is no database, or that a later version wrote, is refused and left alone', async () => {
    const dataDir = await tempFolder()
    const rubbish = 'this is no database '.repeat(500)
    await writeFile(join(dataDir, 'service.sqlite'), rubbish)
    await expect(createLocalService({ driver, dataDir })).rejects.toMatchObject({ code: 'SERVICE_START' })
    expect(await readFile(join(dataDir, 'service.sqlite'), 'utf8')).toBe(rubbish)
  })

  test('a check finds damage, names the file, and leaves it alone', async () => {
    const dataDir = await tempFolder()
    const file = join(dataDir, 'service.sqlite')
    const service = await startService({ driver, dataDir })
    const project = await createProject(service)
    const texts = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key${i}`, `Text number ${i}`]))
    await project.import({ en: texts, pl: texts })
    await service.close()
    const good = await readFile(file)
    expect((await checkService({ driver, dataDir })).data).toBe(file)
    const middle = good.length / 2 - ((good.length / 2) % 4096)
    const damage: readonly (readonly [Buffer, string])[] = [
      [
        Buffer.concat([good.subarray(0, middle), Buffer.alloc(4096, 255), good.subarray(middle + 4096)]),
        'is damaged: ',
      ],
      [good.subarray(0, middle), 'malformed'],
      [Buffer.concat([Buffer.alloc(4096), good.subarray(4096)]), 'not a database'],
      [Buffer.alloc(0), 'is empty'],
    ]
    for (const [bytes, message] of damage) {
      await writeFile(file, bytes)
      const error = await checkService({ driver, dataDir }).catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'SERVICE_START', hint: expect.stringMatching(/restore/i) })
      expect(error.message).toContain(file)
      expect(error.message).toContain(message)
      expect((await readFile(file)).equals(bytes)).toBe(true)
      expect(await readdir(dataDir)).toEqual(['service.sqlite'])
    }
  })
})

describe('starting', () => {
  test('a folder that cannot be made and a port that is taken are SERVICE_START, and free what was taken', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'file'), '')
    await expect(createLocalService({ dataDir: join(folder, 'file', 'data') })).rejects.toMatchObject({
      code: 'SERVICE_START',
    })
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const dataDir = join(folder, 'data')
    await mkdir(dataDir)
    await expect(createLocalService({ dataDir, port })).rejects.toMatchObject({
      code: 'SERVICE_START',
      message: expect.stringContaining(String(port)),
    })
    await startService({ dataDir })
  })

  test.each([
    ['a language', { languages: ['_index'] }],
    ['a customer', { customers: [''] }],
    ['an environment', { environments: ['a/b'] }],
    ['the default language', { defaultLanguage: '' }],
  ])('%s that cannot be is SERVICE_START', async (_what, options) => {
    await expect(createLocalService(options)).rejects.toMatchObject({ code: 'SERVICE_START' })
  })

  test('whoever gets an answer finds service.json', async () => {
    const dataDir = await tempFolder()
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    await new Promise((resolve) => taken.close(resolve))
    let isUp = false
    const first = (async () => {
      while (!isUp) {
        const status = await fetch(`http://127.0.0.1:${port}/health`).then(
          (answer) => answer.status,
          () => undefined,
        )
        if (status === 200) return await readdir(dataDir)
      }
      return []
    })()
    const service = await startService({ dataDir, port })
    setTimeout(() => {
      isUp = true
    }, 2000).unref()
    expect(await first).toContain('service.json')
    expect(await request(`${service.baseUrl}/health`)).toMatchObject({ status: 200 })
  })

  test('joining sends nothing to an address where something else answers, as in another container', async () => {
    const dataDir = await tempFolder()
    const seen: string[] = []
    const other = createServer((incoming, response) => {
      seen.push(`${incoming.url} ${JSON.stringify(incoming.headers)}`)
      response.end('{"status":"UP"}')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const lock = await lockFolder(dataDir)
    onTestFinished(() => lock.release())
    lock.settle()
    const baseUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const announced = { lock: lock.id, baseUrl, cdnUrl: baseUrl, filesUrl: baseUrl, personalToken: 'canary-announced' }
    await writeFile(join(dataDir, 'service.json'), JSON.stringify(announced))
    await expect(joinLocalService({ dataDir })).rejects.toMatchObject({
      code: 'SERVICE_LOCKED',
      message: expect.stringContaining('another container'),
    })
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.join()).not.toContain('canary-announced')
    expect(seen.every((line) => line.startsWith('/health '))).toBe(true)
  })

  test('close lets a request that is being answered finish', async () => {
    const { duringPublish, started, end } = holdFirstPublish()
    const service = await createLocalService({ duringPublish })
    const project = await createProject(service)
    const publishing = project.publish()
    await started()
    const closed = service.close()
    end()
    await closed
    expect((await publishing).status).toBe(200)
  })

  test('close may be called twice, and ends connections', async () => {
    const service = await createLocalService()
    await createProject(service)
    await Promise.all([service.close(), service.close()])
    await expect(fetch(`${service.baseUrl}/health`)).rejects.toThrow()
  })
})
