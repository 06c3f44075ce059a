/** Finds the translation files of a project, or of the repository around it. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { listTranslationFiles } from '../../files/list.ts'
import { createFilePatterns, type FilePatterns, type TranslationFile } from '../../files/patterns.ts'
import { readTranslationFile, type TranslationFileContent } from '../../files/read.ts'
import { count, listed } from '../../shared/figures.ts'
import { fileEnding } from '../../shared/file-pattern.ts'
import { isLanguage } from '../../shared/language-name.ts'
import { isKnownTag, separatedTag } from '../../shared/language-tag.ts'
import { foldersUp, toPosix } from '../../shared/paths.ts'
import { docPage, type Project, projectFiles, readManifest, repositoryOf } from './project.ts'

export type DetectedFiles = NonNullable<Awaited<ReturnType<typeof detectFiles>>>

interface Candidate {
  readonly pattern: string
  readonly languages: Set<string>
  readonly paths: string[]
}

/**
 * Chooses the pattern with the most languages and files, and all patterns that can be combined with it.
 *
 * @param isOwn returns false for folders (relative to the root) whose files are ignored
 */
export async function detectFiles(root: string, isOwn: (folder: string) => boolean = () => true) {
  const candidates = await findCandidates(root)
  const own = candidates.filter(({ pattern }) => isOwn(pattern.slice(0, pattern.indexOf('{'))))
  const ranked = [...own, ...joinFolders(own)].sort(
    (a, b) => b.languages.size - a.languages.size || b.paths.length - a.paths.length,
  )
  const chosen: Candidate[] = []
  /** The patterns whose files have all texts below the language's name, as in Rails. */
  const wrapped: string[] = []
  /** Patterns whose files have the same languages and namespaces as those of `patterns`. */
  const leftOut: { pattern: string; files: number }[] = []
  const taken = new Set<string>()
  /** True if `.` as the separator would make two keys in a file equal. */
  let collides = false
  for (const candidate of ranked) {
    const { pattern, languages, paths } = candidate
    // Skips a pattern if its files are taken or it has hardly any languages.
    if (paths.some((path) => taken.has(path)) || languages.size * 2 < (chosen[0]?.languages.size ?? 0)) continue
    const sample = await readSample(patternsFor(root, [pattern]), paths)
    if (!sample.holdsTexts) continue
    for (const path of paths) taken.add(path)
    if (await fitTogether(root, [...chosen, candidate])) {
      chosen.push(candidate)
      collides ||= sample.collides
      if (sample.isWrapped) wrapped.push(pattern)
    } else leftOut.push({ pattern, files: paths.length })
  }
  if (chosen.length === 0) return undefined
  const patterns = chosen.map(({ pattern }) => pattern)
  const { files } = await listTranslationFiles(patternsFor(root, patterns))
  // Names that match `{language}` but are not languages.
  const strangers = await findStrangers(files)
  const ofLanguages = files.filter(({ language }) => !strangers.includes(language))
  const languages = [...new Set(ofLanguages.map(({ language }) => language))].sort()
  const tags = languages.map((name) => [name, separatedTag(name)] as const)
  return {
    patterns,
    wrapped,
    languages: tags.map(([name, tag = name]) => tag),
    languageMap: Object.fromEntries(tags.flatMap(([name, tag]) => (tag ? [[name, tag]] : []))),
    files: ofLanguages.length,
    collides,
    strangers,
    leftOut,
  }
}

function patternsFor(root: string, patterns: readonly string[]): FilePatterns {
  const files = patterns.map((pattern) => ({ pattern }))
  return createFilePatterns({ root, files, defaultNamespace: 'default' })
}

async function findCandidates(
  root: string,
  endingOf: (path: string) => string | undefined = fileEnding,
): Promise<Candidate[]> {
  const candidates = new Map<string, Candidate>()
  for (const path of await projectFiles(root)) {
    // A pattern has no spelling for braces.
    if (/[{}]/.test(path)) continue
    for (const { pattern, language } of patternsOf(path, endingOf(path))) {
      const candidate = candidates.get(pattern) ?? { pattern, languages: new Set(), paths: [] }
      candidate.languages.add(language)
      candidate.paths.push(path)
      candidates.set(pattern, candidate)
    }
  }
  // In `app-bar.json`, `bar` is only a language if there are files for other languages.
  return [...candidates.values()].filter(({ pattern, languages }) => !IN_A_NAME.test(pattern) || languages.size > 1)
}

