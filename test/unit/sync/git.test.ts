/** Real git in real folders: which files it wrote, and which a person edited. */
import { execFile } from 'node:child_process'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { GitState } from '../../../src/sync/git.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const run = promisify(execFile)
const IDENTITY = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'protocol.file.allow=always']

function gitIn(folder: string) {
  return async (...args: string[]) => (await run('git', [...IDENTITY, ...args], { cwd: folder })).stdout
}

const lines = (changed: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 30 }, (_, i) => `line ${i} ${changed[i] ?? ''}\n`).join('')

/** On `main`; `side` is two commits ahead, `other` changes another line, `against` the same as `side`. */
async function repository(folder?: string) {
  const root = folder ?? (await tempFolder())
  const git = gitIn(root)
  const file = join(root, 'texts.txt')
  await writeTree(root, { 'texts.txt': lines(), 'code.txt': 'code\n' })
  await git('init', '--quiet', '--initial-branch=main')
  await git('add', '--all')
  await git('commit', '--quiet', '--message=main')
  const branch = async (name: string, ...contents: string[]) => {
    await git('checkout', '--quiet', '-b', name, 'main')
    for (const content of contents) {
      await writeFile(file, content)
      await git('commit', '--quiet', '--all', `--message=${name}`)
    }
  }
  await branch('side', lines({ 2: 'side' }), lines({ 2: 'side', 4: 'side' }))
  await branch('other', lines({ 20: 'other' }))
  await branch('against', lines({ 2: 'against' }))
  await git('checkout', '--quiet', 'main')
  const edit = (line: number) => writeFile(file, lines({ [line]: 'edited' }))
  return { root, git, file, edit }
}

/** Gives git's records the time of the file, as in a moment in which the disk's clock stands still. */
async function stopClock({ root, file }: Pick<Repository, 'root' | 'file'>): Promise<void> {
  for (const name of ['logs/HEAD', 'ORIG_HEAD']) {
    const record = join(root, '.git', name)
    await run('touch', ['-r', file, record])
    expect((await stat(record)).mtimeMs).toBe((await stat(file)).ctimeMs)
  }
}

type Repository = Awaited<ReturnType<typeof repository>>

async function isWrittenByGit({ root, file }: Pick<Repository, 'root' | 'file'>): Promise<boolean> {
  const state = new GitState([root])
  expect(await state.isBusy([file])).toBe(false)
  return (await state.written([file])).has(file)
}

/** Each changes the file. */
const BY_GIT: Readonly<Record<string, (given: Repository) => Promise<unknown>>> = {
  checkout: ({ git }) => git('checkout', '--quiet', 'side'),
  'checkout --detach': ({ git }) => git('checkout', '--quiet', '--detach', 'side'),
  'checkout of a file': ({ git }) => git('checkout', '--quiet', 'side', '--', 'texts.txt'),
  restore: async ({ git, edit }) => {
    await edit(1)
    await git('restore', 'texts.txt')
  },
  'merge, fast-forward': ({ git }) => git('merge', '--quiet', 'side'),
  merge: async ({ git }) => {
    await git('merge', '--quiet', 'side')
    await git('merge', '--quiet', '--no-edit', 'other')
  },
  'merge --no-commit': ({ git }) => git('merge', '--quiet', '--no-commit', '--no-ff', 'side'),
  'merge --squash': ({ git }) => git('merge', '--quiet', '--squash', 'side'),
  'merge with a conflict': async ({ git }) => {
    await git('merge', '--quiet', 'side')
    await expect(git('merge', '--quiet', 'against')).rejects.toThrow()
  },
  'reset --hard': ({ git }) => git('reset', '--quiet', '--hard', 'side'),
  'cherry-pick': ({ git }) => git('cherry-pick', 'side~1'),
  'cherry-pick --no-commit': ({ git }) => git('cherry-pick', '--no-commit', 'other'),
  revert: async ({ git }) => {
    await git('merge', '--quiet', 'side')
    await git('revert', '--no-edit', 'HEAD')
  },
  rebase: async ({ git }) => {
    await git('checkout', '--quiet', 'other')
    await git('rebase', '--quiet', 'side')
  },
  'rebase with a conflict': async ({ git }) => {
    await git('checkout', '--quiet', 'against')
    await expect(git('rebase', '--quiet', 'side')).rejects.toThrow()
  },
  stash: async ({ git, edit }) => {
    await edit(1)
    await git('stash', '--quiet')
  },
  'stash apply': async ({ git, edit }) => {
    await edit(1)
    await git('stash', '--quiet')
    await git('stash', 'apply', '--quiet')
  },
  'stash pop': async ({ git, edit }) => {
    await edit(1)
    await git('stash', '--quiet')
    await git('stash', 'pop', '--quiet')
  },
}

/** Each leaves an edit of the file. */
const BY_A_PERSON: Readonly<Record<string, (given: Repository) => Promise<unknown>>> = {
  'an edit': ({ edit }) => edit(1),
  'an edit that is added': async ({ git, edit }) => {
    await edit(1)
    await git('add', '--all')
  },
  'an edit that is committed': async ({ git, edit }) => {
    await edit(1)
    await git('commit', '--quiet', '--all', '--message=edit')
  },
  'an edit that amends': async ({ git, edit }) => {
    await edit(1)
    await git('commit', '--quiet', '--all', '--amend', '--no-edit')
  },
  'an edit that is added, and taken out again': async ({ git, edit }) => {
    await edit(1)
    await git('add', '--all')
    await git('restore', '--staged', '.')
  },
  'an edit after a checkout': async ({ git, edit }) => {
    await git('checkout', '--quiet', 'side')
    await edit(1)
  },
  'an edit after a merge, committed': async ({ git, edit }) => {
    await git('merge', '--quiet', 'side')
    await edit(1)
    await git('commit', '--quiet', '--all', '--message=edit')
  },
  'an edit while a rebase waits': async ({ git, edit }) => {
    await git('checkout', '--quiet', 'against')
    await expect(git('rebase', '--quiet', 'side')).rejects.toThrow()
    await edit(1)
  },
  'an edit while a merge waits': async ({ git, edit }) => {
    await git('merge', '--quiet', '--no-commit', '--no-ff', 'side')
    await edit(1)
  },
}

