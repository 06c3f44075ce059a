/**
 * The secrets of a test run, looked for in everything that the run leaves behind: temporary folders (caches, snapshots,
 * outboxes, output),
 * standard output and error, what pages get. A helper that makes a secret says so with `guardSecret`.
 */
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

const secrets = new Set<string>()
/** Files that a test itself wrote a secret into. */
const ownFiles = new Set<string>()
const found: string[] = []

/** Secrets that tests name themselves; shorter ones would be found by chance. */
const MIN_LENGTH = 12

/** Where a secret belongs: what a person puts it into, and the service's own database. */
const MAY_HOLD = /^(?:\.env(?:\..+)?|service\.sqlite.*)$/

export function guardSecret(secret: string): string {
  if (secret.length >= MIN_LENGTH) secrets.add(secret)
  return secret
}

/** The test wrote this file: what it put there is no leak. */
export function ownFile(path: string, content: string): void {
  for (const secret of secrets) if (content.includes(secret)) ownFiles.add(path)
}

/** Which secrets are in it, masked; plain, as addresses carry them, in base64 and in hex. */
export function secretsIn(content: string | Buffer): string[] {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return [...secrets]
    .filter((secret) =>
      [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64').replace(/.?=*$/, ''),
        Buffer.from(secret).toString('hex'),
      ].some((spelling) => bytes.includes(spelling)),
    )
    .map((secret) => `${secret.slice(0, 3)}***`)
}

/** Every file below the folder that holds one, with what it holds. */
export async function leaksBelow(folder: string): Promise<string[]> {
  if (secrets.size === 0) return []
  const leaks: string[] = []
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const child = join(path, entry.name)
      if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git') await walk(child)
      if (!entry.isFile() || MAY_HOLD.test(entry.name) || ownFiles.has(child)) continue
      const content = await readFile(child).catch(() => undefined)
      const held = content ? secretsIn(content) : []
      if (held.length > 0) leaks.push(`${child.slice(folder.length + 1)}: ${held.join(', ')}`)
    }
  }
  await walk(folder)
  return leaks
}

/** Notes what leaked; the file's last hook fails because of it. */
export function noteLeaks(where: string, leaks: readonly string[]): void {
  found.push(...leaks.map((leak) => `${where}: ${leak}`))
}

/** What leaked since the last call. */
export function takeLeaks(): string[] {
  return found.splice(0)
}

/** Looks through what goes to a stream of this process from now on. */
export function watchStream(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (...rest: unknown[]) => boolean
  stream.write = ((chunk: unknown, ...rest: unknown[]) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
      noteLeaks(stream === process.stderr ? 'standard error' : 'standard output', secretsIn(Buffer.from(chunk)))
    }
    return write(chunk, ...rest)
  }) as typeof stream.write
}

/** Looks through a temporary folder before it is removed. */
export async function searchFolder(folder: string): Promise<void> {
  noteLeaks(basename(folder), await leaksBelow(folder))
}
