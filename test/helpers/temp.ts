import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ownFile, searchFolder } from './canary.ts'

const ofThisFile: string[] = []

/** A fresh folder outside the repository, searched for secrets and removed when the test is over. */
export async function tempFolder(): Promise<string> {
  const folder = await makeFolder()
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** Like `tempFolder`, for `beforeAll`: stays until all tests of the file are over. */
export async function fileFolder(): Promise<string> {
  const folder = await makeFolder()
  ofThisFile.push(folder)
  return folder
}

/** `canary-setup.ts` calls this as each file's last hook. */
export async function removeFileFolders(): Promise<void> {
  await Promise.all(ofThisFile.splice(0).map(removeFolder))
}

async function makeFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'localization-')))
}

async function removeFolder(folder: string): Promise<void> {
  await searchFolder(folder)
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Writes files below a folder; objects as JSON. */
export async function writeTree(folder: string, files: Readonly<Record<string, string | object>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`
    ownFile(path, text)
    await writeFile(path, text)
  }
}
