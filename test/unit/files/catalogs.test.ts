import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { listTranslationFiles } from '../../../src/files/list.ts'
import { createFilePatterns } from '../../../src/files/patterns.ts'
import { parseTranslationText, readTranslationFile } from '../../../src/files/read.ts'
import { updateTranslationText } from '../../../src/files/update.ts'
import { flattenStrings } from '../../../src/shared/flatten.ts'
import { repeats } from '../../helpers/repeats.ts'

const CATALOGS = resolve(import.meta.dirname, '../../../../shared/catalogs')

/** All files are found. The texts of every eighth are compared. */
const EVERY = repeats(8, 1)

const KNOWN = [
  { name: 'headlamp', pattern: 'frontend/src/i18n/locales/{language}/{namespace}.json', languages: 25, files: 75 },
  { name: 'excalidraw', pattern: 'packages/excalidraw/locales/{language}.json', languages: 58, files: 58 },
  { name: 'mattermost-mobile', pattern: 'assets/base/i18n/{language}.json', languages: 64, files: 64 },
  { name: 'frigate', pattern: 'web/public/locales/{language}/{namespace}.json', languages: 6, files: 168 },
] as const

describe.each(KNOWN)('$name', ({ name, pattern, languages, files }) => {
  const root = resolve(CATALOGS, name)
  const absent = !existsSync(root)
  if (absent) process.stdout.write(`skipped: the catalog ${name} is not beside the repository\n`)

  const read = async () => {
    const patterns = createFilePatterns({ root, files: [{ pattern }], defaultNamespace: 'default' })
    const list = await listTranslationFiles(patterns)
    expect(list.diagnostics).toEqual([])
    for (const file of list.files) expect(patterns.pathOf(file)).toBe(file.path)
    expect(list.files).toHaveLength(files)
    expect(new Set(list.files.map((file) => file.language)).size).toBe(languages)
    return Promise.all(
      list.files
        .filter((_, at) => at % EVERY === 0)
        .map(async (file) => {
          const content = await readTranslationFile(file.path, { keySeparator: '.', file: file.path })
          if (!content) return expect.fail(`${file.path} is gone`)
          return { ...file, ...content }
        }),
    )
  }
  let all: Awaited<ReturnType<typeof read>>
  beforeAll(async () => {
    all = await read()
  })

  test.skipIf(absent)('every file is found, and reads as JSON.parse reads it', () => {
    let texts = 0
    for (const file of all) {
      if (file.language === 'percentages') continue
      expect(file.diagnostics).toEqual([])
      const flat = flattenStrings(JSON.parse(Buffer.from(file.bytes).toString('utf8')), '.')
      expect(new Map(file.entries)).toEqual(flat.entries)
      texts += file.entries.size
    }
    process.stdout.write(`${name}: ${texts} texts compared in ${all.length} files\n`)
    expect(texts).toBeGreaterThan(repeats(1_000, 20_000))
  })

  test.skipIf(absent)('a rewrite with every text as it is changes no byte; one new text changes one line', () => {
    let rewritten = 0
    for (const file of all) {
      if (!file.ok) continue
      const text = Buffer.from(file.bytes).toString('utf8')
      expect(updateTranslationText(text, file.entries, { keySeparator: '.' })).toBe(text)
      const key = [...file.entries.keys()][Math.floor(file.entries.size / 2)]
      if (key === undefined) continue
      const lines = text.split('\n')
      const result = updateTranslationText(text, new Map([[key, 'a new text']]), { keySeparator: '.' }).split('\n')
      const changed = lines.flatMap((line, index) => (line === result[index] ? [] : [index + 1]))
      expect(result).toHaveLength(lines.length)
      expect(changed).toEqual([file.positionOf(key)?.line])
      rewritten++
    }
    expect(rewritten).toBeGreaterThan(repeats(4, 50))
  })
})

test.skipIf(!existsSync(resolve(CATALOGS, 'excalidraw')))('a file that is no catalog is told from one', async () => {
  const path = resolve(CATALOGS, 'excalidraw/packages/excalidraw/locales/percentages.json')
  const content = await readTranslationFile(path, { keySeparator: '.', file: 'percentages.json' })
  expect(content?.ok).toBe(false)
  expect(content?.diagnostics[0]).toMatchObject({
    code: 'FILE_VALUE',
    place: { file: 'percentages.json', line: 2, column: 12, key: 'ar-SA' },
  })
})

test.skipIf(!existsSync(resolve(CATALOGS, 'frigate')))('collisions of real keys name both places', async () => {
  // frigate writes "timeline.aria" as one key in some languages and as a path in others: put both into one file.
  const path = resolve(CATALOGS, 'frigate/web/public/locales/de/views/events.json')
  const content = await readTranslationFile(path, { keySeparator: '.' })
  const german = JSON.parse(Buffer.from(content?.bytes ?? []).toString('utf8')) as { timeline: Record<string, string> }
  expect(content?.entries.has('timeline.aria')).toBe(true)
  german.timeline = { ...german.timeline, aria: 'Zeitleiste' }
  const { diagnostics } = parseTranslationText(JSON.stringify(german, null, 2), {
    keySeparator: '.',
    file: 'events.json',
  })
  expect(diagnostics).toHaveLength(1)
  expect(diagnostics[0]?.code).toBe('FILE_KEY_COLLISION')
  expect(diagnostics[0]?.message).toMatch(/"timeline\.aria": here and at events\.json:\d+:\d+$/)
})
