/** Requests at the same time: each one sees and leaves a state that requests one after the other could have left. */
import { describe, expect, test } from 'vitest'
import { createProject, DRIVERS, request, startService, type TestProject } from '../helpers/service.ts'

const AT_ONCE = 16
/** More than the service reads in one go. */
const KEYS = 1200

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** Calls `work` again and again until `running` settles. */
async function during(running: Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
  let isOver = false
  const end = running.finally(() => {
    isOver = true
  })
  while (!isOver) await work()
  await end
}

const texts = (round: number) => Object.fromEntries(times(KEYS, (i) => [`key${i}`, `round ${round}`]))

/** Imports of both languages, one after the other; each replaces every text. */
async function importRounds(project: TestProject, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const options = 'uploadFormat=multi-language-json&importOptions=REPLACE_TRANSLATION_IF_FOUND'
    await project.import({ en: texts(round), pl: texts(round) }, options)
  }
}

describe.each(DRIVERS)('at the same time on %s', (driver) => {
  const setUp = async () => {
    const service = await startService({ driver, languages: ['pl'] })
    const describeProject = async () => {
      const headers = { authorization: service.personalToken }
      return (await request(`${service.baseUrl}/api/v2/projects`, { headers })).body.data[0]
    }
    return { service, project: await createProject(service), describeProject }
  }

  test('a key that many create exists once', async () => {
    const { project, describeProject } = await setUp()
    const answers = await Promise.all(
      times(AT_ONCE, () => project.api('POST', '/api/v1/translation-keys', { key: 'a' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...times(AT_ONCE - 1, () => 409)])
    expect(await describeProject()).toMatchObject({ keys: 1, unpublishedChanges: 1 })
  })

  test('a key that one deletes and others write is gone with all its texts', async () => {
    const { project, describeProject } = await setUp()
    for (let round = 0; round < 3; round++) {
      await project.api('POST', '/api/v1/translation-keys', { key: 'a' })
      const write = (language: string) =>
        project.api('PATCH', '/api/v2/translations', { key: 'a', language, text: 'x' })
      const remove = () => project.api('DELETE', '/api/v1/translation-keys?key=a')
      const answers = await Promise.all(times(AT_ONCE, (i) => (i === 7 ? remove() : write(i % 2 ? 'en' : 'pl'))))
      for (const { status } of answers) expect([200, 404]).toContain(status)
      await project.api('POST', '/api/v1/translation-keys', { key: 'a' })
      expect((await project.get('/api/v2/translations')).body.data).toEqual([])
      await remove()
    }
    expect(await describeProject()).toMatchObject({ keys: 0, translatedKeysByLanguage: {} })
  })

  test('every change is counted, and a publish takes off what it shows', async () => {
    const { project, describeProject } = await setUp()
    await project.import({ en: Object.fromEntries(times(AT_ONCE, (i) => [`key${i}`, ''])) })
    await project.publish()
    const write = (i: number, text: string) =>
      project.api('PATCH', '/api/v2/translations', { key: `key${i}`, language: 'en', text })
    await Promise.all(times(AT_ONCE, (i) => write(i, 'first')))
    expect(await describeProject()).toMatchObject({ unpublishedChanges: AT_ONCE })
    const writing = Promise.all(times(AT_ONCE, (i) => write(i, 'second')))
    await during(writing, () => project.publish())
    const { unpublishedChanges } = await describeProject()
    const hosted = Object.values((await project.hosted('en')).body)
    expect(hosted.filter((text) => text !== 'second')).toHaveLength(unpublishedChanges)
  })

  test('of texts that are set at once, those that are refused take nothing from the others', async () => {
    const { project, describeProject } = await setUp()
    await project.import({ en: Object.fromEntries(times(AT_ONCE, (i) => [`key${i}`, ''])) })
    const before = (await describeProject()).unpublishedChanges as number
    const answers = await Promise.all(
      times(4 * AT_ONCE, (i) => {
        const key = i % 4 === 1 ? 'none' : `key${i >> 2}`
        const language = ['en', 'en', 'xx', 'pl'][i % 4] ?? ''
        return project.api('PATCH', '/api/v2/translations', { key, language, text: `text ${i}` })
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual(times(4 * AT_ONCE, (i) => ([1, 2].includes(i % 4) ? 404 : 200)))
    const { data } = (await project.get('/api/v2/translations?size=500')).body
    const found = data.map(({ key, language, text }: Record<string, string>) => `${key} ${language} ${text}`).sort()
    const expected = times(AT_ONCE, (i) => [`key${i} en text ${4 * i}`, `key${i} pl text ${4 * i + 3}`])
    expect(found).toEqual(expected.flat().sort())
    expect((await describeProject()).unpublishedChanges).toBe(before + 2 * AT_ONCE)
  })

  test('languages that several imports bring are there once, in one order', async () => {
    const { project, describeProject } = await setUp()
    const languages = ['de', 'fr', 'it', 'es']
    await Promise.all(times(AT_ONCE, (i) => project.import({ [languages[i % 4] ?? '']: { [`key${i}`]: 'x' } })))
    const found = (await describeProject()).languages as { key: string; order: number }[]
    expect(found.map(({ key }) => key).sort()).toEqual(['de', 'en', 'es', 'fr', 'it', 'pl'])
    expect(found.map(({ order }) => order)).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('exports and published files are one state of the project', async () => {
    const { project } = await setUp()
    await importRounds(project, 1)
    await project.publish()
    const states = new Set<number>()
    await during(importRounds(project, 3), async () => {
      const [exported] = await Promise.all([project.export(), project.publish()])
      const hosted = await Promise.all(['_index', '_index'].map((path) => project.hosted(path)))
      for (const files of [exported, ...hosted.map(({ body }) => body)]) {
        states.add(new Set([...Object.values(files.en), ...Object.values(files.pl)]).size)
        expect(Object.keys(files.en)).toHaveLength(KEYS)
      }
    })
    expect([...states]).toEqual([1])
  })

  test('projects that several callers create are all there', async () => {
    const { service } = await setUp()
    const made = await Promise.all(times(AT_ONCE, (i) => createProject(service, `project ${i}`)))
    const answers = await Promise.all(made.map((project) => project.get('/api/v2/project')))
    expect(answers.map(({ body }) => body.data.name)).toEqual(times(AT_ONCE, (i) => `project ${i}`))
  })
})
