import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ownFile, searchFolder } from './canary.ts'
import { whenOver } from './closing.ts'

/**
 * A fresh folder outside the repository, searched for secrets and removed when the test is over; one of a `beforeAll`,
 * when all tests of the file are.
 */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'localization-')))
  whenOver(async () => {
    await searchFolder(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

/** By path below a folder: contents, objects as JSON. */
export type Tree = Readonly<Record<string, string | object>>

export async function writeTree(folder: string, files: Tree): Promise<void> {
  for (const [name, content] of Object.entries(files)) await save(join(folder, name), content)
}

/** Writes a file in place, as some editors do; an object as JSON. */
export async function save(path: string, content: string | object): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`
  ownFile(path, text)
  await writeFile(path, text)
}

export async function readJson(folder: string, name: string): Promise<Record<string, string>> {
  return JSON.parse(await readFile(join(folder, name), 'utf8')) as Record<string, string>
}
