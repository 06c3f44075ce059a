/**
 * Translators who work in the service while texts are sent: with `localization push`, as single texts and as imports,
 * and by the dev server; with
 * a service that compares before it writes, and with one that does not.
 */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { pushResult } from '../../src/cli/commands/push.ts'
import { runCli } from '../helpers/cli.ts'
import { type Project, startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { startEngine } from '../helpers/sync.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { forwardTo, listen } from '../helpers/throwaway-server.ts'
import { startWatchedProxy, type WatchedProxy } from '../helpers/watched-proxy.ts'

const FILE = 'locales/en/common.json'
const EDITS = repeats(60, 300)
/** One edit in so many deletes a key. */
const DELETIONS = repeats(13, 97)
const makeTexts = (count: number, text: (i: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key.${i}`, text(i)]))

interface Edit {
  readonly key: string
  /** `undefined`: the key was deleted. */
  readonly text: string | undefined
  /** When the service had taken it. */
  readonly at: number
}

/** Edits the texts over and over until `isOver`, and `EDITS` times at the least; deletes a key now and then. */
async function translate(
  project: Project,
  { texts: count, delayMs }: Case,
  isOver: () => boolean,
): Promise<readonly Edit[]> {
  const paceMs = delayMs / 5
  const edits: Edit[] = []
  const gone = new Set<string>()
  const headers = { 'x-service-token': project.apiKey, 'content-type': 'application/json' }
  for (let i = 0; edits.length < EDITS || !isOver(); i++) {
    // Every other text is left alone, so that there is something to send.
    // One text after the other, as the command sends them: some are edited while they are on their way.
    const place = Math.floor(((i % EDITS) / EDITS) * (count / 2)) + (i % 3)
    const key = `key.${(place * 2) % count}`
    // So that the edits last about as long as the sending; the last ones take their time.
    if (i % 10 === 0 || edits.length >= EDITS) await sleep(paceMs)
    if (gone.has(key)) continue
    if (i % DELETIONS === DELETIONS - 1 && gone.size < 5) {
      gone.add(key)
      const query = new URLSearchParams({ namespace: 'common', key })
      await fetch(`${project.baseUrl}/api/v1/translation-keys?${query}`, { method: 'DELETE', headers })
      edits.push({ key, text: undefined, at: performance.now() })
    } else {
      const text = `translated ${i}`
      const body = JSON.stringify({ language: 'en', namespace: 'common', key, text })
      await fetch(`${project.baseUrl}/api/v2/translations`, { method: 'PATCH', headers, body })
      edits.push({ key, text, at: performance.now() })
    }
  }
  return edits
}

async function serviceTexts(project: Project): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (let page = 0; ; page++) {
    const query = new URLSearchParams({ language: 'en', namespace: 'common', size: '500', page: String(page) })
    const answer = await fetch(`${project.baseUrl}/api/v2/translations?${query}`, {
      headers: { 'x-service-token': project.apiKey },
    })
    const { data } = (await answer.json()) as { data: { key: string; text: string }[] }
    for (const { key, text } of data) texts[key] = text
    if (data.length < 500) return texts
  }
}

/** What was overwritten that a translator had finished before the write was given to the service. */
function overwritten({ writes }: WatchedProxy, edits: readonly Edit[], startedAt: number) {
  const found: { key: string; isFresh: boolean }[] = []
  for (const { id, text, at, isFresh } of writes) {
    const key = id.split('/').at(-1) as string
    // The service's own time is not seen from here: an edit that ended with the write may have been behind it.
    const last = edits.findLast((edit) => edit.key === key && edit.at < at && edit.at > startedAt)
    if (last?.text !== undefined && last.text !== text) found.push({ key, isFresh })
  }
  return found
}

interface Case {
  readonly conditional: boolean
  readonly delayMs: number
  readonly texts: number
  readonly perSecond?: number
}

const CASES: readonly Case[] = [true, false].flatMap((conditional) => [
  { conditional, delayMs: 0, texts: 450 },
  { conditional, delayMs: 60, texts: repeats(24, 60) },
  { conditional, delayMs: 500, texts: 24 },
  { conditional, delayMs: 20, texts: repeats(24, 60), perSecond: repeats(20, 30) },
])
/** In `npm test`; the order of both sides' edits is the matter of `sync-model.test.ts`. */
const SAMPLE = CASES.filter(({ conditional, delayMs }) => delayMs === (conditional ? 20 : 60))
const nameOf = ({ conditional, delayMs, perSecond }: Case) =>
  `${conditional ? 'with' : 'without'} conditions, ${delayMs} ms an answer${perSecond ? `, ${perSecond} requests a second` : ''}`

async function start({ conditional, delayMs, texts, perSecond }: Case) {
  const project = await startProject({ service: { features: { conditionalWrites: conditional } } })
  const root = await tempFolder()
  const base = makeTexts(texts, (i) => `Text ${i}`)
  await writeTree(root, { [FILE]: base })
  await project.importTexts('en', 'common', base)
  const proxy = await startWatchedProxy({ target: project.baseUrl, delayMs, ...(perSecond && { perSecond }) })
  const env = { LOCALIZATION_BASE_URL: proxy.baseUrl, LOCALIZATION_API_KEY: project.apiKey }
  const ours = makeTexts(texts, (i) => `Text ${i}, edited`)
  return { project, root, proxy, env, ours }
}

/** What must hold whoever sent the texts. */
async function check(
  { project, proxy, ours }: Awaited<ReturnType<typeof start>>,
  edits: readonly Edit[],
  { conditional }: Case,
  startedAt: number,
  name: string,
) {
  const lost = overwritten(proxy, edits, startedAt)
  if (conditional) expect(lost).toEqual([])
  // Without conditions one request may be under way when a translator edits: no longer.
  expect(lost.filter(({ isFresh }) => !isFresh)).toEqual([])
  if (!conditional) console.log(`${name}: ${lost.length} overwritten within one request, of ${edits.length} edits`)
  const texts = await serviceTexts(project)
  const deleted = new Set(edits.flatMap(({ key, text }) => (text === undefined ? [key] : [])))
  // A deleted key stays deleted, unless it went while the import was under way that makes the keys of its texts.
  const broughtBack = [...deleted].filter((key) => texts[key] !== undefined)
  const isFresh = (key: string) => proxy.writes.findLast(({ id }) => id.endsWith(`/${key}`))?.isFresh
  expect(broughtBack.filter((key) => conditional || !isFresh(key))).toEqual([])
  // What no translator touched has arrived.
  const touched = new Set(edits.map(({ key }) => key))
  for (const [key, text] of Object.entries(ours)) if (!touched.has(key)) expect(texts[key]).toBe(text)
  return texts
}

describe.each(['patch', 'import'])('localization push --via %s beside translators', (via) => {
  test.each(repeats(SAMPLE, CASES).map((one) => [nameOf(one), one] as const))('%s', async (name, one) => {
    const started = await start(one)
    const { project, root, proxy, env, ours } = started
    expect(await runCli(['push', '--json'], { cwd: root, env })).toMatchObject({ code: 0 })
    await writeTree(root, { [FILE]: ours })
    const startedAt = performance.now()
    const begun = proxy.next()
    let isOver = false
    const pushing = runCli(['push', '--via', via, '--json'], { cwd: root, env }).finally(() => {
      isOver = true
    })
    // The command has compared both sides by then.
    await begun
    const edits = await translate(project, one, () => isOver)
    const run = await pushing
    const { texts: sent, conflicts, left, leftTexts, refused, failure } = run.json(pushResult)
    // Each text was sent, is a conflict that is listed with what the service had, or is left with a reason.
    expect({ refused, failure, left }).toEqual({ refused: [], failure: null, left: leftTexts.length })
    const texts = await check(started, edits, one, startedAt, `push --via ${via}, ${name}`)
    expect(sent + conflicts.length + left).toBe(one.texts)
    expect(run.code).toBe(conflicts.length + left > 0 ? 1 : 0)
    for (const { key, theirs } of conflicts) expect(texts[key] === undefined || theirs !== ours[key]).toBe(true)
  })
})

describe('the dev server beside translators', () => {
  test.each(repeats(SAMPLE, CASES).map((one) => [nameOf(one), one] as const))('%s', async (name, one) => {
    const started = await start(one)
    const { project, root, proxy, ours } = started
    const service = { baseUrl: proxy.baseUrl, apiKey: project.apiKey }
    const options = { push: { holdAbove: 10_000 }, pull: { intervalMs: 100 } }
    const { engine } = await startEngine({ root, service, options })
    await engine.refresh()
    const startedAt = performance.now()
    const begun = proxy.next('PATCH')
    await writeTree(root, { [FILE]: ours })
    await begun
    const isOver = () => engine.status().outbox.every(({ parked }) => parked !== undefined)
    const edits = await translate(project, one, isOver)
    await expect.poll(isOver, { timeout: 120_000 }).toBe(true)
    await check(started, edits, one, startedAt, `dev server, ${name}`)
    for (const { parked } of engine.status().outbox) expect(parked?.kind).toBe('conflict')
  })
})

test('an import that translators overtake again and again ends under a limit of requests', async () => {
  const PER_SECOND = 8
  const project = await startProject({ service: { features: { conditionalWrites: true } } })
  const base = makeTexts(24, (i) => `Text ${i}`)
  await project.importTexts('en', 'common', base)
  const root = await tempFolder()
  await writeTree(root, { [FILE]: base })
  const edited: string[] = []
  let taken: number[] = []
  const limited = forwardTo(project.baseUrl, async ({ method, url, body }, pass) => {
    const now = performance.now()
    taken = taken.filter((at) => now - at < 1_000)
    if (taken.length >= PER_SECOND) {
      const headers = { 'content-type': 'application/json', 'retry-after': '1' }
      return { status: 429, headers, body: Buffer.from('{"status":429,"msg":"too many requests"}') }
    }
    taken.push(now)
    // Both imports, and one of the texts that then go one by one.
    const isImport = method === 'POST' && url.pathname.endsWith('/import')
    if (isImport || (method === 'PATCH' && edited.length === 2)) {
      const key = isImport ? `key.${edited.length}` : (JSON.parse(body.toString()) as { key: string }).key
      edited.push(key)
      await project.setText('en', 'common', key, 'translated')
    }
    return pass()
  })
  const env = {
    LOCALIZATION_BASE_URL: `http://127.0.0.1:${await listen(createServer(limited))}`,
    LOCALIZATION_API_KEY: project.apiKey,
  }
  await runCli(['pull', '--json'], { cwd: root, env })
  await writeTree(root, { [FILE]: makeTexts(24, (i) => `Text ${i}, edited`) })
  const run = await runCli(['push', '--via', 'import', '--json'], { cwd: root, env })
  const { texts: sent, conflicts, left, failure } = run.json(pushResult)
  expect({ sent, left, failure }).toEqual({ sent: 21, left: 0, failure: null })
  expect(conflicts.map(({ key }) => key).sort()).toEqual(edited.sort())
  expect(edited).toHaveLength(3)
})
