/** Which translation files there are. */

import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Diagnostic, messageOf } from '../errors.ts'
import { foldName } from '../shared/paths.ts'
import { type CompiledPattern, displayPath, type FilePatterns, type TranslationFile } from './patterns.ts'

export interface TranslationFileList {
  /** Sorted by path, by code unit. Files of a collision are all in it. */
  readonly files: readonly TranslationFile[]
  /** FILE_NAME_COLLISION (error) for names a disk or the catalog takes for one; FILE_READ (error) for folders that cannot be read. */
  readonly diagnostics: readonly Diagnostic[]
}

/** What an earlier walk of the same patterns found. */
export interface ListMemo {
  /** All its files, sorted, where no folder has changed since and nothing was wrong with them. */
  known(): readonly TranslationFile[] | undefined
  /** That folder is read next. */
  reading(folder: string): void
  /** What this walk found; `isGood`: nothing was wrong. */
  found(files: readonly TranslationFile[], isGood: boolean): void
}

/**
 * Walks the patterns' folders. Symbolic links are not followed; folders and files that begin with a dot, and `node_modules`, are left
 * out unless the pattern names them; a folder with a dot that holds translation files is reported (FILE_PATTERN, warning). A folder
 * that is not there holds no files.
 */
export async function listTranslationFiles(patterns: FilePatterns, memo?: ListMemo): Promise<TranslationFileList> {
  const known = memo?.known()
  if (known) return { files: known, diagnostics: [] }
  const diagnostics: Diagnostic[] = []
  const files = new Map<string, TranslationFile>()
  for (const compiled of patterns.compiled) {
    for (const path of await walk({ pattern: compiled, root: patterns.options.root, diagnostics, memo })) {
      if (files.has(path)) continue
      const file = patterns.match(path)
      if (file) files.set(path, file)
    }
  }
  const sorted = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  const all = [...diagnostics, ...findCollisions(sorted, patterns.options.root)]
  memo?.found(sorted, all.length === 0)
  return { files: sorted, diagnostics: all }
}

interface Walk {
  readonly pattern: CompiledPattern
  readonly root: string
  readonly diagnostics: Diagnostic[]
  readonly memo: ListMemo | undefined
}

/** Folders of one depth side by side. */
async function walk(given: Walk): Promise<string[]> {
  const { pattern, root, diagnostics } = given
  const paths: string[] = []
  let folders = [pattern.base]
  for (let depth = 0; folders.length > 0; depth++) {
    const read = await Promise.all(folders.map((folder) => readFolder(folder, given)))
    const below: string[] = []
    for (const [at, entries] of read.entries()) {
      for (const entry of entries) {
        const path = join(folders[at] as string, entry.name)
        if (isHidden(entry.name) && !pattern.namedFolders.has(entry.name)) {
          if (entry.isDirectory() && pattern.base !== root && (await holdsTexts(path, given)))
            diagnostics.push(dotted(path, root))
          continue
        }
        if (entry.isDirectory() && depth < pattern.depth) below.push(path)
        else if (entry.isFile() && entry.name.endsWith('.json')) paths.push(path)
      }
    }
    folders = below
  }
  return paths
}

async function readFolder(folder: string, { root, diagnostics, memo }: Walk): Promise<Dirent[]> {
  memo?.reading(folder)
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

/** Whether somebody may have meant it: at the root itself every tool has folders of this kind. */
async function holdsTexts(folder: string, { pattern, memo }: Walk): Promise<boolean> {
  if (!basename(folder).startsWith('.') || VERSION_CONTROL.has(basename(folder))) return false
  memo?.reading(folder)
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.some((entry) => entry.isFile() && pattern.match(join(folder, entry.name)) !== undefined)
}

function dotted(path: string, root: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'FILE_PATTERN',
    message: 'the folder begins with a dot: its files are left out',
    hint: 'Rename it, or name it in the option files.',
    place: { file: displayPath(root, path) },
  }
}

function isHidden(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules'
}

/** Two files for one part, or one language spelled in two ways. */
export function findCollisions(files: readonly TranslationFile[], root: string): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const byPart = new Map<string, TranslationFile>()
  const byLanguage = new Map<string, TranslationFile>()
  for (const file of files) {
    const part = JSON.stringify(
      [file.language, file.namespace, file.customer ?? null].map((name) => name && foldName(name)),
    )
    const other = byPart.get(part) ?? otherSpelling(byLanguage.get(foldName(file.language)), file)
    if (!byPart.has(part)) byPart.set(part, file)
    if (!byLanguage.has(foldName(file.language))) byLanguage.set(foldName(file.language), file)
    if (!other) continue
    const same =
      other.language === file.language && other.namespace === file.namespace && other.customer === file.customer
    diagnostics.push({
      severity: 'error',
      code: 'FILE_NAME_COLLISION',
      message: `${displayPath(root, other.path)} and ${displayPath(root, file.path)} ${
        same
          ? 'hold the same language and namespace'
          : 'differ only in upper and lower case or in Unicode normal form: not every disk can tell them apart'
      }`,
      hint: 'Rename or join them.',
      place: { file: displayPath(root, file.path), language: file.language, namespace: file.namespace },
    })
  }
  return diagnostics
}

function otherSpelling(known: TranslationFile | undefined, file: TranslationFile): TranslationFile | undefined {
  return known && known.language !== file.language ? known : undefined
}
