/** Paths as Windows writes them: Node's own `path.win32` in the place of `node:path`. The disk is not asked. */
import { describe, expect, test, vi } from 'vitest'
import { findCollisions } from '../../../src/files/list.ts'
import { createFilePatterns } from '../../../src/files/patterns.ts'
import { displayPath, isInside, normalDrive, toPosix } from '../../../src/shared/paths.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'

vi.mock('node:path', async (importOriginal) => {
  const { win32, posix } = await importOriginal<typeof import('node:path')>()
  return { ...win32, default: win32, win32, posix }
})

const make = (patterns: string | readonly string[], root = 'C:\\work\\app') =>
  createFilePatterns({ root, files: [patterns].flat().map((pattern) => ({ pattern })), defaultNamespace: 'default' })

describe('a path to what it holds', () => {
  const { match } = make(['locales/{language}/{namespace}.json', '../shared/{language}.json'])

  test.each([
    ['C:\\work\\app\\locales\\en\\common.json', 'en', 'common'],
    // As Vite writes them, and as a terminal that was opened on `c:` does.
    ['C:/work/app/locales/en/views/settings.json', 'en', 'views/settings'],
    ['c:\\work\\app\\locales\\en\\views\\settings.json', 'en', 'views/settings'],
    ['c:/work/app/locales/pt-BR/a.json', 'pt-BR', 'a'],
    ['locales\\en\\a\\b.json', 'en', 'a/b'],
    ['C:\\work\\shared\\en.json', 'en', 'default'],
  ])('%s', (path, language, namespace) => {
    expect(match(path)).toMatchObject({ language, namespace })
    expect(match(path)?.path).toMatch(/^C:\\work\\/)
  })

  test.each([
    'D:\\work\\app\\locales\\en\\common.json',
    'C:\\work\\app\\locales\\en.json',
    'C:\\work\\application\\locales\\en\\common.json',
    '\\\\server\\share\\app\\locales\\en\\common.json',
  ])('%s is none', (path) => expect(match(path)).toBeUndefined())
})

test.each(['C:\\work\\app', 'c:\\work\\app', 'C:/work/app/', '\\\\server\\share\\app'])(
  'from the root %s: a place for each part, which leads back to it and lies inside',
  (root) => {
    const { match, pathOf, bases } = make(
      ['locales/{language}/{namespace}.json', 'x/{namespace}.{language}.json'],
      root,
    )
    for (const namespace of [
      'common',
      'views/settings',
      '..\\..\\x',
      'C:\\x',
      'CON',
      'a:b',
      'caf\u00e9',
      'cafe\u0301',
    ]) {
      const part = { language: 'en', namespace }
      const path = pathOf(part)
      expect(path).toMatch(/^(?:C:|\\\\server\\share)\\.*\.json$/)
      expect(path?.slice(2)).not.toMatch(/[:/]|\.\.\\/)
      expect(match(path as string)).toMatchObject(part)
      expect(isInside(bases[0] as string, path as string)).toBe(true)
    }
  },
)

test('messages show forward slashes from the root, whatever the case of the drive letter', () => {
  expect(displayPath('C:\\work\\app', 'C:\\work\\app\\locales\\en\\a.json')).toBe('locales/en/a.json')
  expect(displayPath('C:\\work\\app', 'c:\\work\\app\\locales\\en\\a.json')).toBe('locales/en/a.json')
  expect(displayPath('C:\\work\\app', 'C:\\work\\other\\a.json')).toBe('../other/a.json')
  const file = (path: string, language: string) => ({
    path,
    pattern: 'x',
    language,
    languageInPath: language,
    namespace: 'a',
  })
  const two = [file('C:\\work\\app\\EN\\a.json', 'EN'), file('C:\\work\\app\\en\\a.json', 'en')]
  expect(findCollisions(two, 'C:\\work\\app')[0]?.message).toMatch(
    /^EN\/a\.json and en\/a\.json differ only in letter case/,
  )
})

test('inside or not', () => {
  expect(isInside('C:\\a\\b', 'C:\\a\\b\\c')).toBe(true)
  expect(isInside('C:\\a\\b', 'c:\\a\\B\\c')).toBe(true)
  expect(isInside('C:\\a\\b', 'C:\\a\\b\\..c')).toBe(true)
  expect(isInside('C:\\a\\b', 'C:\\a\\bc')).toBe(false)
  expect(isInside('C:\\a\\b', 'D:\\a\\b')).toBe(false)
  expect(isInside('C:\\a\\b', 'C:\\a\\b\\..\\c')).toBe(false)
  expect(toPosix('C:\\a\\b')).toBe('C:/a/b')
  expect(['c:\\a', 'C:\\a', 'c:/a', '\\\\c\\a'].map(normalDrive)).toEqual(['C:\\a', 'C:\\a', 'C:/a', '\\\\c\\a'])
})

test('patterns may be written with either slash', () => {
  const { files } = resolveConfig(
    { files: 'locales\\{language}\\{namespace}.json' },
    { root: 'C:\\work\\app', ci: false },
  )
  expect(make(files.map(({ pattern }) => pattern)).match('C:\\work\\app\\locales\\en\\a.json')).toMatchObject({
    language: 'en',
    namespace: 'a',
  })
})
