/** The overview says what is wrong first: broken files, a service that does not respond, texts that wait. */
import { afterEach, expect, test, vi } from 'vitest'
import { startProject } from '../../helpers/project.ts'
import { writeTree } from '../../helpers/temp.ts'

const FILES = { 'locales/en/common.json': { title: 'Title' }, 'locales/de/common.json': { title: 'Titel' } }
const LONG = { timeout: 60_000 }

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

test('a broken file has its place, and its language is not complete', async () => {
  const { root, inspector } = await startProject({ files: FILES, inspector: true })
  const overview = async () => (await inspector.get('overview')).json
  expect(await overview()).toMatchObject({ brokenFiles: 0, findingCounts: { errors: 0 } })
  await writeTree(root, { 'locales/de/common.json': '{\n  "title": "Titel",,\n}\n' })
  await inspector.engine.rescan({ everything: true })
  await expect.poll(async () => (await overview()).brokenFiles, LONG).toBe(1)
  const { findings, findingCounts, languages, coverage } = await overview()
  expect(findings).toEqual([
    { severity: 'error', place: 'locales/de/common.json:2:20', message: expect.stringContaining('unexpected comma') },
  ])
  expect(findings[0].message).not.toContain('locales/')
  expect(findingCounts).toEqual({ errors: 1, warnings: 0 })
  const german = languages.findIndex(({ key }: { key: string }) => key === 'de')
  expect(coverage[0].map(({ isBroken }: { isBroken: boolean }) => isBroken)).toEqual(
    languages.map((_: unknown, at: number) => at === german),
  )
  await writeTree(root, FILES)
  await inspector.engine.rescan({ everything: true })
  await expect.poll(async () => (await overview()).brokenFiles, LONG).toBe(0)
})

test('of 200 broken files, the first are listed and all are counted, before any warning', async () => {
  const broken = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`locales/x-${i}/common.json`, '{']))
  const { inspector } = await startProject({
    files: { ...FILES, ...broken },
    inspector: { options: { languages: ['en', 'de', 'x-*', 'missing'] } },
  })
  const { findings, findingCounts, brokenFiles } = (await inspector.get('overview')).json
  expect(brokenFiles).toBe(200)
  expect(findingCounts.errors).toBe(200)
  expect(findingCounts.warnings).toBeGreaterThan(0)
  expect(findings).toHaveLength(50)
  expect(new Set(findings.map(({ severity }: { severity: string }) => severity))).toEqual(new Set(['error']))
})

test('the last contact with the service has a time, and a failure takes its place until one works', async () => {
  vi.stubEnv('CI', '')
  const { inspector, ...service } = await startProject({ files: FILES, service: { alone: true }, inspector: true })
  const sync = async () => (await inspector.get('overview')).json.sync
  await expect.poll(async () => (await sync()).contactAt, LONG).toBeGreaterThan(Date.now() - 60_000)
  expect((await sync()).failure).toBeUndefined()
  const { contactAt } = await sync()
  await service.close()
  expect((await inspector.post('refresh', {})).status).toBeGreaterThanOrEqual(400)
  await expect.poll(async () => (await sync()).failure, LONG).toMatch(/./)
  expect((await sync()).contactAt).toBe(contactAt)
})

test('the stream of events is never silent for long', async () => {
  const { inspector } = await startProject({ files: FILES, inspector: true })
  vi.useFakeTimers({ toFake: ['setInterval'] })
  const headers = { 'x-localization-token': inspector.token }
  const { body } = await fetch(`${inspector.origin}/__localization/api/events`, { headers })
  const reader = body?.getReader()
  await reader?.read()
  for (let beat = 0; beat < 3; beat++) {
    vi.advanceTimersByTime(5_000)
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('\n')
  }
  await reader?.cancel()
})

test("a key's details appear with its texts", async () => {
  vi.stubEnv('CI', '')
  const { inspector, api, setText } = await startProject({ files: FILES, service: true, inspector: true })
  const details = async () => (await inspector.get('details?namespace=common&key=later')).json.details
  expect(await details()).toBeUndefined()
  await api('POST', '/api/v1/translation-keys', { key: 'later', namespace: 'common', description: 'For a button' })
  await setText('en', 'common', 'later', 'Later')
  await inspector.engine.refresh()
  await expect.poll(details, LONG).toMatchObject({ description: 'For a button' })
})
