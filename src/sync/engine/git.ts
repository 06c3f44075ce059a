/**
 * Just enough of git to know a branch switch from an edit. No git, no answer: then the size of a batch decides alone.
 */
import { access, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

export interface Head {
  readonly text: string
  /** It was written in the last seconds: edits that come later are nobody's switch. */
  readonly isRecent: boolean
}

const RECENT_MS = 10_000
/** Between freeing the index and writing HEAD git does next to nothing. */
const SETTLE_MS = 150

export interface GitState {
  /** What HEAD names: it changes with a switch, a rebase or a detached checkout, not with a commit to the branch. */
  head(): Promise<Head | undefined>
  /**
   * `undefined` while git changes the working tree, and for a moment after that: HEAD is written last of all, when the
   * index is free again. Otherwise equal answers mean that git changed nothing between them.
   */
  quiet(): Promise<string | undefined>
}

export function createGitState(root: string): GitState {
  let folder: Promise<string | undefined> | undefined
  const gitFolder = () => {
    folder ??= findGitFolder(root)
    return folder
  }
  return {
    async head() {
      const git = await gitFolder()
      if (git === undefined) return undefined
      try {
        const file = join(git, 'HEAD')
        const { mtimeMs } = await stat(file)
        return { text: await readFile(file, 'utf8'), isRecent: Math.abs(Date.now() - mtimeMs) < RECENT_MS }
      } catch {
        return undefined
      }
    },
    async quiet() {
      const git = await gitFolder()
      if (git === undefined) return ''
      for (const name of ['index.lock', 'HEAD.lock']) if (await exists(join(git, name))) return undefined
      const index = await stat(join(git, 'index')).catch(() => undefined)
      if (!index) return ''
      return Math.abs(Date.now() - index.mtimeMs) < SETTLE_MS ? undefined : `${index.ino} ${index.mtimeMs}`
    },
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
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
