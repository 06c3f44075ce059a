/**
 * A saved file is parsed once, though the page and sync both want it and it is looked at again when it is calm, and
 * reaches both whoever saw it first.
 */
import fs, { type PathLike } from 'node:fs'
import fsPromises, { rename } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../../src/logger.ts'
import { Session } from '../../../src/plugin/session.ts'
import type { StateChange } from '../../../src/plugin/state.ts'
import { whenOver } from '../../helpers/closing.ts'
import { type Project, startProject } from '../../helpers/project.ts'
import { waitFor } from '../../helpers/service.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

/** `kept`: the parsed texts. Otherwise the collector may release texts, which are then parsed again. */
const seen = vi.hoisted(() => ({ reads: [] as string[], parsed: [] as string[], kept: [] as unknown[] }))

vi.mock(import('../../../src/files/formats/json/native.ts'), async (original) => {
  const { readNativeJson } = await original()
  return {
    readNativeJson: (bytes, keySeparator) => {
      seen.parsed.push(bytes.toString())
      const texts = readNativeJson(bytes, keySeparator)
      seen.kept.push(texts?.entries)
      return texts
    },
  }
})

const { openSync } = fs
const { readFile, open: openHandle } = fsPromises
beforeAll(() => {
  vi.stubEnv('CI', '')
  const note = (path: unknown) => String(path).includes('locales') && seen.reads.push(String(path))
  fs.openSync = (path: PathLike, ...rest: [fs.OpenMode]) => {
    note(path)
    return openSync(path, ...rest)
  }
  fsPromises.readFile = ((path: PathLike, ...rest: []) => {
    note(path)
    return readFile(path, ...rest)
  }) as typeof readFile
  fsPromises.open = (path, ...rest) => {
    note(path)
    return openHandle(path, ...rest)
  }
  syncBuiltinESMExports()
})
afterAll(() => {
  vi.unstubAllEnvs()
  Object.assign(fs, { openSync })
  Object.assign(fsPromises, { readFile, open: openHandle })
  syncBuiltinESMExports()
})
beforeEach(() => {
  seen.reads.length = 0
  seen.parsed.length = 0
})

const FILE = 'locales/en/common.json'
const MARKER = 'locales/en/other.json'
const TEXTS = { title: 'Hello', bye: 'Bye' }

async function open() {
  const root = await tempFolder()
  const service = await startProject({ service: true })
  for (const [key, text] of Object.entries(TEXTS)) await service.setText('en', 'common', key, text)
  await writeTree(root, { [FILE]: TEXTS, [MARKER]: { word: 'word' } })
  const options = {
    configFile: false,
    source: 'files',
    defaultLanguage: 'en',
    service: { baseUrl: service.baseUrl, apiKey: service.apiKey },
  } as const
  const session = new Session({ options, logger: silentLogger, fallbackRoot: root })
  whenOver(() => session.close())
  session.configure({ root, command: 'dev' })
  await session.ready()
  const told: StateChange[] = []
  session.dev.onChange((change) => told.push(change))
  session.dev.startSync()
  await waitFor(
    () => session.dev.engine?.status().role,
    (role) => role === 'writer',
  )
  await session.dev.engine?.refresh()
  /** Behind a later save that the page and the service have, nothing of an earlier one is under way any more. */
  const saveMarker = async (word: string) => {
    await writeTree(root, { [MARKER]: { word } })
    await expect.poll(async () => (await session.ready()).translations.messages('en', 'other').get('word')).toBe(word)
    await expect.poll(async () => (await service.texts('en', 'other')).word).toBe(word)
  }
  await session.dev.engine?.release()
  let begun = 0
  const title = async () => {
    const { translations } = await session.ready()
    return translations.messages('en', 'common').get('title')
  }
  return {
    root,
    path: join(root, FILE),
    service,
    session,
    told,
    title,
    saveMarker,
    /** Forgets what was read and told so far. */
    begin: async () => {
      await saveMarker(`begun ${++begun}`)
      for (const list of [seen.reads, seen.parsed, told]) list.length = 0
    },
    /** As editors do that rename: a look at a file that is being written in place reads it once more. */
    save: async (texts: object) => {
      await writeTree(root, { 'saved.tmp': texts })
      await rename(join(root, 'saved.tmp'), join(root, FILE))
    },
  }
}

const titleOf = ({ translations }: StateChange['before']) => translations.messages('en', 'common').get('title')
const serviceHas = (service: Project, title: string) =>
  expect.poll(async () => (await service.texts('en')).title).toBe(title)

