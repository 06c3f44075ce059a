/**
 * Row 1: kill -9 during push or pull. A real dev server and the commands, killed in the middle; `test/dev/sync-model`
 * stops the same code after each of its requests, in process.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runCli, startCli } from '../helpers/cli.ts'
import {
  createApp,
  fileTexts,
  type Messages,
  numbered,
  serviceHas,
  serviceTexts,
  startDevProcess,
  startDevServer,
  type TextsByFile,
} from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { type HoldingProxy, type SeenPatch, startHoldingProxy } from '../helpers/holding-proxy.ts'
import { startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { save } from '../helpers/temp.ts'

const row = faultRow(1)
/** How often the server is killed in mid-push. */
const KILLS = Number(process.env.KILLS ?? repeats(2, 30))
/** Texts that each of the first two files gets anew in a round. */
const EDITS = 8
/** How many PATCHes may be under way at once: the default. */
const CONCURRENCY = 4
const FILES = ['en/common', 'en/other', 'pl/common'] as const

/** In the outbox on the disk, or sent already: accepted, whatever happens next. */
async function isAccepted(root: string, proxy: HoldingProxy, text: string): Promise<boolean> {
  if (proxy.patches.some((patch) => patch.text === text)) return true
  const folder = join(root, '.localization/sync')
  for (const name of await readdir(folder)) {
    const journal = await readFile(join(folder, name, 'journal.jsonl'), 'utf8').catch(() => '')
    if (journal.includes(JSON.stringify(text))) return true
  }
  return false
}

test(`${KILLS} kill -9 in mid-push: everything saved before arrives after the restart, and once`, async () => {
  const project = await startProject({ service: { languages: ['pl'] } })
  const proxy = await startHoldingProxy(project.baseUrl, 10)
  const texts: TextsByFile = Object.fromEntries(FILES.map((file) => [file, numbered(EDITS + 2, (i) => `${file} ${i}`)]))
  await project.fill(texts)
  const root = await createApp(texts, proxy)
  const write = (file: (typeof FILES)[number], changes: Messages) => {
    texts[file] = { ...texts[file], ...changes }
    return save(join(root, `locales/${file}.json`), texts[file])
  }
  const lines: string[] = []
  let cut = 0
  for (let round = 0; round < KILLS; round++) {
    const server = await startDevProcess(root, project.apiKey, proxy)
    // What the kill before this round left over arrives by itself; in the first round both sides are equal.
    await serviceHas(project, texts)
    const before = proxy.patches.length
    const wanted = before + 1 + ((round * 7) % (2 * EDITS))
    // However slow the machine is: the kill meets this one and what comes with it.
    const goOn = proxy.holdFrom(wanted - 1)
    await write(
      'en/common',
      numbered(EDITS, (i) => `round ${round} text ${i}`),
    )
    await write(
      'en/other',
      numbered(EDITS, (i) => `round ${round} other ${i}`),
    )
    // A key that the service does not have: it is made first.
    await write('pl/common', { [`new${round}`]: `nowy ${round}` })
    await expect.poll(() => proxy.patches.length, { timeout: 90_000, interval: 20 }).toBeGreaterThanOrEqual(wanted)
    let last = `nowy ${round}`
    if (round % 2 === 1) {
      // Edited again while the first text is on its way, or has just arrived.
      last = `round ${round} once more`
      await write('en/common', { key0: last })
    }
    // What is saved in the very last moment is no push yet: the test below is about that.
    await expect.poll(() => isAccepted(root, proxy, last), { timeout: 90_000, interval: 20 }).toBe(true)
    await server.kill()
    lines.push(...server.lines())
    goOn()
    await expect.poll(() => proxy.underWay(), { interval: 20 }).toBe(0)
    cut += proxy.patches.slice(before).filter(({ answered }) => !answered).length
  }
  const last = await startDevServer(root, project.apiKey, proxy)
  await serviceHas(project, texts)
  lines.push(...last.lines())

  row.alsoTried(KILLS - 1)
  row.kept(await serviceTexts(project), texts)
  // Each kill met a push that was under way, or all this proves nothing.
  expect(cut).toBeGreaterThanOrEqual(KILLS)
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
  // A save in place empties the file first: on a loaded machine the server may read that.
  const problems = lines.filter((line) => /read-only|held|conflict|damaged|error:|refused/.test(line))
  expect(problems.filter((line) => !line.includes('the file is empty'))).toEqual([])
  expect(lines.filter((line) => line.includes('waiting to be sent since the last run')).length).toBeGreaterThan(
    KILLS / 2,
  )
})