const IN_A_NAME = /[^/]\{language\}|\{language\}\.\{/

/**
 * Joins `packages/a/{language}.json` and `packages/b/{language}.json` to `packages/{namespace}/{language}.json`. The
 * joined pattern has more files than its parts, so it is chosen first.
 */
function joinFolders(candidates: readonly Candidate[]): Candidate[] {
  const groups = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    const segments = candidate.pattern.split('/')
    if (candidate.pattern.includes('{namespace}')) continue
    // A namespace in the first segment would match every folder of the project.
    for (let at = 1; at < segments.length - 1; at++) {
      const joined = segments.with(at, '{namespace}').join('/')
      groups.set(joined, [...(groups.get(joined) ?? []), candidate])
    }
  }
  return [...groups].flatMap(([pattern, group]) => {
    const [most = []] = group.map(({ languages }) => [...languages]).sort((a, b) => b.length - a.length)
    // Keeps `src/api/is.json` out of `src/i18n`.
    const parts = group.filter(({ languages }) => most.filter((name) => languages.has(name)).length * 2 >= most.length)
    const languages = new Set(parts.flatMap((part) => [...part.languages]))
    return parts.length > 1 ? [{ pattern, languages, paths: parts.flatMap(({ paths }) => paths) }] : []
  })
}

/** True if no two files that match these patterns have the same language and namespace. */
async function fitTogether(root: string, candidates: readonly Candidate[]): Promise<boolean> {
  const patterns = candidates.map(({ pattern }) => pattern)
  const { diagnostics } = await listTranslationFiles(patternsFor(root, patterns))
  return candidates.length === 1 || !diagnostics.some(({ code }) => code === 'FILE_NAME_COLLISION')
}

/** False for `is-empty`, which is only Icelandic by its first part. */
const isTag = (name: string) => isLanguage(name) && isKnownTag(name)

