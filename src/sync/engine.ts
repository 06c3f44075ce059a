/** Puts sync together: watches the files, remembers what changed, sends it, and brings in what the service changed. Knows no bundler. */
import { systemClock } from '../api/clock.ts'
import { type Catalog, createCatalog } from '../catalog/model.ts'
import { type PartRef, partId, type TextRef } from '../catalog/text-id.ts'
import { messageOf } from '../errors.ts'
import { applyEdits } from '../files/edit.ts'
import { createFileIndex, joinScans, type ScanResult, type TextChange } from '../files/file-index.ts'
import { count } from '../shared/figures.ts'
import { startAge } from './age.ts'
import type { KnownAgreement } from './agreed.ts'
import { failureOf, waitAfter } from './failure.ts'
import { createGitState } from './git.ts'
import { type CommandListener, createSyncLock, type LockOwner } from './lock.ts'
import { createSyncProject, type SyncProject } from './project.ts'
import type { SyncClient } from './remote.ts'
import { describeTexts } from './report.ts'
import { syncFolder } from './state-file.ts'
import { createTasks } from './tasks.ts'
import type { SyncEngine, SyncEngineOptions, SyncRole, SyncUpdate } from './types.ts'

export type { SyncEngine, SyncEngineOptions, SyncRole, SyncStatus, SyncUpdate } from './types.ts'

/** A scan so long ago still counts as before the push. */
const FRESH_SCAN_MS = 500
const RESCAN_MS = 30_000
const EVERYTHING_EVERY = 10
const GIT_BUSY_MS = 200
const MOST_GIT_WAITS = 50

/** What a command agreed on with the service, and whom to tell when it is the base. */
interface Handover {
  readonly name: string
  readonly taken: () => void
}

