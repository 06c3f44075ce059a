/** The last good catalog of the service, on disk and validated, for builds that must not depend on a living service. */
import { open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import type { Catalog } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError, messageOf } from '../errors.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'
import { type Proof, proofSchema } from './evidence.ts'
import { readStoredCatalog, writeStoredCatalog } from './stored-catalog.ts'

export interface Snapshot {
  readonly catalog: Catalog
  readonly savedAt: Date
  /** What proves that the service still has these texts. */
  readonly proof: Proof | undefined
}

const FORMAT = 2

const headerSchema = z.object({
  format: z.literal(FORMAT),
  identity: z.string(),
  savedAt: z.iso.datetime(),
  texts: z.number().int(),
  /** Of everything behind the header. */
  digest: z.string(),
  proof: proofSchema.optional(),
})
type Header = z.infer<typeof headerSchema>

/** The header is short, so that a build that wants to know the proof need not read the texts. */
const MAX_HEADER_BYTES = 4096

/** Where the snapshot of this configuration stands. */
function snapshotPath(config: ResolvedConfig): string {
  return join(config.root, '.localization', `snapshot-${snapshotIdentity(config).slice(0, 12)}.json`)
}

/** A header line with the digest of what follows. Atomic: a reader sees the old or the new one, whole. */
export async function writeSnapshot(config: ResolvedConfig, { catalog, savedAt, proof }: Snapshot): Promise<void> {
  const body = writeStoredCatalog(catalog)
  const header: Header = {
    format: FORMAT,
    identity: snapshotIdentity(config),
    savedAt: savedAt.toISOString(),
    texts: catalog.textCount,
    digest: hashOf(body),
    ...(proof && { proof }),
  }
  await writeFileAtomic(snapshotPath(config), Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]))
  await removeOldSnapshots(dirname(snapshotPath(config)))
}

/** Other settings, other snapshot: those of settings long gone would pile up. */
const KEPT_SNAPSHOTS = 8

async function removeOldSnapshots(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^snapshot-[0-9a-f]+\.json$/.test(name))
  if (names.length <= KEPT_SNAPSHOTS) return
  const dated = await Promise.all(names.map(async (name) => ({ name, time: (await stat(join(folder, name))).mtimeMs })))
  const old = dated.sort((a, b) => b.time - a.time).slice(KEPT_SNAPSHOTS)
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })))
}

/** The proof of the snapshot of this configuration, if there is one; the texts are not looked at. */
export async function readProof(config: ResolvedConfig): Promise<Proof | undefined> {
  try {
    const file = await open(snapshotPath(config))
    try {
      const start = Buffer.alloc(MAX_HEADER_BYTES)
      const { bytesRead } = await file.read(start, 0, start.length, 0)
      return readHeader(start.subarray(0, bytesRead), config).header.proof
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

/**
 * Throws `SNAPSHOT_MISSING`, or `SNAPSHOT_INVALID` where it is damaged or was made by other settings.
 *
 * @param asModules as `packCatalog` makes them
 */
export async function readSnapshot(config: ResolvedConfig, { asModules = false } = {}): Promise<Snapshot> {
  const path = snapshotPath(config)
  let content: Buffer
  try {
    content = await readFile(path)
  } catch (cause) {
    throw new LocalizationError(`there is no snapshot at ${path}`, {
      code: 'SNAPSHOT_MISSING',
      hint: 'One build with the service reachable writes it.',
      cause,
    })
  }
  try {
    const { header, body } = readHeader(content, config)
    if (header.digest !== hashOf(body)) throw new Error('its content does not match its digest')
    const catalog = readStoredCatalog(body, { asModules })
    if (catalog.textCount !== header.texts) throw new Error('its number of texts does not match')
    return { catalog, savedAt: new Date(header.savedAt), proof: header.proof }
  } catch (cause) {
    // A parser's message quotes the content, a schema's runs over many lines.
    const isOther = cause instanceof z.ZodError || cause instanceof SyntaxError
    const reason = isOther ? 'it is damaged, or another version of this package wrote it' : messageOf(cause)
    throw new LocalizationError(`the snapshot ${path} cannot be used: ${reason}`, {
      code: 'SNAPSHOT_INVALID',
      hint: 'Delete it; the next build with the service reachable writes it anew.',
      cause,
    })
  }
}

function readHeader(content: Buffer, config: ResolvedConfig): { readonly header: Header; readonly body: Buffer } {
  const end = content.subarray(0, MAX_HEADER_BYTES).indexOf('\n')
  const header = headerSchema.parse(JSON.parse(content.toString('utf8', 0, Math.max(0, end))))
  if (header.identity !== snapshotIdentity(config)) throw new Error('it belongs to other settings')
  return { header, body: content.subarray(end + 1) }
}

/** Everything that decides what the service answers. Secrets only as a digest. */
function snapshotIdentity({
  service,
  source,
  environment,
  customers,
  reviewed,
  keySeparator,
  ...config
}: ResolvedConfig): string {
  return hashOf(
    JSON.stringify([
      service.baseUrl ?? null,
      service.cdnUrl ?? null,
      service.projectToken ?? null,
      service.apiKey === undefined ? null : hashOf(`project\0${service.apiKey}`, 16),
      source,
      source === 'hosting' ? environment : null,
      customers,
      reviewed,
      keySeparator,
      // Only what was exported is in the snapshot: other filters, other snapshot.
      config.languages ?? null,
      config.namespaces ?? null,
      config.defaultLanguage ?? null,
      config.fallback,
      config.languageMap,
      config.defaultNamespace,
    ]),
    32,
  )
}
