/** Deletion of keys and review states: only what a person saw, only on a side that the person named. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { startProject } from '../../helpers/project.ts'
import { readJson } from '../../helpers/temp.ts'

const KEYS = [{ namespace: 'common', key: 'title' }]

const TEXTS = { title: 'Title', save: 'Save', short: 'Short' }
const FILES = { 'locales/en/common.json': TEXTS, 'locales/de/common.json': { title: 'Titel' } }

const read = (root: string, language: string) => readJson(root, `locales/${language}/common.json`)

test('a deletion shows its files and lines, and takes exactly these texts', async () => {
  const { root, inspector } = await startProject({ files: FILES, inspector: true })
  const { json } = await inspector.post('removal', { keys: KEYS, onService: false })
  expect(json).toMatchObject({
    texts: 2,
    languages: 2,
    files: [
      { file: 'locales/de/common.json', texts: 1 },
      { file: 'locales/en/common.json', texts: 1 },
    ],
  })
  expect(json.lines.map(({ place }: { place: string }) => place)).toEqual([
    expect.stringMatching(/^locales\/de\/common\.json:\d+:\d+$/),
    expect.stringMatching(/^locales\/en\/common\.json:\d+:\d+$/),
  ])
  const wrong = await inspector.post('remove', { keys: KEYS, onService: false, seen: 'another' })
  expect(wrong.json).toMatchObject({ done: 0, problems: [expect.stringMatching(/changed the texts in the meantime/)] })
  expect(await read(root, 'de')).toEqual({ title: 'Titel' })

  const { json: done } = await inspector.post('remove', { keys: KEYS, onService: false, seen: json.seen })
  expect(done).toEqual({ done: 2, problems: [] })
  expect(await read(root, 'en')).toEqual({ save: 'Save', short: 'Short' })
  expect(await read(root, 'de')).toEqual({})
})

test('nothing is deleted on a service that there is not', async () => {
  const { root, inspector } = await startProject({ files: FILES, inspector: true })
  expect((await inspector.post('removal', { keys: KEYS, onService: true })).status).toBe(500)
  expect((await inspector.post('remove', { keys: [], onService: false, seen: '' })).status).toBe(400)
  expect((await read(root, 'en')).title).toBe('Title')
})

test('the service keeps a key until a person names it, and more than half of the keys in any case', async () => {
  vi.stubEnv('CI', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { root, inspector, ...service } = await startProject({
    files: FILES,
    service: { texts: { 'en/common': TEXTS } },
    inspector: true,
  })
  await expect
    .poll(async () => (await inspector.get('key?namespace=common&key=title')).json.texts[0].theirs)
    .toBe('Title')

  const both = [...KEYS, { namespace: 'common', key: 'save' }]
  const { json: preview } = await inspector.post('removal', { keys: both, onService: true })
  expect(preview.service.refusal).toMatch(/more than half/)
  const refused = await inspector.post('remove', { keys: both, onService: true, seen: preview.seen })
  expect(refused.json).toMatchObject({ done: 0, problems: [expect.stringMatching(/keys remove/)] })
  expect(await read(root, 'en')).toEqual(TEXTS)

  const { json } = await inspector.post('removal', { keys: KEYS, onService: true })
  expect(json.service).toMatchObject({ texts: 1, languages: 1 })
  // A translator writes meanwhile: the person has not seen that.
  await service.setText('en', 'common', 'title', 'New work')
  const late = await inspector.post('remove', { keys: KEYS, onService: true, seen: json.seen })
  expect(late.json.done).toBe(0)
  expect(await service.readText('en', 'common', 'title')).toBe('New work')
  expect((await read(root, 'en')).title).toBe('Title')
  const { json: seen } = await inspector.post('removal', { keys: KEYS, onService: true })
  const gone = await inspector.post('remove', { keys: KEYS, onService: true, seen: seen.seen })
  expect(gone.json.problems).toEqual([])
  expect(await service.readText('en', 'common', 'title')).toBeUndefined()
  expect(await service.readText('en', 'common', 'save')).toBe('Save')
  expect(await read(root, 'en')).toEqual({ save: 'Save', short: 'Short' })
})
