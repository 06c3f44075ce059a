/**
 * What the disk told of the translation files when a build read them: a folder that has not changed is not listed again, and of a file
 * that has not changed the hash is known. Without it everything is read; nothing else depends on it.
 */
import { readFileSync, statSync } from 'node:fs'
import { sep } from 'node:path'
import type { ReadMemo } from '../files/lazy.ts'
import type { ListMemo } from '../files/list.ts'
import type { FilePatterns, TranslationFile } from '../files/patterns.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { contentHash } from '../shared/hash.ts'
import { createSlowness } from '../shared/slowness.ts'
import { statFingerprint } from '../shared/stat-fingerprint.ts'

export interface FileMemo extends ListMemo, ReadMemo {
  /** Writes what this build saw, if that is something else than what was read. */
  save(): Promise<void>
}

const FORMAT = 'unplugin-localization files 1'

interface KnownFile extends TranslationFile {
  /** With `hash`: of its bytes when it had that stamp. */
  readonly stamp?: string | undefined
  readonly hash?: string | undefined
}

interface Content {
  readonly format: string
  readonly patterns: readonly string[]
  readonly defaultNamespace: string
  /** Every folder that the walk looked into. `null`: they may change without showing it, or something was wrong with them. */
  readonly folders: readonly (readonly [path: string, stamp: string])[] | null
  readonly files: readonly KnownFile[]
}

/** A file that is not there, is damaged, or is of other patterns gives an empty memo. */
export function openFileMemo(path: string, patterns: FilePatterns): FileMemo {
  const { text, content } = readMemo(path, patterns)
  const bytes = new Map<string, Pick<KnownFile, 'stamp' | 'hash'>>(content?.files.map((file) => [file.path, file]))
  let folders = new Map<string, string | undefined>()
  let files: readonly TranslationFile[] | undefined
  let hasNew = false

  return {
    known() {
      const slowness = createSlowness()
      const isSame = ([folder, stamp]: readonly [string, string]) =>
        // A disk that keeps one waiting may be a network's, whose times may be old.
        !slowness.now && slowness.time(() => folderStamp(folder)) === stamp
      if (!content?.folders?.every(isSame)) return undefined
      folders = new Map(content.folders)
      files = content.files
      return files
    },
    reading(folder) {
      // The first of them counts: a later one may be of other names than those that were read.
      if (!folders.has(folder)) folders.set(folder, folderStamp(folder))
    },
    found(all, isGood) {
      hasNew = true
      files = all
      if (!isGood) folders.clear()
    },
    hashOf(file, stamp) {
      const known = bytes.get(file)
      return known?.stamp === stamp ? known.hash : undefined
    },
    note(file, stamp, hash) {
      hasNew = true
      bytes.set(file, { stamp, hash })
    },
    async save() {
      if (!hasNew || !files) return
      const stamps = [...folders].filter((folder): folder is [string, string] => folder[1] !== undefined)
      const { patterns: all, defaultNamespace } = patterns.options
      const next: Content = {
        format: FORMAT,
        patterns: all,
        defaultNamespace,
        folders: stamps.length > 0 && stamps.length === folders.size ? stamps : null,
        files: files.map((file) => {
          const { stamp, hash } = bytes.get(file.path) ?? {}
          return { ...file, stamp, hash }
        }),
      }
      const json = JSON.stringify(next)
      const written = `${contentHash(json)}\n${json}`
      if (written !== text) await writeFileAtomic(path, written, { durable: false })
    },
  }
}

function readMemo(path: string, { options, compiled }: FilePatterns) {
  try {
    const text = readFileSync(path, 'utf8')
    const end = text.indexOf('\n')
    const json = text.slice(end + 1)
    if (text.slice(0, end) !== contentHash(json)) return {}
    const content = JSON.parse(json) as Content
    const isSame =
      content.format === FORMAT &&
      content.defaultNamespace === options.defaultNamespace &&
      JSON.stringify(content.patterns) === JSON.stringify(options.patterns)
    // Whoever could write this file must not make another one a translation file.
    const bases = new Map(compiled.map(({ pattern, base }) => [pattern, `${base}${sep}`]))
    const isBelow = ({ path: file, pattern }: KnownFile) =>
      file.startsWith(bases.get(pattern) ?? file + sep) && file.endsWith('.json') && !/[\\/]\.\.[\\/]/.test(file)
    return isSame && content.files.every(isBelow) ? { text, content } : {}
  } catch {
    return {}
  }
}

/** `undefined`: nothing can be said. */
function folderStamp(path: string): string | undefined {
  try {
    return statFingerprint(statSync(path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : undefined
  }
}
