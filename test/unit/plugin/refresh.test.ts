/** Events of a watcher, and the readings of the files that they cause. */

import { join } from 'node:path'
import { setImmediate as tick } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../src/logger.ts'
import { Session } from '../../../src/plugin/session.ts'
import { areFreed } from '../../helpers/freed.ts'
import { save, tempFolder, writeTree } from '../../helpers/temp.ts'

async function open() {
  const root = await tempFolder()
  await writeTree(root, { 'locales/en/common.json': { title: 'Title' } })
  const options = { configFile: false, source: 'files' } as const
  const session = new Session({ options, logger: silentLogger, fallbackRoot: root })
  onTestFinished(() => session.close())
  session.configure({ root, command: 'dev' })
  await session.ready()
  const path = join(root, 'locales/en/common.json')
  return { session, root, path, edit: (title: string) => save(path, { title }) }
}

const titleOf = ({ loaded }: Awaited<ReturnType<Awaited<ReturnType<typeof open>>['session']['ready']>>) =>
  loaded.catalog.messages('en', 'common')?.get('title')

test('any number of events cause one reading, and those that come while it reads one more', async () => {
  const { session, path, edit } = await open()
  await edit('one')
  const first = Array.from({ length: 100 }, () => session.dev.refresh(path))
  await tick()
  await edit('two')
  const second = Array.from({ length: 100 }, () => session.dev.refresh(path))
  const changes = [new Set(await Promise.all(first)), new Set(await Promise.all(second))]
  expect(changes.map(({ size }) => size)).toEqual([1, 1])
  const [last] = [...(changes[1] ?? [])]
  expect(last && titleOf(last.after)).toBe('two')
})

test('files that did not change are not read again, and their findings stay', async () => {
  const { session, root, path, edit } = await open()
  await save(join(root, 'locales/en/whole.json'), { word: 'word' })
  await save(join(root, 'locales/en/broken.json'), '{ "word": "word",')
  // New and broken: it may be half-written, and counts when it stays.
  const findings = async () => (await session.dev.refresh(path)).after.loaded.diagnostics
  expect(await findings()).toEqual([])
  await expect.poll(findings).toHaveLength(1)
  const { loaded } = await session.ready()
  await edit('one')
  const next = (await session.dev.refresh(path)).after.loaded
  const textsOf = (of: typeof loaded, name: string) => of.catalog.part('en', name)?.lazy
  expect(textsOf(next, 'whole')).toBeDefined()
  expect(textsOf(next, 'whole')).toBe(textsOf(loaded, 'whole'))
  expect(textsOf(next, 'common')).not.toBe(textsOf(loaded, 'common'))
  expect(loaded.diagnostics).toHaveLength(1)
  expect(next.diagnostics).toEqual(loaded.diagnostics)
  await save(join(root, 'locales/en/broken.json'), { word: 'mended' })
  expect((await session.dev.refresh(path)).after.loaded.diagnostics).toEqual([])
})

test('the texts of before an edit are freed', async () => {
  const { session, path, edit } = await open()
  const old: WeakRef<object>[] = []
  for (const title of ['one', 'two', 'three', 'four']) {
    await edit(title)
    const { loaded } = (await session.dev.refresh(path)).after
    for (const held of [loaded.catalog, ...loaded.catalog.parts.flatMap(({ lazy }) => lazy ?? [])])
      old.push(new WeakRef(held))
  }
  await areFreed(old.slice(0, 4))
})

test('the texts of a closed session are freed', async () => {
  const root = await tempFolder()
  await writeTree(root, { 'locales/en/common.json': { title: 'Title' } })
  const openAndClose = async () => {
    const session = new Session({ options: { configFile: false }, logger: silentLogger, fallbackRoot: root })
    session.configure({ root, command: 'dev' })
    const { loaded } = await session.ready()
    session.end()
    await session.close()
    return new WeakRef(loaded.catalog)
  }
  await areFreed([await openAndClose()])
})

test('nothing is read any more when it is closed', async () => {
  const { session, path, edit } = await open()
  const before = await session.ready()
  await edit('late')
  await session.close()
  expect((await session.dev.refresh(path)).after).toBe(before)
})
