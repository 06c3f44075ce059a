import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createCatalog } from '../../../src/catalog/model.ts'
import { type TextRef, textId } from '../../../src/catalog/text-id.ts'
import { JournaledMap } from '../../../src/sync/journal.ts'
import { confirmStale, findStale, idIn, recordSources, staleTextsOf } from '../../../src/sync/stale.ts'
import { BaseStore, SyncStore } from '../../../src/sync/store.ts'
import { type TranslationSource, TranslationSources } from '../../../src/sync/translation-sources.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { tempFolder } from '../../helpers/temp.ts'

const ref = (language: string, key = 'title'): TextRef => ({ language, namespace: 'common', key })
const LANGUAGES = ['en', 'pl', 'de']
const FILE = 'localization.stale.json'

/** Texts as `en title`, of the files and, where they have it, of the base. */
type Texts = Readonly<Record<string, string | undefined>>

/** One folder's records, over bases and files that the test sets. */
async function open({ root = '', defaultLanguage = 'en', staleFile = FILE } = {}) {
  const folder = root || (await tempFolder())
  const problems: string[] = []
  const options = { source: 'files', staleFile, defaultLanguage }
  const config = resolveConfig(options, { root: folder, ci: false })
  const journaled = new JournaledMap<TranslationSource>(
    'made',
    () => [],
    () => null,
  )
  const sources = new TranslationSources(config, 'own', journaled, (problem) => problems.push(problem))
  await sources.load()
  const base = new BaseStore()
  const files = new Map<string, string>()
  const idOf = (name: string) => {
    const [language = '', key = 'title'] = name.split(' ')
    return textId(ref(language, key))
  }
  const putInFile = (name: string, text: string | undefined) =>
    text === undefined ? files.delete(idOf(name)) : files.set(idOf(name), text)
  const isSource = (id: string) => id === idIn(defaultLanguage, id)
  const edited = () => [...base.values.keys()].filter((id) => isSource(id) && files.get(id) !== base.get(id))
  const known = { sources, base, languages: LANGUAGES }
  return {
    root: folder,
    sources,
    problems,
    edit(texts: Texts) {
      for (const [name, text] of Object.entries(texts)) putInFile(name, text)
    },
    /** Both sides have these texts: one push, one pull, or one reading. */
    async sync(texts: Texts, { filesToo = true } = {}) {
      for (const [name, text] of Object.entries(texts)) {
        if (filesToo) putInFile(name, text)
        base.set(idOf(name), text)
      }
      recordSources(known, base.takeMoves(), (id) => (edited().includes(id) ? files.get(id) : undefined))
      await sources.save()
    },
    stale() {
      const texts = (one: TextRef) => [files.get(textId(one))]
      return findStale({ ...known, defaultLanguage, edited: edited(), texts })
    },
    lines() {
      return this.stale().map(({ ref: { language, key }, text, madeFrom, source }) =>
        [language, key, text, madeFrom, source].join(' | '),
      )
    },
  }
}

const START = { en: 'Cart', pl: 'Koszyk', de: 'Korb' }
const STALE = ['de | title | Korb | Cart | Basket', 'pl | title | Koszyk | Cart | Basket']

