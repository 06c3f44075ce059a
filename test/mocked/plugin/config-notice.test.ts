/** When an edit of the configuration is told. With each bundler: `test/dev/config-notice.test.ts`. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../../../src/logger.ts'
import { createConfigNotice } from '../../../src/plugin/config-notice.ts'
import { Session } from '../../../src/plugin/session.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const watched = vi.hoisted(() => new Map<string, () => void>())

vi.mock(import('node:fs'), async (original) => ({
  ...(await original()),
  watchFile: ((file: string, _options: object, listener: () => void) => void watched.set(file, listener)) as never,
  unwatchFile: ((file: string) => void watched.delete(file)) as never,
}))

async function watch(name = 'localization.config.json') {
  const root = await tempFolder()
  const file = join(root, name)
  await writeTree(root, { 'localization.config.json': {}, 'locales/en/common.json': { title: 'Title' } })
  const said: string[] = []
  const logger = createLogger({ write: (line) => said.push(line) })
  const session = new Session({ options: {}, logger, fallbackRoot: root })
  onTestFinished(() => session.close())
  await createConfigNotice({ session, logger })(root)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const look = () => watched.get(file)?.()
  return { file, session, look, said, told: () => said.filter((line) => line.includes('was edited')).length }
}

test('a file that is emptied and then written is told once', async () => {
  const { file, look, told } = await watch()
  await writeFile(file, '')
  look()
  vi.advanceTimersByTime(200)
  await writeFile(file, '{ "values": "keep" }')
  look()
  vi.advanceTimersByTime(200)
  expect(told()).toBe(0)
  vi.advanceTimersByTime(100)
  expect(told()).toBe(1)
})

test('a file that is removed and then written again as it was is not told; one that stays away is', async () => {
  const { file, look, told } = await watch()
  const content = await readFile(file)
  await rm(file)
  look()
  await writeFile(file, content)
  look()
  vi.advanceTimersByTime(300)
  expect(told()).toBe(0)
  await rm(file)
  look()
  vi.advanceTimersByTime(300)
  expect(told()).toBe(1)
})

test('a closed session tells nothing', async () => {
  const { file, session, look, told } = await watch()
  await writeFile(file, '{ "values": "keep" }')
  look()
  await session.close()
  vi.advanceTimersByTime(300)
  expect(told()).toBe(0)
})

test('a file of another name that appears is told', async () => {
  const { file, look, said } = await watch('localization.config.ts')
  await writeFile(file, 'export default {}')
  look()
  vi.advanceTimersByTime(300)
  expect(said.join()).toContain('localization.config.ts was edited: restart the bundler')
})

test('each edit is told, one that makes the configuration wrong too', async () => {
  const { file, look, told } = await watch()
  for (const [edits, content] of ['{ "values": "keep" }', '{ "wrong": 1 }'].entries()) {
    await writeFile(file, content)
    look()
    vi.advanceTimersByTime(300)
    expect(told()).toBe(edits + 1)
  }
})
