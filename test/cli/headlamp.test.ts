/** `extract` and `check` on a real application: they find what is missing or unused, and nothing else. */
import { existsSync } from 'node:fs'
import { chmod, cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkResult } from '../../src/cli/check/report.ts'
import { extractResult } from '../../src/cli/commands/extract.ts'
import { repository } from '../helpers/bundlers.ts'
import { runCli } from '../helpers/cli.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { testThoroughly } from '../helpers/test-thoroughly.ts'

const APP = join(repository, '../shared/apps/headlamp')
const isThere = existsSync(APP)
if (!isThere) process.stdout.write('skipped: the application headlamp is not there\n')

const LOCALES = 'src/i18n/locales/en'
const NAMESPACES = ['glossary', 'translation']

/** Keys that the code uses and the app's own files do not have, each looked at by hand. */
const TRULY_MISSING = [
  // PluginSettingsDetails.tsx: three calls inside the options of another call.
  ['translation', 'development'],
  ['translation', 'user-installed'],
  ['translation', 'shipped'],
  // verticalPodAutoscaler/List.tsx writes `&nbsp;`, the file has a plain space: react-i18next does not find it.
  ['glossary', 'Vertical Pod Autoscaler is not enabled.\u00a0<1>Learn More</1>'],
]

/** Keys that no code spells out: the shortcuts' labels are in a table, with their calls in comments. */
const NOT_IN_CODE = new Set([
  'Press<1>{formatShortcutKey(searchShortcutKey)}</1>to search',
  'Global Search',
  'Open the global search dialog',
  'Cluster Chooser',
  'Open the cluster chooser popup',
  'Toggle Table Filters',
  'Toggle column filters in tables',
  'Log Viewer Search',
  'Toggle search in log viewer',
  // The same sentence with the other space, see above.
  'Vertical Pod Autoscaler is not enabled. <1>Learn More</1>',
])

/** The code gives no text for the singular: the app's authors wrote "{{count}} operation" by hand. */
const HANDWRITTEN = new Set(['{{count}} operations_one'])

type Texts = Record<string, string>

const testRemoved = isThere ? testThoroughly : test.skip
testRemoved(
  'headlamp: nothing false, and each of 20 removed keys',
  async () => {
    const cwd = await copyApp()
    const read = async (namespace: string): Promise<Texts> =>
      JSON.parse(await readFile(join(cwd, LOCALES, `${namespace}.json`), 'utf8')) as Texts
    const before = new Map<string, Texts>()
    for (const namespace of NAMESPACES) before.set(namespace, await read(namespace))

    const asItIs = await runCli(['extract', '--dry-run', '--json'], { cwd })
    expect(asItIs.json(extractResult).keys.map(({ namespace, key }) => [namespace, key])).toEqual(TRULY_MISSING)
    expect(asItIs.json(extractResult).findings).toEqual([])

    const removed = pickKeys(before)
    expect(removed.filter(([, key]) => key.endsWith('_one') || key.endsWith('_other')).length).toBeGreaterThan(1)
    for (const [namespace, texts] of before) {
      const rest = Object.entries(texts).filter(
        ([key]) => !removed.some((each) => each[0] === namespace && each[1] === key),
      )
      await writeFile(join(cwd, LOCALES, `${namespace}.json`), `${JSON.stringify(Object.fromEntries(rest), null, 2)}\n`)
    }
    const run = await runCli(['extract', '--json'], { cwd })
    expect(run.code).toBe(0)
    const { keys, findings } = run.json(extractResult)
    expect(findings).toEqual([])
    const found = keys.map(({ namespace, key }) => JSON.stringify([namespace, key]))
    expect(found.sort()).toEqual([...TRULY_MISSING, ...removed].map((each) => JSON.stringify(each)).sort())
    for (const { key, calls } of keys) {
      const [call] = calls
      const lines = (await readFile(join(cwd, call?.file ?? ''), 'utf8')).split('\n')
      const code = lines.slice((call?.line ?? 0) - 1, (call?.line ?? 0) + 12).join('\n')
      // The first words of the key stand there.
      const words = /[\p{L} ]{3,20}/u.exec(key)?.[0].trim() ?? ''
      expect(code, key).toContain(words)
    }
    for (const [namespace, texts] of before) {
      const after = await read(namespace)
      for (const [key, text] of Object.entries(texts))
        if (!HANDWRITTEN.has(key)) expect([key, after[key]]).toEqual([key, text])
    }
  },
  240_000,
)

test.skipIf(!isThere)('headlamp: check reports nothing false', { timeout: 240_000 }, async () => {
  const cwd = await copyApp({ prune: { onUnknown: 'literals' } })
  const run = await runCli(['check', '--missing-in-code', '--unused', '--json'], { cwd })
  const { findings } = run.json(checkResult)
  const missing = findings.filter(({ rule }) => rule === 'missing-in-code').map(({ key }) => key)
  expect(missing).toEqual(TRULY_MISSING.map(([, key]) => key))
  const unused = findings.filter(({ rule }) => rule === 'unused')
  // The namespace of the desktop app, whose code is not in `src`.
  const others = unused.filter(({ namespace }) => namespace !== 'app').map(({ key }) => key)
  expect(others).toEqual(['Vertical Pod Autoscaler is not enabled. <1>Learn More</1>'])
})

/** 20 keys of both namespaces, four of them plural forms, always the same. A key of both is not missing without one. */
function pickKeys(texts: ReadonlyMap<string, Texts>): (readonly [namespace: string, key: string])[] {
  const all = [...texts].flatMap(([namespace, own]) => Object.keys(own).map((key) => [namespace, key] as const))
  const single = all.filter(([, key]) => !NOT_IN_CODE.has(key) && all.filter((each) => each[1] === key).length === 1)
  const random = createRandom(19)
  const shuffled = single
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each)
  const isForm = ([, key]: readonly [string, string]) => /_(?:one|other)$|\/\/context:/.test(key)
  return [...shuffled.filter(isForm).slice(0, 6), ...shuffled.filter((each) => !isForm(each)).slice(0, 14)]
}

/** The sources and the English files: what the command reads. */
async function copyApp(config: object = {}): Promise<string> {
  const cwd = await tempFolder()
  await cp(join(APP, 'src'), join(cwd, 'src'), {
    recursive: true,
    filter: (source) => !source.includes('/i18n/locales/') || /\/locales\/en(?:\/|$)/.test(source),
  })
  // The original is read-only.
  await chmod(join(cwd, LOCALES), 0o755)
  for (const name of await readdir(join(cwd, LOCALES))) await chmod(join(cwd, LOCALES, name), 0o644)
  await writeTree(cwd, {
    'localization.config.json': {
      files: 'src/i18n/locales/{language}/{namespace}.json',
      defaultLanguage: 'en',
      ...config,
    },
  })
  return cwd
}

/** Mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}
