import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
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
