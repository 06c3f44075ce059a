/** Translations that `init` only mentions: in formats that the plugin cannot read, or in folders above the project. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { count } from '../../shared/figures.ts'
import { isLanguage } from '../../shared/language-name.ts'
import { foldersUp, toPosix } from '../../shared/paths.ts'
import { walkFiles } from '../../shared/walk.ts'
import { type DetectedFiles, detectFiles } from './detect-files.ts'
import { SKIPPED } from './sources.ts'

/** Modules count only beside others or in such a folder: `is.ts` is a name of code as well. */
const CATALOG_FOLDER = /(?:^|\/)(?:locales?|lang(?:uage)?s?|i18n|l10n|translations?|messages)\/$/i
const OTHER = /^(.*\/)?([^/]+?)(\.po|\.[cm]?[jt]s)$/
const MOST_FILES = 20_000

/** A line for each pattern of files that are translations by their names, and that the plugin does not read. */
export async function describeUnread(root: string): Promise<string[]> {
  const found = new Map<string, Set<string>>()
  let seen = 0
  for await (const path of walkFiles(root, { skipped: SKIPPED, maxDepth: 7, ignoresUnreadable: true })) {
    if (++seen > MOST_FILES) break
    const [, folder = '', name = '', ending = ''] = OTHER.exec(path) ?? []
    const inFolder = folder.split('/').find((part) => part.length > 1 && isLanguage(part))
    const language = isLanguage(name) ? name : ending === '.po' ? inFolder : undefined
    if (language === undefined) continue
    const pattern = isLanguage(name)
      ? `${folder}{language}${ending}`
      : path.replace(new RegExp(`(^|/)${language}/`), '$1{language}/')
    found.set(pattern, (found.get(pattern) ?? new Set()).add(language))
  }
  return [...found]
    .filter(([pattern, languages]) => {
      const folder = pattern.slice(0, pattern.lastIndexOf('/') + 1)
      return pattern.endsWith('.po') || languages.size > 1 || CATALOG_FOLDER.test(folder)
    })
    .map(
      ([pattern, { size }]) =>
        `not read: ${pattern}, ${count(size, 'language')}. The plugin reads JSON and YAML: see docs/migrate.md`,
    )
}

const TOP = ['.git', 'pnpm-workspace.yaml', 'lerna.json', 'nx.json', 'turbo.json', 'rush.json']

/**
 * The translation files of the repository that the project is a part of: those that are in none of its packages, or in
 * one that the project depends on.
 */
export async function detectAbove(root: string, packages: ReadonlySet<string>): Promise<DetectedFiles | undefined> {
  const top = repositoryOf(root)
  if (top === undefined) return undefined
  const found = await detectFiles(top, (folder) => {
    const owner = ownerOf(top, folder)
    return owner === undefined || packages.has(owner)
  })
  if (!found) return undefined
  const place = (pattern: string) => `${toPosix(relative(root, top))}/${pattern}`
  return { ...found, patterns: found.patterns.map(place), wrapped: found.wrapped.map(place), leftOut: [] }
}

/** The folder of the workspaces or the repository. `undefined`: there is none, or it is the project itself. */
export function repositoryOf(root: string): string | undefined {
  const isTop = (folder: string) =>
    TOP.some((name) => existsSync(join(folder, name))) || 'workspaces' in manifestOf(folder)
  const top = foldersUp(root).find(isTop)
  return top === root ? undefined : top
}

/** The name of the package that a folder belongs to; `undefined`: to none, or to the repository. */
function ownerOf(top: string, path: string): string | undefined {
  for (let folder = join(top, path); folder !== top && folder.length > top.length; folder = dirname(folder)) {
    if (!existsSync(join(folder, 'package.json'))) continue
    const { name } = manifestOf(folder)
    return typeof name === 'string' ? name : ''
  }
  return undefined
}

function manifestOf(folder: string): { readonly name?: unknown; readonly workspaces?: unknown } {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return typeof manifest === 'object' && manifest !== null ? manifest : {}
  } catch {
    return {}
  }
}
