/** A project on a service, without files: only the texts that the user saw are changed. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../../src/api/client.ts'
import { CHANGED } from '../../../src/inspector/protocol.ts'
import { ServiceProject } from '../../../src/inspector/service-project.ts'
import { startProject } from '../../helpers/project.ts'

const TITLE = { language: 'en', namespace: 'a', key: 'title' }

describe.each([true, false])('with conditional writes: %s', (conditionalWrites) => {
  const start = async (texts: Record<string, Record<string, string>> = { 'en/a': { title: 'Title' } }) => {
    const service = await startProject({ service: { features: { conditionalWrites }, texts } })
    const client = createClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, proxy: false })
    const project = new ServiceProject('id', 'name', client, async () => ({ languages: [], customers: [] }))
    onTestFinished(() => project.close())
    // The page reads the texts before it changes any.
    await project.snapshot()
    return { ...service, project }
  }

  test('a text that someone changed in the meantime stays', async () => {
    const { project, setText, readText } = await start()
    await setText('en', 'a', 'title', 'New work')
    const edit = (expected: string) => project.edit([{ ref: TITLE, text: 'Mine', expected }])
    expect(await edit('Title')).toEqual([CHANGED])
    expect(await project.edit([{ ref: TITLE, text: 'Mine', expected: undefined }])).toEqual([CHANGED])
    expect(await readText('en', 'a', 'title')).toBe('New work')
    expect(await edit('New work')).toEqual([undefined])
    expect(await readText('en', 'a', 'title')).toBe('Mine')
  })

  test('a key that someone deleted in the meantime is not created again', async () => {
    const { project, deleteKey, readText } = await start()
    await deleteKey('a', 'title')
    expect(await project.edit([{ ref: TITLE, text: 'Mine', expected: 'Title' }])).toEqual([CHANGED])
    expect(await project.service.review([{ ref: TITLE, text: 'Title' }], true)).toEqual([expect.any(String)])
    expect(await readText('en', 'a', 'title')).toBeUndefined()
  })

  test('the namespace without a name is not the one that is named default', async () => {
    const { project, readText } = await start({ en: { title: 'Without' }, 'en/default': { title: 'Named' } })
    const { namespaces } = await project.snapshot()
    expect(namespaces).toEqual(['(default)', 'default'])
    for (const [namespace, expected] of [
      ['(default)', 'Without'],
      ['default', 'Named'],
    ] as const) {
      const ref = { ...TITLE, namespace }
      expect(await project.edit([{ ref, text: `${expected}!`, expected }])).toEqual([undefined])
    }
    expect([await readText('en', '', 'title'), await readText('en', 'default', 'title')]).toEqual([
      'Without!',
      'Named!',
    ])
  })

  test('a review belongs to the text that the user saw', async () => {
    const { project, setText, api } = await start()
    const stateOf = async () =>
      (await api('GET', '/api/v2/translations?key=title&language=en')).body.data[0].reviewStatus
    await setText('en', 'a', 'title', 'New work')
    expect(await project.service.review([{ ref: TITLE, text: 'Title' }], true)).toEqual([
      expect.stringContaining('someone changed it on the service in the meantime'),
    ])
    expect(await stateOf()).toBe('NOT_REVIEWED')
    expect(await project.service.review([{ ref: TITLE, text: 'New work' }], true)).toEqual([undefined])
    expect(await stateOf()).toBe('REVIEWED')
  })

  test("a key's details follow the key: made later, and made again", async () => {
    const { project, api, deleteKey } = await start()
    const key = { namespace: 'a', key: 'later' }
    const description = async () => (await project.service.info(key))?.description
    expect(await description()).toBeUndefined()
    for (const text of ['For a button', 'For a title']) {
      await deleteKey('a', 'later').catch(() => {})
      await api('POST', '/api/v1/translation-keys', { ...key, description: text })
      // As the service's pages are told after each write.
      project.changed()
      expect(await description()).toBe(text)
    }
  })
})
