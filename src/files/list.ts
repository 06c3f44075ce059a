import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { partId } from '../catalog/text-id.ts'
import { type Diagnostic, messageOf } from '../errors.ts'
import { displayPath, foldName } from '../shared/paths.ts'
import { split } from '../shared/split.ts'
import type { CompiledPattern, FilePatterns, TranslationFile } from './patterns.ts'

export interface TranslationFileList {
  /** The files, sorted by path (by code unit), including all files of a collision. */
  readonly files: readonly TranslationFile[]
  /**
   * FILE_NAME_COLLISION (error) for names that a file system or the catalog cannot tell apart. FILE_READ (error) for
   * unreadable folders.
   */
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Finds the files in the patterns' folders. Does not follow symbolic links, and reports those that lead to translation
 * files, or to nothing (FILE_PATTERN, warning). Skips `node_modules`, and files and folders
 * whose names begin with a dot, unless the pattern names them. Reports a skipped dot folder with translation files
 * (FILE_PATTERN, warning). Also skips, with the same warning, `*.min.json`, and `index.json` where a language is
 * expected. A missing folder contains no files.
 */
export async function listTranslationFiles(patterns: FilePatterns): Promise<TranslationFileList> {
  const { root } = patterns
  const diagnostics: Diagnostic[] = []
  const files = new Map<string, TranslationFile>()
  for (const pattern of patterns.compiled) {
    for (const path of await walk({ pattern, root, diagnostics })) {
      const file = files.has(path) ? undefined : patterns.match(path)
      if (file) files.set(path, file)
      else if (pattern.isLeftOut(path)) diagnostics.push(leftOut(path, root, INDEX))
    }
  }
  const sorted = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  return { files: sorted, diagnostics: [...diagnostics, ...findCollisions(sorted, root)] }
}

interface Walk {
  readonly pattern: CompiledPattern
  readonly root: string
  readonly diagnostics: Diagnostic[]
}

/** Reads the folders of each depth in parallel. */
async function walk(given: Walk): Promise<string[]> {
  const { pattern, root, diagnostics } = given
  const paths: string[] = []
  let folders = [pattern.base]
  for (let depth = 0; folders.length > 0; depth++) {
    const read = await Promise.all(folders.map((folder) => readFolder(folder, given)))
    const below: string[] = []
    for (const [at, entries] of read.entries()) {
      const folder = folders[at] as string
      const prefix = folder.endsWith(sep) ? folder : folder + sep
      for (const entry of entries) {
        const path = prefix + entry.name
        if (isHidden(entry.name) && !pattern.namedFolders.has(entry.name)) {
          // Dot folders in the root are not reported, because tools create them.
          const isReported = entry.isDirectory() && pattern.base !== root && entry.name.startsWith('.')
          if (isReported && !VERSION_CONTROL.has(entry.name) && (await holdsTexts(path, given)))
            diagnostics.push(leftOut(path, root, DOTTED))
          continue
        }
        if (entry.isSymbolicLink() && (depth < pattern.depth || entry.name.endsWith(pattern.ending))) {
          const reason = await checkLink(path, given)
          if (reason) diagnostics.push(leftOut(path, root, reason))
        } else if (entry.isDirectory() && depth < pattern.depth) below.push(path)
        else if (entry.isFile() && entry.name.endsWith(pattern.ending)) paths.push(path)
      }
    }
    folders = below
  }
  return paths
}

async function readFolder(folder: string, { root, diagnostics }: Walk): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    diagnostics.push({
      severity: 'error',
      code: 'FILE_READ',
      message: `the folder cannot be read: ${messageOf(cause)}`,
      place: { file: displayPath(root, folder) },
    })
    return []
  }
}

const VERSION_CONTROL: ReadonlySet<string> = new Set(['.git', '.svn', '.hg'])

async function holdsTexts(folder: string, { pattern }: Walk): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.some((entry) => entry.isFile() && pattern.match(join(folder, entry.name)) !== undefined)
}

async function checkLink(path: string, given: Walk): Promise<readonly string[] | undefined> {
  const target = await stat(path).catch(() => undefined)
  if (!target) return DANGLING
  const leadsToTexts = target.isFile() ? given.pattern.match(path) !== undefined : await holdsTexts(path, given)
  return leadsToTexts ? LINK : undefined
}

const LINK = [
  'ignored, because it is a symbolic link',
  'Copy its target here, or name the target in the option "files".',
]
const DANGLING = ['broken link: its target does not exist', 'Remove it, or restore its target.']
const INDEX = ['ignored, because it is an index or a minified copy', 'Keep it in another folder.']
const DOTTED = [
  "the folder's name begins with a dot, so its files are ignored",
  'Rename it, or name it in the option "files".',
]

function leftOut(path: string, root: string, [message = '', hint]: readonly string[]): Diagnostic {
  return { severity: 'warning', code: 'FILE_PATTERN', message, hint, place: { file: displayPath(root, path) } }
}

function isHidden(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules'
}

/** Finds files for the same part, and languages with two spellings. */
export function findCollisions(files: readonly TranslationFile[], root: string): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const byPart = new Map<string, TranslationFile>()
  const byLanguage = new Map<string, TranslationFile>()
  for (const file of files) {
    const language = foldName(file.language)
    const customer = file.customer === undefined ? undefined : foldName(file.customer)
    const part = partId({ language, namespace: foldName(file.namespace), customer })
    const spelled = byLanguage.get(language)
    const other = byPart.get(part) ?? (spelled?.language === file.language ? undefined : spelled)
    if (!byPart.has(part)) byPart.set(part, file)
    if (!byLanguage.has(language)) byLanguage.set(language, file)
    if (!other) continue
    const same = partId(other) === partId(file)
    diagnostics.push({
      severity: 'error',
      code: 'FILE_NAME_COLLISION',
      message: `${displayPath(root, other.path)} and ${displayPath(root, file.path)} ${
        same
          ? 'contain the same language and namespace'
          : 'differ only in letter case or in Unicode normalization: not every file system distinguishes them'
      }`,
      hint: 'Rename or merge them.',
      place: { file: displayPath(root, file.path), language: file.language, namespace: file.namespace },
    })
  }
  return diagnostics
}

/** Divides the wanted files into usable files and files whose names collide. `colliding` contains absolute paths. */
export function selectFiles(
  { files, diagnostics }: TranslationFileList,
  root: string,
  isWanted: (file: TranslationFile) => boolean,
): { readonly wanted: readonly TranslationFile[]; readonly colliding: ReadonlySet<string> } {
  const collisions = diagnostics.filter(({ code }) => code === 'FILE_NAME_COLLISION')
  const names = new Set(collisions.map(({ place }) => place?.file))
  const isColliding = ({ path }: TranslationFile) => names.size > 0 && names.has(displayPath(root, path))
  const [colliding, wanted] = split(files.filter(isWanted), isColliding)
  return { wanted, colliding: new Set(colliding.map(({ path }) => path)) }
}
