/** `localization release` puts new texts into a finished build. Throughout, pages can load all of their texts. */
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ResolvedConfig } from '../config/types.ts'
import type { Logger } from '../logger.ts'
import {
  type LiveTable,
  type Made,
  madeNamespace,
  madeWith,
  releaseConfig,
  tableFile,
  tableText,
  versionOf,
} from '../output/live-table.ts'
import type { PrebuiltChunk } from '../output/prebuilt-chunks.ts'
import { ageOf } from '../plugin/age.ts'
import { findLeak, leakError, secretsToFind } from '../plugin/secret-scan.ts'
import { Session } from '../plugin/session.ts'
import { sweepTemporaries, writeFileAtomic } from '../shared/atomic-write.ts'
import { type SyncLock, takeLock } from '../sync/lock.ts'
import {
  confirmBuild,
  fileSize,
  findRecords,
  historyFile,
  isBuilt,
  type LiveBuild,
  madeFile,
  type Release,
  readBuild,
  refused,
  uploadOrder,
  versionFile,
} from './build-folder.ts'
import { type ChangedText, changedTexts, filesOf, readFrom } from './changed-texts.ts'
import {
  existingTexts,
  findUnchanged,
  generateTexts,
  MadeModule,
  NOTHING_UNCHANGED,
  type Unchanged,
} from './live-texts.ts'

export interface ReleaseOptions {
  /** The absolute path of the folder that the bundler wrote. */
  readonly folder: string
  readonly config: ResolvedConfig
  readonly mode?: string | undefined
  readonly dryRun?: boolean
  /** If true, goes back to the version before the current one. */
  readonly previous?: boolean
  /** The number of versions whose files are always kept. */
  readonly keep: number
  /** If true, texts may be older than those of the last release. */
  readonly allowOlder?: boolean
  /** If true, texts that the build uses may be missing. */
  readonly allowMissing?: boolean
  readonly logger: Logger
  readonly signal: AbortSignal
  readonly now: () => Date
}

/** The result of a release into one build. Paths are absolute. */
export interface Released {
  readonly folder: string
  readonly build: string
  /** The version that was live before; `undefined` if the table was damaged. */
  readonly from: string | undefined
  readonly version: string
  readonly changes: readonly ChangedText[]
  /** The written files, in the order of writing. */
  readonly written: readonly string[]
  readonly removed: readonly string[]
  /**
   * The files of the version that are not part of the build. They are in the order in which a host must receive them.
   */
  readonly upload: readonly string[]
}

/** A version that can become live. */
interface Plan {
  readonly build: LiveBuild
  readonly hashes: string
  readonly version: string
  /** The version's message files. Empty if an earlier version is restored. */
  readonly files: readonly PrebuiltChunk[]
  readonly asOf: Date | undefined
  readonly restores?: number
  /** A description of the message files, which is stored for the next release. */
  readonly made?: Made | undefined
}

/** When a version is replaced, its files are kept for this long, because pages and caches may still use them. */
const KEEP_MS = 24 * 3_600_000

/** Releases the current texts into every build in a folder. Waits if another release is running there. */
export async function release(options: ReleaseOptions): Promise<readonly Released[]> {
  const records = await findRecords(options.folder)
  // Each build's own folder is locked, because releases may be given different folders that contain it.
  const folders = options.dryRun ? [] : new Set(records.map(dirname))
  const locks: SyncLock[] = []
  try {
    for (const folder of folders) locks.push(await takeLock(folder, options.signal))
    const builds = await Promise.all(records.map(readBuild))
    // All plans are made before the first write, so that no file is written if a check fails.
    const plans: Plan[] = []
    for (const build of builds) plans.push(await (options.previous ? planPrevious(build) : planCurrent(build, options)))
    // Reading the texts may have taken long.
    if (!options.dryRun) for (const build of builds) await confirmBuild(build)
    const released: Released[] = []
    for (const plan of plans) released.push(await carryOut(plan, options))
    return released
  } finally {
    await Promise.all(locks.map((lock) => lock.release()))
  }
}

/** Returns the files of the live versions, for a host that receives files one by one. */
export async function listUploads(folder: string): Promise<readonly string[]> {
  const builds = await Promise.all((await findRecords(folder)).map(readBuild))
  return builds.flatMap((build) => uploadOrder(build, (build.table ?? build.record.table).version))
}

async function planCurrent(build: LiveBuild, options: ReleaseOptions): Promise<Plan> {
  const config = releaseConfig(options.config, build.record)
  const unchanged = await findUnchanged(build, config)
  const plan = (from: Unchanged) => planFrom(build, config, from, options)
  if (unchanged.namespaces.size === 0) return plan(NOTHING_UNCHANGED)
  // If this fails, everything is read again, so that the release reports the same errors as a build.
  return plan(unchanged).catch((error: unknown) =>
    options.signal.aborted ? Promise.reject(error) : plan(NOTHING_UNCHANGED),
  )
}