test('saved right before the kill, seen by nobody: held and told after the restart, sent by the command', async () => {
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, 0)
  const before = { 'en/common': { title: 'Title', bye: 'Bye' } }
  await project.fill(before)
  const root = await createApp(before, proxy)
  const first = await startDevProcess(root, project.apiKey, proxy)
  const after = { 'en/common': { title: 'Title!', bye: 'Bye' } }
  await save(join(root, 'locales/en/common.json'), { title: 'Title?', bye: 'Bye' })
  await serviceHas(project, { 'en/common': { title: 'Title?', bye: 'Bye' } })
  await first.kill()
  await save(join(root, 'locales/en/common.json'), after['en/common'])

  project.requests.length = 0
  const second = await startDevServer(root, project.apiKey, proxy)
  const warnings = () => second.lines().filter((line) => line.includes('warning'))
  await expect
    .poll(warnings, { timeout: 90_000 })
    .toEqual([expect.stringContaining('held, not pushed: 1 text (en/common)')])
  expect(project.requests.filter((line) => line.startsWith('PATCH'))).toEqual([])

  expect(await command(root, project.apiKey, 'push')).toMatchObject({ code: 0 })
  await serviceHas(project, after)
})

const MANY = repeats(400, 4000)
const many = (word: string): TextsByFile =>
  Object.fromEntries(
    [0, 1, 2, 3].map((part) => [`en/part${part}`, numbered(MANY / 4, (i) => `${word} ${part} ${i}`)] as const),
  )

/** The command, killed when it is so far; resolves when it is gone. */
async function killCommand(
  root: string,
  apiKey: string,
  args: readonly string[],
  isFar: () => Promise<boolean> | boolean,
) {
  const { child, run, signal } = startCli(args, { cwd: root, env: { LOCALIZATION_API_KEY: apiKey } })
  while (child.exitCode === null && !(await isFar())) await sleep(1)
  signal('SIGKILL')
  await run
}

const command = (root: string, apiKey: string, ...args: string[]) =>
  runCli([...args, '--json'], { cwd: root, env: { LOCALIZATION_API_KEY: apiKey } })

test.each([
  ['patch', repeats([MANY / 20], [MANY / 50, MANY / 20, MANY / 8])],
  ['import', repeats([2], [1, 2, 3])],
] as const)('push by %s, killed: the next one sends the rest', async (via, goals) => {
  const project = await startProject({ service: true })
  const [before, after] = [many('old'), many('new')]
  await project.fill(before)
  const root = await createApp(after, project)
  // The base: what stood on both sides before it was edited.
  for (const [file, texts] of Object.entries(before)) await save(join(root, `locales/${file}.json`), texts)
  expect(await command(root, project.apiKey, 'push')).toMatchObject({ code: 0 })
  for (const [file, texts] of Object.entries(after)) await save(join(root, `locales/${file}.json`), texts)
  const line = via === 'patch' ? 'PATCH /api/v2/translations' : 'POST /api/v2/import'
  const sent = () => project.requests.filter((request) => request === line).length
  for (const goal of goals) {
    const start = sent()
    await killCommand(root, project.apiKey, ['push', '--via', via], () => sent() - start >= goal)
    row.alsoTried(1)
  }
  expect(await command(root, project.apiKey, 'push', '--via', via)).toMatchObject({ code: 0 })
  row.kept(await serviceTexts(project), after)
  const { stdout } = await command(root, project.apiKey, 'diff')
  expect(JSON.parse(stdout)).toMatchObject({ differences: [] })
})

const BESIDE = Number(process.env.KILLS ?? repeats(2, 12))

