/**
 * Random interleavings of everything that can happen to both sides. What must hold, whatever the order:
 * no text is overwritten that nobody on the other side had seen, no accepted edit is forgotten, nothing goes back that came from the other
 * side, nothing is sent that the service has, and at rest both sides are equal but for what is reported.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolveConfig } from '../../src/config/resolve.ts'
import { silentLogger } from '../../src/logger.ts'
import { type Agreement, writeAgreed } from '../../src/sync/agreed.ts'
import { createBaseStore } from '../../src/sync/base.ts'
import { decide } from '../../src/sync/decide.ts'
import { createSyncEngine, type SyncEngine } from '../../src/sync/engine.ts'
import { tellSyncHolder } from '../../src/sync/lock.ts'
import { syncFolder } from '../../src/sync/state-file.ts'
import { createFakeService, type FakeFault, type FakeId } from '../helpers/fake-service.ts'
import { createManualClock } from '../helpers/manual-clock.ts'
import '../helpers/seed.ts'

const LANGUAGES = ['en', 'pl']
const IDS: readonly FakeId[] = LANGUAGES.flatMap((language) =>
  ['common', 'home'].flatMap((namespace) => ['a', 'b.c'].map((key) => ({ language, namespace, key }))),
)
const nameOf = (id: FakeId) => JSON.stringify([id.language, id.namespace, id.key])

type Step =
  | { readonly do: 'edit' | 'edit-service'; readonly id: number; readonly text: 'new' | 'old' | 'empty' }
  | { readonly do: 'delete' | 'delete-service'; readonly id: number }
  | { readonly do: 'scan' | 'push' | 'pull' | 'restart' | 'release' | 'break' | 'remove-file' }
  | { readonly do: 'crash'; readonly after: number; readonly how: 'hang' | 'hang-after' }
  | { readonly do: 'edit-while-pushing'; readonly id: number; readonly text: 'new' | 'old' | 'empty' }
  | { readonly do: 'pull-while-pushing'; readonly late: readonly boolean[] }
  | { readonly do: 'faults'; readonly faults: readonly (FakeFault | undefined)[] }
  | { readonly do: 'clock'; readonly ms: number; readonly wall: number }
  | {
      /** A command beside the dev server; what else happens while it runs. */
      readonly do: 'command'
      readonly way: 'pull' | 'push'
      readonly whilePushing: boolean
      readonly edits: readonly {
        readonly side: 'local' | 'service'
        readonly id: number
        readonly text: 'new' | 'old'
      }[]
      readonly end: 'tells' | 'dies'
    }

