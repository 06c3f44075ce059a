/** Distinguishes a branch switch from an edit. Without git, only the size of a batch decides. */
import { readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** HEAD counts as just written for this time. Later edits do not belong to the switch. */
const RECENT_MS = 10_000
/** Between freeing the index and writing HEAD git does next to nothing. */
const SETTLE_MS = 150

export type Head = { readonly text: string; readonly isRecent: boolean }

export class GitState {
  readonly #folder: Promise<string | undefined>

  constructor(root: string) {
    this.#folder = findGitFolder(root)
  }

  /** What HEAD names: it changes with a switch, a rebase or a detached checkout, not with a commit to the branch. */
  async head(): Promise<Head | undefined> {
    const git = await this.#folder
    if (git === undefined) return undefined
    const file = join(git, 'HEAD')
    const known = await stat(file).catch(() => undefined)
    const text = await readFile(file, 'utf8').catch(() => undefined)
    return known && text !== undefined
      ? { text, isRecent: Math.abs(Date.now() - known.mtimeMs) < RECENT_MS }
      : undefined
  }

  /** `undefined` while git works and shortly after: HEAD is written last. Equal answers: nothing changed between. */
  async quiet(): Promise<string | undefined> {
    const git = await this.#folder
    if (git === undefined) return ''
    const [busy, busyHead, index] = await Promise.all(
      ['index.lock', 'HEAD.lock', 'index'].map((name) => stat(join(git, name)).catch(() => undefined)),
    )
    if (busy || busyHead) return undefined
    if (!index) return ''
    return Math.abs(Date.now() - index.mtimeMs) < SETTLE_MS ? undefined : `${index.ino} ${index.mtimeMs}`
  }
}

async function findGitFolder(from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    const git = join(folder, '.git')
    const known = await stat(git).catch(() => undefined)
    if (known?.isDirectory()) return git
    if (known?.isFile()) {
      // A linked working tree: its own HEAD and index lie elsewhere.
      const target = /^gitdir: (.+)$/m.exec(await readFile(git, 'utf8').catch(() => ''))?.[1]
      return target === undefined ? undefined : resolve(folder, target.trim())
    }
    if (dirname(folder) === folder) return undefined
  }
}
