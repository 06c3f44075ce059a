/** The stale translations of an open project: over real files and stores, the service as a list. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { textId } from '../../../src/catalog/text-id.ts'
import { FileIndex } from '../../../src/files/file-index.ts'
import { applyReading } from '../../../src/sync/reader.ts'
import { TextRecords } from '../../../src/sync/records.ts'
import { ProjectStale } from '../../../src/sync/stale.ts'
import { SyncStore } from '../../../src/sync/store.ts'
import { readerOf } from '../../helpers/files.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const ref = (language: string, key = 'title') => ({ language, namespace: 'common', key })
const fileOf = (language: string) => `locales/${language}/common.json`

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>
const START: Texts = { en: { title: 'Cart', bye: 'Bye' }, pl: { title: 'Koszyk', bye: 'Pa' } }

async function open({ root: given, start = START }: { root?: string; start?: Texts } = {}) {
  const root = given ?? (await tempFolder())
  const save = (texts: Texts) =>
    writeTree(root, Object.fromEntries(Object.entries(texts).map(([language, all]) => [fileOf(language), all])))
  if (given === undefined) await save(start)
  const config = resolveConfig({ source: 'files' }, { root, ci: false })
  const noProblem = (problem: unknown) => expect(problem).toBeUndefined()
  const store = new SyncStore(config, 'own', noProblem)
  const { base, outbox } = store
  const files = readerOf(new FileIndex(config))
  onTestFinished(() => store.close())
  const records = new TextRecords(files, base, outbox, true)
  const stale = new ProjectStale(store, files, records)
  await store.load()
  await files.scan()
  records.settleAll()
  const read = (texts: Texts) => {
    const found = Object.entries(texts).flatMap(([language, all]) =>
      Object.entries(all).map(([key, text]) => ({ id: textId(ref(language, key)), ref: ref(language, key), text })),
    )
    applyReading(records, { texts: found, seen: new Set(found.map(({ id }) => id)), mark: records.mark() })
  }
  if (given === undefined) {
    read(start)
    await stale.save()
  }
  return {
    root,
    store,
    base,
    stale,
    records,
    files,
    read,
    async edit(texts: Texts) {
      await save(texts)
      await records.accept((await files.scan({ everything: true })).changes, 'live')
    },
    lines: (language?: string) =>
      stale
        .texts(language)
        .map(({ ref: { language, key }, text, madeFrom, source }) =>
          [language, key, text, madeFrom, source].join(' | '),
        ),
  }
}

const STALE = 'pl | title | Koszyk | Cart | Basket'
const EDITED = { ...START, en: { title: 'Basket', bye: 'Bye' } }

describe('a translation is stale', () => {
  test('as soon as the file has another source, and after it was sent; for another default language none is', async () => {
    const one = await open()
    expect(one.lines()).toEqual([])
    await one.edit(EDITED)
    expect(one.lines()).toEqual([STALE])
    expect([one.lines('en'), one.lines('pl')]).toEqual([[STALE], []])
    one.read(EDITED)
    expect(one.lines()).toEqual([STALE])
    await one.stale.save()
    await one.store.commit()
    expect((await open({ root: one.root })).lines()).toEqual([STALE])
  })

  test('by an edit of the service, once the file has it', async () => {
    const one = await open()
    one.read(EDITED)
    expect(one.lines()).toEqual([])
    await one.edit(EDITED)
    expect(one.lines()).toEqual([STALE])
  })

  test('not while the service has a newer translation, nor once the file has it', async () => {
    const one = await open()
    await one.edit(EDITED)
    const newer = { ...EDITED, pl: { title: 'Kosz', bye: 'Pa' } }
    one.read(newer)
    expect(one.lines()).toEqual([])
    await one.edit(newer)
    expect(one.lines()).toEqual([])
  })

  test('not when its source was deleted, and not as a file that cannot be read', async () => {
    const one = await open()
    await one.edit({ ...START, en: { bye: 'Bye' } })
    expect(one.lines()).toEqual([])
    await one.edit(EDITED)
    expect(one.lines()).toEqual([STALE])
    await writeFile(join(one.root, fileOf('pl')), '{ "title": ')
    const again = await open({ root: one.root })
    expect(again.files.seen.isUnknown(ref('pl'))).toBe(true)
    expect(again.lines()).toEqual([])
  })

  test('not for a translation that was made from the edited source, whichever side it came from', async () => {
    const one = await open()
    await one.edit({ en: { title: 'Basket', bye: 'Bye' }, pl: { title: 'Kosz', bye: 'Pa' } })
    one.read({ en: START.en ?? {}, pl: { title: 'Kosz', bye: 'Pa' } })
    expect(one.lines()).toEqual([])
    one.read({ en: { title: 'Basket', bye: 'Bye' }, pl: { title: 'Kosz', bye: 'Pa' } })
    expect(one.lines()).toEqual([])
  })
})

describe('a person who marks translations as correct', () => {
  test('is believed for what they saw, for good', async () => {
    const one = await open()
    await one.edit(EDITED)
    one.read(EDITED)
    const seen = one.stale.texts()
    expect(await one.stale.confirm(seen)).toEqual([])
    expect(one.lines()).toEqual([])
    await one.store.commit()
    const again = await open({ root: one.root })
    expect(again.lines()).toEqual([])
    await again.edit({ ...START, en: { title: 'Trolley', bye: 'Bye' } })
    expect(again.lines()).toEqual(['pl | title | Koszyk | Basket | Trolley'])
  })

  test('is told what has changed since they saw it, and the others are marked', async () => {
    const one = await open()
    await one.edit({ ...START, en: { title: 'Basket', bye: 'Goodbye' } })
    const seen = one.stale.texts()
    expect(seen).toHaveLength(2)
    await one.edit({ ...START, en: { title: 'Trolley', bye: 'Goodbye' } })
    const changed = await one.stale.confirm(seen)
    expect(changed.map(({ ref: { key } }) => key)).toEqual(['title'])
    expect(one.lines()).toEqual(['pl | title | Koszyk | Cart | Trolley'])
  })
})