const id = fc.nat(IDS.length - 1)
const text = fc.oneof(
  { weight: 6, arbitrary: fc.constant('new' as const) },
  { weight: 2, arbitrary: fc.constant('old' as const) },
  { weight: 1, arbitrary: fc.constant('empty' as const) },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('edit' as const), id, text }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('edit-service' as const), id, text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'delete-service' as const), id }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('scan' as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('push' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pull' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('restart', 'release', 'break', 'remove-file') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('edit-while-pushing' as const), id, text }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('pull-while-pushing' as const),
      late: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      after: fc.nat(4),
      how: fc.constantFrom('hang' as const, 'hang-after' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('faults' as const),
      faults: fc.array(fc.constantFrom<FakeFault | undefined>('network', 'server', 'lost-answer', 'late', undefined), {
        maxLength: 4,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('clock' as const),
      ms: fc.constantFrom(0, 500, 20_000, 86_400_000),
      wall: fc.constantFrom(0, -86_400_000, 86_400_000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('command' as const),
      way: fc.constantFrom('pull' as const, 'push' as const),
      whilePushing: fc.boolean(),
      edits: fc.array(
        fc.record({
          side: fc.constantFrom('local' as const, 'service' as const),
          id,
          text: fc.constantFrom('new' as const, 'old' as const),
        }),
        { maxLength: 3 },
      ),
      end: fc.constantFrom('tells' as const, 'tells' as const, 'dies' as const),
    }),
  },
)

interface Settings {
  readonly write: boolean
  readonly sorts: boolean
  readonly startEqual: boolean
}

async function world({ write, sorts, startEqual }: Settings) {
  const memory = '/dev/shm'
  const root = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), 'localization-model-'))
  const service = createFakeService(LANGUAGES, sorts)
  const clock = createManualClock()
  let counter = 0
  const fileOf = ({ language, namespace }: FakeId) => join(root, 'locales', language, `${namespace}.json`)
  const broken = new Map<string, string>()
  const readFile = (path: string): Record<string, string> => {
    const content = broken.get(path) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '{}')
    return JSON.parse(content) as Record<string, string>
  }
  const local = (of: FakeId) => readFile(fileOf(of))[of.key]
  const setLocal = (of: FakeId, value: string | undefined) => {
    const path = fileOf(of)
    const texts = readFile(path)
    if (value === undefined) delete texts[of.key]
    else texts[of.key] = value
    broken.delete(path)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(texts, null, 2))
  }

  /** Every text each side ever had, and what the user typed. */
  const had = { local: new Map<string, Set<string>>(), service: new Map<string, Set<string>>() }
  const typed = new Map<string, Set<string>>()
  const translated = new Map<string, Set<string>>()
  const note = (where: Map<string, Set<string>>, of: FakeId, value: string | undefined) => {
    const known = where.get(nameOf(of)) ?? new Set<string>()
    where.set(nameOf(of), known)
    if (value) known.add(value)
  }
  /** The user's last text of each, once a running engine has taken it in. */
  const accepted = new Map<string, string>()
  const lastScanned = new Map<string, string | undefined>()
  const emptied = new Set<string>()
  let brokenFromStart = new Set<string>()
  const failures: string[] = []

  service.onPatch = (of, value, before) => {
    const name = nameOf(of)
    if (value === '') failures.push(`emptied ${name}`)
    if (value === before) failures.push(`sent ${name} twice: ${value}`)
    if (before && !had.local.get(name)?.has(before)) failures.push(`overwrote ${name} unseen: ${before} by ${value}`)
    if (!typed.get(name)?.has(value)) failures.push(`echo of ${name}: ${value}`)
    note(had.service, of, value)
  }

  const config = resolveConfig(
    {
      source: 'files',
      service: { baseUrl: 'http://127.0.0.1:1', apiKey: 'model' },
      push: { concurrency: 2 },
      pull: { intervalMs: 30_000, write },
    },
    { root, ci: false },
  )
  const open = () =>
    createSyncEngine({
      config,
      openClient: service.open,
      logger: silentLogger,
      clock,
      watch: false,
      random: () => 0.5,
    })

  let engine: SyncEngine = open()
  const before = new Map<string, string | undefined>()
  const remember = () => {
    for (const one of IDS) before.set(nameOf(one), local(one))
  }
  /** What the engine wrote into files must have replaced texts that the service has had. */
  const checkFiles = () => {
    for (const one of IDS) {
      const [old, now] = [before.get(nameOf(one)), local(one)]
      if (old === now) continue
      if (now === undefined || now === '') failures.push(`deleted ${nameOf(one)} from its file`)
      if (old && !had.service.get(nameOf(one))?.has(old)) {
        failures.push(`overwrote ${nameOf(one)} in its file: ${old} by ${now}`)
      }
      note(had.local, one, now)
      lastScanned.set(nameOf(one), now || undefined)
      accepted.delete(nameOf(one))
    }
    remember()
  }
  /** A scan has come by: the edits since the one before are accepted, or, when nobody ran to see them, may be held. */
  const scanned = (isLive = true) => {
    if (!isLive) brokenFromStart = new Set(broken.keys())
    for (const one of IDS) {
      const name = nameOf(one)
      const value = local(one) || undefined
      const last = lastScanned.get(name)
      if (broken.has(fileOf(one)) || last === value) continue
      lastScanned.set(name, value)
      if (value === undefined) emptied.add(name)
      // A held text that was gone and came back is still held.
      const isBack = last === undefined && engine.status().holds.some((hold) => nameOf(hold.ref) === name)
      const isFound = brokenFromStart.has(fileOf(one))
      if (isLive && value !== undefined && !isBack && !isFound) accepted.set(name, value)
      else accepted.delete(name)
    }
    for (const path of brokenFromStart) if (!broken.has(path)) brokenFromStart.delete(path)
  }

  const edit = (isLocal: boolean, what: { readonly id: number; readonly text: 'new' | 'old' | 'empty' }) => {
    const one = IDS[what.id] as FakeId
    const side = isLocal ? had.local : had.service
    const old = [...(side.get(nameOf(one)) ?? [])].at(0)
    const value = what.text === 'empty' ? '' : what.text === 'old' && old ? old : `${isLocal ? 'L' : 'S'}${++counter}`
    note(side, one, value)
    if (isLocal) {
      note(typed, one, value)
      setLocal(one, value)
    } else {
      note(translated, one, value)
      service.edit(one, value)
    }
  }

  /** What a command finds and does, with the base as it is on the disk now. */
  const runCommand = async ({ way, whilePushing, edits, end }: Extract<Step, { do: 'command' }>) => {
    const copy = join(root, 'copy')
    mkdirSync(copy)
    const source = join(syncFolder(config), 'base.jsonl')
    if (existsSync(source)) cpSync(source, join(copy, 'base.jsonl'))
    const base = createBaseStore({ folder: copy, onTrouble: () => {} })
    await base.load()
    const agreed: Agreement[] = []
    const pulledOver = new Map<FakeId, string | undefined>()
    for (const one of IDS) {
      if (broken.has(fileOf(one))) continue
      const id = nameOf(one)
      const [ours, theirs] = [local(one) || undefined, service.text(one) || undefined]
      const decision = decide({ base: base.get(id), ours, theirs })
      let text = ours
      if (decision === 'take-theirs' && way === 'pull') {
        pulledOver.set(one, ours)
        setLocal(one, theirs)
        text = theirs
        // Nobody tells the server that it is no edit.
        if (end === 'dies') note(typed, one, theirs)
      } else if (decision === 'take-ours' && way === 'push' && !whilePushing && end === 'tells') {
        // Two that push at once may both send a text, and of what one sent and did not tell the other sees a conflict: nothing is lost by that.
        service.edit(one, ours)
        note(had.service, one, ours)
      } else if (decision !== 'equal') continue
      if (base.get(id) !== text) agreed.push({ id, before: base.get(id), text })
    }
    await base.close()
    rmSync(copy, { recursive: true })
    checkFiles()
    // What a translator changes between a look-up and its PATCH nobody can see.
    for (const { side, ...what } of edits) if (side === 'local' || !whilePushing) edit(side === 'local', what)
    remember()
    if (!existsSync(syncFolder(config)) || agreed.length === 0) return
    const name = await writeAgreed(syncFolder(config), agreed)
    if (end === 'dies') return
    let isTold = false
    const telling = tellSyncHolder(root, 'refresh', name).then(() => {
      isTold = true
    })
    while (!isTold) {
      clock.advance(0)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await telling
    scanned()
    // Put back before the server saw what was pulled: it sees no edit, and may hold it.
    for (const [one, text] of pulledOver) if ((local(one) || undefined) === text) accepted.delete(nameOf(one))
    await engine.refresh().catch(() => undefined)
    // A push that woke up meanwhile ends: what a translator changes between its look-up and its PATCH nobody can see.
    await engine.push()
  }

  const act = async (what: Step) => {
    switch (what.do) {
      case 'edit':
      case 'edit-service':
        edit(what.do === 'edit', what)
        break
      case 'edit-while-pushing': {
        await engine.rescan()
        scanned()
        service.faults = [undefined, 'late', 'late']
        const push = engine.push()
        await new Promise((resolve) => setTimeout(resolve, 2))
        checkFiles()
        edit(true, what)
        remember()
        await engine.rescan()
        scanned()
        await push
        service.faults = []
        break
      }
      case 'pull-while-pushing': {
        service.faults = what.late.map((late) => (late ? 'late' : undefined))
        await Promise.allSettled([engine.push(), engine.refresh()])
        service.faults = []
        break
      }
      case 'command': {
        await engine.rescan()
        scanned()
        if (what.whilePushing) service.faults = ['late', 'late', 'late']
        const push = what.whilePushing ? engine.push() : undefined
        await runCommand(what)
        await push
        service.faults = []
        break
      }
      case 'delete':
        setLocal(IDS[what.id] as FakeId, undefined)
        break
      case 'delete-service':
        service.edit(IDS[what.id] as FakeId, undefined)
        break
      case 'break': {
        const path = fileOf(IDS[0] as FakeId)
        if (existsSync(path) && !broken.has(path)) {
          const content = readFileSync(path, 'utf8')
          broken.set(path, content)
          writeFileSync(path, content.slice(0, -1))
        }
        break
      }
      case 'remove-file': {
        const path = fileOf(IDS[0] as FakeId)
        rmSync(path, { force: true })
        broken.delete(path)
        break
      }
      case 'scan':
        await engine.rescan()
        scanned()
        break
      case 'push':
        await engine.push()
        break
      case 'pull':
        await engine.refresh().catch(() => undefined)
        break
      case 'release':
        await engine.release()
        break
      case 'restart':
        await engine.close()
        engine = open()
        await engine.start()
        scanned(false)
        break
      case 'crash': {
        await engine.rescan()
        scanned()
        service.faults = [...Array.from({ length: what.after }, () => undefined), what.how]
        const push = engine.push()
        await Promise.race([service.hanging, push])
        const folder = join(root, '.localization')
        const kept = join(root, 'kept')
        if (existsSync(folder)) cpSync(folder, kept, { recursive: true })
        await engine.close()
        await push
        rmSync(folder, { recursive: true, force: true })
        if (existsSync(kept)) {
          cpSync(kept, folder, { recursive: true })
          rmSync(kept, { recursive: true })
        }
        service.faults = []
        engine = open()
        await engine.start()
        scanned(false)
        break
      }
      case 'faults':
        service.faults = [...what.faults]
        break
      case 'clock':
        clock.jump(what.wall)
        clock.advance(what.ms)
        // What woke up runs now; pushing and scanning join it.
        await engine.push()
        await engine.rescan()
        scanned()
        break
    }
  }

  if (startEqual) {
    for (const one of IDS) {
      const value = `T${++counter}`
      for (const side of [had.local, had.service, typed, translated]) note(side, one, value)
      setLocal(one, value)
      service.edit(one, value)
    }
  }
  remember()
  await engine.start()
  scanned(false)

  return {
    failures,
    async step(what: Step) {
      remember()
      await act(what)
      if (what.do === 'edit' || what.do === 'delete' || what.do === 'remove-file' || what.do === 'break') remember()
      checkFiles()
    },
    /** The faults are over, half-typed files are whole again, everybody goes home. */
    async rest() {
      service.faults = []
      for (const [path, content] of broken) writeFileSync(path, content)
      broken.clear()
      remember()
      for (let i = 0; i < 3; i++) {
        await engine.rescan({ everything: true })
        scanned()
        await engine.push()
        await engine.refresh()
        await engine.push()
      }
      checkFiles()
      const { conflicts, holds, outbox } = engine.status()
      const conflictOf = new Map(conflicts.map((conflict) => [nameOf(conflict.ref), conflict]))
      const holdOf = new Map(holds.map((hold) => [nameOf(hold.ref), hold]))
      for (const entry of outbox) {
        if (entry.parked?.kind !== 'conflict') failures.push(`left in the outbox: ${entry.id} ${entry.text}`)
      }
      for (const one of IDS) {
        const name = nameOf(one)
        const ours = local(one) || undefined
        const theirs = service.text(one) || undefined
        const conflict = conflictOf.get(name)
        const hold = holdOf.get(name)
        if (
          conflict &&
          (conflict.theirs !== theirs ||
            (conflict.ours !== ours && !hold && !outbox.some((entry) => entry.text === conflict.ours)))
        )
          failures.push(
            `the conflict of ${name} shows ${conflict.ours} and ${conflict.theirs}, not ${ours} and ${theirs}`,
          )
        // An edit that was withdrawn after it may have been sent is forgotten: what became of it shows as a conflict.
        if (conflict?.theirs && !emptied.has(name) && !translated.get(name)?.has(conflict.theirs)) {
          failures.push(`${name} is in conflict with a text of its own: ${conflict.ours} and ${conflict.theirs}`)
        }
        if (ours === theirs) {
          if (hold) failures.push(`${name} is held though equal`)
          continue
        }
        if (conflict || hold) {
          if (hold && accepted.has(name)) {
            failures.push(`the accepted edit of ${name} is held: ${accepted.get(name)}`)
          }
          continue
        }
        if (ours === undefined || theirs === undefined) {
          // Deletions stay where they are; only a text that neither side ever lost may not be missing.
          if (theirs === undefined && !had.service.get(name)?.size) failures.push(`${name} never arrived: ${ours}`)
          continue
        }
        const shown = engine.serviceCatalog().messages(one.language, one.namespace)?.get(one.key)
        if (write || shown !== theirs) failures.push(`${name} differs at rest: ${ours} and ${theirs}, shown ${shown}`)
      }
    },
    async end() {
      await engine.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

const RUNS = Number(process.env.SYNC_MODEL_RUNS ?? 200)
const SEED = Number(process.env.SYNC_MODEL_SEED ?? Date.now() % 2 ** 31)

test(`nothing is lost in any order (seed ${SEED})`, async () => {
  let steps = 0
  await fc.assert(
    fc.asyncProperty(
      fc.record({ write: fc.boolean(), sorts: fc.boolean(), startEqual: fc.boolean() }),
      fc.array(step, { minLength: 30, maxLength: 90, size: 'max' }),
      async (settings, all) => {
        const one = await world(settings)
        try {
          for (const what of all) {
            await one.step(what)
            steps++
            if (one.failures.length > 0) break
          }
          if (one.failures.length === 0) await one.rest()
          expect(one.failures).toEqual([])
        } finally {
          await one.end()
        }
      },
    ),
    { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: 240_000 },
  )
  expect(steps).toBeGreaterThan(RUNS * 30)
})
