/** Both sides of every text: what the files hold, what the service has, what they last agreed on. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseTextId, partId, type TextRef, textId, textOrGap } from '../../catalog/text-id.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { formatFinding, LocalizationError, messageOf } from '../../errors.ts'
import { createFileIndex, type FileIndex } from '../../files/file-index.ts'
import { type Agreement, hasSyncFolder, removeAgreed, writeAgreed } from '../../sync/agreed.ts'
import { type BaseStore, createBaseStore } from '../../sync/base.ts'
import { type Decision, decide } from '../../sync/decide.ts'
import { createSyncLock, findSyncHolder, tellSyncHolder } from '../../sync/lock.ts'
import { createRemote, type Remote, type RemoteText } from '../../sync/remote.ts'
import { readSyncState, type SyncState, syncFolder, writeSyncState } from '../../sync/state-file.ts'
import type { CommandContext } from '../command.ts'
import { type FilterOptions, type Scope, scopeOf, withCustomers } from '../filters.ts'

export interface TextSides {
  readonly id: string
  readonly ref: TextRef
  readonly ours: string | undefined
  readonly theirs: string | undefined
  readonly base: string | undefined
  readonly decision: Decision
  readonly reviewed: boolean
}

export interface Sides {
  readonly config: ResolvedConfig
  readonly scope: Scope
  readonly files: FileIndex
  readonly remote: Remote
  /** Every text in scope that one of the sides or the base has, sorted by language, namespace and key. */
  readonly texts: readonly TextSides[]
  /** Everything the service has, whatever the scope. */
  readonly serviceTexts: ReadonlyMap<string, RemoteText>
  /** How many requests reading took. */
  readonly requestCount: number
  /** When the service was asked, by `performance.now()`. */
  readonly readAt: number
  /** Files that cannot be read; their texts are in none of `texts`. */
  readonly brokenFiles: readonly string[]
  readonly state: SyncState | undefined
  /** Notes that both sides have this text now; `undefined`: neither has one. Kept by `close`, at once by `save`. */
  agree(id: string, text: string | undefined): void
  save(): Promise<void>
  /** Keeps what was agreed on, tells a dev server about it, and frees the folder. */
  close(conflictsLeft?: readonly TextSides[]): Promise<void>
}

export interface LoadSidesOptions {
  readonly filters: FilterOptions
  /** The command changes something: it takes the folder's lock and keeps the base. Otherwise nothing on the disk changes. */
  readonly change: boolean
  /** A file that is gone altogether is no deletion of its texts. */
  readonly restoreMissingFiles?: boolean
}