describe('a translation is stale', () => {
  test('never at the first sync', async () => {
    const one = await open()
    await one.sync(START)
    expect(one.stale()).toEqual([])
    await expect(readFile(join(one.root, FILE))).rejects.toThrow('ENOENT')
  })

  test('from the edit of the source on, and still when it has been sent', async () => {
    const one = await open()
    await one.sync(START)
    one.edit({ en: 'Basket' })
    expect(one.lines()).toEqual(STALE)
    await one.sync({ en: 'Basket' })
    expect(one.lines()).toEqual(STALE)
    await one.sync({ en: 'Trolley' })
    expect(one.lines()).toEqual(STALE.map((line) => line.replace('Basket', 'Trolley')))
  })

  test('until it changes, or its source has the old text again', async () => {
    const one = await open()
    await one.sync(START)
    await one.sync({ en: 'Basket' })
    one.edit({ pl: 'Kosz' })
    expect(one.lines()).toEqual(STALE.slice(0, 1))
    await one.sync({ pl: 'Kosz' })
    expect(one.lines()).toEqual(STALE.slice(0, 1))
    await one.sync({ en: 'Cart' })
    expect(one.lines()).toEqual(['pl | title | Kosz | Basket | Cart'])
  })

  test.each([
    ['both changed at once', { en: 'Basket', pl: 'Kosz', de: 'Korb!' }],
    ['both changed at once, the other way around', { de: 'Korb!', pl: 'Kosz', en: 'Basket' }],
    ['only white space changed', { en: ' Cart  ' }],
    ['the source is gone', { en: undefined }],
    ['the translation is gone', { en: 'Basket', pl: undefined, de: undefined }],
    ['the translations have the words of the source', { en: 'Basket', pl: 'Basket', de: 'Basket' }],
  ])('not when %s', async (_what, texts) => {
    const one = await open()
    await one.sync(START)
    await one.sync(texts)
    expect(one.stale()).toEqual([])
  })

  test('not when the source gets the very text that the translation has', async () => {
    const one = await open()
    await one.sync({ en: 'Log in', pl: 'Login' })
    await one.sync({ en: 'Login' })
    expect(one.stale()).toEqual([])
  })

  test('not as a key that was deleted and made anew', async () => {
    const one = await open()
    await one.sync(START)
    await one.sync({ en: 'Basket' })
    await one.sync({ en: undefined, pl: undefined, de: undefined })
    await one.sync({ en: 'Basket', pl: 'Koszyk', de: 'Korb' })
    expect(one.stale()).toEqual([])
  })

  test('not when it was made from a source that is sent after it', async () => {
    const one = await open()
    await one.sync(START)
    one.edit({ en: 'Basket', pl: 'Kosz', de: 'Korb' })
    await one.sync({ pl: 'Kosz' })
    expect(one.lines()).toEqual(STALE.slice(0, 1))
    await one.sync({ en: 'Basket' })
    expect(one.lines()).toEqual(STALE.slice(0, 1))
  })

  test('not once a person has said that it is right, until the source changes again', async () => {
    const one = await open()
    await one.sync(START)
    one.edit({ en: 'Basket' })
    confirmStale(one.sources, one.stale().slice(0, 1), one.stale())
    expect(one.lines()).toEqual(STALE.slice(1))
    await one.sync({ en: 'Basket' })
    expect(one.lines()).toEqual(STALE.slice(1))
    await one.sync({ en: 'Trolley' })
    expect(one.lines()).toEqual(['de | title | Korb | Basket | Trolley', 'pl | title | Koszyk | Cart | Trolley'])
  })

  test('not with another default language than the one that sync knows', async () => {
    const one = await open()
    await one.sync(START)
    await one.sync({ en: 'Basket' })
    const other = await open({ root: one.root, defaultLanguage: 'pl' })
    expect([...other.sources.ids()]).toEqual([])
    const again = await open({ root: one.root })
    expect([...again.sources.ids()]).toHaveLength(2)
  })
})

