/**
 * Row 28: services on one data folder that do not see each other's sockets: the second one refuses, and touches
 * nothing.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { faultRow } from '../helpers/fault-rows.ts'
import { repeats } from '../helpers/repeats.ts'
import { SQLITE_DRIVERS } from '../helpers/service.ts'
import { tempFolder } from '../helpers/temp.ts'
import { testThoroughly } from '../helpers/test-thoroughly.ts'
import { contend, NAMESPACES, refusedAgain } from './contenders.ts'

const row = faultRow(28)
const WRITES = repeats(30, 100)
/** The folder changes hands so often. */
const ROUNDS = repeats(['a'], ['a', 'b', 'c'])
/** The next one is refused so often while the one that has the folder is stopped. */
const STOPPED = repeats(10, 40)

describe.each(SQLITE_DRIVERS)('%s', (driver) => {
  test.each(repeats(NAMESPACES.slice(-1), NAMESPACES))(
    '%s: one at a time, one that is stopped keeps it, the next one at once after a kill, nothing lost',
    async (way) => {
      const dataDir = join(await tempFolder(), 'data')
      const acknowledged: Record<string, string> = {}
      let holder = contend(dataDir, { way, driver })
      await holder.until('holds')
      for (const prefix of ROUNDS) {
        const next = contend(dataDir, { way, driver })
        const described = await readFile(join(dataDir, 'service.json'), 'utf8')
        await next.until('refused')
        const writing = holder.tell(`write ${WRITES} ${prefix}`, 'wrote')
        await refusedAgain(next, 5)
        await writing
        holder.signal('SIGSTOP')
        await refusedAgain(next, STOPPED)
        holder.signal('SIGCONT')
        await holder.tell(`write 10 ${prefix}-after-`, 'wrote')
        row.alsoTried(WRITES + 10)
        expect(next.holds()).toBe(false)
        expect(new Set(next.events.map(({ refused }) => refused))).toEqual(new Set(['SERVICE_LOCKED']))
        expect(await readFile(join(dataDir, 'service.json'), 'utf8')).toBe(described)
        // Killed in the middle of its writes.
        holder.send(`write 1000 ${prefix}-cut-`)
        await expect.poll(() => holder.events.at(-1)?.written).toContain('-cut-')
        await holder.kill()
        const goneAt = Date.now()
        await next.until('holds')
        // The folder is free at once.
        expect(next.events.filter(({ triedAt = 0 }) => triedAt > goneAt)).toEqual([])
        Object.assign(acknowledged, holder.acknowledged())
        const { texts = {} } = await next.tell('read', 'texts')
        row.kept(Object.fromEntries(Object.keys(acknowledged).map((key) => [key, texts[key] ?? ''])), acknowledged)
        holder = next
      }
      await holder.tell('end', 'ended')
      expect((await readdir(dataDir)).sort()).toEqual(['.gitignore', 'service.sqlite'])
    },
  )

  testThoroughly('of many that wait, one at a time has the folder', async () => {
    const dataDir = join(await tempFolder(), 'data')
    const all = Array.from({ length: 5 }, (_, at) =>
      contend(dataDir, { way: NAMESPACES[at % NAMESPACES.length], driver }),
    )
    const acknowledged: Record<string, string> = {}
    for (let left = all; left.length > 0; ) {
      const holders = () => left.filter((one) => one.holds())
      await expect.poll(() => holders().length, { interval: 10 }).toBe(1)
      const [holder] = holders()
      if (!holder) break
      await holder.tell(`write 20 ${left.length}-`, 'wrote')
      const { texts = {} } = await holder.tell('read', 'texts')
      Object.assign(acknowledged, holder.acknowledged())
      row.kept(texts, acknowledged)
      expect(holders()).toHaveLength(1)
      await holder.kill()
      left = left.filter((one) => one !== holder)
    }
    expect(Object.keys(acknowledged)).toHaveLength(all.length * 20)
  })

  describe('on a file system that holds no sockets', () => {
    // With the other driver, a service that is stopped is taken for dead in the same way: below.
    const testKill = driver === 'node:sqlite' ? test : testThoroughly
    testKill('a second service is refused; after a kill it starts', async () => {
      const dataDir = join(await tempFolder(), 'data')
      const way = NAMESPACES.at(-1)
      const holder = contend(dataDir, { way, driver, sockets: false })
      await holder.until('holds')
      const next = contend(dataDir, { way, driver, sockets: false })
      await next.until('refused')
      await holder.tell(`write ${WRITES} a`, 'wrote')
      expect(next.holds()).toBe(false)
      await holder.kill()
      await next.until('holds')
      const { texts = {} } = await next.tell('read', 'texts')
      row.kept(texts, holder.acknowledged())
    })

    // With this driver the system locks the data as well.
    if (driver === 'node:sqlite') {
      test('one that is stopped keeps its data, which the system locks too', async () => {
        const dataDir = join(await tempFolder(), 'data')
        const holder = contend(dataDir, { driver, sockets: false })
        await holder.until('holds')
        await holder.tell('write 10 first', 'wrote')
        holder.signal('SIGSTOP')
        const next = contend(dataDir, { driver, sockets: false })
        await expect.poll(() => next.events.map(({ message }) => message).join()).toContain('another program')
        expect(new Set(next.events.map(({ refused }) => refused))).toEqual(new Set(['SERVICE_LOCKED']))
        holder.signal('SIGCONT')
        const writes = () => holder.events.filter(({ written }) => written).length
        await expect
          .poll(async () => {
            await holder.tell('write 1 second', 'wrote')
            return writes()
          })
          .toBeGreaterThan(10)
        const { texts = {} } = await holder.tell('read', 'texts')
        row.kept(texts, holder.acknowledged())
        expect(next.holds()).toBe(false)
      })
    } else {
      test('one that was stopped until it was taken for dead writes no more, and leaves the files of the other alone', async () => {
        const dataDir = join(await tempFolder(), 'data')
        const holder = contend(dataDir, { driver, sockets: false })
        await holder.until('holds')
        const next = contend(dataDir, { driver, sockets: false })
        await next.until('refused')
        await holder.tell('write 10 first', 'wrote')
        expect(next.holds()).toBe(false)
        holder.signal('SIGSTOP')
        await next.until('holds')
        await next.tell('write 10 second', 'wrote')
        holder.signal('SIGCONT')
        await holder.tell('write 10 third', 'wrote')
        expect(holder.events.filter(({ failed }) => failed !== undefined)).toEqual(
          Array.from({ length: 10 }, () => ({ failed: 503, code: 'LOCK_LOST' })),
        )
        await holder.tell('end', 'ended')
        await next.tell('write 10 fourth', 'wrote')
        const { texts = {} } = await next.tell('read', 'texts')
        row.kept(texts, { ...holder.acknowledged(), ...next.acknowledged() })
        await next.tell('end', 'ended')
        expect((await readdir(dataDir)).sort()).toEqual(['.gitignore', 'service.sqlite'])
      })
    }
  })
})
