/** A real dev server in a process of its own: killed in mid-push again and again, and run through branch switches. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { launchChromium, noChromium, openPage, type WatchedPage } from '../helpers/browser.ts'
import { repository } from '../helpers/bundlers.ts'
import { type HoldingProxy, type SeenPatch, startHoldingProxy } from '../helpers/holding-proxy.ts'
import { LIVE_MAIN, save, shownTexts } from '../helpers/live-page.ts'
import { type LocalProject, startTestProject } from '../helpers/local-project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const run = promisify(execFile)
/** How often the server is killed in mid-push. */
const KILLS = Number(process.env.KILLS ?? 30)
/** Texts that each of the first two files gets anew in a round. */
const EDITS = 8
/** How many PATCHes may be under way at once: the default. */
const CONCURRENCY = 4
const FILES = ['en/common', 'en/other', 'pl/common'] as const

type Texts = Record<string, string>

interface DevProcess {
  readonly address: string
  /** What it wrote to standard error since it started, by line. */
  lines(): string[]
  kill(): Promise<void>
}

/**
 * Vite with the built package; it takes its options from the folder's configuration file. Resolves when it syncs: what is saved before that
 * was already different when the server started.
 */
async function startDevServer(root: string, apiKey: string, proxy: HoldingProxy): Promise<DevProcess> {
  const readings = proxy.readings()
  const script = join(repository, 'bench/lib/dev-server-host.mjs')
  const argument = JSON.stringify({ bundler: 'vite', root, options: {} })
  const child: ChildProcess = spawn(process.execPath, [script, argument], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing is pushed on a continuous-integration machine, and this is what is tested here.
    env: { ...process.env, CI: '', LOCALIZATION_API_KEY: apiKey },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const ended = once(child, 'exit')
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line'),
    ended.then(([code]) => {
      throw new Error(`the dev server ended with ${code}: ${errors}`)
    }),
  ])) as string[]
  await expect.poll(() => proxy.readings(), { timeout: 60_000, interval: 2 }).toBeGreaterThan(readings)
  return {
    ...(JSON.parse(line as string) as { address: string }),
    // The first one says what was loaded.
    lines: () =>
      errors
        .split('\n')
        .filter((text) => text !== '')
        .slice(1),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function edited(count: number, text: (i: number) => string, from = 0): Texts {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${from + i}`, text(from + i)]))
}

async function serviceTexts({ baseUrl, apiKey }: LocalProject): Promise<Record<string, Texts>> {
  const found: Record<string, Texts> = {}
  for (let page = 0; ; page++) {
    const answer = await fetch(`${baseUrl}/api/v2/translations?size=500&page=${page}`, {
      headers: { 'x-service-token': apiKey },
    })
    const { data } = (await answer.json()) as {
      data: { language: string; namespace: string; key: string; text: string }[]
    }
    for (const { language, namespace, key, text } of data) {
      found[`${language}/${namespace}`] ??= {}
      Object.assign(found[`${language}/${namespace}`] as Texts, { [key]: text })
    }
    if (data.length < 500) return found
  }
}

async function serviceHas(project: LocalProject, expected: Record<string, Texts>): Promise<void> {
  await expect.poll(() => serviceTexts(project), { timeout: 60_000, interval: 30 }).toEqual(expected)
}

/** In the outbox on the disk, or sent already: accepted, whatever happens next. */
async function isAccepted(root: string, proxy: HoldingProxy, text: string): Promise<boolean> {
  if (proxy.patches.some((patch) => patch.text === text)) return true
  const folder = join(root, '.localization/sync')
  for (const name of await readdir(folder)) {
    const journal = await readFile(join(folder, name, 'outbox.jsonl'), 'utf8').catch(() => '')
    if (journal.includes(JSON.stringify(text))) return true
  }
  return false
}

/** How many texts wait for a person, as the dev server notes it for the commands. */
async function heldTexts(root: string): Promise<number | undefined> {
  const folder = join(root, '.localization/sync')
  for (const name of await readdir(folder)) {
    const state = await readFile(join(folder, name, 'state.json'), 'utf8').catch(() => undefined)
    if (state !== undefined) return (JSON.parse(state) as { holds: unknown[] }).holds.length
  }
  return undefined
}

async function startApp(texts: Record<string, Texts>, service: { baseUrl: string }): Promise<string> {
  const root = await tempFolder()
  await writeTree(root, {
    'main.js': LIVE_MAIN,
    'package.json': { type: 'module' },
    'localization.config.json': { source: 'files', defaultLanguage: 'en', service: { baseUrl: service.baseUrl } },
    ...Object.fromEntries(Object.entries(texts).map(([file, content]) => [`locales/${file}.json`, content])),
  })
  return root
}

async function fill(project: LocalProject, texts: Record<string, Texts>): Promise<void> {
  for (const [file, content] of Object.entries(texts)) {
    const [language = '', namespace = ''] = file.split('/')
    await project.importTexts(language, namespace, content)
  }
}

test(`${KILLS} kill -9 in mid-push: everything saved before arrives after the restart, and once`, async () => {
  const project = await startTestProject({ languages: ['pl'] })
  const proxy = await startHoldingProxy(project.baseUrl, 10)
  const texts: Record<string, Texts> = Object.fromEntries(
    FILES.map((file) => [file, edited(EDITS + 2, (i) => `${file} ${i}`)]),
  )
  await fill(project, texts)
  const root = await startApp(texts, proxy)
  const write = (file: (typeof FILES)[number], changes: Texts) => {
    texts[file] = { ...texts[file], ...changes }
    return save(join(root, `locales/${file}.json`), texts[file])
  }
  const lines: string[] = []
  let cut = 0
  for (let round = 0; round <= KILLS; round++) {
    const server = await startDevServer(root, project.apiKey, proxy)
    // What the kill before this round left over arrives by itself; in the first round both sides are equal.
    await serviceHas(project, texts)
    if (round === KILLS) {
      await server.kill()
      lines.push(...server.lines())
      break
    }
    const before = proxy.patches.length
    await write(
      'en/common',
      edited(EDITS, (i) => `round ${round} text ${i}`),
    )
    await write(
      'en/other',
      edited(EDITS, (i) => `round ${round} other ${i}`),
    )
    // A key that the service does not have: it is made first.
    await write('pl/common', { [`new${round}`]: `nowy ${round}` })
    const wanted = before + 1 + ((round * 7) % (2 * EDITS))
    await expect.poll(() => proxy.patches.length, { timeout: 60_000, interval: 2 }).toBeGreaterThanOrEqual(wanted)
    let last = `nowy ${round}`
    if (round % 3 === 2) {
      // Edited again while the first text is on its way, or has just arrived.
      last = `round ${round} once more`
      await write('en/common', { key0: last })
    }
    // What is saved in the very last moment is no push yet: the test below is about that.
    await expect.poll(() => isAccepted(root, proxy, last), { timeout: 60_000, interval: 2 }).toBe(true)
    await server.kill()
    lines.push(...server.lines())
    await expect.poll(() => proxy.underWay(), { interval: 2 }).toBe(0)
    cut += proxy.patches.slice(before).filter(({ answered }) => !answered).length
  }

  // The kills met pushes that were under way, or all this proves nothing.
  expect(cut).toBeGreaterThan(KILLS / 2)
  const byText = new Map<string, SeenPatch[]>()
  for (const patch of proxy.patches) {
    const name = JSON.stringify([patch.id, patch.text])
    byText.set(name, [...(byText.get(name) ?? []), patch])
  }
  // Sent again is only what was under way at a kill: whether that arrived nobody could know.
  for (const [name, sent] of byText) {
    expect(sent.length, name).toBeLessThanOrEqual(1 + sent.filter(({ answered }) => !answered).length)
  }
  expect(proxy.patches.length - byText.size).toBeLessThanOrEqual(CONCURRENCY * KILLS)
  // No lock was in the way, nothing was held or taken for a conflict, nothing on the disk was damaged.
  expect(lines.filter((line) => /read-only|held|conflict|damaged|error:|refused/.test(line))).toEqual([])
  expect(lines.filter((line) => line.includes('wait to be sent')).length).toBeGreaterThan(KILLS / 2)
})

test('saved right before the kill, seen by nobody: held and told after the restart, sent by the command', async () => {
  const project = await startTestProject()
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  const before = { 'en/common': { title: 'Title', bye: 'Bye' } }
  await fill(project, before)
  const root = await startApp(before, proxy)
  const first = await startDevServer(root, project.apiKey, proxy)
  const after = { 'en/common': { title: 'Title!', bye: 'Bye' } }
  await save(join(root, 'locales/en/common.json'), { title: 'Title?', bye: 'Bye' })
  await serviceHas(project, { 'en/common': { title: 'Title?', bye: 'Bye' } })
  await first.kill()
  await save(join(root, 'locales/en/common.json'), after['en/common'])

  project.requests.length = 0
  const second = await startDevServer(root, project.apiKey, proxy)
  const warnings = () => second.lines().filter((line) => line.includes('warning'))
  await expect
    .poll(warnings, { timeout: 20_000 })
    .toEqual([expect.stringContaining('held, not pushed: 1 text (en/common)')])
  await second.kill()
  expect(project.requests.filter((line) => line.startsWith('PATCH'))).toEqual([])

  const cli = join(repository, 'dist/cli.js')
  await run(process.execPath, [cli, 'push'], {
    cwd: root,
    env: { ...process.env, LOCALIZATION_API_KEY: project.apiKey },
  })
  await serviceHas(project, after)
})

describe.skipIf(noChromium)('git checkout', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  const texts = (files: number, keys: number, word: string): Record<string, Texts> =>
    Object.fromEntries(
      Array.from({ length: files }, (_, file) => [`en/part${file}`, edited(keys, (i) => `${word} ${file} ${i}`)]),
    )

  /** A repository with two branches, on `main`, whose texts the service has; `side` has other ones. */
  async function openRepository(main: Record<string, Texts>, side: Record<string, Texts>) {
    const project = await startTestProject()
    const proxy = await startHoldingProxy(project.baseUrl, 0)
    await fill(project, main)
    const root = await startApp(main, proxy)
    const git = async (...args: string[]) => {
      const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost']
      await run('git', [...identity, ...args], { cwd: root })
    }
    const write = async (content: Record<string, Texts>) => {
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
    const server = await startDevServer(root, project.apiKey, proxy)
    const watched = await openPage(browser, server.address)
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

  async function shows(watched: WatchedPage, expected: Record<string, Texts>): Promise<void> {
    const shown = Object.fromEntries(
      Object.entries(expected).map(([file, content]) => [file.slice('en/'.length), content]),
    )
    await expect.poll(async () => (await shownTexts(watched)).en, { timeout: 20_000, interval: 20 }).toEqual(shown)
  }

  test('between two branches with 500 changed texts: the page follows, 0 PATCHes, one line', async () => {
    const [main, side] = [texts(5, 100, 'main'), texts(5, 100, 'side')]
    const { project, root, git, server, watched, patches } = await openRepository(main, side)
    await git('checkout', '--quiet', 'side')
    await shows(watched, side)
    await expect.poll(() => server.lines(), { timeout: 20_000 }).toHaveLength(1)
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
    for (let i = 1; i <= 5; i++) {
      await git('checkout', '--quiet', 'side')
      await shows(watched, side)
      await expect.poll(() => server.lines(), { timeout: 20_000 }).toHaveLength(i)
      expect(server.lines().at(-1)).toMatch(/held, not pushed: 20 texts .*, changed with the git branch\./)
      await git('checkout', '--quiet', 'main')
      await shows(watched, main)
      await expect.poll(() => heldTexts(root), { timeout: 20_000 }).toBe(0)
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
    await expect.poll(() => server.lines(), { timeout: 20_000 }).toHaveLength(1)
    expect(server.lines()[0]).toMatch(/held, not pushed: 20 texts .*, changed with the git branch\./)
    await save(join(root, 'locales/en/last.json'), { last: 'last' })
    await serviceHas(project, { ...main, 'en/last': { last: 'last' } })
    expect(patches()).toHaveLength(1)
    await watched.close()
    await server.kill()
  })
})
