/** The recordings of the app and of its tests since the last `localization record`. */
import { readdir, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { recordingsFolder } from './recordings-folder.ts'

const name = z.string().max(10_000)

/** `false`: no text has the key. */
export const recordedLine = z.union([z.tuple([name, name]), z.tuple([name, name, z.literal(false)])])

export interface RecordedRequest {
  readonly namespace: string
  readonly key: string
  /** The page got a text or a value. */
  readonly isFound: boolean
}

export interface Recordings {
  readonly requests: readonly RecordedRequest[]
  /** Names of the files. */
  readonly files: readonly string[]
}

/** Each request once. A line that a killed process did not finish is left out. */
export async function readRecordings(root: string): Promise<Recordings> {
  const folder = recordingsFolder(root)
  const files = (await namesIn(folder)).filter((file) => file.endsWith('.jsonl')).sort()
  const requests = new Map<string, RecordedRequest>()
  for (const file of files)
    for (const line of (await readFile(join(folder, file), 'utf8')).split('\n')) {
      const request = parseLine(line)
      if (request) requests.set(JSON.stringify(request), request)
    }
  return { requests: [...requests.values()], files }
}

/** Renames the files, so that processes that still record begin new files. */
export async function takeRecordings(root: string): Promise<void> {
  const folder = recordingsFolder(root)
  for (const file of await namesIn(folder)) {
    if (!file.endsWith('.jsonl') || file.startsWith(TAKEN)) continue
    await rename(join(folder, file), join(folder, `${TAKEN}${Date.now()}-${file}`))
  }
}

const TAKEN = 'taken-'

export async function removeRecordings(root: string, files: readonly string[]): Promise<void> {
  for (const file of files) await unlink(join(recordingsFolder(root), file))
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function parseLine(line: string): RecordedRequest | undefined {
  try {
    const [namespace, key, isFound = true] = recordedLine.parse(JSON.parse(line))
    return { namespace, key, isFound }
  } catch {
    return undefined
  }
}
