/** Finds the translation files of a project. */
import { stat } from 'node:fs/promises'
import { listTranslationFiles } from '../../files/list.ts'
import { createFilePatterns, type FilePatterns } from '../../files/patterns.ts'
import { readTranslationFile, type TranslationFileContent } from '../../files/read.ts'
import { fileEnding } from '../../shared/file-endings.ts'
import { walkFiles } from '../walk.ts'

export interface DetectedFiles {
  readonly pattern: string
  readonly languages: readonly string[]
  readonly files: number
  /** Paths join to one key with `.`: another separator is needed. */
  readonly collides: boolean
  /** Names in the place of a language whose files do not hold texts. */
  readonly strangers: readonly string[]
}

const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'target', 'vendor'])
const MAX_DEPTH = 7
const MAX_FILES = 5000

/** The pattern with the most languages, then the most files; `undefined` if there is none. */
export async function detectFiles(root: string): Promise<DetectedFiles | undefined> {
  const candidates = new Map<string, { languages: Set<string>; paths: string[] }>()
  let seen = 0
  for await (const path of walkFiles(root, { skipped: SKIPPED, maxDepth: MAX_DEPTH, ignoresUnreadable: true })) {
    if (fileEnding(path) === undefined) continue
    if (++seen > MAX_FILES) break
    for (const { pattern, language } of patternsOf(path)) {
      const candidate = candidates.get(pattern) ?? { languages: new Set(), paths: [] }
      candidate.languages.add(language)
      candidate.paths.push(path)
      candidates.set(pattern, candidate)
    }
  }
  const ranked = [...candidates].sort(
    ([, a], [, b]) => b.languages.size - a.languages.size || b.paths.length - a.paths.length,
  )
  for (const [pattern, { languages, paths }] of ranked) {
    const patterns = createFilePatterns({ root, patterns: [pattern], defaultNamespace: 'default' })
    const { holdsTexts, collides } = await readSample(patterns, paths)
    if (!holdsTexts) continue
    const strangers = await findStrangers(patterns)
    return { pattern, languages: [...languages].sort(), files: paths.length, collides, strangers }
  }
  return undefined
}

/** Every pattern that a path could belong to. */
export function patternsOf(path: string): { readonly pattern: string; readonly language: string }[] {
  const ending = fileEnding(path)
  if (ending === undefined) return []
  const [, folders = '', name = ''] = /^(.*\/)?(.*)$/.exec(path.slice(0, -ending.length)) ?? []
  const found: { pattern: string; language: string }[] = []
  if (isLanguage(name)) found.push({ pattern: `${folders}{language}${ending}`, language: name })
  const [, suffix] = /\.([^.]+)$/.exec(name) ?? []
  if (suffix !== undefined && isLanguage(suffix))
    found.push({ pattern: `${folders}{namespace}.{language}${ending}`, language: suffix })
  for (const { 1: folder = '', index } of folders.matchAll(/([^/]+)\//g)) {
    if (NO_LANGUAGES.has(folder) || !isLanguage(folder)) continue
    found.push({ pattern: `${folders.slice(0, index)}{language}/{namespace}${ending}`, language: folder })
  }
  return found
}

/** Names of common folders that are codes of languages as well. */
const NO_LANGUAGES = new Set('src lib app bin doc dev css img web www tmp api cli sdk'.split(' '))

/** A code that the runtime knows a name of: `en`, `pt-BR`, `zh_Hant`. */
function isLanguage(name: string): boolean {
  if (!/^[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/.test(name)) return false
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
  return names.of(name.replace(/[-_].*/, '')) !== undefined
}

/** Some of the files show whether they hold texts, and whether their keys collide. */
async function readSample(patterns: FilePatterns, paths: readonly string[]) {
  let read = 0
  let withTexts = 0
  let collides = false
  for (const path of paths.slice(0, 200)) {
    const match = patterns.match(path)
    if (!match || (await stat(match.path)).size > 10_000_000) continue
    const content = await readTranslationFile(match.path, { keySeparator: '.' })
    const codes = content?.diagnostics.map(({ code }) => code) ?? []
    read++
    if (codes.includes('FILE_KEY_COLLISION')) collides = true
    if (content && !codes.includes('FILE_VALUE') && isMostlyTexts(content)) withTexts++
  }
  return { holdsTexts: withTexts > 0 && withTexts * 2 >= read, collides }
}

/** A configuration has more numbers and switches than texts. */
function isMostlyTexts({ entries, values }: TranslationFileContent): boolean {
  const others = [...(values?.values() ?? [])].filter(({ kind }) => kind === 'scalar').length
  return entries.size > others
}

/** `locales/percentages.json` beside `locales/en.json`: neither its name nor its content is that of a language. */
async function findStrangers(patterns: FilePatterns): Promise<string[]> {
  const { files } = await listTranslationFiles(patterns)
  const strangers = new Set<string>()
  for (const { language, path } of files) {
    if (isLanguage(language) || strangers.has(language)) continue
    const content = await readTranslationFile(path, { keySeparator: '.' })
    if (content?.diagnostics.some(({ code }) => code === 'FILE_VALUE')) strangers.add(language)
  }
  return [...strangers].sort()
}
