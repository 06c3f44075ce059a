/** Another SQLite program at the data file: it is refused while a service has the file, and takes nothing from it. */
import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createLocalService } from '../../src/service.ts'
import { hasOtherSqlite, openOtherSqlite } from '../helpers/other-sqlite.ts'
import { repeats } from '../helpers/repeats.ts'
import {
  createProject,
  projectOf,
  SQLITE_DRIVERS,
  startService,
  type TestProject,
  waitFor,
} from '../helpers/service.ts'
import { spawnService } from '../helpers/service-process.ts'
import { tempFolder } from '../helpers/temp.ts'

const ROUNDS = Number(process.env.KILLS ?? repeats(3, 30))
const REFUSED = /unable to open database file|database is locked/

async function textsOf(project: TestProject): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (let page = 0; ; page++) {
    const { body } = await project.get(`/api/v2/translations?language=en&size=500&page=${page}`)
    for (const { key, text } of body.data) texts[key] = text
    if (body.data.length < 500) return texts
  }
}

async function addText(project: TestProject, key: string, text: string): Promise<void> {
  await project.api('POST', '/api/v1/translation-keys', { key })
  const { status, body } = await project.api('PATCH', '/api/v2/translations', { key, language: 'en', text })
  expect(body).toMatchObject({ status: 200 })
  expect(status).toBe(200)
}

describe.each(SQLITE_DRIVERS)('%s', (driver) => {
  test.runIf(hasOtherSqlite)(
    `${ROUNDS} kill -9 while another program reads, backs up and writes: nothing acknowledged is lost`,
    { timeout: 60_000 + ROUNDS * 20_000 },
    async () => {
      const dataDir = join(await tempFolder(), 'data')
      const backups = await tempFolder()
      const file = join(dataDir, 'service.sqlite')
      const acknowledged: Record<string, string> = {}
      let project: TestProject | undefined
      for (let round = 0; round < ROUNDS; round++) {
        const service = await spawnService({ dataDir, driver })
        project = project ? projectOf(service, project) : await createProject(service)
        expect(await textsOf(project)).toEqual(acknowledged)
        const running = project
        let isOver = false
        const writing = (async () => {
          for (let i = 0; !isOver; i++) {
            await addText(running, `${round}-${i}`, `text ${i}`)
            acknowledged[`${round}-${i}`] = `text ${i}`
          }
        })()
        const statements = [
          'SELECT * FROM translations',
          `VACUUM INTO '${join(backups, `${round}.sqlite`)}'`,
          "UPDATE translations SET text = 'foreign'",
          'PRAGMA wal_checkpoint(TRUNCATE)',
          'PRAGMA journal_mode = DELETE',
        ]
        for (const sql of statements) {
          const other = openOtherSqlite(file)
          const before = Object.keys(acknowledged).length
          await waitFor(
            () => Object.keys(acknowledged).length,
            (count) => count > before + (round % 3),
          )
          expect(await other.execute(sql), sql).toMatch(REFUSED)
          if (round % 2) await other.close()
          else await other.kill()
        }
        isOver = true
        await writing
        await addText(running, `${round}-last`, 'last')
        acknowledged[`${round}-last`] = 'last'
        await service.end('SIGKILL')
      }
      const service = await spawnService({ dataDir, driver })
      expect(await textsOf(projectOf(service, project as TestProject))).toEqual(acknowledged)
      await service.end('SIGTERM')
      expect(await readdir(dataDir)).toEqual(['.gitignore', 'service.sqlite'])
    },
  )

  test.runIf(hasOtherSqlite)('a start beside a program that has the file open is SERVICE_LOCKED', async () => {
    const dataDir = join(await tempFolder(), 'data')
    const first = await createLocalService({ dataDir, driver })
    const project = await createProject(first)
    await addText(project, 'a', 'A')
    await first.close()
    for (const sql of ['BEGIN IMMEDIATE', 'SELECT * FROM translations']) {
      const other = openOtherSqlite(join(dataDir, 'service.sqlite'))
      expect(await other.execute(sql)).toBe('done')
      await expect(createLocalService({ dataDir, driver })).rejects.toMatchObject({
        code: 'SERVICE_LOCKED',
        message: expect.stringContaining('in use by another program'),
      })
      expect(await other.execute(sql === 'BEGIN IMMEDIATE' ? "UPDATE translations SET text = 'B'" : sql)).toBe('done')
      if (sql === 'BEGIN IMMEDIATE') expect(await other.execute('COMMIT')).toBe('done')
      await other.close()
    }
    const again = await startService({ dataDir, driver })
    expect(await textsOf(projectOf(again, project))).toEqual({ a: 'B' })
  })

  test.runIf(hasOtherSqlite)(
    'a file without a log of its own, as a backup has it, is refused to others too',
    async () => {
      const dataDir = join(await tempFolder(), 'data')
      const first = await createLocalService({ dataDir, driver })
      const project = await createProject(first)
      await addText(project, 'a', 'A')
      await first.close()
      const file = join(dataDir, 'service.sqlite')
      const backup = join(dataDir, 'backup')
      const other = openOtherSqlite(file)
      expect(await other.execute(`VACUUM INTO '${backup}'`)).toBe('done')
      await other.close()
      await copyFile(backup, file)
      const again = await startService({ dataDir, driver })
      expect(await textsOf(projectOf(again, project))).toEqual({ a: 'A' })
      const next = openOtherSqlite(file)
      expect(await next.execute("UPDATE translations SET text = 'B'")).toMatch(REFUSED)
    },
  )

  test.each(SQLITE_DRIVERS)('what a kill leaves is there for %s', async (next) => {
    const dataDir = join(await tempFolder(), 'data')
    const killed = await spawnService({ dataDir, driver })
    const project = await createProject(killed)
    await addText(project, 'a', 'A')
    await killed.end('SIGKILL')
    const service = await createLocalService({ dataDir, driver: next })
    expect(await textsOf(projectOf(service, project))).toEqual({ a: 'A' })
    await service.close()
    expect(await readdir(dataDir)).toEqual(['.gitignore', 'service.sqlite'])
  })
})
