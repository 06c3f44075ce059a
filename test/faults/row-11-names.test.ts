/** Row 11: names that are no file names. From the service through the commands and a build to the disk, and back. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileTexts, type TextsByFile } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom, command } from '../helpers/hostile-build.ts'
import { repeats } from '../helpers/repeats.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { type Row, startRowService } from '../helpers/throwaway-server.ts'
import '../helpers/seed.ts'

const row = faultRow(11)
const BUILDS = repeats(5, 15)

const HOSTILE = [
  '../../x',
  '..',
  '.',
  '/etc/passwd',
  'C:\\x',
  'c:/x',
  '\\\\host\\share',
  'CON',
  'con.json',
  'NUL',
  'aux.txt',
  'COM1',
  'trailing.',
  'trailing ',
  ' leading',
  '.hidden',
  '-rf',
  '~',
  'a:b',
  'a*b?',
  '%2e%2e',
  '%',
  'a\u0000b',
  'a\nb',
  '\u202ertl',
  'ż'.repeat(150),
  'x'.repeat(300),
  '🙂',
  '__proto__',
]

const rowsOf = (namespaces: readonly string[], text = 'Text of'): Row[] =>
  namespaces.map((namespace) => ({ key: 'title', namespace, language: 'en', text: `${text} ${namespace}` }))

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

/** A project folder inside a folder where nothing else may appear. */
async function cage(): Promise<{ outside: string; root: string }> {
  const outside = await tempFolder()
  const root = join(outside, 'one/two/project')
  await writeTree(root, { 'localization.config.json': { source: 'files', defaultLanguage: 'en' } })
  return { outside, root }
}

test.each(HOSTILE)(
  'pull of a namespace %j: one file in the folder, pulled again unchanged, or a named refusal',
  async (name) => {
    const { outside, root } = await cage()
    const service = await startRowService(() => rowsOf([name]))
    const { code, stderr } = await command(root, service.url, ['pull', '--json'])
    const files = await filesBelow(outside)
    const written = files.filter((file) => file.endsWith('.json') && !/localization\.config|\.localization/.test(file))
    expect(files.every((file) => file.startsWith('one/two/project/'))).toBe(true)
    if (code !== 0) {
      // Refused as a whole, and it says which name.
      expect([written, /namespace|too long|ill-formed|file name/i.test(stderr)]).toEqual([[], true])
      return
    }
    expect(written).toHaveLength(1)
    expect(written[0]).toMatch(/^one\/two\/project\/locales\/en\/[^\\:*?"<>|]+\.json$/)
    const path = join(outside, written[0] as string)
    row.kept(JSON.parse(await readFile(path, 'utf8')), { title: `Text of ${name}` })
    const { stdout } = await command(root, service.url, ['status', '--json'])
    const { parts } = JSON.parse(stdout) as { parts: { namespace: string; differing: number }[] }
    expect(parts.filter(({ namespace, differing }) => namespace === name && differing === 0)).toHaveLength(1)
  },
)

test('pull of all of them at once: a file each', async () => {
  const { outside, root } = await cage()
  const names = HOSTILE.filter(
    (name) => !name.includes('\u0000') && Buffer.byteLength(name) < 200 && !name.includes('..'),
  )
  const service = await startRowService(() => rowsOf(names))
  const { code, stderr } = await command(root, service.url, ['pull', '--json'])
  expect(code, stderr).toBe(0)
  const files = (await filesBelow(join(outside, 'one/two/project/locales'))).sort()
  expect(files).toHaveLength(names.length)
  const texts = await Promise.all(
    files.map(async (file) => JSON.parse(await readFile(join(root, 'locales', file), 'utf8')).title as string),
  )
  expect(texts.sort()).toEqual(names.map((name) => `Text of ${name}`).sort())
})

test.each([
  ['EN beside en', 'Common', 'common'],
  ['composed beside decomposed', 'caf\u00e9', 'cafe\u0301'],
])('%s: an error that names both, nothing written', async (_, one, other) => {
  const { outside, root } = await cage()
  const service = await startRowService(() => rowsOf([one, other]))
  const { code, stderr } = await command(root, service.url, ['pull'])
  expect(code).toBe(1)
  for (const name of [one, other]) expect(stderr.normalize('NFC')).toContain(name.normalize('NFC'))
  expect(
    await filesBelow(join(outside, 'one/two/project')).then((all) => all.filter((f) => f.startsWith('locales'))),
  ).toEqual([])
})

test('any names in a build: each module holds its own texts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }), { maxLength: 6 }),
      async (names) => {
        const good = names.filter((name) => isWellFormed(name) && name !== 'default')
        const service = await startRowService(() => [...rowsOf(good), ...rowsOf([''])])
        const { texts, failure } = await buildFrom(service.url, { source: 'query' })
        // A collision of case or normal form is an error with both names; everything else is a build.
        if (failure === undefined) row.kept(texts ?? {}, { title: 'Text of ' })
        else expect(failure).toMatch(/differ|collide|same|name/i)
      },
    ),
    { numRuns: BUILDS },
  )
  row.alsoTried(BUILDS - 1)
})

test('written files are read back under the names they had', async () => {
  const { root } = await cage()
  const names = ['a/b', 'CON', 'trailing.', 'ż', '🙂']
  const service = await startRowService(() => rowsOf(names))
  expect((await command(root, service.url, ['pull'])).code).toBe(0)
  const { stdout } = await command(root, service.url, ['status', '--json'])
  const { parts } = JSON.parse(stdout) as { parts: { namespace: string; texts: number }[] }
  expect(parts.map(({ namespace }) => namespace).sort()).toEqual([...names].sort())
  const texts: TextsByFile = await fileTexts(root, ['en/a/b'])
  row.kept(texts, { 'en/a/b': { title: 'Text of a/b' } })
})

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
