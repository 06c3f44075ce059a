/** One edit in a project of 60 files: it visits, reads and parses one file, and generates only what shows its texts. */
import fs, { type PathLike } from 'node:fs'
import fsPromises, { rename, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../../src/logger.ts'
import { NULL_SPELLING } from '../../../src/output/ids.ts'
import { changedModules, type Environment } from '../../../src/plugin/bundlers/vite/environments.ts'
import { Session } from '../../../src/plugin/session.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const seen = vi.hoisted(() => ({
  visited: [] as string[],
  folders: [] as string[],
  read: [] as string[],
  parsed: [] as string[],
  /** The parsed texts. Otherwise the collector may release texts, which are then parsed again. */
  kept: [] as unknown[],
  generated: [] as string[],
}))

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
vi.mock(import('../../../src/plugin/generate.ts'), async (original) => {
  const actual = await original()
  return {
    ...actual,
    generateModule: (state, id, ...rest) => {
      if (id.kind === 'namespace') seen.generated.push(`${id.language}/${id.namespace}`)
      return actual.generateModule(state, id, ...rest)
    },
  }
})

const { readFileSync, statSync } = fs
const { readdir } = fsPromises
beforeAll(() => {
  const note = (list: string[], path: unknown) => String(path).includes('locales') && list.push(String(path))
  const visit = (path: PathLike, ...rest: []) => {
    note(seen.visited, path)
    return statSync(path, ...rest)
  }
  Object.assign(fs, { statSync: visit })
  fs.readFileSync = ((path: PathLike, ...rest: []) => {
    note(seen.read, path)
    return readFileSync(path, ...rest)
  }) as typeof readFileSync
  fsPromises.readdir = ((path: PathLike, ...rest: []) => {
    note(seen.folders, path)
    return readdir(path, ...rest)
  }) as typeof readdir
  syncBuiltinESMExports()
})
afterAll(() => {
  Object.assign(fs, { readFileSync, statSync })
  Object.assign(fsPromises, { readdir })
  syncBuiltinESMExports()
})

const LANGUAGES = ['en', 'es', 'pt', 'de', 'fr', 'pl', 'cs', 'it', 'nl', 'sv']
const NAMESPACES = Array.from({ length: 6 }, (_, i) => `part${i}`)

async function open() {
  const root = await tempFolder()
  const files = LANGUAGES.flatMap((language) =>
    NAMESPACES.map((name) => [`locales/${language}/${name}.json`, { title: `${language} ${name}` }] as const),
  )
  await writeTree(root, Object.fromEntries(files))
  const options = { configFile: false, source: 'files', fallback: { pt: ['es'] }, types: false } as const
  const session = new Session({ options, logger: silentLogger, fallbackRoot: root })
  onTestFinished(() => session.close())
  session.configure({ root, command: 'dev' })
  await session.ready()
  const index = session.dev.files
  await index?.watch()
  const forget = () => {
    for (const list of Object.values(seen)) list.length = 0
  }
  // Until no file is so new that another write could leave its times as they are.
  const visitedNow = async () => {
    forget()
    await index?.scan({ changed: [] })
    return seen.visited
  }
  await expect.poll(visitedNow).toEqual([])
  forget()
  return {
    root,
    session,
    path: (file: string) => join(root, 'locales', file),
    save: async (file: string, title: string) => {
      await writeTree(root, { 'saved.tmp': { title } })
      await rename(join(root, 'saved.tmp'), join(root, 'locales', file))
    },
  }
}

/** An environment of Vite whose page has loaded every namespace of every language. */
function environment(): Environment {
  const ids = LANGUAGES.flatMap((language) =>
    NAMESPACES.map((namespace) => NULL_SPELLING.format({ kind: 'namespace', language, namespace })),
  )
  const all = [NULL_SPELLING.format({ kind: 'manifest' }), ...ids]
  return { moduleGraph: { idToModuleMap: new Map(all.map((id) => [id, { id }])) } } as unknown as Environment
}

test('an edit visits, reads and parses its file, and generates the modules that show its texts', async () => {
  const { session, path, save } = await open()
  await save('es/part3.json', 'changed')
  const change = await session.dev.refresh(path('es/part3.json'))
  const changed = await changedModules(environment(), change)
  const name = (language: string) => NULL_SPELLING.format({ kind: 'namespace', language, namespace: 'part3' })
  // The texts of pt/part3 are all there: nothing of them falls back.
  expect(changed.map(({ id }) => id)).toEqual([name('es')])
  expect([...new Set(seen.visited)]).toEqual([path('es/part3.json')])
  // Once more when it is calm.
  expect([...new Set(seen.read.filter((read) => read.endsWith('.json')))]).toEqual([path('es/part3.json')])
  // The watcher lists the folder in which the file was replaced.
  expect([path('es')]).toEqual(expect.arrayContaining(seen.folders))
  expect(seen.parsed.filter((content) => content.includes('changed'))).toHaveLength(1)
  expect(new Set(seen.generated)).toEqual(new Set(['es/part3', 'pt/part3']))
  const [before, after] = [change.before.loaded.catalog, change.after.loaded.catalog]
  const fresh = after.parts.filter((part) => !before.parts.includes(part))
  expect(fresh.map(({ language, namespace }) => `${language}/${namespace}`)).toEqual(['es/part3'])
  expect(after.messages('es', 'part3')?.get('title')).toBe('changed')
  expect(after.textCount).toBe(before.textCount)
})

test('a file that is added or removed, with the event of another file', async () => {
  const { session, path, save, root } = await open()
  const edited = async (file: string) => (await session.dev.refresh(path(file))).after.loaded
  await save('es/new.json', 'new')
  expect((await edited('es/new.json')).catalog.messages('es', 'new')?.get('title')).toBe('new')
  await rm(join(root, 'locales/es/new.json'))
  await edited('es/new.json')
  await expect.poll(async () => (await session.ready()).loaded.catalog.part('es', 'new')).toBeUndefined()
  expect((await edited('es/part0.json')).files.list).toHaveLength(60)
})

test('an event that is lost: a whole scan finds the change, and shares what did not change', async () => {
  const { session, path, save } = await open()
  await save('de/part1.json', 'lost')
  await session.dev.files?.scan({ isPeriodic: true, isHasty: true })
  const { before, after } = await session.dev.refresh(path('en/part0.json'))
  expect(after.loaded.catalog.messages('de', 'part1')?.get('title')).toBe('lost')
  const fresh = after.loaded.catalog.parts.filter((part) => !before.loaded.catalog.parts.includes(part))
  expect(fresh).toHaveLength(1)
})
