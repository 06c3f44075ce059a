/** Events of a watcher, and the readings of the files that they cause. */

import { join } from 'node:path'
import { setImmediate as tick } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../src/logger.ts'
import { createSession } from '../../../src/plugin/session.ts'
import { save } from '../../helpers/live-page.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

async function open() {
  const root = await tempFolder()
  await writeTree(root, { 'locales/en/common.json': { title: 'Title' } })
  const options = { configFile: false, source: 'files' } as const
  const session = createSession({ options, logger: silentLogger, fallbackRoot: root })
  onTestFinished(() => session.close())
  session.configure({ root, command: 'dev' })
  await session.ready()
  return { session, edit: (title: string) => save(join(root, 'locales/en/common.json'), { title }) }
}

const titleOf = ({ loaded }: Awaited<ReturnType<Awaited<ReturnType<typeof open>>['session']['ready']>>) =>
  loaded.catalog.messages('en', 'common')?.get('title')

test('any number of events cause one reading, and those that come while it reads one more', async () => {
  const { session, edit } = await open()
  await edit('one')
  const first = Array.from({ length: 100 }, () => session.refresh())
  await tick()
  await edit('two')
  const second = Array.from({ length: 100 }, () => session.refresh())
  const changes = [new Set(await Promise.all(first)), new Set(await Promise.all(second))]
  expect(changes.map(({ size }) => size)).toEqual([1, 1])
  const [last] = [...(changes[1] ?? [])]
  expect(last && titleOf(last.after)).toBe('two')
})

test('the texts of before an edit are let go', async () => {
  const { session, edit } = await open()
  const old: WeakRef<object>[] = []
  for (const title of ['one', 'two', 'three', 'four']) {
    await edit(title)
    old.push(new WeakRef((await session.refresh()).after.loaded.catalog))
  }
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held = () => {
    collect()
    return old.slice(0, 2).filter((ref) => ref.deref() !== undefined).length
  }
  await expect.poll(held).toBe(0)
})

test('nothing is read any more when it is closed', async () => {
  const { session, edit } = await open()
  const before = await session.ready()
  await edit('late')
  await session.close()
  expect((await session.refresh()).after).toBe(before)
})
