/** Texts that requests set at the same time: together on the disk, and each by itself to its request. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { TextGroups } from '../../../src/service/set-text.ts'
import type { Database } from '../../../src/service/store/driver.ts'
import { openDatabase } from '../../../src/service/store/open.ts'
import { createStore } from '../../../src/service/store/store.ts'
import { textDigest } from '../../../src/shared/hash.ts'
import { SQLITE_DRIVERS } from '../../helpers/service.ts'

const KEYS = 200

describe.each(SQLITE_DRIVERS)('texts set at once on %s', (driver) => {
  const setUp = async () => {
    const opened = await openDatabase(undefined, driver)
    onTestFinished(() => opened.close())
    const seen = { transactions: 0 }
    const database: Database = {
      ...opened,
      transaction(work, options) {
        seen.transactions++
        return opened.transaction(work, options)
      },
    }
    const store = createStore(database, () => '2026-01-01T00:00:00.000Z')
    const { id } = await store.transaction(async ({ projects, keys }) => {
      const project = await projects.create('project', 'en')
      for (let i = 0; i < KEYS; i++)
        await keys.create(project.id, { key: `key${i}`, namespace: '', charactersLimit: 20 })
      return project
    })
    seen.transactions = 0
    const groups = new TextGroups(store)
    const set = (key: string, text: string, condition?: (present: { digest: string }) => void) =>
      groups.set(id, {
        entry: { namespace: '', key, language: 'en', customer: '', text, reviewStatus: 'NOT_REVIEWED' },
        condition,
      })
    const project = () => store.projects.get(id)
    const textOf = async (key: string) => {
      const found = await store.keys.find(id, '', key)
      return found && (await store.translations.text(found.id, 'en', ''))
    }
    return { seen, set, project, textOf }
  }

  test('they share transactions, and all are there', async () => {
    const { seen, set, project, textOf } = await setUp()
    await Promise.all(Array.from({ length: KEYS }, (_, i) => set(`key${i}`, `text ${i}`)))
    for (let i = 0; i < KEYS; i++) expect(await textOf(`key${i}`)).toBe(`text ${i}`)
    expect(seen.transactions).toBeLessThan(KEYS / 10)
    expect(await project()).toMatchObject({ unpublishedChanges: KEYS + KEYS })
  })

  test('one text that is set many times has each value in its turn', async () => {
    const { set, textOf } = await setUp()
    const before: string[] = []
    const texts = ['a', 'b', 'c', 'd']
    await Promise.all(texts.map((text) => set('key1', text, ({ digest }) => before.push(digest))))
    expect(before).toEqual(['', 'a', 'b', 'c'].map(textDigest))
    expect(await textOf('key1')).toBe('d')
  })

  test('one that is refused leaves the others alone', async () => {
    const { set, textOf } = await setUp()
    const results = await Promise.allSettled([
      set('key1', 'one'),
      set('none', 'two'),
      set('key3', 'three is too long for its key'),
      set('key4', 'four'),
    ])
    expect(results.map((result) => (result.status === 'fulfilled' ? 'set' : result.reason.code))).toEqual([
      'set',
      'KEY_NOT_FOUND',
      'CHARACTERS_LIMIT',
      'set',
    ])
    expect([await textOf('key1'), await textOf('key3'), await textOf('key4')]).toEqual(['one', undefined, 'four'])
  })

  test('where all are refused, nothing is written', async () => {
    const { set, project } = await setUp()
    const before = await project()
    await expect(set('none', 'text')).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' })
    expect(await project()).toEqual(before)
  })
})