describe('written by git', () => {
  test.each(Object.entries(BY_GIT))('%s', async (_, work) => {
    const given = await repository()
    await work(given)
    expect(await isWrittenByGit(given)).toBe(true)
  })

  test('pull', async () => {
    const origin = await repository()
    const root = await tempFolder()
    await gitIn(root)('clone', '--quiet', origin.root, '.')
    await origin.git('merge', '--quiet', 'side')
    await gitIn(root)('pull', '--quiet')
    expect(await isWrittenByGit({ root, file: join(root, 'texts.txt') })).toBe(true)
  })

  test('in a linked working tree, of its own commands only', async () => {
    const { root, git, file } = await repository()
    const linked = join(await tempFolder(), 'linked')
    await git('worktree', 'add', '--quiet', linked, 'side')
    const there = { root: linked, file: join(linked, 'texts.txt') }
    await gitIn(linked)('reset', '--quiet', '--hard', 'other')
    expect(await isWrittenByGit(there)).toBe(true)
    await writeFile(there.file, lines({ 1: 'edited' }))
    await git('checkout', '--quiet', '--detach', 'against')
    expect(await isWrittenByGit({ root, file })).toBe(true)
    expect(await isWrittenByGit(there)).toBe(false)
  })

  test('in a submodule', async () => {
    const library = await repository()
    const { root, git } = await repository()
    await git('submodule', 'add', '--quiet', library.root, 'library')
    await git('commit', '--quiet', '--message=library')
    const file = join(root, 'library/texts.txt')
    await writeFile(file, lines({ 1: 'edited' }))
    expect(await isWrittenByGit({ root, file })).toBe(false)
    await gitIn(join(root, 'library'))('checkout', '--quiet', '--force', 'origin/side')
    expect(await isWrittenByGit({ root, file })).toBe(true)
  })

  test('without a log of HEAD', async () => {
    const given = await repository()
    await given.git('config', 'core.logAllRefUpdates', 'false')
    await rm(join(given.root, '.git/logs'), { recursive: true })
    await given.git('checkout', '--quiet', 'side')
    expect(await isWrittenByGit(given)).toBe(true)
    await given.edit(1)
    expect(await isWrittenByGit(given)).toBe(false)
  })
})

test.each(['loose', 'packed'])('at one time with the records of git, the content decides: %s objects', async (kind) => {
  const given = await repository()
  await given.git('merge', '--quiet', 'side')
  await given.git('merge', '--quiet', '--no-edit', 'other')
  if (kind === 'packed') await given.git('repack', '-adq')
  await stopClock(given)
  expect(await isWrittenByGit(given)).toBe(true)
  await given.edit(1)
  await stopClock(given)
  expect(await isWrittenByGit(given)).toBe(false)
})

test('the content that git wrote with other line ends is from the repository', async () => {
  const given = await repository()
  await given.git('config', 'core.autocrlf', 'true')
  await given.git('merge', '--quiet', 'side')
  expect(await readFile(given.file, 'utf8')).toContain('\r\n')
  await stopClock(given)
  expect(await isWrittenByGit(given)).toBe(true)
})

describe('edited by a person', () => {
  test.each(Object.entries(BY_A_PERSON))('%s', async (_, work) => {
    const given = await repository()
    await work(given)
    expect(await isWrittenByGit(given)).toBe(false)
  })

  test('without git', async () => {
    const root = await tempFolder()
    await writeTree(root, { 'texts.txt': lines() })
    expect(await isWrittenByGit({ root, file: join(root, 'texts.txt') })).toBe(false)
  })
})

test('commands of before count for no later edit, though a clock was ahead', async () => {
  const { root, git, file, edit } = await repository()
  const state = new GitState([root])
  await git('merge', '--quiet', 'side')
  const tomorrow = new Date(Date.now() + 86_400_000)
  for (const name of ['logs/HEAD', 'ORIG_HEAD', 'index']) await utimes(join(root, '.git', name), tomorrow, tomorrow)
  await state.start()
  for (const line of [1, 3]) {
    await edit(line)
    expect(await state.written([file])).toEqual(new Set())
  }
  expect(await state.hasMoved([file])).toBe(false)
  await git('checkout', '--quiet', '--force', 'other')
  expect(await state.hasMoved([file])).toBe(true)
  expect(await state.written([file])).toEqual(new Set([file]))
  await edit(5)
  expect(await state.written([file])).toEqual(new Set())
})

test('git is busy while it holds a lock', async () => {
  const { root, file } = await repository()
  const state = new GitState([root])
  for (const lock of ['index.lock', 'HEAD.lock', 'refs/heads/main.lock']) {
    await writeFile(join(root, '.git', lock), '')
    expect([lock, await state.isBusy([file])]).toEqual([lock, true])
    await rm(join(root, '.git', lock))
  }
  expect(await readFile(file, 'utf8')).toBe(lines())
})
