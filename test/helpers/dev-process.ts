/**
 * A real dev server with the built package, in this process or, to be killed, in its own; and what the service behind it
 * holds.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import type { LocalizationOptions } from '../../src/index.ts'
import type { WatchedPage } from './browser.ts'
import { repository } from './bundlers.ts'
import { noteLeaks, secretsIn } from './canary.ts'
import { allDevServers } from './dev-servers.ts'
import type { HoldingProxy } from './holding-proxy.ts'
import { startProcess } from './processes.ts'
import type { Project } from './project.ts'
import { repeats } from './repeats.ts'
import { tempFolder, writeTree } from './temp.ts'

export type Messages = Record<string, string>
/** By `language/namespace`. */
export type TextsByFile = Record<string, Messages>

/** So many texts: `key0`, `key1` and so on. */
export function numbered(count: number, text: (i: number) => string): Messages {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, text(i)]))
}

const BUNDLERS = ['vite', 'webpack', 'rspack'] as const
type DevBundler = (typeof BUNDLERS)[number]

/** Vite in `npm test`; the others with `BUNDLERS=others`, in `.ci/run`. */
export const DEV_BUNDLERS = BUNDLERS.filter((name) =>
  repeats((name === 'vite') === (process.env.BUNDLERS !== 'others'), true),
)

/** Waits for a first reading of the service: what is saved before that was already different when the server started. */
const hasRead = (proxy: Pick<HoldingProxy, 'readings'>, before: number) =>
  expect.poll(() => proxy.readings(), { timeout: 90_000, interval: 20 }).toBeGreaterThan(before)

/** What it said, by line. The first line says what was loaded and is left out. */
const linesOf = (said: string) =>
  said
    .split('\n')
    .filter((text) => text !== '')
    .slice(1)

/**
 * In this process, which costs a tenth of another one: for whatever does not kill it. With a proxy it resolves when it
 * syncs. Ends with the running test.
 */
export async function startDevServer(
  root: string,
  apiKey: string,
  proxy?: Pick<HoldingProxy, 'readings'>,
  { bundler = 'vite' }: { readonly bundler?: DevBundler } = {},
) {
  const readings = proxy?.readings() ?? 0
  // Nothing is pushed on a continuous-integration machine, and this is what is tested here.
  vi.stubEnv('CI', '').stubEnv('LOCALIZATION_API_KEY', apiKey)
  let said = ''
  const listening = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    said += chunk
    noteLeaks("the dev server's log", secretsIn(String(chunk)))
    return true
  })
  onTestFinished(() => {
    listening.mockRestore()
    vi.unstubAllEnvs()
  })
  const kind = allDevServers.find(({ name }) => name === bundler) as (typeof allDevServers)[number]
  const { address, close } = await kind.start({ root })
  if (proxy) await hasRead(proxy, readings)
  return { address, lines: () => linesOf(said), close }
}

interface DevProcessOptions {
  readonly bundler?: DevBundler
  readonly env?: Readonly<Record<string, string>>
  /** A command that runs the one behind it: `['unshare', '-rm', ...]`. */
  readonly within?: readonly string[]
  /** A module that Node loads before everything else. */
  readonly preload?: string
}

/** It takes its options from the folder's configuration file. With a proxy it resolves when it syncs. */
export async function startDevProcess(
  root: string,
  apiKey: string,
  proxy?: Pick<HoldingProxy, 'readings'>,
  { bundler = 'vite', env, within = [], preload }: DevProcessOptions = {},
) {
  const readings = proxy?.readings() ?? 0
  const script = join(repository, 'bench/lib/dev-server-host.mjs')
  const node = [process.execPath, ...(preload === undefined ? [] : ['--import', preload])]
  const argument = JSON.stringify({ bundler, root, options: {} })
  const { child, firstLine, ended, stderr, signal } = startProcess([...within, ...node, script, argument], {
    // Nothing is pushed on a continuous-integration machine, and this is what is tested here.
    env: { ...process.env, CI: '', LOCALIZATION_API_KEY: apiKey, ...env },
  })
  child.stderr?.on('data', (text: string) => noteLeaks("the dev server's log", secretsIn(text)))
  const { address } = JSON.parse(await firstLine) as { address: string }
  if (proxy) await hasRead(proxy, readings)
  return {
    pid: child.pid as number,
    address,
    lines: () => linesOf(stderr()),
    signal,
    async kill() {
      signal('SIGKILL')
      await ended
    },
  }
}

/** Every text of the service, customers' own left out. */
export async function serviceTexts(project: Project): Promise<TextsByFile> {
  const found: TextsByFile = {}
  for (let page = 0; ; page++) {
    const { data } = (await project.get(`/api/v2/translations?size=500&page=${page}`)).body as {
      data: { language: string; namespace: string; key: string; text: string }[]
    }
    for (const { language, namespace, key, text } of data) {
      found[`${language}/${namespace}`] ??= {}
      // A key may be `__proto__`.
      const property = { value: text, enumerable: true, configurable: true, writable: true }
      Object.defineProperty(found[`${language}/${namespace}`], key, property)
    }
    if (data.length < 500) return found
  }
}

