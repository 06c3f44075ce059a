/** Row 25: a folder that is removed and comes back, branch switches, events that are lost. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, noChromium, openPage, type WatchedPage } from '../helpers/browser.ts'
import {
  createApp,
  fillService,
  numbered,
  serviceHas,
  serviceTexts,
  startDevProcess,
  syncState,
  type TextsByFile,
} from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { save, showsTexts } from '../helpers/live-page.ts'
import { startProject } from '../helpers/local-project.ts'
import { repeats } from '../helpers/repeats.ts'
import { writeTree } from '../helpers/temp.ts'

const row = faultRow(25)
const run = promisify(execFile)

describe.skipIf(noChromium)('git checkout', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  const texts = (files: number, keys: number, word: string): TextsByFile =>
    Object.fromEntries(
      Array.from({ length: files }, (_, file) => [`en/part${file}`, numbered(keys, (i) => `${word} ${file} ${i}`)]),
    )

  /** A repository with two branches, on `main`, whose texts the service has; `side` has other ones. */
  async function openRepository(main: TextsByFile, side: TextsByFile) {
    const project = await startProject()
    const proxy = await startHoldingProxy(project.baseUrl, 0)
    await fillService(project, main)
    const root = await createApp(main, proxy)
    const git = async (...args: string[]) => {
      const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost']
      await run('git', [...identity, ...args], { cwd: root })
    }
    const write = async (content: TextsByFile) => {
      for (const [file, messages] of Object.entries(content)) await save(join(root, `locales/${file}.json`), messages)
    }
    // The dev server makes files of its own.
    await writeTree(root, { '.gitignore': '.localization/\n.vite/\nindex.html\n' })
    await git('init', '--quiet', '--initial-branch=main')
    await git('add', '--all')
    await git('commit', '--quiet', '--message=main')
    await git('checkout', '--quiet', '-b', 'side')
    await write(side)
    await git('commit', '--quiet', '--all', '--message=side')
    await git('checkout', '--quiet', 'main')
    const server = await startDevProcess(root, project.apiKey, proxy)
    const watched = await openPage(browser, server.address)
    await watched.live()
    await watched.page.evaluate(() => Object.assign(globalThis, { planted: 'token' }))
    await shows(watched, main)
    project.requests.length = 0
    return {
      project,
      root,
      git,
      server,
      watched,
      patches: () => project.requests.filter((line) => line.startsWith('PATCH')),
    }
  }

  async function shows(watched: WatchedPage, expected: TextsByFile): Promise<void> {
    const shown = Object.fromEntries(
      Object.entries(expected).map(([file, content]) => [file.slice('en/'.length), content]),
    )
    await showsTexts(watched, (texts) => texts.en, shown)
  }

  test('between two branches with 500 changed texts: the page follows, 0 PATCHes, one line', async () => {
    const [main, side] = [texts(5, 100, 'main'), texts(5, 100, 'side')]
    const { project, root, git, server, watched, patches } = await openRepository(main, side)
    await git('checkout', '--quiet', 'side')
    await shows(watched, side)
    await expect.poll(() => server.lines(), { timeout: 90_000 }).toHaveLength(1)
    expect(server.lines()[0]).toMatch(
      /held, not pushed: 500 texts \(en\/part0, en\/part1 and 3 more\), changed with the git branch\. To send them: localization push$/,
    )

    // The next edit is one like any other: alone it goes out, and what is held stays held.
    const edited = { ...side['en/part0'], key7: 'edited on side' }
    await save(join(root, 'locales/en/part0.json'), edited)
    await serviceHas(project, { ...main, 'en/part0': { ...main['en/part0'], key7: 'edited on side' } })
    expect(patches()).toHaveLength(1)
    await shows(watched, { ...side, 'en/part0': edited })
    expect(await watched.page.evaluate('globalThis.planted')).toBe('token')
    expect(watched.problems).toEqual([])
    await watched.close()
    await server.kill()
  })

  test('back and forth with so few texts that they would pass for edits: the page follows, 0 PATCHes', async () => {
    const [main, side] = [texts(5, 4, 'main'), texts(5, 4, 'side')]
    const { project, root, git, server, watched, patches } = await openRepository(main, side)
    for (let i = 1; i <= repeats(2, 5); i++) {
      await git('checkout', '--quiet', 'side')
      await shows(watched, side)
      await expect.poll(() => server.lines(), { timeout: 90_000 }).toHaveLength(i)
      expect(server.lines().at(-1)).toMatch(/held, not pushed: 20 texts .*, changed with the git branch\./)
      await git('checkout', '--quiet', 'main')
      await shows(watched, main)
      await expect.poll(async () => (await syncState(root))?.holds, { timeout: 90_000 }).toEqual([])
    }
    // Whatever was to be sent was accepted before this, and goes first.
    await save(join(root, 'locales/en/last.json'), { last: 'last' })
    await serviceHas(project, { ...main, 'en/last': { last: 'last' } })
    expect(patches()).toHaveLength(1)
    await watched.close()
    await server.kill()
  })

  test('git that takes its time between the files and HEAD: 0 PATCHes', async () => {
    const [main, side] = [texts(5, 4, 'main'), texts(5, 4, 'side')]
    const { project, root, git, server, watched, patches } = await openRepository(main, side)
    // Called when the files are there and the index is free again, and HEAD is still the old one.
    const hook = '#!/bin/sh\n[ "$1" = prepared ] && grep -q " HEAD$" && sleep 0.7\nexit 0\n'
    await writeFile(join(root, '.git/hooks/reference-transaction'), hook, { mode: 0o755 })
    await git('checkout', '--quiet', '--detach', 'side')
    await shows(watched, side)
    await expect.poll(() => server.lines(), { timeout: 90_000 }).toHaveLength(1)
    expect(server.lines()[0]).toMatch(/held, not pushed: 20 texts .*, changed with the git branch\./)
    await save(join(root, 'locales/en/last.json'), { last: 'last' })
    await serviceHas(project, { ...main, 'en/last': { last: 'last' } })
    expect(patches()).toHaveLength(1)
    await watched.close()
    await server.kill()
  })
})

