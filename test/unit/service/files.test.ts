/** Files of exports and publishes: composed piece by piece, kept in the database, served until they expire. */
import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ServiceEnv } from '../../../src/service/context.ts'
import { type GzipFile, JsonFiles, MAX_PIECE_BYTES } from '../../../src/service/json-file.ts'
import { answerFile } from '../../../src/service/routes/hosting.ts'
import { openDatabase } from '../../../src/service/store/open.ts'
import { createStore } from '../../../src/service/store/store.ts'
import { ContentStore, ExportedFileStore } from '../../../src/service/store/stored-files.ts'
import type { TextRow } from '../../../src/service/store/translations.ts'
import { composeTexts } from '../../../src/service/text-files.ts'
import { SQLITE_DRIVERS } from '../../helpers/service.ts'

const row = (namespace: string, key: string, text: string, language = 'en'): TextRow => {
  return { namespace, key, text, language, customer: '' }
}

const plainOf = ({ chunks }: Pick<GzipFile, 'chunks'>) => gunzipSync(Buffer.concat(chunks)).toString()

async function* batchesOf(rows: readonly TextRow[], size: number) {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size)
}

describe('composing', () => {
  const rows = [
    row('', 'a', '1'),
    row('', '__proto__', 'p'),
    row('bar', 'a', '2'),
    row('bar', 'b', '3'),
    row('bar', 'b', 'drei', 'de'),
    row('zoo', 'a', 'vier', 'de'),
    row('zoo', 'b', '4'),
  ]

  test.each([1, 3, 100])(
    'in batches of %i: the default namespace counts first, then the first by name',
    async (size) => {
      const together = new JsonFiles()
      const ended: (string | undefined)[][] = []
      const objects = await composeTexts(batchesOf(rows, size), {
        files: together,
        merged: new Set(['a', 'b']),
        byNamespace: true,
        onNamespace: async (own) => void ended.push(own.map(({ namespace, language }) => `${namespace} ${language}`)),
      })
      expect(ended).toEqual([[' en'], ['bar en', 'bar de'], ['zoo de', 'zoo en']])
      const files = objects.map(async ({ language, namespace, object }) => [
        `${language} ${namespace ?? 'all'}`,
        plainOf(await object.toFile()),
      ])
      expect(Object.fromEntries(await Promise.all(files))).toEqual({
        'en ': '{"a":"1","__proto__":"p"}',
        'en bar': '{"a":"2","b":"3"}',
        'de bar': '{"b":"drei"}',
        'de zoo': '{"a":"vier"}',
        'en zoo': '{"b":"4"}',
        'en all': '{"a":"1","__proto__":"p","b":"3"}',
        'de all': '{"b":"drei","a":"vier"}',
      })
    },
  )

  test('a text that is left out does not hide the one of another namespace', async () => {
    const [merged] = await composeTexts(batchesOf([row('', 'a', ''), row('bar', 'a', '2')], 1), {
      files: new JsonFiles(),
      merged: new Set(['a']),
      transform: (text) => (text === '' ? undefined : text),
    })
    expect(plainOf((await merged?.object.toFile()) ?? { chunks: [] })).toBe('{"a":"2"}')
  })

  test('files that are compressed while they are written: each is whole, and so is the file that holds them all', async () => {
    const files = new JsonFiles()
    const objects = ['en', 'pl', '__proto__'].map((name) => [name, files.createObject()] as const)
    const expected = new Map(objects.map(([name]) => [name, [] as string[]]))
    for (let i = 0; i < 15; i++) {
      for (const [name, object] of objects) {
        const text = JSON.stringify(`${i} ${name} 😀`.repeat(20_000))
        object.add(JSON.stringify(`key${i}`), text)
        expected.get(name)?.push(`"key${i}":${text}`)
      }
      await files.makeRoom()
      expect(files.plainBytes).toBeLessThan(20_000_000)
    }
    const texts = objects.map(([name]) => [name, `{${expected.get(name)?.join(',')}}`])
    const index = await files.join(objects)
    for (const [at, [, object]] of objects.entries()) {
      const file = await object.toFile()
      expect(plainOf(file) === texts[at]?.[1]).toBe(true)
      expect(file.size).toBe(Buffer.byteLength(texts[at]?.[1] ?? ''))
      object.release()
    }
    expect(plainOf(index) === `{${texts.map(([name, text]) => `"${name}":${text}`).join(',')}}`).toBe(true)
    expect(files.plainBytes).toBe(0)
  })

  test('nothing, one name, and objects in objects', async () => {
    const files = new JsonFiles()
    expect(plainOf(await files.join([]))).toBe('{}')
    expect(plainOf(await files.join([['__proto__', files.createObject()]]))).toBe('{"__proto__":{}}')
    expect(plainOf(await files.of([{ key: 'en' }]))).toBe('[{"key":"en"}]')
    const object = files.createObject()
    object.add('"__proto__.x"', '"y"')
    object.add('"__proto__.10"', '"z"')
    expect(plainOf(await (await object.nested()).toFile())).toBe('{"__proto__":{"10":"z","x":"y"}}')
  })

  test('a content that is known is not compressed; equal contents have equal digests, others have others', async () => {
    const make = async (text: string, isKnown?: () => boolean) => {
      const files = new JsonFiles(undefined, isKnown)
      const object = files.createObject()
      object.add('"a"', JSON.stringify(text))
      return [await object.toFile(), await files.join([['en', object]])]
    }
    const hashes = (files: GzipFile[]) => files.map(({ hash }) => hash)
    const [first, again, other] = [await make('A'), await make('A', () => true), await make('B')]
    expect(hashes(again)).toEqual(hashes(first))
    expect(again.map(({ size, chunks }) => [size, chunks])).toEqual([
      [9, []],
      [16, []],
    ])
    expect(new Set([...hashes(first), ...hashes(other)]).size).toBe(4)
  })
})

