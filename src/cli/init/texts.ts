/** The project's texts: those in its files, the first one for the page, and how the code refers to them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FilePattern, ResolvedConfig } from '../../config/types.ts'
import { listTranslationFiles } from '../../files/list.ts'
import { createFilePatterns } from '../../files/patterns.ts'
import { readTranslationFile } from '../../files/read.ts'
import { MANIFEST_ID } from '../../output/ids.ts'
import { displayPath } from '../../shared/paths.ts'
import { type Change, readText } from './changes.ts'
import { type LibraryName, libraryInfo, type Naming } from './libraries.ts'
import { projectFiles } from './project.ts'

/** The texts of one file. Files for customers are left out. */
export interface FileTexts {
  readonly language: string
  readonly namespace: string
  readonly entries: ReadonlyMap<string, string>
  /** The path, relative to the root. */
  readonly file: string
}

export async function readTexts(
  config: Pick<ResolvedConfig, 'root' | 'files' | 'defaultNamespace' | 'keySeparator'> &
    Partial<Pick<ResolvedConfig, 'languageMap'>>,
): Promise<FileTexts[]> {
  const { files } = await listTranslationFiles(createFilePatterns(config))
  const read = files
    .filter(({ customer }) => customer === undefined)
    .map(async ({ path, language, namespace, wrappers }): Promise<FileTexts> => {
      const content = await readTranslationFile(path, { keySeparator: config.keySeparator, wrappers })
      return { language, namespace, entries: content?.entries ?? new Map(), file: displayPath(config.root, path) }
    })
  return Promise.all(read)
}

export const hasNamespaces = (files: readonly FilePattern[]) =>
  files.some(({ pattern }) => pattern.includes('{namespace}'))

/** Plural forms count as one text, because languages have different numbers of them. */
const FORM = /_(?:ordinal_)?(?:zero|one|two|few|many|other|plural)$/

/**
 * The language with the most texts, or English if it has nearly as many: other languages often keep texts that the
 * source language no longer has.
 */
export function largestLanguage(texts: readonly FileTexts[]): string | undefined {
  const keys = new Map<string, Set<string>>()
  for (const { language, namespace, entries } of texts) {
    const own = keys.get(language) ?? new Set()
    keys.set(language, own)
    for (const key of entries.keys()) own.add(`${namespace}:${key.replace(FORM, '')}`)
  }
  const most = Math.max(...[...keys.values()].map(({ size }) => size))
  const rank = (language: string) => (language === 'en' ? 0 : /^en[-_]/.test(language) ? 1 : 2)
  const largest = [...keys].filter(([language, { size }]) => size >= (rank(language) < 2 ? 0.8 * most : most))
  const [first] = largest.map(([language]) => language).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  return first
}

export interface FirstText {
  readonly language: string
  readonly namespace: string
  readonly key: string
  readonly text: string
  /** The path, relative to the root. */
  readonly file: string
}

const PLACEHOLDER = /[{}<>%$|]/

/** Finds a text for the page, preferably one without a placeholder. */
export function findFirstText(texts: readonly FileTexts[]): FirstText | undefined {
  let fallback: FirstText | undefined
  for (const { entries, ...place } of texts) {
    for (const [key, text] of entries) {
      if (text.trim() === '') continue
      const found = { ...place, key, text }
      if (!PLACEHOLDER.test(text)) return found
      fallback ??= found
    }
  }
  return fallback
}

/** Plans a file with one text for the first language, and empty files for the others. Keeps existing texts. */
export async function planFirstText(config: ResolvedConfig, languages: readonly string[]) {
  const { root, files, defaultNamespace } = config
  const patterns = createFilePatterns(config)
  const namespace = hasNamespaces(files.slice(0, 1)) ? 'common' : defaultNamespace
  const changes: Change[] = []
  const texts: FileTexts[] = []
  for (const [at, language] of languages.entries()) {
    const path = patterns.pathOf({ language, namespace, customer: undefined })
    const file = path === undefined ? '' : displayPath(root, path)
    const before = await readText(root, file)
    if (path === undefined || /\w/.test(before ?? '')) continue
    const filled = /\.ya?ml$/.test(file) ? 'title: Welcome\n' : '{\n  "title": "Welcome"\n}\n'
    if (at === 0) texts.push({ language, namespace, entries: new Map([['title', 'Welcome']]), file })
    if (at === 0 || before === undefined) changes.push({ path: file, before, after: at === 0 ? filled : '{}\n' })
  }
  return { changes, texts }
}

const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte|astro)$/
const MOST_FILES = 3000

export type Sources = Awaited<ReturnType<typeof readSources>>

export async function readSources(root: string) {
  /** Everything between two quotation marks, including the keys in the code. */
  const quoted = new Set<string>()
  let importsTexts = false
  /** True if a call to i18next requests the object below a key. */
  let takesObjects = false
  /** i18next's `defaultNS` option. */
  let defaultNamespace: string | undefined
  const paths = (await projectFiles(root)).filter((path) => SOURCE.test(path) && !path.endsWith('.d.ts'))
  for (const path of paths.slice(0, MOST_FILES)) {
    const text = await readFile(join(root, path), 'utf8').catch(() => '')
    importsTexts ||= text.includes(MANIFEST_ID) || /['"]#translations(?:\/[^'"]*)?['"]/.test(text)
    takesObjects ||= text.includes('returnObjects')
    defaultNamespace ??= /\bdefaultNS:\s*['"]([^'"]+)['"]/.exec(text)?.[1]
    for (const piece of text.split(/['"`\n]/)) if (piece.length < 200) quoted.add(piece)
  }
  return { importsTexts, quoted, defaultNamespace, takesObjects }
}

/**
 * Finds out how the code refers to texts, and which options follow from that.
 *
 * @param texts the texts of the default language
 */
export function findNaming(
  library: LibraryName | undefined,
  texts: readonly FileTexts[],
  sources: Sources,
  hasNamespaces: boolean,
) {
  const kind = library && libraryInfo(library).namespaces
  const namespaces = [...new Set(texts.map(({ namespace }) => namespace))].sort()
  const keys = texts.flatMap(({ namespace, entries }) => [...entries.keys()].map((key) => [namespace, key] as const))
  const bare = keys.filter(([, key]) => sources.quoted.has(key)).length
  const named = keys.filter(([namespace, key]) => sources.quoted.has(`${namespace}.${key}`)).length
  const { defaultNamespace: own, takesObjects } = sources
  const defaultNamespace = [own, 'translation', namespaces[0]].find((name) => name && namespaces.includes(name))
  const naming: Naming = { namespaces, defaultNamespace, isBare: kind === 'none' && (!hasNamespaces || bare > named) }
  const options = {
    ...(kind === 'i18next' && !hasNamespaces && { defaultNamespace: own ?? 'translation' }),
    ...(kind === 'i18next' && takesObjects && { shape: 'nested' as const }),
    ...(naming.isBare && namespaces.length < 2 && { namespacePrefix: false as const }),
  }
  return { naming, options }
}
