/** Stale translations in status, check and resolve. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkResult } from '../../src/cli/commands/check.ts'
import { resolveResult } from '../../src/cli/commands/resolve.ts'
import { statusResult } from '../../src/cli/commands/status.ts'
import { hashOf } from '../../src/shared/hash.ts'
import { createSyncLock } from '../../src/sync/lock.ts'
import { type Project, startProject } from '../helpers/project.ts'
import { writeTree } from '../helpers/temp.ts'

const EN = 'locales/en/common.json'
const PL = 'locales/pl/common.json'
const FILES = {
  [EN]: { title: 'Your cart', bye: 'Bye' },
  [PL]: { title: 'Twój koszyk', bye: 'Pa' },
}
const SHARED = { 'localization.config.json': { staleFile: 'localization.stale.json' } }

async function inSync(more: Readonly<Record<string, object>> = {}): Promise<Project> {
  const project = await startProject({ files: { ...FILES, ...more }, service: true })
  expect(await project.run('push')).toMatchObject({ code: 0 })
  return project
}

const save = (project: Project, file: string, texts: object) => writeTree(project.root, { [file]: texts })
const check = async (project: Project) => {
  const { findings } = (await project.run('check', '--json')).json(checkResult)
  return findings.filter(({ rule }) => rule === 'stale')
}
const stale = async (project: Project) => {
  const offline = await project.run('status', '--stale', '--offline', '--json')
  const data = (await project.run('status', '--stale', '--json')).json(statusResult)
  expect(offline.json(statusResult).stale).toEqual(data.stale)
  expect(data.languages.reduce((sum, row) => sum + row.stale, 0)).toBe(data.stale?.length)
  return (data.stale ?? []).map(({ language, key, text, madeFrom, source }) => [language, key, text, madeFrom, source])
}

const TITLE = ['pl', 'title', 'Twój koszyk', 'Your cart', 'Your basket']

test('a source is edited and sent: status and check say so until the translation follows', async () => {
  const project = await inSync()
  expect(await stale(project)).toEqual([])
  await save(project, EN, { title: 'Your basket', bye: 'Bye' })
  expect(await stale(project)).toEqual([TITLE])
  expect(await project.run('push')).toMatchObject({ code: 0 })
  expect(await stale(project)).toEqual([TITLE])
  const message = '"title" is stale: it translates "Your cart", which is now "Your basket"'
  expect(await check(project)).toMatchObject([
    { severity: 'warning', message, language: 'pl', namespace: 'common', key: 'title', file: PL, line: 2 },
  ])
  expect(await project.run('check')).toMatchObject({ code: 0 })
  expect(await project.run('check', '--strict')).toMatchObject({ code: 1 })
  const annotations = (await project.run('check', '--reporter', 'github')).stdout
  expect(annotations).toContain(`::warning file=${PL},line=2,col=3,title=localization stale::"title" is stale`)
  expect((await project.run('check', '--service', '--json')).json(checkResult).findings).toMatchObject([{ message }])
  const table = (await project.run('status', '--by-language', '--stale')).stdout
  expect(table).toMatch(/^language +translated +coverage +stale$/m)
  expect(table).toContain('pl/common "title"\n  - en "Your [-cart-]"\n  + en "Your {+basket+}"\n    pl "Twój koszyk"')
  await save(project, PL, { title: 'Twój kosz', bye: 'Pa' })
  expect(await check(project)).toEqual([])
  expect(await project.run('push')).toMatchObject({ code: 0 })
  expect(await stale(project)).toEqual([])
  expect((await project.run('status')).stdout).not.toContain('stale')
})

test('a pull of the source alone makes translations stale; of both sides it does not', async () => {
  const project = await inSync()
  await project.setText('en', 'common', 'title', 'Your basket')
  await project.setText('en', 'common', 'bye', 'Goodbye')
  await project.setText('pl', 'common', 'bye', 'Do widzenia')
  expect(await project.run('pull')).toMatchObject({ code: 0 })
  expect(await stale(project)).toEqual([TITLE])
  // The service's translation is newer than the file's.
  await project.setText('pl', 'common', 'title', 'Twój kosz')
  expect((await project.run('status', '--json')).json(statusResult).parts).toMatchObject([{ stale: 0 }, { stale: 0 }])
  expect(await project.run('pull')).toMatchObject({ code: 0 })
  expect(await check(project)).toEqual([])
})

test('a translation that is pulled while the source waits to be sent was made from the old source', async () => {
  const project = await inSync()
  await save(project, EN, { title: 'Your basket', bye: 'Bye' })
  await project.setText('pl', 'common', 'title', 'Wózek')
  expect(await project.run('pull')).toMatchObject({ code: 0 })
  const expected = [['pl', 'title', 'Wózek', 'Your cart', 'Your basket']]
  expect(await stale(project)).toEqual(expected)
  expect(await project.run('push')).toMatchObject({ code: 0 })
  expect(await stale(project)).toEqual(expected)
})

test.each([
  ['ours', 'Your basket', [TITLE]],
  ['theirs', 'Your bag', [['pl', 'title', 'Twój koszyk', 'Your cart', 'Your bag']]],
])('a conflict over the source resolved for %s', async (side, text, expected) => {
  const project = await inSync()
  await save(project, EN, { title: 'Your basket', bye: 'Bye' })
  await project.setText('en', 'common', 'title', 'Your bag')
  expect(await project.run('resolve', `--${side}`)).toMatchObject({ code: 0 })
  expect(await project.readText('en', 'common', 'title')).toBe(text)
  expect(await stale(project)).toEqual(expected)
})

test('a person says that a translation is still right', async () => {
  const project = await inSync()
  await save(project, EN, { title: 'Your basket', bye: 'Goodbye' })
  expect(await project.run('push')).toMatchObject({ code: 0 })
  const asks = await project.run('resolve', '--stale')
  expect(asks).toMatchObject({ code: 2 })
  expect(asks.stderr).toContain('2 translations: mark as still correct? There is no terminal to ask on: pass --yes')
  const dry = (await project.run('resolve', '--stale', '--dry-run', '--json')).json(resolveResult)
  expect(dry).toMatchObject({ dryRun: true, confirmed: [{ key: 'bye' }, { key: 'title' }], left: [] })
  expect(await check(project)).toHaveLength(2)
  const { stdout, stderr, code } = await project.run('resolve', '--stale', '--yes', 'ti*')
  expect([code, stdout]).toEqual([0, 'marked 1 stale translation as correct\n1 stale translation left\n'])
  expect(stderr).toContain('pl/common "title"\n  - en "Your [-cart-]"\n  + en "Your {+basket+}"\n    pl "Twój koszyk"')
  expect(await stale(project)).toEqual([['pl', 'bye', 'Pa', 'Bye', 'Goodbye']])
  expect((await project.run('resolve', '--stale', '--language', 'en')).stdout).toContain('1 stale translation left')
  await save(project, EN, { title: 'Your trolley', bye: 'Bye' })
  expect(await stale(project)).toEqual([['pl', 'title', 'Twój koszyk', 'Your basket', 'Your trolley']])
  for (const wrong of [
    ['--stale', '--ours'],
    ['--ours', '--yes'],
  ])
    expect(await project.run('resolve', ...wrong)).toMatchObject({ code: 2 })
})

test('a translation that changes during the question is not marked', async () => {
  const project = await inSync(SHARED)
  await save(project, EN, { title: 'Your basket', bye: 'Goodbye' })
  expect(await project.run('push')).toMatchObject({ code: 0 })
  const lock = createSyncLock(project.root)
  await lock.borrow(new AbortController().signal, () => {})
  const resolving = project.start('resolve', '--stale', '--yes', '--json')
  await expect.poll(() => resolving.stderr(), { timeout: 30_000 }).toContain('{+basket+}')
  // What a pull of another process writes: a new translation of the basket, and then a new source.
  await save(project, EN, { title: 'Your trolley', bye: 'Goodbye' })
  await save(project, PL, { title: 'Kosz', bye: 'Pa' })
  const file = join(project.root, 'localization.stale.json')
  const records = JSON.parse(await readFile(file, 'utf8'))
  const title = records.texts.find(({ key }: { readonly key: string }) => key === 'title')
  Object.assign(title, { madeFrom: 'Your basket', translations: { pl: hashOf('Kosz', 16) } })
  await writeTree(project.root, { 'localization.stale.json': records })
  await lock.release()
  const run = await resolving.run
  expect(run.code).toBe(1)
  expect(run.json(resolveResult)).toMatchObject({
    confirmed: [{ key: 'bye' }],
    failures: [{ key: 'title', reason: 'someone changed it in the meantime: look at both texts again' }],
    left: [{ key: 'title' }],
  })
  const message = '"title" is stale: it translates "Your basket", which is now "Your trolley"'
  expect(await check(project)).toMatchObject([{ message }])
})

test('with staleFile a clone knows what is stale, without a base and without the service', async () => {
  const project = await inSync(SHARED)
  await save(project, EN, { title: 'Your basket', bye: 'Bye' })
  expect(await project.run('push')).toMatchObject({ code: 0 })
  await rm(join(project.root, '.localization'), { recursive: true })
  expect(await stale(project)).toEqual([TITLE])
  // The first push of the clone takes over equal texts as its base, and keeps the records.
  expect(await project.run('push')).toMatchObject({ code: 0 })
  expect(await stale(project)).toEqual([TITLE])
  await save(project, PL, { title: 'Twój kosz', bye: 'Pa' })
  expect(await check(project)).toEqual([])
  expect(await project.run('push')).toMatchObject({ code: 0 })
  expect(JSON.parse(await readFile(join(project.root, 'localization.stale.json'), 'utf8'))).toMatchObject({
    texts: [],
  })
})

test('without staleFile a clone knows nothing, and says nothing wrong', async () => {
  const project = await inSync()
  await save(project, EN, { title: 'Your basket', bye: 'Bye' })
  expect(await project.run('push')).toMatchObject({ code: 0 })
  await rm(join(project.root, '.localization'), { recursive: true })
  expect(await stale(project)).toEqual([])
})

test('records with marks of a merge are a warning, and are left alone', async () => {
  const project = await inSync({ ...SHARED })
  await writeTree(project.root, { 'localization.stale.json': '<<<<<<< HEAD' })
  const { code, stderr } = await project.run('check')
  expect(code).toBe(0)
  expect(stderr).toContain('localization.stale.json cannot be read, so stale translations cannot be detected')
})