test('the folder goes and comes back, a branch is merged in one go, files change while nobody is told: it converges', async () => {
  const project = await startProject({ languages: ['pl'] })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  let texts: TextsByFile = { 'en/common': { title: 'Title' }, 'pl/deep/er': { title: 'Tytuł' } }
  await fillService(project, { 'en/common': { title: 'Title' } })
  await project.importTexts('pl', 'deep/er', { title: 'Tytuł' })
  const root = await createApp(texts, proxy)
  const server = await startDevProcess(root, project.apiKey, proxy)
  const edit = async (word: string) => {
    texts = { 'en/common': { title: `Title ${word}` }, 'pl/deep/er': { title: `Tytuł ${word}` } }
    for (const [file, content] of Object.entries(texts)) await save(join(root, `locales/${file}.json`), content)
  }
  const arrives = async () => {
    await expect
      .poll(
        async () => {
          const { 'en/common': common, 'pl/deep/er': deep } = await serviceTexts(project)
          return { 'en/common': common, 'pl/deep/er': deep }
        },
        { timeout: 90_000, interval: 50 },
      )
      .toEqual(texts)
    row.kept(await serviceTexts(project), texts)
  }
  await edit('first')
  await arrives()
  // Gone and back within one tick, ten times, the last content another one.
  for (let i = 0; i < 10; i++) {
    rmSync(join(root, 'locales'), { recursive: true })
    mkdirSync(join(root, 'locales/en'), { recursive: true })
    mkdirSync(join(root, 'locales/pl/deep'), { recursive: true })
    for (const [file, content] of Object.entries(texts))
      writeFileSync(join(root, `locales/${file}.json`), JSON.stringify(content))
  }
  row.alsoTried(10)
  await edit('second')
  await arrives()
  // Moved away, edited there, moved back: no event names a file.
  renameSync(join(root, 'locales'), join(root, 'elsewhere'))
  writeFileSync(join(root, 'elsewhere/en/common.json'), JSON.stringify({ title: 'Title third' }))
  texts = { ...texts, 'en/common': { title: 'Title third' } }
  renameSync(join(root, 'elsewhere'), join(root, 'locales'))
  await arrives()
  // Away for good, and a new one.
  rmSync(join(root, 'locales'), { recursive: true })
  await expect.poll(() => existsSync(join(root, 'locales'))).toBe(false)
  await edit('fourth')
  await arrives()
  expect(project.requests.filter((line) => line.startsWith('DELETE'))).toEqual([])
  expect(server.lines().filter((line) => line.includes('conflict'))).toEqual([])
  await server.kill()
})
