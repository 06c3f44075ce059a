/** A full disk of PostgreSQL: nothing that was acknowledged is lost, and nothing is there by half. */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createLocalService } from '../../src/service.ts'
import { whenOver } from '../helpers/closing.ts'
import { type Answer, createProject, request, waitFor } from '../helpers/service.ts'
import { noMounts } from '../helpers/small-disk.ts'
import { startSmallPostgres } from '../helpers/small-postgres.ts'

const IMPORT = '/api/v2/import?uploadFormat=multi-language-json'
const TEXTS = 50

describe.skipIf(noMounts)('a full disk', () => {
  test.each([
    ['data', '96m', 4000, '507 STORAGE_FULL'],
    // The server ends itself where its log of writes cannot go on.
    ['wal', '16m', 200, '503 DATABASE_UNAVAILABLE'],
  ] as const)('of the %s', async (part, size, leaveKb, expected) => {
    const server = await startSmallPostgres(part, size)
    const service = await createLocalService({ databaseUrl: server.url })
    whenOver(() => service.close())
    const project = await createProject(service)
    await project.import({ en: { start: 'here' } })
    await project.publish()
    const acknowledged = new Set<number>()
    const unknown = new Set<number>()
    const codes = new Set<string>()
    let imports = 0
    const importNext = async (): Promise<Answer> => {
      const form = new FormData()
      const number = ++imports
      form.append('file', new Blob([JSON.stringify({ en: textsOf(number) })]), 'texts.json')
      const answer = await project.api('POST', IMPORT, form)
      if (answer.status === 200) acknowledged.add(number)
      else {
        codes.add(`${answer.status} ${answer.body.code}`)
        if (answer.status === 503) unknown.add(number)
      }
      return answer
    }
    await importNext()
    await server.fill(leaveKb)
    await waitFor(importNext, ({ status }) => status !== 200)
    for (let i = 0; i < 5; i++) await importNext()
    expect([...codes]).toContain(expected)
    for (const code of codes) expect(['507 STORAGE_FULL', '503 DATABASE_UNAVAILABLE']).toContain(code)
    expect((await request(`${service.baseUrl}/health`)).status).toBe(200)
    if (part === 'data') expect((await project.hosted('en')).body).toMatchObject({ start: 'here' })

    await server.makeRoom()
    await waitFor(importNext, ({ status }) => status === 200)
    const { en } = await project.export()
    for (let number = 1; number <= imports; number++) {
      const own = Object.keys(textsOf(number)).filter((key) => key in en)
      if (acknowledged.has(number)) expect(own, `import ${number}`).toHaveLength(TEXTS)
      else expect(unknown.has(number) ? [0, TEXTS] : [0], `import ${number}`).toContain(own.length)
    }
    const log = await server.serverLog()
    expect(log).toContain('No space left on device')
    if (part === 'wal') expect(log).toContain('PANIC')
    process.stdout.write(`full disk of the ${part}: ${acknowledged.size} imports kept, ${[...codes].join(', ')}\n`)
  })
})

function textsOf(number: number): Record<string, string> {
  // The database compresses what repeats.
  const text = `${number} ${randomBytes(1000).toString('hex')}`
  return Object.fromEntries(Array.from({ length: TEXTS }, (_, i) => [`${number}.${i}`, text]))
}