async function planFrom(
  build: LiveBuild,
  config: ResolvedConfig,
  unchanged: Unchanged,
  options: ReleaseOptions,
): Promise<Plan> {
  const { record } = build
  const { allowOlder = false } = options
  const current = await readCurrent(build, config, unchanged, options)
  const { files, hashes, columns, incomplete, asOf, inputs } = current
  const version = versionOf(hashes)
  const newest = [record, ...build.releases]
    .flatMap((each) => each.asOf ?? [])
    .sort()
    .at(-1)
  const isNew = build.table?.version !== version
  if (isNew && !allowOlder && asOf && newest !== undefined && asOf.toISOString() < newest)
    throw refused(
      `the texts are from ${asOf.toISOString()}, but texts from ${newest} have already gone live`,
      'Release with --allow-older to replace newer texts.',
    )
  const made = inputs && {
    settings: madeWith(config),
    // The validator that was read first: with a later one, the next release could miss a change.
    validator: (unchanged.inputs ?? inputs).validator,
    namespaces: record.namespaces
      .filter((name) => !incomplete.has(name))
      .map((name) => {
        const known = unchanged.namespaces.get(name)
        return known ? ([name, known] as const) : madeNamespace(columns, name, inputs)
      }),
  }
  return { build, hashes, version, files, asOf, made }
}

/** Generates the message files with the current texts. Does not read the texts of unchanged namespaces. */
async function readCurrent(build: LiveBuild, config: ResolvedConfig, unchanged: Unchanged, options: ReleaseOptions) {
  const { logger, mode, now, dryRun = false } = options
  const { record } = build
  const only = new Set(record.namespaces.filter((name) => !unchanged.namespaces.has(name)))
  if (only.size === 0) {
    const asOf = await ageOf(unchanged.inputs?.service && { asOf: now() }, config, now)
    return { ...(await existingTexts(build, unchanged)), asOf, inputs: unchanged.inputs }
  }
  const part = unchanged.namespaces.size === 0 ? undefined : only
  const session = new Session({ options: {}, config, logger, fallbackRoot: config.root, dryRun, only: part })
  session.configure({ root: config.root, command: 'build', mode })
  try {
    const state = await session.begin()
    const texts = await generateTexts(state, build, unchanged, options)
    const fresh = texts.files.filter(({ module }) => !(module instanceof MadeModule))
    const contents = fresh.map(({ name, module }) => ({ name, content: module.bytes }))
    const leak = findLeak(contents, await secretsToFind(session))
    if (leak) throw leakError(leak, '. Nothing was written')
    const { remote, inputs } = state.loaded
    return { ...texts, asOf: await ageOf(remote, config, now), inputs }
  } finally {
    session.end()
    await session.close()
  }
}

async function planPrevious(build: LiveBuild): Promise<Plan> {
  const { record, releases, versions, folder } = build
  const current = releases.at(-1)
  const position = current?.restores ?? current?.release ?? 0
  const earlier = releases.filter((each) => each.release < position && each.restores === undefined)
  const before = current?.restores === undefined ? releases.at(-2) : earlier.at(-1)
  if (position === 0)
    throw refused(`${build.folder} already shows the build's own texts: there is no earlier version`, 'Build again.')
  const version = before?.version ?? record.table.version
  const stored = isBuilt(record, version) ? record.table : versions.get(version)
  if (!stored) throw refused(`the files of version ${version} are no longer kept`, 'Keep more with --keep.')
  const { hashes } = stored
  const names = await filesOf(record, { hashes, read: readFrom(folder) })
  const sizes = await Promise.all(names.map((name) => fileSize(join(folder, name))))
  const gone = names.filter((_, at) => (sizes[at] as number) <= 0)
  if (gone.length > 0) {
    const more = gone.length > 1 ? ` and ${gone.length - 1} more` : ''
    throw refused(
      `version ${version} lacks the file ${join(folder, gone[0] as string)}${more}`,
      'Copy the files of the last deployment into the folder, or release the texts again.',
    )
  }
  const restores = before ? (before.restores ?? before.release) : 0
  return { build, hashes, version, files: [], asOf: undefined, restores }
}

