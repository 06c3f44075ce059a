/**
 * What a command agreed on with the service beside a dev server, on its way into the base that the dev server keeps. It
 * goes through a file in the sync folder, which only its owner reads, and not over the lock's socket, which on some
 * systems every user of the machine reaches; over the socket goes the file's name. A file is taken in only while the
 * command that wrote it waits: later it is older than the base.
 */
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { parseTextId, type TextRef, textId } from '../catalog/text-id.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'

export interface Agreement {
  readonly id: string
  /** What the base had when the command began; another base by now knows more than the command did. */
  readonly before: string | undefined
  /** What both sides have; `undefined`: neither has one. */
  readonly text: string | undefined
}

export interface KnownAgreement extends Agreement {
  readonly ref: TextRef
}

const NAME = /^agreed-([0-9a-f]{32})\.json$/

const agreedSchema = z.object({
  version: z.literal(1),
  agreed: z.array(z.tuple([z.string(), z.string().nullable(), z.string().nullable()])),
})

/** Writes them where the holder of the folder's lock finds them, by the name that comes back. Errors: FILE_WRITE. */
export async function writeAgreed(folder: string, agreements: Iterable<Agreement>): Promise<string> {
  const name = randomBytes(16).toString('hex')
  const agreed = Array.from(agreements, ({ id, before, text }) => [id, before ?? null, text ?? null])
  await writeFileAtomic(pathOf(folder, name), JSON.stringify({ version: 1, agreed }), { mode: 0o600, durable: false })
  return name
}

/** Nothing where there is no such file. Throws where it holds anything but agreements on texts. */
export async function readAgreed(folder: string, name: string): Promise<readonly KnownAgreement[]> {
  if (!NAME.test(`agreed-${name}.json`)) return []
  const content = await readFile(pathOf(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (content === undefined) return []
  const { data } = agreedSchema.safeParse(parseJson(content))
  if (!data) throw new Error('it holds something else')
  return data.agreed.map(([id, before, text]) => ({
    id,
    ref: refOf(id),
    before: before ?? undefined,
    text: text ?? undefined,
  }))
}

export async function removeAgreed(folder: string, name: string): Promise<void> {
  await rm(pathOf(folder, name), { force: true }).catch(() => undefined)
}

/** Removes what commands that are gone left behind. */
export async function sweepAgreed(folder: string): Promise<void> {
  for (const file of await readdir(folder).catch(() => [])) {
    const name = NAME.exec(file)?.[1]
    if (name !== undefined) await removeAgreed(folder, name)
  }
}

/**
 * Whether there is a folder to write to: a command with another key than the dev server's has none, and nothing to tell
 * it.
 */
export async function hasSyncFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (known) => known.isDirectory(),
    () => false,
  )
}

function pathOf(folder: string, name: string): string {
  return join(folder, `agreed-${name}.json`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Throws where it is no id, or not the one the base would have for that text. */
function refOf(id: string): TextRef {
  const ref = parseTextId(id)
  if (textId(ref) !== id) throw new TypeError('not a text id')
  return ref
}
