/** When an edit of the configuration is told. With each bundler: `test/dev/config-notice.test.ts`. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../../../src/logger.ts'
import { createConfigNotice } from '../../../src/plugin/config-notice.ts'
import { Session } from '../../../src/plugin/session.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

async function watch(name = 'localization.config.json', content: object = {}) {
  const root = await tempFolder()
  const file = join(root, name)
  await writeTree(root, { 'localization.config.json': content, 'locales/en/common.json': { title: 'Title' } })
  const said: string[] = []
  const logger = createLogger({ write: (line) => said.push(line) })
  const session = new Session({ options: {}, logger, fallbackRoot: root })
  onTestFinished(() => session.close())
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const loading = session.config()
  const notice = createConfigNotice({ session, logger })
  notice(root)
  await loading.catch(() => {})
  const told = () => said.filter((line) => line.includes(' changed. Restart')).length
  return { file, root, session, begin: () => notice(root), look: () => void vi.advanceTimersByTime(500), said, told }
}

test('a file that is emptied and then written is told once', async () => {
  const { file, look, told } = await watch()
  await writeFile(file, '')
  look()
  await writeFile(file, '{ "values": "keep" }')
  look()
  expect(told()).toBe(0)
  look()
  look()
  expect(told()).toBe(1)
})

test('a file that is removed and then written again as it was is not told; one that stays away is', async () => {
  const { file, look, told } = await watch()
  const content = await readFile(file)
  await rm(file)
  look()
  await writeFile(file, content)
  look()
  look()
  expect(told()).toBe(0)
  await rm(file)
  look()
  look()
  expect(told()).toBe(1)
})

test('an edit right after the load, before anything watches', async () => {
  const { file, look, told } = await watch()
  await writeFile(file, '{ "values": "keep" }')
  look()
  look()
  expect(told()).toBe(1)
})

test('an edit of a configuration that failed to load', async () => {
  const { file, look, told } = await watch('localization.config.json', { wrong: 1 })
  await writeFile(file, '{}')
  look()
  look()
  expect(told()).toBe(1)
})

test('a closed session tells nothing until a watcher uses it again', async () => {
  const { file, session, begin, look, told } = await watch()
  await writeFile(file, '{ "values": "keep" }')
  look()
  await session.close()
  look()
  expect(told()).toBe(0)
  begin()
  look()
  expect(told()).toBe(1)
})

test.each(['localization.config.ts', '.env.local'])('a file that appears is told: %s', async (name) => {
  const { file, look, said } = await watch(name)
  await writeFile(file, 'A=1')
  look()
  look()
  expect(said.join()).toContain(`${name} changed. Restart the bundler`)
})

test('each edit is told, one that makes the configuration wrong too', async () => {
  const { file, look, told } = await watch()
  for (const [edits, content] of ['{ "values": "keep" }', '{ "wrong": 1 }'].entries()) {
    await writeFile(file, content)
    look()
    look()
    expect(told()).toBe(edits + 1)
  }
})