export function createSyncEngine(options: SyncEngineOptions): SyncEngine {
  const { config, logger, clock = systemClock, random = Math.random } = options
  const files = options.files?.reader() ?? createFileIndex(config, { clock })
  const git = createGitState(config.root)
  const tasks = createTasks(clock, (error) => logger.error(`sync: ${messageOf(error)}`))
  const canSync = config.service.apiKey !== undefined && (config.push !== false || config.pull !== false)
  const onCommand: CommandListener = (_command, agreed) =>
    new Promise((taken) => tasks.after(0, () => refreshNow(agreed, taken)))
  const lock = options.lock ?? createSyncLock(config.root, onCommand)

  let role: SyncRole = 'starting'
  let owner: LockOwner | undefined
  let writer: SyncProject | undefined
  let client: SyncClient | undefined
  let head: string | undefined
  let waitingForGit = 0
  let scans = 0
  let scanAge = () => Number.POSITIVE_INFINITY
  let failures = 0
  let failure: unknown
  let pushing: Promise<number> | undefined
  let pushAgainAt = 0
  let kicked = false
  let pulling: Promise<void> | undefined
  let closing: Promise<void> | undefined

  const tell = (origin: SyncUpdate['origin'], texts: readonly TextRef[], changed: readonly string[]) => {
    const parts = new Map<string, PartRef>()
    for (const { key: _, ...part } of texts) parts.set(partId(part), part)
    for (const path of changed) {
      const file = files.patterns.match(path)
      if (!file) continue
      const { language, namespace, customer } = file
      const part = { language, namespace, ...(customer !== undefined && { customer }) }
      parts.set(partId(part), part)
    }
    if (parts.size > 0) options.onUpdate?.({ origin, parts: [...parts.values()], texts, files: changed })
  }

  /** How a batch of edits is to be taken, where git stands on `now`. */
  const judge = (changes: readonly TextChange[], by: SyncProject, now: Awaited<ReturnType<typeof git.head>>) => {
    const switched = head !== undefined && now !== undefined && now.text !== head && now.isRecent
    head = now?.text
    if (switched) return 'switch'
    const travelling = changes.filter((change) => by.records.wouldTravel(change)).length
    return config.push !== false && travelling > config.push.holdAbove ? 'batch' : 'live'
  }

  /** Reads again as long as git changed something meanwhile: half a branch switch would look like so many edits. */
  const readSettled = async (options: Parameters<typeof files.scan>[0]): Promise<ScanResult> => {
    let before = await git.quiet()
    let result = await files.scan(options)
    for (let waits = 0; writer && result.changes.length > 0 && waits < MOST_GIT_WAITS; waits++) {
      if (before !== undefined && before === (await git.quiet())) break
      await clock.sleep(GIT_BUSY_MS, tasks.signal)
      before = await git.quiet()
      result = joinScans(result, await files.scan())
    }
    return result
  }

  const scan = (everything: boolean, isTimer: boolean, agreed?: string): Promise<ScanResult> =>
    tasks.exclusive(async () =>
      scanInTurn(everything, isTimer, agreed === undefined ? undefined : await writer?.readAgreed(agreed)),
    )

  const scanInTurn = async (
    everything: boolean,
    isTimer: boolean,
    agreed: readonly KnownAgreement[] = [],
  ): Promise<ScanResult> => {
    const result = await readSettled({ everything, isPeriodic: isTimer })
    scanAge = startAge(clock)
    const now = writer && result.changes.length > 0 ? await git.head() : undefined
    // What was agreed on tells which changes are edits, and without them the older files would look edited: nothing may come between.
    const settling = writer?.records.takeIn(agreed) ?? []
    if (writer && result.changes.length > 0) await writer.accept(result.changes, judge(result.changes, writer, now))
    if (writer && result.found.length > 0) await writer.accept(result.found, 'start')
    if (writer && settling.length > 0) await writer.settle(settling)
    if (role !== 'starting' && result.files.length > 0) {
      tell(
        'files',
        [...result.changes, ...result.found].map(({ ref }) => ref),
        result.files,
      )
    }
    if (result.findingsChanged) options.onFindings?.(files.findings())
    return result
  }

  const rescan = async (everything: boolean, isTimer = false, agreed?: Handover): Promise<void> => {
    if (tasks.signal.aborted) return
    if ((await git.quiet()) === undefined) {
      // Waiting here keeps nobody else from scanning.
      if (waitingForGit++ < MOST_GIT_WAITS) return tasks.after(GIT_BUSY_MS, () => rescan(everything, isTimer, agreed))
    }
    waitingForGit = 0
    const result = await scan(everything, isTimer, agreed?.name).finally(agreed?.taken)
    if (!writer) return
    if (result.files.length > 0) await writer.writeBack()
    await writer.report()
    kick()
    options.onStatus?.()
  }

  const edit: SyncEngine['edit'] = async (edits) => {
    const { outcomes } = await tasks.exclusive(async () => {
      await scanInTurn(false, false)
      const result = await applyEdits(files, edits, writer?.isSeen)
      if (writer && result.changes.length > 0) await writer.acceptEdits(result.changes, edits)
      tell(
        'files',
        result.changes.map(({ ref }) => ref),
        result.files,
      )
      return result
    })
    await writer?.report()
    kick()
    options.onStatus?.()
    return outcomes
  }

  const rescanForEver = () =>
    tasks.after(RESCAN_MS, async () => {
      rescanForEver()
      await rescan(++scans % EVERYTHING_EVERY === 0, true)
    })

  const noteFailure = (error: unknown, what: string) => {
    failures++
    if (failure === undefined) logger.warn(`${what}; it is tried again by itself. ${messageOf(error)}`)
    failure = error
    return waitAfter(failures, error, random)
  }
  const noteSuccess = () => {
    if (failure !== undefined) logger.info('the service answers again')
    failure = undefined
    failures = 0
  }

  const sendable = () => writer?.outbox.entries().some(({ parked }) => !parked) ?? false

  const kick = () => {
    if (config.push === false || pushing || kicked || !sendable()) return
    kicked = true
    tasks.after(Math.max(0, pushAgainAt - clock.now()), async () => {
      kicked = false
      // Timers may come a little early.
      if (clock.now() < pushAgainAt) kick()
      else if (!pushing && sendable()) await pushNow()
    })
  }

  /** One go at the outbox. The error after which it is to be tried later, if there was one. */
  const sendOutbox = async (by: SyncProject): Promise<unknown> => {
    const startedAt = clock.now()
    const { sent, refused, failure } = await by.send({ signal: tasks.signal })
    if (sent.length > 0) {
      logger.info(`pushed ${describeTexts(sent)} in ${((clock.now() - startedAt) / 1000).toFixed(1)} s`)
    }
    for (const { ref, reason } of refused) await by.refuse(ref, reason)
    await by.report()
    return failure !== undefined && failureOf(failure) === 'ended' ? undefined : failure
  }

  const pushNow = (): Promise<number> => {
    const by = writer
    if (!by || config.push === false || tasks.signal.aborted) return Promise.resolve(by?.outbox.size ?? 0)
    pushing ??= (async () => {
      try {
        // The machine may have slept since: what is on the disk and in the files counts, not what is remembered of them.
        if (!lock.held) throw new Error('the lock of this folder is lost')
        await by.verify()
        if (scanAge() > FRESH_SCAN_MS) await scan(false, false)
        const error = await sendOutbox(by)
        if (error !== undefined) {
          pushAgainAt = clock.now() + noteFailure(error, `the service does not take ${count(by.outbox.size, 'text')}`)
        } else if (!tasks.signal.aborted) noteSuccess()
        await by.writeBack()
        return by.outbox.size
      } catch (error) {
        pushAgainAt = clock.now() + noteFailure(error, 'nothing can be sent')
        return by.outbox.size
      } finally {
        pushing = undefined
        kick()
        options.onStatus?.()
      }
    })()
    return pushing
  }

  const pullNow = (whole: boolean): Promise<void> => {
    const by = writer
    if (!by || tasks.signal.aborted) return Promise.resolve()
    pulling ??= (async () => {
      try {
        if (!lock.held) throw new Error('the lock of this folder is lost')
        await by.verify()
        await by.pull(tasks.signal, whole)
        kick()
      } finally {
        pulling = undefined
        options.onStatus?.()
      }
    })()
    return pulling
  }

  /** The first reading comes in any case: it tells what stood different. After that only where the options ask for it. */
  const pullForEver = (waitMs: number) =>
    tasks.after(waitMs, async () => {
      let nextMs = config.pull === false ? undefined : config.pull.intervalMs
      try {
        await pullNow(false)
        noteSuccess()
        if (nextMs !== undefined) nextMs = Math.max(nextMs, writer?.restMs ?? 0)
      } catch (error) {
        if (tasks.signal.aborted) return
        nextMs = Math.max(nextMs ?? 0, noteFailure(error, 'the service cannot be asked for its texts'))
      }
      if (nextMs !== undefined) pullForEver(nextMs)
    })

  const refreshNow = async (agreed: string | undefined, taken: () => void) => {
    if (agreed === undefined) taken()
    await rescan(false, false, agreed === undefined ? undefined : { name: agreed, taken })
    // One that began before may not show what changed.
    await pulling?.catch(() => undefined)
    await pullNow(true)
  }

  const becomeWriter = async (known: Catalog | undefined) => {
    client = options.openClient()
    const next = createSyncProject({
      config,
      folder: syncFolder(config),
      files,
      client,
      clock,
      random,
      logger,
      exclusive: tasks.exclusive,
      onShown: (refs) => tell('service', refs, []),
      onStale: () => tasks.after(0, () => rescan(false)),
    })
    await tasks.exclusive(async () => {
      // The first comparison looks at every text at once; what it needs is parsed before, in turns with other work.
      const parsed = await files.parseAll()
      await next.open({ remote: known })
      parsed.length = 0
      writer = next
      role = 'writer'
      owner = undefined
    })
    await next.report()
    kick()
    options.onStatus?.()
    // A catalog that was given counts as the first reading.
    if (!known) pullForEver(0)
    else if (config.pull !== false) pullForEver(config.pull.intervalMs)
  }

  const takeRole = async (known: Catalog | undefined): Promise<void> => {
    if (!canSync) {
      role = 'watching'
      return
    }
    let answer: 'held' | LockOwner
    try {
      answer = await lock.acquire()
    } catch (error) {
      logger.warn(`nothing is synced: the lock of ${config.root} cannot be taken. ${messageOf(error)}`)
      role = 'watching'
      return
    }
    if (answer === 'held') return becomeWriter(known)
    if (role !== 'reader' || owner?.pid !== answer.pid) {
      logger.warn(
        `read-only: ${answer.pid === 0 ? 'another process' : `process ${answer.pid}`} syncs ${config.root}. This one shows edits and takes over when that one ends`,
      )
    }
    role = 'reader'
    owner = answer
    options.onStatus?.()
    tasks.after(0, async () => {
      await lock.waitForRelease(tasks.signal)
      await rescan(false)
      await takeRole(undefined)
      if (writer) logger.info('this process syncs now')
    })
  }

  return {
    async start() {
      head = (await git.head())?.text
      await scan(false, false)
      files.onChange(() => tasks.after(0, () => rescan(false)))
      if (options.watch !== false) {
        const onTrouble = (error: unknown) =>
          logger.warn(
            `the system reports changes of files no longer; they are looked for every 30 s. ${messageOf(error)}`,
          )
        await files.watch({ onTrouble })
        // What was saved while the watch was set up.
        await scan(false, false)
      }
      await takeRole(options.remote)
      rescanForEver()
    },
    status: () => ({
      role,
      owner,
      outbox: writer?.outbox.entries() ?? [],
      holds: Array.from(writer?.records.holds() ?? [], ({ ref, ours, hold }) => ({ ref, text: ours, reason: hold })),
      conflicts: Array.from(writer?.records.conflicts() ?? [], ({ ref, base, ours, theirs }) => ({
        ref,
        base,
        ours,
        theirs,
      })),
      findings: files.findings(),
      failure,
    }),
    localCatalog: () => files.catalog(),
    serviceCatalog: () => catalogOf([...(writer?.records.shown() ?? [])]),
    rescan: ({ everything = false } = {}) => rescan(everything),
    refresh: () => pullNow(true),
    push: pushNow,
    async release(refs) {
      const released = (await writer?.release(refs)) ?? 0
      await writer?.report()
      kick()
      options.onStatus?.()
      return released
    },
    edit,
    async resolve(resolutions) {
      const by = writer
      if (!by) return resolutions.map(() => ({ outcome: 'left', reason: 'this process does not sync' }))
      const outcomes = await by.resolve(resolutions, { signal: tasks.signal, scan: () => rescan(false) })
      await by.report()
      kick()
      options.onStatus?.()
      return outcomes
    },
    serviceText: (ref) => writer?.serviceText(ref) ?? { text: undefined, isReviewed: undefined },
    placeOf: (ref) => files.placeOf(ref),
    close() {
      closing ??= (async () => {
        await tasks.close(new Error('sync is closed'))
        await Promise.allSettled([pushing, pulling])
        await files.close()
        await writer?.close()
        await client?.close()
        await lock.release()
        role = 'closed'
      })()
      return closing
    },
  }
}

function catalogOf(texts: readonly { readonly ref: TextRef; readonly text: string }[]): Catalog {
  return createCatalog({
    parts: texts.map(({ ref: { key, ...part }, text }) => ({ ...part, messages: [[key, text]] })),
  })
}