test('a start reads and parses each file once', async () => {
  const root = await tempFolder()
  const names = Array.from({ length: 20 }, (_, i) => `locales/en/part${i}.json`)
  await writeTree(root, Object.fromEntries(names.map((name) => [name, { title: name }])))
  const options = { configFile: false, source: 'files' } as const
  const session = new Session({ options, logger: silentLogger, fallbackRoot: root })
  onTestFinished(() => session.close())
  session.configure({ root, command: 'dev' })
  const { translations } = await session.ready()
  expect(seen).toMatchObject({ reads: { length: 20 }, parsed: { length: 20 } })
  expect(translations.messages('en', 'part7').get('title')).toBe('locales/en/part7.json')
  expect(seen).toMatchObject({ reads: { length: 20 }, parsed: { length: 20 } })
})

test('instances of one configuration share what is read, and each is told as long as it is open', async () => {
  const root = await tempFolder()
  await writeTree(root, { [FILE]: TEXTS })
  const options = { configFile: false, source: 'files' } as const
  const [first, second] = Array.from({ length: 2 }, () => {
    const session = new Session({ options, logger: silentLogger, fallbackRoot: root })
    onTestFinished(() => session.close())
    session.configure({ root, command: 'dev' })
    return session
  }) as [Session, Session]
  const told: string[] = []
  first.dev.onChange(() => told.push('first'))
  second.dev.onChange(() => told.push('second'))
  await Promise.all([first.ready(), second.ready()])
  expect(seen.reads).toHaveLength(1)
  for (const session of [first, second]) session.dev.startSync()
  for (const session of [first, second]) await expect.poll(() => session.dev.engine?.status().role).toBe('watching')
  await writeTree(root, { [FILE]: { title: 'both' } })
  await first.dev.refresh(join(root, FILE))
  await expect.poll(() => told).toEqual(['second'])
  await first.close()
  await writeTree(root, { [FILE]: { title: 'second' } })
  await expect.poll(() => told).toEqual(['second', 'second'])
})

describe('a project whose service takes part', () => {
  let project: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    project = await open()
  })
  beforeEach(() => project.begin())

  test('a save that the bundler tells of, and the index’s own watch too', async () => {
    const { session, save, saveMarker, service, title, path, told } = project
    const before = await title()
    await save({ ...TEXTS, title: 'one' })
    const refreshed = await session.dev.refresh(path)
    expect(await title()).toBe('one')
    await serviceHas(service, 'one')
    await saveMarker('end')
    expect(seen.parsed.filter((text) => text.includes('one'))).toHaveLength(1)
    // Whoever asked for the reading has the change, unless the watch was faster: it is told once.
    const changes = [refreshed, ...told].map(({ before, after }) => [titleOf(before), titleOf(after)])
    expect(changes.filter(([from, to]) => from !== to)).toEqual([[before, 'one']])
  })

  test('a save that only the index’s own watch sees', async () => {
    const { save, saveMarker, service, title, told } = project
    const before = await title()
    await save({ ...TEXTS, title: 'two' })
    await expect.poll(title).toBe('two')
    await serviceHas(service, 'two')
    await saveMarker('end')
    expect(seen.parsed.filter((text) => text.includes('two'))).toHaveLength(1)
    expect(told.map(({ before }) => titleOf(before))).toEqual([before, 'two'])
  })

  test('a save that sync found is on the page, and parsed once', async () => {
    const { save, saveMarker, session, service, title } = project
    await save({ ...TEXTS, title: 'three' })
    await session.dev.engine?.rescan()
    await expect.poll(title).toBe('three')
    await serviceHas(service, 'three')
    await saveMarker('end')
    expect(seen.parsed.filter((text) => text.includes('three'))).toHaveLength(1)
  })

  test('a text that is edited through the engine is on the page, and the file is not read for it again', async () => {
    const { session, title, told } = project
    const ref = { language: 'en', namespace: 'common', key: 'title' }
    expect(await session.dev.engine?.edit([{ ref, text: 'four', expected: (await title()) as string }])).toEqual([
      'written',
    ])
    await expect.poll(title).toBe('four')
    await expect.poll(() => told.length).toBe(1)
  })

  test('half-written content is no error unless it stays', async () => {
    const { root, path, session, save, title, told } = project
    const broken = async () => (await session.ready()).loaded.diagnostics.map(({ code }) => code)
    await writeTree(root, { [FILE]: '{ "title": "fi' })
    expect((await session.dev.refresh(path)).after.loaded.diagnostics).toEqual([])
    await save({ ...TEXTS, title: 'five' })
    await session.dev.refresh(path)
    await expect.poll(title).toBe('five')
    expect(await broken()).toEqual([])
    await writeTree(root, { [FILE]: '{ "title": "si' })
    expect((await session.dev.refresh(path)).after.loaded.diagnostics).toEqual([])
    await expect.poll(broken).toEqual(['FILE_SYNTAX'])
    expect(await title()).toBe('five')
    await expect.poll(() => told.at(-1)?.after.loaded.diagnostics).toHaveLength(1)
    await save({ ...TEXTS, title: 'six' })
    await expect.poll(title).toBe('six')
    expect(await broken()).toEqual([])
  })
})