test.each(['gzip', 'identity'] as const)('%s: a client that leaves frees the file', async (encoding) => {
  const files = new JsonFiles()
  const object = files.createObject()
  for (let i = 0; i < 5; i++) object.add(`"${i}"`, JSON.stringify(randomBytes(200_000).toString('hex')))
  const { size, chunks } = await object.toFile()
  let reading = 0
  const watched = Object.assign([...chunks], {
    *[Symbol.iterator]() {
      try {
        reading++
        // In pieces small enough that no stream takes all of them in advance.
        for (const chunk of chunks) {
          for (let at = 0; at < chunk.length; at += 16_384) yield chunk.subarray(at, at + 16_384)
        }
      } finally {
        reading--
      }
    },
  })
  const app = new Hono<ServiceEnv>().get('/', (c) => answerFile(c, { size, chunks: watched }, encoding, {}))
  const { body } = await app.request('/')
  const reader = body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  expect(reading).toBe(1)
  await reader?.cancel()
  await expect.poll(() => reading).toBe(0)
})

describe.each(SQLITE_DRIVERS)('exported files on %s', (driver) => {
  const setUp = async () => {
    const database = await openDatabase(':memory:', driver)
    onTestFinished(() => database.close())
    const clock = { now: 0 }
    const now = () => new Date(clock.now).toISOString()
    const count = async (table: string) => (await database.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))?.n
    return { database, clock, now, count }
  }
  const fileOf = (value: unknown) => new JsonFiles().of(value)

  test('every store on the database serves them, in chunks; expired ones go with the next export', async () => {
    const { database, clock, now, count } = await setUp()
    const [first, second] = [createStore(database, now), createStore(database, now)]
    const large = new JsonFiles(0).createObject()
    for (let i = 0; i < 3; i++) large.add(`"${i}"`, JSON.stringify('x'.repeat(MAX_PIECE_BYTES)))
    const files = [await fileOf({ a: 1 }), await large.toFile(), await fileOf({ a: 1 })]
    const tokens = await first.transaction(({ exportedFiles }) => exportedFiles.add(files, 1000))
    expect(new Set(tokens).size).toBe(3)
    const found = await Promise.all(tokens.map((token) => second.exportedFiles.find(token)))
    expect(found.map((file) => file?.size)).toEqual([7, files[1]?.size, 7])
    expect(found.map((file) => file?.chunks.length)).toEqual([1, 4, 1])
    for (const [at, file] of files.entries()) expect(plainOf(found[at] ?? { chunks: [] })).toBe(plainOf(file))
    expect(await count('contents')).toBe(5)
    const { text = '' } = (await database.get<{ text: string }>('SELECT token_hash AS text FROM exported_files')) ?? {}
    expect(tokens).not.toContain(text)

    clock.now = 1000
    expect(await second.exportedFiles.find(tokens[0] ?? '')).toBe(undefined)
    const added = [await fileOf('new')]
    const [token = ''] = await second.transaction(({ exportedFiles }) => exportedFiles.add(added, 1000))
    expect(await count('exported_files')).toBe(1)
    expect(await count('contents')).toBe(1)
    expect(plainOf((await first.exportedFiles.find(token)) ?? { chunks: [] })).toBe('"new"')

    clock.now = 2000
    await first.transaction(({ exportedFiles }) => exportedFiles.removeExpired())
    expect(await count('contents')).toBe(0)
  })

  test('the oldest go when there are too many bytes, the latest always stay', async () => {
    const { database, now } = await setUp()
    const add = (texts: readonly string[]) =>
      database.transaction(async (tx) => {
        const files = new ExportedFileStore(tx, new ContentStore(tx), now, 100)
        return files.add(await Promise.all(texts.map(fileOf)), 1000)
      })
    const { exportedFiles } = createStore(database, now)
    const isThere = async (token = '') => (await exportedFiles.find(token)) !== undefined
    const [a] = await add(['a'])
    const [b] = await add(['b'])
    expect([await isThere(a), await isThere(b)]).toEqual([true, true])
    const [c, d] = await add(['c', 'd'])
    expect([await isThere(a), await isThere(b), await isThere(c), await isThere(d)]).toEqual([false, true, true, true])
    const all = await add(['e', 'f', 'g', 'h', 'i'])
    expect(await Promise.all([b, c, d, ...all].map(isThere))).toEqual([false, false, false, ...all.map(() => true)])
  })

  test('contents that a publish has stay when the export expires, and the other way round', async () => {
    const { database, clock, now, count } = await setUp()
    const store = createStore(database, now)
    const project = await store.transaction((tx) => tx.projects.create('x', 'en'))
    const publication = { createdAt: now(), numberOfKeys: 0, numberOfLanguages: 0, numberOfNonEmptyTranslations: 0 }
    const file = await fileOf({ a: 'A' })
    const publish = (files: readonly GzipFile[]) =>
      store.transaction(({ publications }) => {
        const resources = files.map(({ hash, size }) => ({ path: 'en', listed: true, size, hash }))
        return publications.replace(project.id, '_latest', publication, resources, files, 0)
      })
    const [token = ''] = await store.transaction((tx) => tx.exportedFiles.add([file], 1000))
    await publish([file])
    expect(await count('contents')).toBe(1)
    await publish([])
    expect(plainOf((await store.exportedFiles.find(token)) ?? { chunks: [] })).toBe('{"a":"A"}')
    await publish([file])
    clock.now = 1000
    await store.transaction((tx) => tx.exportedFiles.removeExpired())
    const hosted = await store.publications.findContent(project.projectToken, '_latest', 'en')
    expect(plainOf(hosted ?? { chunks: [] })).toBe('{"a":"A"}')
  })
})
