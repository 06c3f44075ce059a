/**
 * Resolves the globs in `usage.files`, `usage.literalsIn`, `prune.ignoreIn` and `--source`. They are relative to the
 * root, and may leave it through `..` or a link. Files are identified by their real paths.
 */
import { existsSync, realpathSync } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, posix, relative, resolve } from 'node:path'
import picomatch from 'picomatch'
import { isInside, toPosix, withoutQuery } from '../../shared/paths.ts'

/** Folders that are skipped, unless a glob names the folder before its first special character. */
const EXCLUDED_FOLDERS: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'dist',
  'build',
  'out',
  'coverage',
  'storybook-static',
])

interface PathGlob {
  readonly given: string
  readonly isExcluding: boolean
  /**
   * The folder or file that the glob names before its first special character, as an absolute path with links resolved.
   */
  readonly base: string
  /** The rest of the glob, relative to `base`. */
  readonly rest: string
  /** @param path relative to `base`, with forward slashes */
  readonly matches: (path: string) => boolean
}

const SIGN = /[*?{}[\]]|[!+@]?\(/

function parseGlob(root: string, given: string): PathGlob {
  const isExcluding = /^!(?!\()/.test(given)
  // A backslash before a bracket escapes it. Any other backslash separates folders, as on Windows.
  const pattern = (isExcluding ? given.slice(1) : given).replace(/\\(?![[\]{}()!+@])/g, '/')
  const segments = pattern.split('/')
  const signAt = segments.findIndex((segment) => SIGN.test(segment.replace(/\\./g, '')))
  const lead = segments.slice(0, signAt === -1 ? undefined : signAt).join('/')
  const rest = signAt === -1 ? '' : segments.slice(signAt).join('/')
  const base = resolve(root, lead.replaceAll('\\', '') || (pattern.startsWith('/') ? '/' : '.'))
  const matches = rest === '' ? (path: string) => path === '' : picomatch(spellings(rest))
  return { given, isExcluding, base: existsSync(base) ? realpathSync(base) : base, rest, matches }
}

/**
 * The globs to match: the given one, and one in which brackets match themselves, because routers use folder names such
 * as `[slug]` and `(group)`.
 */
function spellings(glob: string): string[] {
  const escaped = glob.replace(/(?<!\\)[[\]]/g, '\\$&').replace(/(?<![\\!+@?*])\(([^()|]*)\)/g, '\\($1\\)')
  return [...new Set([glob, escaped])]
}

/** @param patterns patterns that begin with `!` exclude files */
export function createPathFilter(root: string, patterns: readonly string[]) {
  const globs = patterns.map((pattern) => parseGlob(root, pattern))
  const [excluding, including] = [globs.filter((glob) => glob.isExcluding), globs.filter((glob) => !glob.isExcluding)]
  const top = parseGlob(root, '**').base
  const below = (base: string, path: string) => (isInside(base, path) ? toPosix(relative(base, path)) : undefined)
  const matches = ({ base, matches }: PathGlob, path: string, from = base) => {
    const name = below(from, path)
    return name !== undefined && matches(name)
  }
  // `!**/*.test.*` excludes files in any folder, even outside the root.
  const isEverywhere = ({ base, rest }: PathGlob) => base === top && rest.startsWith('**')
  const isLeftOut = (path: string, from: string) =>
    excluding.some((glob) => matches(glob, path) || (isEverywhere(glob) && matches(glob, path, from)))
  return {
    /** The folders and files with which the globs start, as absolute paths with links resolved. */
    bases: [...new Set(including.map(({ base }) => base))],
    /** True if the absolute path may match, or may be a folder that contains a matching file. */
    mayHold: (path: string) =>
      including.some(({ base }) => {
        const name = below(base, path)
        return name !== undefined && (name === '' || name.split('/').every(isVisible))
      }),
    /** The globs that match the path; none if another glob excludes the path or its real path. */
    globsOf: (path: string, real = path) =>
      including
        .filter((glob) => matches(glob, path) && ![path, real].some((each) => isLeftOut(each, glob.base)))
        .map(({ given }) => given),
  }
}

const isVisible = (name: string) => !name.startsWith('.') && !EXCLUDED_FOLDERS.has(name)

export interface ListedFiles {
  /** Paths relative to the root, sorted, with forward slashes. Files outside the root start with `../`. */
  readonly files: readonly string[]
  readonly unmatched: readonly string[]
}

export async function listFiles(root: string, patterns: readonly string[]): Promise<ListedFiles> {
  const { bases, globsOf } = createPathFilter(root, patterns)
  const realRoot = await realpath(root).catch(() => root)
  const files = new Set<string>()
  const unmatched = new Set(patterns.filter((pattern) => !/^!(?!\()/.test(pattern)))
  for (const base of bases)
    for await (const [path, real] of walk(base)) {
      const globs = globsOf(path, real)
      for (const glob of globs) unmatched.delete(glob)
      if (globs.length > 0) files.add(toPosix(relative(realRoot, real)))
    }
  return { files: [...files].sort(), unmatched: [...unmatched] }
}

/**
 * Yields the visible files in a folder, or `base` itself if it is a file, each with its real path. Ordinary folders are
 * read before links. Each folder is read only once, because a link may point to a parent folder.
 */
async function* walk(base: string): AsyncGenerator<readonly [path: string, real: string]> {
  const kind = await stat(base).catch(() => undefined)
  if (kind?.isFile()) yield [base, base]
  if (!kind?.isDirectory()) return
  const read = new Set<string>()
  const folders = [base]
  const links: string[] = []
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop() ?? links.shift()) {
    const real = await realpath(folder)
    if (read.has(real)) continue
    read.add(real)
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue
      const path = join(folder, entry.name)
      const isLink = entry.isSymbolicLink()
      // For a broken link, the target is `undefined`.
      const target = isLink ? await stat(path).catch(() => undefined) : entry
      if (target?.isFile()) yield [path, isLink ? await realpath(path) : join(real, entry.name)]
      else if (target?.isDirectory() && isVisible(entry.name)) (isLink ? links : folders).push(path)
    }
  }
}

/** The globs that begin with a folder or file that does not exist, and match none of the files. */
export function unmatchedGlobs(root: string, patterns: readonly string[], files: readonly string[]): string[] {
  return patterns.filter((glob) => !existsSync(parseGlob(root, glob).base) && !files.some(fileFilter(root, [glob])))
}

const escapeSigns = (path: string) => path.replace(/[*?{}[\]()!+@\\]/g, '\\$&')

/**
 * Returns a function that matches a file's path from the root, and the ends of this path. Folders above the root do not
 * count, because they differ between machines. Bundlers and commands spell the same file differently: as an absolute
 * path or relative to the root, and with or without links.
 */
export function fileFilter(root: string, patterns: readonly string[]): (file: string) => boolean {
  const top = parseGlob(root, '**').base
  const globs = patterns.flatMap((given) => {
    const { base, rest } = parseGlob(root, given)
    const lead = escapeSigns(toPosix(relative(top, base)))
    const resolved = rest === '' ? [lead] : spellings(rest).map((end) => posix.join(lead, end))
    return [...spellings(given.replace(/\\(?![[\]{}()!+@])/g, '/').replace(/^\.\//, '')), ...resolved]
  })
  const matches = [...new Set(globs)].filter(Boolean).map((glob) => picomatch(glob, { dot: true }))
  return (file) => {
    const path = isAbsolute(file) ? relative(isInside(root, file) ? root : top, file) : file
    const name = withoutQuery(path.replaceAll('\\', '/'))
    const ends = [name, ...[...name.matchAll(/\//g)].map(({ index }) => name.slice(index + 1))]
    return matches.some((match) => ends.some((end) => match(end)))
  }
}
