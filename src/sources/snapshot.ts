/**
 * The last good catalog from the service, validated and stored on disk, for builds while the service is unavailable.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { type Catalog, createCatalog } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError, messageOf } from '../errors.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'
import type { StoredValidator } from './validator.ts'

export interface Snapshot {
  readonly catalog: Catalog
  readonly savedAt: Date
  /** Proves that the service still has these texts. */
  readonly validator: StoredValidator | undefined
}

const FORMAT = 3

const headerSchema = z.object({
  format: z.literal(FORMAT),
  identity: z.string(),
  savedAt: z.iso.datetime(),
  /** The hash of everything after the header. */
  digest: z.string(),
  validator: z.object({ state: z.string(), answeredAt: z.number() }).optional(),
})
type Header = z.infer<typeof headerSchema>

const valueSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('scalar'), json: z.string() }),
  z.object({ kind: z.literal('array'), length: z.number() }),
  z.object({ kind: z.enum(['object', 'branch']) }),
])

const catalogSchema = z.object({
  languages: z.array(z.object({ key: z.string(), name: z.string(), isDefault: z.boolean() })),
  parts: z.array(
    z.object({
      language: z.string(),
      namespace: z.string(),
      customer: z.string().optional(),
      /** The texts are pairs, so that `__proto__` is an ordinary key. */
      messages: z.array(z.tuple([z.string(), z.string()])),
      values: z.array(z.tuple([z.string(), valueSchema])).optional(),
    }),
  ),
})

function snapshotPath(config: ResolvedConfig): string {
  return join(config.root, '.localization', `snapshot-${snapshotIdentity(config).slice(0, 12)}.json`)
}

/**
 * Writes the snapshot: a header line with the digest of the rest, then the rest. The write is atomic, so readers see
 * either the old or the new file.
 */
export async function writeSnapshot(config: ResolvedConfig, { catalog, savedAt, validator }: Snapshot): Promise<void> {
  const { languages, parts } = catalog
  const withPairs = parts.map(({ language, namespace, customer, messages, values }) => ({
    language,
    namespace,
    customer,
    messages: [...messages],
    values: values && [...values],
  }))
  const body = Buffer.from(JSON.stringify({ languages, parts: withPairs }))
  const header: Header = {
    format: FORMAT,
    identity: snapshotIdentity(config),
    savedAt: savedAt.toISOString(),
    digest: hashOf(body),
    ...(validator && { validator }),
  }
  await writeFileAtomic(snapshotPath(config), Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]))
  await removeOldSnapshots(dirname(snapshotPath(config)))
}

/** Each configuration has its own snapshot. If there are more snapshots than this, the oldest ones are removed. */
const KEPT_SNAPSHOTS = 8

async function removeOldSnapshots(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^snapshot-[0-9a-f]+\.json$/.test(name))
  if (names.length <= KEPT_SNAPSHOTS) return
  // Another process may remove the same files.
  const timeOf = (name: string) =>
    stat(join(folder, name)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    )
  const dated = await Promise.all(names.map(async (name) => ({ name, time: await timeOf(name) })))
  const old = dated.sort((a, b) => b.time - a.time).slice(KEPT_SNAPSHOTS)
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })))
}

/** Throws SNAPSHOT_MISSING, or SNAPSHOT_INVALID if the snapshot is damaged or was made with other settings. */
export async function readSnapshot(config: ResolvedConfig): Promise<Snapshot> {
  const path = snapshotPath(config)
  try {
    const { header, body } = readHeader(await readFile(path), config)
    if (header.digest !== hashOf(body)) throw new Error('the content does not match the digest')
    const catalog = createCatalog(catalogSchema.parse(JSON.parse(body.toString('utf8'))))
    return { catalog, savedAt: new Date(header.savedAt), validator: header.validator }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new LocalizationError(`no snapshot at ${path}`, {
        code: 'SNAPSHOT_MISSING',
        hint: 'The next build that can reach the service writes one.',
        cause,
      })
    // These messages are not shown: a parser's message quotes the content, and a schema's message has many lines.
    const isOther = cause instanceof z.ZodError || cause instanceof SyntaxError
    const reason = isOther ? 'it is damaged or from a different version of this package' : messageOf(cause)
    throw new LocalizationError(`cannot use the snapshot ${path}: ${reason}`, {
      code: 'SNAPSHOT_INVALID',
      hint: 'Delete it. The next build that can reach the service writes a new one.',
      cause,
    })
  }
}

function readHeader(content: Buffer, config: ResolvedConfig): { readonly header: Header; readonly body: Buffer } {
  const end = content.indexOf('\n')
  const header = headerSchema.parse(JSON.parse(content.toString('utf8', 0, Math.max(0, end))))
  if (header.identity !== snapshotIdentity(config)) throw new Error('it was written with other settings')
  return { header, body: content.subarray(end + 1) }
}

/** All settings that affect the service's response or the snapshot's content. Secrets are included only as digests. */
function snapshotIdentity(config: ResolvedConfig): string {
  const { baseUrl, cdnUrl, projectToken, apiKey } = config.service
  const keyDigest = apiKey === undefined ? null : hashOf(`project\0${apiKey}`, 16)
  return hashOf(JSON.stringify([baseUrl, cdnUrl, projectToken, keyDigest, settingsOf(config)]), 32)
}

/** The settings that select and name the texts. They do not identify the service. */
export function settingsOf(config: ResolvedConfig): readonly unknown[] {
  const { source, environment, customers, reviewed, keySeparator, values } = config
  const { languages, namespaces, defaultLanguage, fallback, languageMap, defaultNamespace } = config
  const names = [languages, namespaces, defaultLanguage, fallback, languageMap, defaultNamespace]
  return [source, environment, customers, reviewed, keySeparator, values, ...names]
}