test(`${BESIDE} kills of a command beside a dev server, or of the server: nothing is lost, sent twice or stuck`, async () => {
  const project = await startProject({ service: true })
  const proxy = await startHoldingProxy(project.baseUrl, 5)
  const file = 'en/common'
  const texts = { ...numbered(8, (i) => `text ${i}`), theirs: 'theirs' }
  await project.fill({ [file]: texts })
  const root = await createApp({ [file]: texts }, proxy)
  const path = join(root, `locales/${file}.json`)
  const env = { LOCALIZATION_API_KEY: project.apiKey, LOCALIZATION_BASE_URL: proxy.baseUrl }
  await save(join(root, 'localization.config.json'), { source: 'files', defaultLanguage: 'en' })
  const start = () => startDevProcess(root, project.apiKey, proxy, { env })
  let server = await start()
  const lines: string[] = []
  for (let round = 0; round < BESIDE; round++) {
    const isServer = round % 2 === 1
    Object.assign(texts, { key0: `edit ${round}`, key1: `edit ${round} too` })
    await save(path, texts)
    // What a killed server has not seen is held by the next one.
    for (const text of [`edit ${round}`, `edit ${round} too`])
      await expect.poll(() => isAccepted(root, proxy, text), { timeout: 90_000, interval: 5 }).toBe(true)
    texts.theirs = `theirs ${round}`
    await project.setText('en', 'common', 'theirs', texts.theirs)
    const { run, signal } = startCli([round % 4 < 2 ? 'pull' : 'push'], { cwd: root, env })
    // Spread over the start of the command, the wait for the server, the work, and the end.
    await sleep(100 + ((round * 97) % 700))
    if (isServer) {
      await server.kill()
      const result = await run
      expect(result, `round ${round}: ${result.stdout}${result.stderr}`).toMatchObject({ code: 0 })
      lines.push(...server.lines())
      server = await start()
    } else {
      signal('SIGKILL')
      await run
    }
    expect(await runCli(['pull'], { cwd: root, env }), `round ${round}`).toMatchObject({ code: 0 })
    await serviceHas(project, { [file]: texts })
    await expect.poll(() => fileTexts(root, [file]), { timeout: 90_000 }).toEqual({ [file]: texts })
    row.alsoTried(1)
  }
  row.kept(await serviceTexts(project), { [file]: texts })
  const byText = new Map<string, SeenPatch[]>()
  for (const patch of proxy.patches) {
    const name = JSON.stringify([patch.id, patch.text])
    byText.set(name, [...(byText.get(name) ?? []), patch])
  }
  for (const [name, sent] of byText)
    expect(sent.length, name).toBeLessThanOrEqual(1 + sent.filter(({ answered }) => !answered).length)
  const problems = [...lines, ...server.lines()].filter((line) => /held|conflict|damaged|error:|refused/.test(line))
  expect(problems.filter((line) => !line.includes('the file is empty'))).toEqual([])
  await server.kill()
})

test('pull, killed while it writes: no file is torn, the next one writes the rest', async () => {
  const project = await startProject({ service: true })
  const before = many('old')
  const versions = [before]
  await project.fill(before)
  const root = await createApp(before, project)
  expect(await command(root, project.apiKey, 'push')).toMatchObject({ code: 0 })
  let after = before
  for (let round = 0; round < repeats(1, 5); round++) {
    after = many(`new ${round}`)
    versions.push(after)
    await project.fill(after)
    const files = Object.keys(after).slice(0, 1 + (round % 3))
    await killCommand(root, project.apiKey, ['pull'], async () => {
      const texts = await fileTexts(root, files)
      return files.some((file) => texts[file]?.key0 === after[file]?.key0)
    })
    for (const [file, messages] of Object.entries(await fileTexts(root, Object.keys(after)))) {
      // Each file has one of the versions, whole.
      expect(versions.map((version) => version[file])).toContainEqual(messages)
    }
    row.alsoTried(1)
  }
  // Where a command was killed between the file and the base, the service's next text is a conflict.
  await command(root, project.apiKey, 'pull')
  await command(root, project.apiKey, 'resolve', '--theirs')
  row.kept(await fileTexts(root, Object.keys(after)), after)
  row.kept(await serviceTexts(project), after)
})
