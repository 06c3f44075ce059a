/**
 * The live builds in a folder. For each build: what the build recorded, the table that pages load, and the releases so
 * far.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { LocalizationError } from '../errors.ts'
import {
  type BuildRecord,
  type LiveTable,
  type Made,
  RECORD_FILE,
  recordFile,
  tableFile,
  versionFolder,
  versionOf,
} from '../output/live-table.ts'
import { packageVersion } from '../shared/package-version.ts'
import { isInside } from '../shared/paths.ts'

const tableSchema = z.object({
  format: z.literal(1),
  build: z.string(),
  release: z.number().min(0),
  version: z.string().regex(/^\w+$/),
  hashes: z.string().regex(/^(?:[0-9a-f]{8}| {8})*$/),
})

/** The table of one version, and the version's message files that are not part of the build. */
const versionSchema = tableSchema.extend({ files: z.array(z.string().refine((name) => isInside('.', name))) })
type StoredVersion = z.infer<typeof versionSchema>

const historySchema = z.object({
  format: z.literal(1),
  releases: z.array(
    z.object({
      version: z.string(),
      release: z.number(),
      /** The time at which the release became live. */
      at: z.iso.datetime(),
      /** The point in time that the release's texts reflect. */
      asOf: z.iso.datetime().optional(),
      /** For `--previous`: the number of the release that was restored; 0 for the build itself. */
      restores: z.number().optional(),
    }),
  ),
})
export type Release = z.infer<typeof historySchema>['releases'][number]

const madeSchema = z.object({
  settings: z.string(),
  validator: z.object({ state: z.string(), answeredAt: z.number() }).optional(),
  namespaces: z.array(
    z.tuple([
      z.string(),
      z.object({
        files: z.string().nullable(),
        service: z.string().nullable(),
        hashes: tableSchema.shape.hashes,
        sizes: z.array(z.number()),
      }),
    ]),
  ),
})

const keysSchema = z.array(z.tuple([z.string(), z.array(z.string())]))

const recordSchema = z.object({
  format: z.literal(1),
  package: z.string(),
  extension: z.enum(['.js', '.mjs']),
  table: tableSchema,
  languages: z.array(z.string()),
  defaultLanguage: z.string(),
  namespaces: z.array(z.string()),
  defaultNamespace: z.string(),
  settings: z.looseObject({ shape: z.enum(['flat', 'nested']), keySeparator: z.string() }),
  isPruned: z.boolean(),
  keys: keysSchema,
  perChunk: z.object({ base: keysSchema, chunks: z.array(keysSchema) }).optional(),
  asOf: z.iso.datetime().optional(),
  made: madeSchema.optional(),
})

export interface LiveBuild {
  /** The absolute path of the folder with the message files. */
  readonly folder: string
  readonly record: BuildRecord
  /** The table that pages load now. `undefined` if the file is missing or damaged. */
  readonly table: LiveTable | undefined
  /** The oldest release is first. The build itself is not included. */
  readonly releases: readonly Release[]
  /** All stored versions, even if they never became live. */
  readonly versions: ReadonlyMap<string, StoredVersion>
  /** Describes the message files of the last release, or of the build if there has been no release. */
  readonly made: Made | undefined
}

/** Returns the paths of the builds' records below a folder. Throws RELEASE_REFUSED if there are none. */
export async function findRecords(root: string): Promise<readonly string[]> {
  const paths: string[] = []
  const walk = async (folder: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
      throw refused(`cannot read ${folder}`, 'Pass the folder that the bundler wrote.', cause)
    })
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && entry.name !== 'node_modules') await walk(path)
      else if (RECORD_FILE.test(entry.name) && basename(folder) === 'localization') paths.push(path)
    }
  }
  await walk(root)
  if (paths.length === 0)
    throw refused(
      `${root} has no build with delivery: 'live'`,
      "Pass the folder that the bundler wrote, after a build with delivery: 'live'.",
    )
  return paths.sort()
}