export async function loadSides(context: CommandContext, options: LoadSidesOptions): Promise<Sides> {
  const { out, signal } = context
  const given = withCustomers(await context.config(), options.filters)
  // Whether a dev server may push, and whether this is continuous integration, is not what this command line asks.
  const config: ResolvedConfig = Object.freeze({
    ...given,
    push: { create: true, concurrency: 4, holdAbove: 0, ...(given.push || {}) },
  })
  const scope = scopeOf(options.filters)
  const store = await openBase(context, config, options.change)
  try {
    const files = createFileIndex(config)
    await files.scan({ everything: true })
    const found = files.findings()
    for (const finding of found) if (finding.severity === 'warning') out.warn(formatFinding(finding))
    const findings = found.filter(({ severity }) => severity === 'error')
    for (const finding of findings.slice(0, 20)) out.logger.error(formatFinding(finding))
    const brokenFiles = [...new Set(findings.flatMap(({ place }) => place?.file ?? []))]
    const remote = createRemote(await countingClient(context), config)
    const { texts, requests } = await remote.readAll(signal)
    const serviceTexts = new Map(texts.map((text) => [text.id, text]))
    return {
      config,
      scope,
      files,
      remote,
      serviceTexts,
      requestCount: requests,
      readAt: performance.now(),
      texts: compare({ config, scope, files, serviceTexts, base: store.base, brokenFiles, options }),
      brokenFiles,
      state: await readSyncState(config),
      agree(id, text) {
        store.agree(id, textOrGap(text))
      },
      save: () => store.base.flush(),
      close: (conflictsLeft) => store.close(conflictsLeft),
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Says how far the reading is, where that takes long enough to wonder. */
async function countingClient({ client, out }: CommandContext) {
  const { translations, keys, close } = await client()
  return {
    keys,
    close,
    translations: {
      set: translations.set,
      query: translations.query,
      async *queryAll(...given: Parameters<typeof translations.queryAll>) {
        let rows = 0
        let bar: ReturnType<typeof out.bar> | undefined
        try {
          for await (const row of translations.queryAll(...given)) {
            yield row
            rows++
            if (rows >= 5000 && rows % 500 === 0) {
              bar ??= out.bar({ label: 'read from the service', unit: 'texts' })
              bar.update(rows)
            }
          }
        } finally {
          bar?.update(rows)
          bar?.end()
        }
      },
    },
  }
}

function compare({
  config,
  scope,
  files,
  serviceTexts,
  base,
  brokenFiles,
  options,
}: {
  readonly config: ResolvedConfig
  readonly scope: Scope
  readonly files: FileIndex
  readonly serviceTexts: ReadonlyMap<string, RemoteText>
  readonly base: BaseStore
  readonly brokenFiles: readonly string[]
  readonly options: LoadSidesOptions
}): TextSides[] {
  const broken = new Set(
    brokenFiles.flatMap((file) => {
      const part = files.patterns.match(join(config.root, file))
      return part ? partId(part) : []
    }),
  )
  const refs = new Map<string, TextRef>()
  for (const { messages, ...part } of files.parts())
    for (const key of messages.keys()) refs.set(textId({ ...part, key }), { ...part, key })
  for (const { id, ref } of serviceTexts.values()) refs.set(id, ref)
  for (const id of base.ids()) if (!refs.has(id)) refs.set(id, parseTextId(id))
  const found: TextSides[] = []
  for (const [id, ref] of refs) {
    if (!scope.has(ref) || broken.has(partId(ref))) continue
    const ours = textOrGap(files.text(ref))
    const service = serviceTexts.get(id)
    const theirs = textOrGap(service?.text)
    const known = options.restoreMissingFiles && !files.has(ref) ? undefined : base.get(id)
    const decision = decide({ base: known, ours, theirs })
    if (ours === undefined && theirs === undefined && known === undefined) continue
    found.push({ id, ref, ours, theirs, base: known, decision, reviewed: service?.reviewStatus === 'REVIEWED' })
  }
  return found.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

function sortKey({ ref }: TextSides): string {
  return `${ref.language}\u0000${ref.namespace}\u0000${ref.customer ?? ''}\u0000${ref.key}`
}

/** The base to change, under the folder's lock; or a copy of it to look at. */
async function openBase({ out }: CommandContext, config: ResolvedConfig, change: boolean) {
  const folder = syncFolder(config)
  const onTrouble = (error: unknown) => {
    if (error !== undefined)
      out.warn(`cannot write to ${folder}: ${messageOf(error)}. What both sides agreed on is found out anew next time`)
  }
  const lock = createSyncLock(config.root)
  const holder = change ? await lock.acquire() : await findSyncHolder(config.root)
  if (change && holder === 'held') {
    const base = createBaseStore({ folder, onTrouble })
    await open(base, out.warn)
    return {
      base,
      agree: base.set,
      async close(conflictsLeft?: readonly TextSides[]) {
        await base.flush()
        if (conflictsLeft) await keepState(config, base, conflictsLeft)
        await base.close()
        await lock.release()
      },
    }
  }
  // A dev server keeps the base of this folder, or nothing is to change: a copy will do.
  const copy = await mkdtemp(join(tmpdir(), 'localization-base-'))
  try {
    await copyFile(join(folder, 'base.jsonl'), join(copy, 'base.jsonl')).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw new LocalizationError(messageOf(error), { code: 'FILE_READ', cause: error })
    })
    const base = createBaseStore({ folder: copy, onTrouble })
    await open(base, () => {})
    const agreed = new Map<string, Agreement>()
    return {
      base,
      agree(id: string, text: string | undefined) {
        if (textOrGap(base.get(id)) === text) return
        agreed.set(id, { id, before: agreed.has(id) ? agreed.get(id)?.before : base.get(id), text })
        base.set(id, text)
      },
      async close() {
        await base.close()
        await rm(copy, { recursive: true, force: true })
        if (change) await handOver(config.root, folder, [...agreed.values()], onTrouble)
      },
    }
  } catch (error) {
    await rm(copy, { recursive: true, force: true })
    throw error
  }
}

/** Tells the dev server to look again, and what was agreed on: if the service changes before it has looked, it would not know. */
async function handOver(
  root: string,
  folder: string,
  agreed: readonly Agreement[],
  onTrouble: (error: unknown) => void,
): Promise<void> {
  // One that does not answer does not read it either.
  const isWanted = agreed.length > 0 && (await hasSyncFolder(folder)) && (await findSyncHolder(root))?.pid
  let name: string | undefined
  try {
    if (isWanted) name = await writeAgreed(folder, agreed)
  } catch (error) {
    onTrouble(error)
  }
  try {
    await tellSyncHolder(root, 'refresh', name)
  } finally {
    if (name !== undefined) await removeAgreed(folder, name)
  }
}

async function open(base: BaseStore, warn: (line: string) => void): Promise<void> {
  const problem = await base.load()
  if (problem !== undefined) warn(problem)
}

/** What waits for a person, brought up to date: conflicts that are there now, and what is held only as far as it still differs. */
async function keepState(config: ResolvedConfig, base: BaseStore, conflicts: readonly TextSides[]): Promise<void> {
  const before = await readSyncState(config)
  if (!before && conflicts.length === 0) return
  const settled = (ref: TextRef, text: string) => base.get(textId(ref)) === text
  const fresh = new Set(conflicts.map(({ id }) => id))
  const state: SyncState = {
    version: 1,
    conflicts: [
      ...(before?.conflicts ?? []).filter(
        (one) =>
          !fresh.has(textId(one)) && !settled(one, one.ours) && (one.theirs === null || !settled(one, one.theirs)),
      ),
      ...conflicts.map(({ ref, base: agreed, ours = '', theirs }) => ({
        ...ref,
        base: agreed ?? null,
        ours,
        theirs: theirs ?? null,
      })),
    ],
    holds: (before?.holds ?? []).filter((one) => !settled(one, one.text)),
    refused: (before?.refused ?? []).filter((one) => !settled(one, one.text)),
  }
  await writeSyncState(syncFolder(config), state).catch(() => undefined)
}
