/** What git writes into translation files is held, what a person edits is sent: real git beside a running engine. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startProject } from '../helpers/project.ts'
import { startEngine } from '../helpers/sync.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const run = promisify(execFile)
const IDENTITY = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'protocol.file.allow=always']
const gitIn = (folder: string) => (line: string) => run('git', [...IDENTITY, ...line.split(' ')], { cwd: folder })

const TEXTS = { title: 'Title', more: 'More', other: 'Other', last: 'Last' }
const COMMON = 'en/common.json'
const MARKER = 'en/marker.json'

/** Branches with other texts: `side` has two, `apart` one that is not of `side`. The marker is not git's. */
async function createRepository(folder: string) {
  const git = gitIn(folder)
  await writeTree(folder, { [COMMON]: TEXTS, '.gitignore': `${MARKER}\n.localization/\n` })
  await git('init --quiet --initial-branch=main')
  await git('add --all')
  await git('commit --quiet --message=main')
  await git('tag start')
  for (const [branch, texts] of Object.entries({
    side: { title: 'Side', more: 'Side' },
    apart: { last: 'Apart' },
    against: { title: 'Against', more: 'Side' },
  })) {
    await git(`checkout --quiet -b ${branch} start`)
    await writeTree(folder, { [COMMON]: { ...TEXTS, ...texts } })
    await git(`commit --quiet --all --message=${branch}`)
  }
  await git('checkout --quiet main')
  return git
}

/** @param folder holds the files; @param root is the project's */
async function startBeside(folder: string, root: string, pattern: string) {
  const service = await startProject({
    service: { texts: { 'en/common': TEXTS, 'en/marker': { word: 'word' } } },
  })
  await writeTree(folder, { [MARKER]: { word: 'word' } })
  const { engine, lines, files } = await startEngine({ root, service, options: { files: [pattern] } })
  await engine.refresh()
  let edits = 0
  return {
    service,
    engine,
    lines,
    text: (key: string) => files().text({ language: 'en', namespace: 'common', key }),
    /** The texts of these keys are held, and nothing but the edits of a person has reached the service. */
    async holds(keys: readonly string[], sent: Partial<typeof TEXTS> = {}) {
      const held = () => engine.status().holds.map(({ ref, reason }) => `${ref.key} ${reason}`)
      await expect.poll(held).toEqual(keys.map((key) => `${key} git`))
      const word = `edit ${++edits}`
      await writeTree(folder, { [MARKER]: { word } })
      const state = async () => ({ ...(await service.texts('en', 'marker')), held: held() })
      await expect.poll(state).toEqual({ word, held: keys.map((key) => `${key} git`) })
      expect(await service.texts('en')).toEqual({ ...TEXTS, ...sent })
    },
  }
}

test('merge, pull, reset, cherry-pick, rebase, and files of another commit', async () => {
  const root = await tempFolder()
  const git = await createRepository(root)
  const project = await startBeside(root, root, '{language}/{namespace}.json')
  const both = ['title', 'more']
  const start = async () => {
    await git('reset --quiet --hard start')
    await project.holds([])
  }
  for (const [line, keys] of Object.entries({
    'merge --quiet side': both,
    'merge --quiet --no-ff --no-edit side': both,
    'merge --quiet --no-commit --no-ff side': both,
    'reset --quiet --hard side': both,
    'cherry-pick side': both,
    'cherry-pick --no-commit side': both,
    'checkout --quiet side -- en': both,
    'pull --quiet . apart': ['last'],
  })) {
    await git(line)
    await project.holds(keys)
    await start()
  }
  expect(project.lines.join('\n')).toMatch(
    /held, not pushed: 2 texts \(en\/common\), written by git \(.*\)\. To send them: localization push$/m,
  )
  await git('checkout --quiet -b moved apart')
  await project.holds(['last'])
  await git('rebase --quiet side')
  await project.holds([...both, 'last'])
  // A person asks for it.
  await project.engine.release()
  await expect.poll(() => project.service.texts('en')).toMatchObject({ title: 'Side', more: 'Side', last: 'Apart' })
})

test('stash holds what it takes away, and stash pop brings back what was sent', async () => {
  const root = await tempFolder()
  const git = await createRepository(root)
  const { service, holds } = await startBeside(root, root, '{language}/{namespace}.json')
  const sent = { title: 'Edited' }
  await writeTree(root, { [COMMON]: { ...TEXTS, ...sent } })
  await expect.poll(() => service.texts('en')).toMatchObject(sent)
  await git('stash --quiet')
  await holds(['title'], sent)
  await git('stash pop --quiet')
  await holds([], sent)
})

test('edits are sent at once, whatever is added or committed then; also while a rebase waits', async () => {
  const root = await tempFolder()
  const git = await createRepository(root)
  const { service, holds, engine, text } = await startBeside(root, root, '{language}/{namespace}.json')
  const sent: Partial<typeof TEXTS> = {}
  for (const [at, line] of ['add --all', 'commit --quiet --all --message=edit', 'status'].entries()) {
    sent.other = `Edit ${at}`
    await writeTree(root, { [COMMON]: { ...TEXTS, ...sent } })
    await git(line)
    await expect.poll(() => service.texts('en')).toMatchObject(sent)
    await holds([], sent)
  }
  await git('reset --quiet --hard start')
  await holds(['other'], sent)
  await engine.release()
  await expect.poll(() => service.texts('en')).toEqual(TEXTS)
  await git('checkout --quiet against')
  await holds(['title', 'more'])
  await expect(git('rebase --quiet side')).rejects.toThrow('could not apply')
  await holds(['title', 'more'])
  // The file has git's texts too.
  await writeTree(root, { [COMMON]: { ...TEXTS, title: 'Resolved', more: 'Side' } })
  await expect.poll(() => text('title')).toBe('Resolved')
  await holds(['title', 'more'])
  await writeTree(root, { [COMMON]: { ...TEXTS, title: 'Resolved', more: 'Side', other: 'Edited' } })
  await expect.poll(() => service.texts('en')).toMatchObject({ other: 'Edited' })
  await git('add --all')
  await git('-c core.editor=true rebase --continue')
  await holds(['title', 'more'], { other: 'Edited' })
})

test('in a linked working tree, and in a submodule', async () => {
  const origin = await tempFolder()
  const git = await createRepository(origin)
  const linked = join(await tempFolder(), 'linked')
  await git(`worktree add --quiet --detach ${linked} start`)
  const there = await startBeside(linked, linked, '{language}/{namespace}.json')
  await gitIn(linked)('merge --quiet side')
  await there.holds(['title', 'more'])

  const root = await tempFolder()
  await gitIn(root)('init --quiet')
  await gitIn(root)(`submodule add --quiet ${origin} texts`)
  const inside = join(root, 'texts')
  const below = await startBeside(inside, root, 'texts/{language}/{namespace}.json')
  await gitIn(inside)('merge --quiet origin/side')
  await below.holds(['title', 'more'])
})