/** Throws RELEASE_REFUSED, for example if the build was made with another version of this package. */
export async function readBuild(path: string): Promise<LiveBuild> {
  const folder = dirname(path)
  const record = await readRecord(path)
  const { build } = record.table
  const table = await readTable(folder, record)
  if (table && table.build !== build)
    throw refused(
      `${folder}: the table is from another build`,
      'Delete the output folder and build again: it contains files from two builds.',
    )
  const history = await readHistory(join(folder, historyFile(record)))
  const versions = await readVersions(folder, record)
  // An interrupted release is not in the history. Its version may be stored, but no page has received it.
  const releases = history.filter(({ version }) => versions.has(version) || isBuilt(record, version))
  const made = (await readJson(join(folder, madeFile(record)), madeSchema)) ?? record.made
  return { folder, record, table, releases, versions, made }
}

/**
 * Throws RELEASE_REFUSED if a bundler has written the folder since the build was read. Bundlers take no lock, and may
 * even replace the folder.
 */
export async function confirmBuild({ folder, record, table }: LiveBuild, current = table): Promise<void> {
  const path = join(folder, recordFile(record.extension))
  const recordNow = await readJson(path, z.object({ table: tableSchema }))
  // The table is read last, because it is about to be replaced.
  const tableNow = await readTable(folder, record)
  if (recordNow?.table.build === record.table.build && isDeepStrictEqual(tableNow, current)) return
  throw refused(`${folder} was built again during the release`, 'Release again.')
}

/** Returns `undefined` if the table is missing or damaged. */
async function readTable(folder: string, { extension, table }: BuildRecord): Promise<LiveTable | undefined> {
  const found = await readJson(join(folder, tableFile(extension)), tableSchema)
  const isWhole = found && (found.build !== table.build || found.hashes.length === table.hashes.length)
  return isWhole ? found : undefined
}

/** A damaged history is an error, because a release removes the files of releases that are not in it. */
async function readHistory(path: string): Promise<readonly Release[]> {
  try {
    return historySchema.parse(JSON.parse(await readFile(path, 'utf8'))).releases
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw refused(`${path} is damaged or cannot be read`, 'Restore it, or build again.', cause)
  }
}

async function readVersions(folder: string, { table, extension }: BuildRecord): Promise<Map<string, StoredVersion>> {
  const own = join(folder, versionFolder(extension))
  const names = await readdir(own).catch(() => [])
  const versions = new Map<string, StoredVersion>()
  for (const name of names) {
    if (!/^\w+\.json$/.test(name)) continue
    const version = await readJson(join(own, name), versionSchema)
    const isOwn = version?.build === table.build && version.hashes.length === table.hashes.length
    if (version && isOwn && version.version === versionOf(version.hashes)) versions.set(version.version, version)
  }
  return versions
}

async function readRecord(path: string): Promise<BuildRecord> {
  const text = await readFile(path, 'utf8')
  const own = packageVersion()
  let record: z.infer<typeof recordSchema>
  try {
    record = recordSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw refused(`${path} is damaged or from another version of this package`, 'Build again.', cause)
  }
  if (record.package !== own)
    throw refused(
      `${path}: the build was made with version ${record.package} of this package, and this is version ${own}`,
      `Build again, or run: npx unplugin-localization@${record.package} release`,
    )
  return record as unknown as BuildRecord
}

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

export const historyFile = ({ table, extension }: BuildRecord) =>
  `${versionFolder(extension)}/history-${table.build}.json`

export const madeFile = ({ table, extension }: BuildRecord) => `${versionFolder(extension)}/made-${table.build}.json`

export const versionFile = ({ extension }: BuildRecord, version: string) =>
  `${versionFolder(extension)}/${version}.json`

/** Returns the file's size in bytes, or -1 if it does not exist. */
export const fileSize = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => -1,
  )

export function isBuilt({ table }: BuildRecord, version: string): boolean {
  return version === table.version
}

/** Returns the files of a version in the order in which a host must receive them. The table is last. */
export function uploadOrder({ record, versions, folder }: LiveBuild, version: string): string[] {
  const stored = versions.get(version)
  const files = stored ? [...stored.files, versionFile(record, version)] : []
  return [...files, tableFile(record.extension)].map((name) => join(folder, name))
}

export function refused(message: string, hint: string, cause?: unknown): LocalizationError {
  return new LocalizationError(message, { code: 'RELEASE_REFUSED', hint, ...(cause !== undefined && { cause }) })
}