describe('the file', () => {
  test('has one line for each key and source, in order', async () => {
    const one = await open()
    await one.sync({ ...START, 'en bye': 'Bye', 'pl bye': 'Pa' })
    await one.sync({ en: 'Basket', 'en bye': 'Goodbye' })
    const lines = (await readFile(join(one.root, FILE), 'utf8')).split('\n')
    expect(lines.slice(0, 3)).toEqual(['{', '  "version": 1,', '  "language": "en",'])
    expect(lines[4]).toMatch(
      /^ {4}\{"namespace":"common","key":"bye","madeFrom":"Bye","translations":\{"pl":"\w{16}"\}\},$/,
    )
    expect(lines[5]).toMatch(/"key":"title","madeFrom":"Cart","translations":\{"de":"\w{16}","pl":"\w{16}"\}\}$/)
    expect(lines.slice(6)).toEqual(['  ]', '}', ''])
  })

  test('tells another folder, which knows the texts alone', async () => {
    const one = await open()
    await one.sync(START)
    await one.sync({ en: 'Basket' })
    const config = resolveConfig({ source: 'files', staleFile: FILE }, { root: one.root, ci: true })
    const catalog = (pl: string) => {
      const parts = Object.entries({ en: 'Basket', pl }).map(([language, title]) => {
        return { language, namespace: 'common', messages: [['title', title]] as const }
      })
      return createCatalog({ parts })
    }
    const fail = (problem: unknown) => expect(problem).toBeUndefined()
    const store = new SyncStore(config, 'read', fail)
    await store.load()
    expect(staleTextsOf(store, catalog('Koszyk'), 'en')).toEqual([
      { ref: ref('pl'), text: 'Koszyk', madeFrom: 'Cart', source: 'Basket' },
    ])
    expect(staleTextsOf(store, catalog('Kosz'), 'en')).toEqual([])
    // What a new clone takes over as its base makes nothing stale, and forgets nothing.
    const clone = await open({ root: one.root })
    await clone.sync({ en: 'Basket', pl: 'Koszyk', de: 'Korb' })
    expect(clone.lines().sort()).toEqual([...STALE].sort())
    await clone.sync({ pl: 'Kosz' })
    expect(clone.lines()).toEqual(STALE.slice(0, 1))
    // The first folder hears of it as soon as it looks at the file.
    await one.sources.load()
    expect([...one.sources.ids()]).toEqual([textId(ref('de'))])
  })

  test('is not needed for an edit of the source that waits to be sent', async () => {
    const root = await tempFolder()
    const config = resolveConfig({ source: 'files' }, { root, ci: true })
    const fail = (problem: unknown) => expect(problem).toBeUndefined()
    const store = new SyncStore(config, 'own', fail)
    await store.load()
    for (const [language, text] of Object.entries({ ...START, pl: 'Koszyk' }))
      store.base.set(textId(ref(language)), text)
    await store.close()
    const staleWith = (texts: Readonly<Record<string, string>>) => {
      const parts = Object.entries(texts).map(([language, title]) => {
        return { language, namespace: 'common', messages: [['title', title]] as const }
      })
      return staleTextsOf(store, createCatalog({ parts }), 'en')
    }
    expect(staleWith({ en: 'Basket', pl: 'Koszyk' })).toEqual([
      { ref: ref('pl'), text: 'Koszyk', madeFrom: 'Cart', source: 'Basket' },
    ])
    expect(staleWith({ en: 'Cart', pl: 'Koszyk' })).toEqual([])
    expect(staleWith({ en: 'Basket', pl: 'Kosz' })).toEqual([])
  })

  test('may not be a translation file', async () => {
    const names = /the option "staleFile" names a translation file: locales\/en\/stale\.json/
    await expect(open({ staleFile: 'locales/en/stale.json' })).rejects.toThrow(names)
  })

  test('takes what two processes add', async () => {
    const one = await open()
    await one.sync({ ...START, 'en bye': 'Bye', 'pl bye': 'Pa' })
    const other = await open({ root: one.root })
    await other.sync({ ...START, 'en bye': 'Bye', 'pl bye': 'Pa' })
    await one.sync({ en: 'Basket' })
    await other.sync({ 'en bye': 'Goodbye' })
    expect(other.lines()).toHaveLength(1)
    await one.sources.load()
    expect([...one.sources.ids()]).toHaveLength(3)
  })

  test('gets what is set while it is written, and what is saved at the same time', async () => {
    const one = await open()
    const ids = Array.from({ length: 20 }, (_, i) => textId(ref('pl', `key${i}`)))
    const saves: Promise<void>[] = []
    for (const id of ids) {
      one.sources.set(id, { source: 'Cart', digest: id })
      saves.push(one.sources.save())
      await new Promise(setImmediate)
    }
    await Promise.all(saves)
    const other = await open({ root: one.root })
    expect([...other.sources.ids()].sort()).toEqual(ids.sort())
  })

  test('that is read while it is written does not forget what is being written', async () => {
    const one = await open()
    for (let i = 0; i < 10; i++) {
      const id = textId(ref('pl', `key${i}`))
      one.sources.set(id, { source: 'Cart', digest: id })
      const saved = one.sources.save()
      const reads: Promise<void>[] = []
      let isSaved = false
      void saved.then(() => (isSaved = true))
      // Reads begin between any two steps of the write: this call takes as long as one of them.
      while (!isSaved) {
        reads.push(one.sources.load())
        await stat(one.root)
      }
      await Promise.all([saved, ...reads])
      expect(one.sources.get(id)).toEqual({ source: 'Cart', digest: id })
    }
  })

  test('with marks of a merge is named, left alone, and used again once it is mended', async () => {
    const one = await open()
    await one.sync(START)
    await one.sync({ en: 'Basket' })
    const path = join(one.root, FILE)
    const content = await readFile(path, 'utf8')
    await writeFile(path, `<<<<<<< HEAD\n${content}`)
    await one.sources.load()
    await one.sources.load()
    expect(one.problems).toHaveLength(1)
    expect(one.problems[0]).toContain(`${FILE} cannot be read, so stale translations cannot be detected`)
    await one.sync({ en: 'Trolley' })
    expect(await readFile(path, 'utf8')).toBe(`<<<<<<< HEAD\n${content}`)
    await writeFile(path, content)
    await one.sources.load()
    expect(one.lines()).toHaveLength(2)
  })
})

test('the same text in the default language, whatever characters the names have', () => {
  for (const language of ['pl', 'a",b', 'back\\slash', '', '"']) {
    const one = { language, namespace: 'a",b', key: '["x",' }
    expect(idIn('en', textId(one))).toBe(textId({ ...one, language: 'en' }))
  }
})
