/** What a project shows of itself: its bundler, and where its translation files are. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listTranslationFiles } from '../files/list.ts'
import { createFilePatterns } from '../files/patterns.ts'
import { readTranslationFile } from '../files/read.ts'

export const BUNDLERS = ['vite', 'rspack', 'webpack', 'rolldown', 'rollup', 'esbuild', 'farm'] as const
export type BundlerName = (typeof BUNDLERS)[number]

const PACKAGES: Record<BundlerName, string> = {
  vite: 'vite',
  rspack: '@rspack/core',
  webpack: 'webpack',
  rolldown: 'rolldown',
  rollup: 'rollup',
  esbuild: 'esbuild',
  farm: '@farmfe/core',
}

/** By its configuration file, else by what package.json names; the first of `BUNDLERS` where there are several. */
export async function detectBundler(root: string): Promise<BundlerName | undefined> {
  const names = await readdir(root).catch(() => [])
  const byFile = BUNDLERS.find((bundler) => names.some((name) => name.startsWith(`${bundler}.config.`)))
  if (byFile) return byFile
  const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => '{}')
  let manifest: { dependencies?: object; devDependencies?: object }
  try {
    manifest = JSON.parse(text) as typeof manifest
  } catch {
    return undefined
  }
  const known = { ...manifest.dependencies, ...manifest.devDependencies }
  return BUNDLERS.find((bundler) => Object.hasOwn(known, PACKAGES[bundler]))
}

export interface DetectedFiles {
  readonly pattern: string
  readonly languages: readonly string[]
  readonly files: number
  /** Paths that join to one key with `.`: another separator is needed. */
  readonly collides: boolean
  /** Names in the place of a language whose files hold something else than texts. */
  readonly strangers: readonly string[]
}

const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'target', 'vendor'])
const DEEPEST = 7
const MOST_FILES = 5000

/** The pattern that fits the most languages, then the most files; `undefined`: there is none. */
export async function detectFiles(root: string): Promise<DetectedFiles | undefined> {
  const candidates = new Map<string, { languages: Set<string>; paths: string[] }>()
  for (const path of await jsonFiles(root)) {
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
    const checked = await checkFiles(root, pattern, paths)
    if (checked.texts)
      return {
        pattern,
        languages: [...languages].sort(),
        files: paths.length,
        collides: checked.collides,
        strangers: await findStrangers(root, pattern),
      }
  }
  return undefined
}

async function jsonFiles(root: string): Promise<string[]> {
  const found: string[] = []
  const pending = [{ folder: '', depth: 0 }]
  for (let next = pending.shift(); next && found.length < MOST_FILES; next = pending.shift()) {
    const { folder, depth } = next
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && depth < DEEPEST) pending.push({ folder: path, depth: depth + 1 })
      else if (entry.isFile() && entry.name.endsWith('.json')) found.push(path)
    }
  }
  return found
}

/** Folders every project may have, which are codes of languages as well. */
const NO_LANGUAGES = new Set([
  'src',
  'lib',
  'app',
  'bin',
  'doc',
  'dev',
  'css',
  'img',
  'web',
  'www',
  'tmp',
  'api',
  'cli',
  'sdk',
])

/** Every pattern a path could belong to. */
export function patternsOf(path: string): { readonly pattern: string; readonly language: string }[] {
  const segments = path.slice(0, -'.json'.length).split('/')
  const name = segments.at(-1) as string
  const folder = segments.slice(0, -1)
  const under = (rest: string) => [...folder, rest].join('/')
  const found: { pattern: string; language: string }[] = []
  if (isLanguage(name)) found.push({ pattern: under('{language}.json'), language: name })
  const dotted = name.split('.')
  const last = dotted.at(-1) as string
  if (dotted.length > 1 && isLanguage(last))
    found.push({ pattern: under('{namespace}.{language}.json'), language: last })
  for (const [at, segment] of folder.entries()) {
    if (NO_LANGUAGES.has(segment) || !isLanguage(segment)) continue
    found.push({ pattern: [...folder.slice(0, at), '{language}', '{namespace}.json'].join('/'), language: segment })
  }
  return found
}

/** A code the runtime knows a name of: `en`, `pt-BR`, `zh_Hant`, not `src`. */
function isLanguage(name: string): boolean {
  if (!/^[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/.test(name)) return false
  try {
    const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
    return names.of(name.split(/[-_]/)[0] as string) !== undefined
  } catch {
    return false
  }
}

/** `locales/percentages.json` beside `locales/en.json`: no language by its name, and no texts by its content. */
async function findStrangers(root: string, pattern: string): Promise<string[]> {
  const { files } = await listTranslationFiles(
    createFilePatterns({ root, patterns: [pattern], defaultNamespace: 'default' }),
  )
  const strangers = new Set<string>()
  for (const { language, path } of files) {
    if (isLanguage(language) || strangers.has(language)) continue
    const content = await readTranslationFile(path, { keySeparator: '.' })
    if (content?.diagnostics.some(({ code }) => code === 'FILE_VALUE')) strangers.add(language)
  }
  return [...strangers].sort()
}

/** A few files tell whether these are texts at all; all of them whether keys collide. */
async function checkFiles(
  root: string,
  pattern: string,
  paths: readonly string[],
): Promise<{ texts: boolean; collides: boolean }> {
  const patterns = createFilePatterns({ root, patterns: [pattern], defaultNamespace: 'default' })
  let texts = 0
  let collides = false
  let read = 0
  for (const path of paths.slice(0, 200)) {
    const match = patterns.match(path)
    if (!match || (await stat(match.path)).size > 10_000_000) continue
    const content = await readTranslationFile(match.path, { keySeparator: '.' })
    read++
    if (content?.diagnostics.some(({ code }) => code === 'FILE_KEY_COLLISION')) collides = true
    if (content && content.entries.size > 0 && !content.diagnostics.some(({ code }) => code === 'FILE_VALUE')) texts++
  }
  return { texts: texts * 2 >= read && texts > 0, collides }
}