/** Patterns that match the path, each with the language it finds. */
export function patternsOf(path: string, ending: string | undefined) {
  const found: { pattern: string; language: string }[] = []
  if (ending === undefined) return found
  const [, folders = '', name = ''] = /^(.*\/)?(.*)$/.exec(path.slice(0, -ending.length)) ?? []
  if (name.endsWith('.min')) return found
  if (isTag(name)) found.push({ pattern: `${folders}{language}${ending}`, language: name })
  const [, suffix = ''] = /\.([^.]+)$/.exec(name) ?? []
  if (isTag(suffix)) found.push({ pattern: `${folders}{namespace}.{language}${ending}`, language: suffix })
  const [, prefix = ''] = /^([^.]+)\.[^.]/.exec(name) ?? []
  if (isTag(prefix)) found.push({ pattern: `${folders}{language}.{namespace}${ending}`, language: prefix })
  // In `messages_pt_BR.json`, the language is `pt_BR`, not `BR`.
  for (const { index } of name.matchAll(/(?<=[^_-])[_-]/g)) {
    const language = name.slice(index + 1)
    if (!isTag(language) || isTag(name)) continue
    found.push({ pattern: `${folders}${name.slice(0, index + 1)}{language}${ending}`, language })
    break
  }
  for (const { 1: folder = '', index } of folders.matchAll(/([^/]+)\//g)) {
    if (NO_LANGUAGES.has(folder) || !isTag(folder)) continue
    found.push({ pattern: `${folders.slice(0, index)}{language}/{namespace}${ending}`, language: folder })
  }
  return found
}

/** Common folder names that are also language codes. */
const NO_LANGUAGES = new Set('src lib app bin doc dev css img web www tmp api cli sdk'.split(' '))

/** Reads some of the files to find out whether they contain texts, wrap them in an object, and have colliding keys. */
async function readSample(patterns: FilePatterns, paths: readonly string[]) {
  let read = 0
  let withTexts = 0
  let wrapped = 0
  let collides = false
  for (const path of paths.slice(0, 200)) {
    const match = patterns.match(path)
    if (!match || (await stat(match.path)).size > 10_000_000) continue
    const wrappers = [[match.languageInPath]]
    const inside = await readTranslationFile(match.path, { keySeparator: '.', wrappers })
    const whole = await readTranslationFile(match.path, { keySeparator: '.' })
    const isWrapped = inside && inside.entries.size > 0 && inside.entries.size === whole?.entries.size
    if (isWrapped) wrapped++
    const content = isWrapped ? inside : whole
    const codes = content?.diagnostics.map(({ code }) => code) ?? []
    read++
    if (codes.includes('FILE_KEY_COLLISION')) collides = true
    if (content && !codes.includes('FILE_VALUE') && isMostlyTexts(content)) withTexts++
  }
  return { holdsTexts: withTexts > 0 && withTexts * 2 >= read, isWrapped: wrapped > 0 && wrapped === read, collides }
}

/** False for configuration files, which contain more numbers and booleans than strings. */
function isMostlyTexts({ entries, values }: TranslationFileContent): boolean {
  const others = [...(values?.values() ?? [])].filter(({ kind }) => kind === 'scalar').length
  return entries.size > others
}

/**
 * Finds names that are not languages, such as `locales/percentages.json`, or `package.json` in the root. A language
 * with an unknown name has the keys of the others.
 */
async function findStrangers(files: readonly TranslationFile[]): Promise<string[]> {
  const isInRoot = ({ pattern }: TranslationFile) => pattern.startsWith('{language}')
  const isKnown = (file: TranslationFile) =>
    isLanguage(file.language) && !(isInRoot(file) && NO_LANGUAGES.has(file.language))
  const unknown = files.filter((file) => !isKnown(file))
  if (unknown.length === 0) return []
  const read = ({ path }: TranslationFile) => readTranslationFile(path, { keySeparator: '.' })
  const contents = await Promise.all(files.filter(isKnown).slice(0, 200).map(read))
  const keys = new Set(contents.flatMap((content) => [...(content?.entries.keys() ?? [])]))
  const isStranger = async (file: TranslationFile) => {
    const content = await read(file)
    const own = [...(content?.entries.keys() ?? [])]
    const hasOther = content?.diagnostics.some(({ code }) => code === 'FILE_VALUE')
    return isInRoot(file) || hasOther || own.filter((key) => keys.has(key)).length * 2 < own.length
  }
  const strangers = new Set<string>()
  for (const file of unknown) if (await isStranger(file)) strangers.add(file.language)
  return [...strangers].sort()
}

/** `is.ts` is only a translation in such a folder, or next to files for other languages. */
const CATALOG_FOLDER = /(?:^|\/)(?:locales?|lang(?:uage)?s?|i18n|l10n|translations?|messages)\/[^/]+$/i

/** Returns a line that names the files which look like translations in a format that the plugin does not support. */
export async function describeUnread(root: string): Promise<string[]> {
  const candidates = await findCandidates(root, (path) => /(?:\.po|\.[cm]?[jt]s)$/.exec(path)?.[0])
  const found = candidates.filter(({ pattern, languages }) => {
    const isFile = /(?:^|\/)\{language\}\.\w+$/.test(pattern)
    return pattern.endsWith('.po') || (isFile && (languages.size > 1 || CATALOG_FOLDER.test(pattern)))
  })
  if (found.length === 0) return []
  const patterns = found.map(({ pattern, languages }) => `${pattern}, ${count(languages.size, 'language')}`)
  const hint = `The plugin reads JSON and YAML: see ${docPage(root, 'migrate.md')}`
  return [`not read: ${listed(patterns, '; ')}. ${hint}`]
}

/** Searches the repository that contains the project, but only the packages that the project depends on. */
export async function detectAbove({ root, packages }: Project): Promise<DetectedFiles | undefined> {
  const top = repositoryOf(root)
  if (top === undefined) return undefined
  const found = await detectFiles(top, (folder) => {
    const hasManifest = (one: string) => one === top || existsSync(join(one, 'package.json'))
    const owner = foldersUp(join(top, folder)).find(hasManifest) ?? top
    const name = readManifest(owner)?.name
    return owner === top || (typeof name === 'string' && packages.has(name))
  })
  if (!found) return undefined
  const place = (pattern: string) => `${toPosix(relative(root, top))}/${pattern}`
  return { ...found, patterns: found.patterns.map(place), wrapped: found.wrapped.map(place), leftOut: [] }
}
