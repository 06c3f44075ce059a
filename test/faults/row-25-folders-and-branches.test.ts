/** Row 25: a folder that is removed and comes back, branch switches, events that are lost. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { launchChromium, noChromium, openPage } from '../helpers/browser.ts'
import {
  createApp,
  heldTexts,
  numbered,
  serviceHas,
  serviceTexts,
  showsTexts,
  startDevProcess,
  startDevServer,
  type TextsByFile,
} from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { save, writeTree } from '../helpers/temp.ts'

const row = faultRow(25)
const run = promisify(execFile)

const textsOf = (keys: number, word: string): TextsByFile =>
  Object.fromEntries([0, 1, 2, 3, 4].map((file) => [`en/part${file}`, numbered(keys, (i) => `${word} ${file} ${i}`)]))

/** Of 100 texts, so few are others that they would pass for edits. */
const main = textsOf(20, 'main')
const few: TextsByFile = Object.fromEntries(
  Object.entries(textsOf(4, 'few')).map(([file, texts]) => [file, { ...main[file], ...texts }]),
)
const side = textsOf(20, 'side')

/** A repository with three branches, on `main`, whose texts the service has. */
async function createRepository(service: { readonly baseUrl: string }) {
  const root = await createApp(main, service)
  const git = async (...args: string[]) => {
    const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost']
    await run('git', [...identity, ...args], { cwd: root })
  }
  // The dev server makes files of its own.
  await writeTree(root, { '.gitignore': '.localization/\n.vite/\nindex.html\n' })
  await git('init', '--quiet', '--initial-branch=main')
  await git('add', '--all')
  await git('commit', '--quiet', '--message=main')
  for (const [branch, texts] of Object.entries({ few, side })) {
    await git('checkout', '--quiet', '-b', branch, 'main')
    for (const [file, messages] of Object.entries(texts)) await save(join(root, `locales/${file}.json`), messages)
    await git('commit', '--quiet', '--all', `--message=${branch}`)
  }
  await git('checkout', '--quiet', 'main')
  return { root, git }
}

test.skipIf(noChromium)('git checkout: the page follows, one line for each, 0 PATCHes', async () => {
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  await project.fill(main)
  const { root, git } = await createRepository(proxy)
  const server = await startDevServer(root, project.apiKey, proxy)
  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  const watched = await openPage(browser, server.address)
  await watched.live()
  await watched.page.evaluate(() => Object.assign(globalThis, { planted: 'token' }))
  const shows = (expected: TextsByFile) => {
    const shown = Object.entries(expected).map(([file, content]) => [file.slice('en/'.length), content])
    return showsTexts(watched, (texts) => texts.en, Object.fromEntries(shown))
  }
  await shows(main)
  let told = 0
  const tells = async (what: RegExp) => {
    told++
    await expect.poll(() => server.lines(), { timeout: 90_000 }).toHaveLength(told)
    expect(server.lines().at(-1)).toMatch(what)
  }
  const onMain = async () => {
    await git('checkout', '--quiet', 'main')
    await shows(main)
    await expect.poll(() => heldTexts(root), { timeout: 90_000 }).toEqual([])
  }
  const isFew = /held, not pushed: 20 texts .*, written by git \(.*\)\./

  for (let i = 0; i < repeats(2, 5); i++) {
    await git('checkout', '--quiet', 'few')
    await shows(few)
    await tells(isFew)
    await onMain()
    row.alsoTried(2)
  }

  // Git takes its time between the files and HEAD: called when the files are there and the index is free again.
  const hook = join(root, '.git/hooks/reference-transaction')
  const wait = '#!/bin/sh\n[ "$1" = prepared ] && grep -q " HEAD$" && sleep 0.7\nexit 0\n'
  await writeFile(hook, wait, { mode: 0o755 })
  await git('checkout', '--quiet', '--detach', 'few')
  await shows(few)
  await tells(isFew)
  await rm(hook)
  await onMain()
  row.alsoTried(2)

  await git('checkout', '--quiet', 'side')
  await shows(side)
  await tells(
    /held, not pushed: 100 texts \(en\/part0, en\/part1 and 3 more\), written by git \(.*\)\. To send them: localization push$/,
  )
  expect(proxy.patches).toEqual([])
  // The next edit is one like any other: alone it goes out, and what is held stays held.
  const edited = { ...side['en/part0'], key7: 'edited on side' }
  await save(join(root, 'locales/en/part0.json'), edited)
  await serviceHas(project, { ...main, 'en/part0': { ...main['en/part0'], key7: 'edited on side' } })
  await shows({ ...side, 'en/part0': edited })
  expect(proxy.patches.map(({ text }) => text)).toEqual(['edited on side'])
  expect(await watched.page.evaluate('globalThis.planted')).toBe('token')
  expect(watched.problems).toEqual([])
  // For row 17, as are all answers and messages to the page: errors show no secret.
  await save(join(root, 'locales/en/part0.json'), '{"key0": "Ha')
  await expect.poll(() => server.lines().join('\n'), { timeout: 90_000 }).toContain('part0.json:1')
  await watched.page.waitForSelector('vite-error-overlay', { state: 'attached' })
})

test('the folder goes and comes back, a branch is merged in one go, files change while nobody is told: it converges', async () => {
  const project = await startProject({ service: { languages: ['pl'] } })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  let texts: TextsByFile = { 'en/common': { title: 'Title' }, 'pl/deep/er': { title: 'Tytuł' } }
  await project.fill({ 'en/common': { title: 'Title' } })
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
        { timeout: 90_000, interval: 100 },
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
