/** The last good catalog of the service, on disk and validated, for builds that must not depend on a living service. */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type Catalog, createCatalog } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError, messageOf } from '../errors.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'

export interface Snapshot {
  readonly catalog: Catalog
  readonly savedAt: Date
}

const FORMAT = 1

const headerSchema = z.object({
  format: z.literal(FORMAT),
  identity: z.string(),
  savedAt: z.iso.datetime(),
  texts: z.number().int(),
  digest: z.string(),
})

const bodySchema = z.object({
  languages: z.array(z.object({ key: z.string(), name: z.string(), isDefault: z.boolean() })),
  // Pairs, not objects: `__proto__` is a key like any other.
  parts: z.array(
    z.object({
      language: z.string(),
      namespace: z.string(),
      customer: z.string().optional(),
      messages: z.array(z.tuple([z.string(), z.string()])),
    }),
  ),
})

/** Where the snapshot of this configuration stands. */
function snapshotPath(config: ResolvedConfig): string {
  return join(config.root, '.localization', `snapshot-${snapshotIdentity(config).slice(0, 12)}.json`)
}

/** A header line with the body's digest, then the body. Atomic: a reader sees the old or the new one, whole. */
export async function writeSnapshot(config: ResolvedConfig, catalog: Catalog, savedAt: Date): Promise<void> {
  const body = JSON.stringify({
    languages: [...catalog.languages],
    parts: catalog.parts.map((part) => ({ ...part, messages: [...part.messages] })),
  } satisfies z.infer<typeof bodySchema>)
  const header: z.infer<typeof headerSchema> = {
    format: FORMAT,
    identity: snapshotIdentity(config),
    savedAt: savedAt.toISOString(),
    texts: catalog.textCount,
    digest: hashOf(body),
  }
  await writeFileAtomic(snapshotPath(config), `${JSON.stringify(header)}\n${body}\n`)
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

/** Throws `SNAPSHOT_MISSING`, or `SNAPSHOT_INVALID` where it is damaged or was made by other settings. */
export async function readSnapshot(config: ResolvedConfig): Promise<Snapshot> {
  const path = snapshotPath(config)
  let content: string
  try {
    content = await readFile(path, 'utf8')
  } catch (cause) {
    throw new LocalizationError(`there is no snapshot at ${path}`, {
      code: 'SNAPSHOT_MISSING',
      hint: 'One build with the service reachable writes it.',
      cause,
    })
  }
  try {
    const end = content.indexOf('\n')
    const header = headerSchema.parse(JSON.parse(content.slice(0, end)))
    const body = content.slice(end + 1).trimEnd()
    if (header.identity !== snapshotIdentity(config)) throw new Error('it belongs to other settings')
    if (header.digest !== hashOf(body)) throw new Error('its content does not match its digest')
    const catalog = createCatalog(bodySchema.parse(JSON.parse(body)))
    if (catalog.textCount !== header.texts) throw new Error('its number of texts does not match')
    return { catalog, savedAt: new Date(header.savedAt) }
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