async function carryOut(plan: Plan, options: ReleaseOptions): Promise<Released> {
  const { build, hashes, version, files } = plan
  const { folder, record, table, releases } = build
  const generated = new Map(files.map(({ name, module }) => [name, module]))
  const isOnDisk = readFrom(folder)
  const before = table ?? record.table
  const changes = await changedTexts(
    record,
    { hashes: before.hashes, read: isOnDisk },
    {
      hashes,
      read: async (name) => generated.get(name)?.bytes.toString() ?? (await isOnDisk(name)),
    },
  )
  const missing = await missingFiles(folder, files)
  const done = { folder, build: record.table.build, from: table?.version, version, changes }
  const isLive = table !== undefined && table.hashes === hashes
  if (isLive && missing.length === 0) {
    if (!options.dryRun) await writeMade(plan)
    return { ...done, written: [], removed: [], upload: uploadOrder(build, version) }
  }
  const known = new Set([...build.versions.values()].flatMap((each) => each.files))
  const own = [
    ...new Set([
      ...missing.map(({ name }) => name),
      ...files.map(({ name }) => name).filter((name) => known.has(name)),
    ]),
  ]
  const number = Math.max(options.now().getTime(), before.release + 1, (releases.at(-1)?.release ?? 0) + 1)
  const next: LiveTable = { ...record.table, release: isLive ? before.release : number, version, hashes }
  const stored = build.versions.get(version) ?? { ...next, files: own }
  const isStored = build.versions.has(version) || isBuilt(record, version)
  const versions = new Map(build.versions)
  if (!isBuilt(record, version)) versions.set(version, stored)
  const entry: Release = {
    version,
    release: next.release,
    at: options.now().toISOString(),
    ...(plan.asOf && { asOf: plan.asOf.toISOString() }),
    ...(plan.restores !== undefined && { restores: plan.restores }),
  }
  const history = isLive ? [...releases] : [...releases, entry]
  const kept = keptReleases(history, options)
  const removed = isLive ? [] : unusedFiles({ ...build, versions }, kept)
  const order = [
    // The version is stored before its files are written, so that a later release knows them even if this release is
    // interrupted.
    ...(isStored ? [] : [versionFile(record, version)]),
    ...missing.map(({ name }) => name),
    ...(isLive ? [] : [historyFile(record), tableFile(record.extension)]),
  ]
  const upload = uploadOrder({ ...build, versions }, version)
  const result = { ...done, written: pathsIn(folder, order), removed: pathsIn(folder, removed), upload }
  if (options.dryRun) return result
  const contentOf = (name: string): string | Uint8Array => {
    if (name === versionFile(record, version)) return tableText(stored)
    if (name === historyFile(record)) return tableText({ format: 1, releases: kept })
    if (name === tableFile(record.extension)) return tableText(next)
    return (generated.get(name) as PrebuiltChunk['module']).bytes
  }
  for (const each of new Set([folder, ...order.map((name) => dirname(join(folder, name)))]))
    await sweepTemporaries(each)
  for (const name of order) {
    // A server that prefers compressed files would otherwise keep serving the old table.
    for (const ending of name === tableFile(record.extension) ? COMPRESSED : [])
      await rm(join(folder, name + ending), { force: true })
    const confirm = name === tableFile(record.extension) ? { confirm: () => confirmBuild(build) } : {}
    await writeFileAtomic(join(folder, name), contentOf(name), confirm)
  }
  // A new build may contain the same files.
  if (removed.length > 0) await confirmBuild(build, next)
  for (const name of removed) await rm(join(folder, name), { force: true })
  await writeMade(plan)
  return result
}

async function writeMade({ build, made }: Plan): Promise<void> {
  const { folder, record } = build
  if (made && tableText(made) !== tableText(build.made ?? {}))
    await writeFileAtomic(join(folder, madeFile(record)), tableText(made))
}

const COMPRESSED = ['.gz', '.br', '.zst']
const pathsIn = (folder: string, names: readonly string[]) => names.map((name) => join(folder, name))

/** Returns the files that are missing, or whose size is wrong because the disk was full. */
async function missingFiles(folder: string, files: readonly PrebuiltChunk[]): Promise<readonly PrebuiltChunk[]> {
  const fresh = files.filter(({ module }) => !(module instanceof MadeModule))
  const sizes = await Promise.all(fresh.map(({ name }) => fileSize(join(folder, name))))
  return fresh.filter(({ module }, at) => sizes[at] !== module.size)
}

/** Returns the last `keep` releases, and all releases that were live within the last `KEEP_MS`. */
function keptReleases(releases: readonly Release[], { keep, now }: ReleaseOptions): readonly Release[] {
  const since = now().getTime() - KEEP_MS
  const isRecent = (at: number) => {
    const replaced = releases[at + 1]
    return !replaced || Date.parse(replaced.at) > since
  }
  return releases.filter((_, at) => at >= releases.length - keep || isRecent(at))
}

/** Returns the files of versions that are no longer kept. Never returns the build's own files. */
function unusedFiles({ versions, record }: LiveBuild, kept: readonly Release[]): readonly string[] {
  const wanted = new Set(kept.map(({ version }) => version))
  const all = [...versions.values()]
  const used = new Set(all.filter(({ version }) => wanted.has(version)).flatMap(({ files }) => files))
  const old = all.filter(({ version }) => !wanted.has(version))
  const files = new Set(old.flatMap((each) => each.files).filter((name) => !used.has(name)))
  return [...files, ...old.map(({ version }) => versionFile(record, version))]
}