export async function serviceHas(project: Project, expected: TextsByFile): Promise<void> {
  await expect.poll(() => serviceTexts(project), { timeout: 90_000, interval: 100 }).toEqual(expected)
}

/** An app whose page shows every text it can get, again after each update; a rendering that was overtaken shows nothing. */
export const LIVE_MAIN = `
import { languages, namespaces, load, onUpdate } from 'virtual:translations'
let latest = 0
async function render() {
  const own = ++latest
  const texts = {}
  for (const { key } of languages) {
    texts[key] = {}
    for (const namespace of namespaces) texts[key][namespace] = { ...(await load(key, namespace)) }
  }
  if (own === latest) document.body.dataset.texts = JSON.stringify(texts)
}
render()
onUpdate(render)
`

/** Language, namespace, key. */
export type ShownTexts = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>

export async function shownTexts({ page }: WatchedPage): Promise<ShownTexts> {
  return JSON.parse((await page.evaluate<string>('document.body.dataset.texts')) ?? '{}') as ShownTexts
}

/**
 * Waits until `part` of the shown texts is as expected. The page is asked again when it shows something else: asking it
 * all the time takes the processor that the dev server needs.
 */
export async function showsTexts(
  { page }: WatchedPage,
  part: (texts: ShownTexts) => unknown,
  expected: unknown,
): Promise<void> {
  const until = Date.now() + 90_000
  for (;;) {
    const text = (await page.evaluate<string>('document.body.dataset.texts')) ?? '{}'
    const found = part(JSON.parse(text) as ShownTexts)
    if (isEqual(found, expected) || Date.now() > until) return expect(found).toEqual(expected)
    const isOther = `(document.body?.dataset.texts ?? '{}') !== ${JSON.stringify(text)}`
    await page.waitForFunction(isOther, undefined, { polling: 20, timeout: until - Date.now() + 1 }).catch(() => {})
  }
}

function isEqual(found: unknown, expected: unknown): boolean {
  try {
    expect(found).toEqual(expected)
    return true
  } catch {
    return false
  }
}

/** A folder with an app that shows every text, its locale files and a configuration that names the service. */
export async function createApp(
  texts: TextsByFile,
  service: { readonly baseUrl: string },
  options: LocalizationOptions = {},
): Promise<string> {
  const root = await tempFolder()
  await writeTree(root, {
    'main.js': LIVE_MAIN,
    'package.json': { type: 'module' },
    'localization.config.json': {
      source: 'files',
      defaultLanguage: 'en',
      ...options,
      service: { baseUrl: service.baseUrl, ...options.service },
    },
    ...Object.fromEntries(Object.entries(texts).map(([file, content]) => [`locales/${file}.json`, content])),
  })
  return root
}

/** What the app's files hold. */
export async function fileTexts(root: string, files: Iterable<string>): Promise<TextsByFile> {
  const found: TextsByFile = {}
  for (const file of files) {
    found[file] = JSON.parse(await readFile(join(root, `locales/${file}.json`), 'utf8')) as Messages
  }
  return found
}

/** The lines of the journal, without their checksums; `undefined`: there is none yet. */
async function journalLines(root: string): Promise<readonly (readonly [string, string, unknown?])[] | undefined> {
  const journal = await readSyncFile(root, 'journal.jsonl')
  const lines = journal?.split('\n').slice(1, -1)
  return lines?.map((line) => JSON.parse(line.slice(9)) as [string, string, unknown?])
}

/** The ids of the texts that the dev server holds, as it notes them for the commands. */
export async function heldTexts(root: string): Promise<readonly string[]> {
  const held = new Set<string>()
  for (const [what, id, reason] of (await journalLines(root)) ?? []) {
    if (what !== 'held') continue
    if (reason === undefined) held.delete(id)
    else held.add(id)
  }
  return [...held]
}

/**
 * Resolves when the dev server knows of so many texts that both sides have them: it has read the service's answer too.
 */
export async function agreesOn(root: string, texts: number): Promise<void> {
  const bases = async () => (await journalLines(root))?.filter(([what]) => what === 'base').length
  await expect.poll(bases, { timeout: 90_000 }).toBe(texts)
}

async function readSyncFile(root: string, file: string): Promise<string | undefined> {
  const folder = join(root, '.localization/sync')
  for (const name of await readdir(folder).catch(() => [])) {
    const content = await readFile(join(folder, name, file), 'utf8').catch(() => undefined)
    if (content !== undefined) return content
  }
  return undefined
}
