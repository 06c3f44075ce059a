/** `localization release`: puts new texts into a finished build. No page is ever without texts, at any moment of it. */
import { execFile } from 'node:child_process'
import { rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { ResolvedConfig } from '../config/types.ts'
import type { Logger } from '../logger.ts'
import { type LiveTable, tableFile, tableText, versionOf } from '../output/live-table.ts'
import type { PrebuiltChunk } from '../output/prebuilt-chunks.ts'
import { findLeak, leakError, secretsToFind } from '../plugin/secret-scan.ts'
import { Session } from '../plugin/session.ts'
import type { LoadedState } from '../plugin/state.ts'
import { sweepTemporaries, writeFileAtomic } from '../shared/atomic-write.ts'
import { takeLock } from '../sync/lock.ts'
import {
  findBuilds,
  historyFile,
  isBuilt,
  type LiveBuild,
  type Release,
  refused,
  uploadOrder,
  versionFile,
} from './build-folder.ts'
import { type ChangedText, changedTexts, readFrom } from './changed-texts.ts'
import { configOf, generateTexts } from './live-texts.ts'

export interface ReleaseOptions {
  /** The absolute path of the folder that the bundler wrote. */
  readonly folder: string
  readonly config: ResolvedConfig
  readonly mode?: string | undefined
  readonly dryRun?: boolean
  /** True to go back to the version before the current one. */
  readonly previous?: boolean
  /** The number of versions whose files are kept. */
  readonly keep: number
  /** True to release texts that are older than those of the last release. */
  readonly allowOlder?: boolean
  /** True to release without texts that the build uses. */
  readonly allowMissing?: boolean
  readonly logger: Logger
  readonly signal: AbortSignal
  readonly now: () => Date
}

/** The release of one build. Paths are absolute. */
export interface Released {
  readonly folder: string
  readonly build: string
  /** The versions before and after; `undefined` if the table was damaged. */
  readonly from: string | undefined
  readonly version: string
  readonly changes: readonly ChangedText[]
  /** The written files, in their order. */
  readonly written: readonly string[]
  readonly removed: readonly string[]
  /** The files of the version that are not part of the build, in the order in which a host must get them. */
  readonly upload: readonly string[]
}

/** A version that can become live. */
interface Plan {
  readonly build: LiveBuild
  readonly hashes: string
  readonly version: string
  /** The generated message files. Empty if all of them exist. */
  readonly files: readonly PrebuiltChunk[]
  readonly asOf: Date | undefined
  readonly restores?: number
}

/** Files of a version that was replaced less than this ago are kept, because pages and caches may still use them. */
const KEEP_MS = 24 * 3_600_000

/** Releases the current texts into every build of a folder. Waits for another release in the folder. */
export async function release(options: ReleaseOptions): Promise<readonly Released[]> {
  const lock = options.dryRun ? undefined : await takeLock(options.folder, options.signal)
  try {
    const builds = await findBuilds(options.folder)
    // Every check comes before the first write.
    const plans: Plan[] = []
    for (const build of builds) plans.push(options.previous ? planPrevious(build) : await planCurrent(build, options))
    const released: Released[] = []
    for (const plan of plans) released.push(await carryOut(plan, options))
    return released
  } finally {
    await lock?.release()
  }
}

/** The files of the live versions, for a host that gets the files one by one. */
export async function listUploads(folder: string): Promise<readonly string[]> {
  const builds = await findBuilds(folder)
  return builds.flatMap((build) => uploadOrder(build, (build.table ?? build.record.table).version))
}

async function planCurrent(build: LiveBuild, options: ReleaseOptions): Promise<Plan> {
  const { record } = build
  const { logger, mode, dryRun = false, allowMissing = false, allowOlder = false } = options
  const config = configOf(options.config, record)
  const session = new Session({ options: {}, config, logger, fallbackRoot: config.root, dryRun })
  session.configure({ root: config.root, command: 'build', mode })
  try {
    const state = await session.begin()
    const { files, hashes } = await generateTexts(state, record, { logger, allowMissing })
    const contents = files.map(({ name, module }) => ({ name, content: module.bytes }))
    const leak = findLeak(contents, await secretsToFind(session))
    if (leak) throw leakError(leak, '. Nothing was written')
    const version = versionOf(hashes)
    const asOf = await ageOf(state, options.now)
    const last = build.releases.at(-1)
    const isNew = build.table?.version !== version
    if (isNew && !allowOlder && asOf && last?.asOf !== undefined && asOf.toISOString() < last.asOf)
      throw refused(
        `the texts are of ${asOf.toISOString()}, and those of the last release are of ${last.asOf}`,
        'Release with --allow-older to replace newer texts.',
      )
    return { build, hashes, version, files, asOf }
  } finally {
    session.end()
    await session.close()
  }
}

/** When the texts were current: the service's answer or snapshot, or the last commit of a project with files. */
async function ageOf({ loaded, config }: LoadedState, now: () => Date): Promise<Date | undefined> {
  if (typeof loaded.remote === 'object') return loaded.remote.asOf
  const { stdout } = await promisify(execFile)('git', ['log', '-1', '--format=%cI'], { cwd: config.root }).catch(() => {
    return { stdout: '' }
  })
  const time = new Date(stdout.trim())
  // A commit with a wrong clock must not block every later release.
  return Number.isNaN(time.getTime()) || time > now() ? undefined : time
}

function planPrevious(build: LiveBuild): Plan {
  const { record, releases, versions } = build
  const current = releases.at(-1)
  const position = current?.restores ?? current?.release ?? 0
  const earlier = releases.filter((each) => each.release < position && each.restores === undefined)
  const before = current?.restores === undefined ? releases.at(-2) : earlier.at(-1)
  if (position === 0)
    throw refused(`${build.folder} shows the texts of the build, which are its first version`, 'Build again.')
  const version = before?.version ?? record.table.version
  const stored = isBuilt(record, version) ? record.table : versions.get(version)
  if (!stored) throw refused(`the files of version ${version} are no longer kept`, 'Keep more with --keep.')
  const restores = before ? (before.restores ?? before.release) : 0
  return { build, hashes: stored.hashes, version, files: [], asOf: undefined, restores }
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
  if (isLive && missing.length === 0) return { ...done, written: [], removed: [], upload: uploadOrder(build, version) }
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
    // The version is stored first, so that a later release knows the files of this one, even if it does not end.
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
    // A server that prefers compressed files would keep showing the old table.
    for (const ending of name === tableFile(record.extension) ? COMPRESSED : [])
      await rm(join(folder, name + ending), { force: true })
    await writeFileAtomic(join(folder, name), contentOf(name))
  }
  for (const name of removed) await rm(join(folder, name), { force: true })
  return result
}

const COMPRESSED = ['.gz', '.br', '.zst']
const pathsIn = (folder: string, names: readonly string[]) => names.map((name) => join(folder, name))

/** The files that do not exist, or that a full disk has cut. */
async function missingFiles(folder: string, files: readonly PrebuiltChunk[]): Promise<readonly PrebuiltChunk[]> {
  const sizes = await Promise.all(
    files.map(({ name }) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => -1,
      ),
    ),
  )
  return files.filter(({ module }, at) => sizes[at] !== module.size)
}

/** The last releases, and those that were live in the last day. */
function keptReleases(releases: readonly Release[], { keep, now }: ReleaseOptions): readonly Release[] {
  const since = now().getTime() - KEEP_MS
  const isRecent = (at: number) => {
    const replaced = releases[at + 1]
    return !replaced || Date.parse(replaced.at) > since
  }
  return releases.filter((_, at) => at >= releases.length - keep || isRecent(at))
}

/** The files of versions that are no longer kept. Files of the build are never removed. */
function unusedFiles({ versions, record }: LiveBuild, kept: readonly Release[]): readonly string[] {
  const wanted = new Set(kept.map(({ version }) => version))
  const all = [...versions.values()]
  const used = new Set(all.filter(({ version }) => wanted.has(version)).flatMap(({ files }) => files))
  const old = all.filter(({ version }) => !wanted.has(version))
  const files = new Set(old.flatMap((each) => each.files).filter((name) => !used.has(name)))
  return [...files, ...old.map(({ version }) => versionFile(record, version))]
}
