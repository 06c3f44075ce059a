/**
 * Random interleavings of everything that can happen to both sides: edits of files, translators, scans, pushes, readings, commands, faults,
 * restarts and kills; translators also edit while requests are under way. `runModel` gives what does not hold, whatever the order: no text is
 * overwritten that its writer had not read just before, no accepted edit is forgotten, nothing goes back that came from the other side, nothing
 * is sent that the service has, no key comes back that the service deleted, and at rest both sides are equal but for what is reported.
 */

import { setMaxListeners } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import fc from 'fast-check'
import type { Act, AddCommand, CommandContext } from '../../src/cli/command.ts'
import { addPull } from '../../src/cli/commands/pull.ts'
import { addPush } from '../../src/cli/commands/push.ts'
import { addResolve } from '../../src/cli/commands/resolve.ts'
import { resolveConfig } from '../../src/config/resolve.ts'
import { silentLogger } from '../../src/logger.ts'
import { createSyncEngine, type SyncEngine } from '../../src/sync/engine/engine.ts'
import { syncFolder } from '../../src/sync/state-file.ts'
import { createFakeService, type FakeFault, type FakeId } from './fake-service.ts'
import { createManualClock } from './manual-clock.ts'

const LANGUAGES = ['en', 'pl']
const IDS: readonly FakeId[] = LANGUAGES.flatMap((language) =>
  ['common', 'home'].flatMap((namespace) => ['a', 'b.c'].map((key) => ({ language, namespace, key }))),
)
const nameOf = ({ language, namespace, key }: FakeId) => JSON.stringify([language, namespace, key])
const STEPS = 60

type TextKind = 'new' | 'old' | 'empty'
const COMMANDS = {
  pull: ['pull'],
  push: ['push', '--via', 'patch'],
  import: ['push', '--via', 'import'],
  prune: ['push', '--prune', '--yes'],
  ours: ['resolve', '--ours'],
  theirs: ['resolve', '--theirs'],
  ask: ['resolve'],
} as const

type Step =
  | { readonly do: 'edit' | 'edit-service'; readonly id: number; readonly text: TextKind }
  | { readonly do: 'delete' | 'delete-service'; readonly id: number }
  | { readonly do: 'scan' | 'push' | 'pull' | 'restart' | 'release' | 'break' | 'remove-file' }
  | { readonly do: 'crash'; readonly after: number; readonly how: 'hang' | 'hang-after' }
  | { readonly do: 'edit-while-pushing'; readonly id: number; readonly text: TextKind }
  | { readonly do: 'pull-while-pushing'; readonly late: readonly boolean[] }
  | { readonly do: 'faults'; readonly faults: readonly (FakeFault | undefined)[] }
  | { readonly do: 'clock'; readonly ms: number; readonly wall: number }
  | {
      /** Translators edit behind so many requests and answers from now on. */
      readonly do: 'translators'
      readonly edits: readonly { readonly turns: number; readonly id: number; readonly text: TextKind | 'gone' }[]
    }
  /** A command beside the dev server, or while no server runs. */
  | {
      readonly do: 'command'
      readonly name: keyof typeof COMMANDS
      readonly alone: boolean
      readonly whilePushing: boolean
    }

export interface Settings {
  readonly write: boolean
  readonly sorts: boolean
  readonly startEqual: boolean
  readonly conditional: boolean
  readonly times: boolean
  readonly concurrency: number
}

const id = fc.nat(IDS.length - 1)
const text = fc.constantFrom<TextKind>('new', 'new', 'new', 'new', 'new', 'new', 'old', 'old', 'empty')
const just = <T extends Step['do']>(...names: T[]) => fc.constantFrom(...names)
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: just('edit'), id, text }) },
  { weight: 5, arbitrary: fc.record({ do: just('edit-service'), id, text }) },
  { weight: 1, arbitrary: fc.record({ do: just('delete', 'delete-service'), id }) },
  { weight: 6, arbitrary: fc.record({ do: just('scan') }) },
  { weight: 5, arbitrary: fc.record({ do: just('push') }) },
  { weight: 4, arbitrary: fc.record({ do: just('pull') }) },
  { weight: 2, arbitrary: fc.record({ do: just('restart', 'release', 'break', 'remove-file') }) },
  { weight: 3, arbitrary: fc.record({ do: just('edit-while-pushing'), id, text }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: just('pull-while-pushing'),
      late: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: just('crash'), after: fc.nat(4), how: fc.constantFrom('hang', 'hang-after') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: just('faults'),
      faults: fc.array(
        fc.constantFrom<FakeFault | undefined>('network', 'server', 'rate-limit', 'lost-answer', 'late', undefined),
        { maxLength: 4 },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: just('clock'),
      ms: fc.constantFrom(0, 500, 20_000, 86_400_000),
      wall: fc.constantFrom(0, -86_400_000, 86_400_000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: just('translators'),
      edits: fc.array(
        fc.record({
          turns: fc.nat(12),
          id,
          text: fc.constantFrom<TextKind | 'gone'>('new', 'new', 'new', 'old', 'gone'),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: just('command'),
      name: fc.constantFrom<keyof typeof COMMANDS>(
        'pull',
        'pull',
        'push',
        'push',
        'import',
        'prune',
        'ours',
        'theirs',
        'ask',
      ),
      alone: fc.boolean(),
      whilePushing: fc.boolean(),
    }),
  },
) as fc.Arbitrary<Step>

const program = fc.record({
  settings: fc.record<Settings>({
    write: fc.boolean(),
    sorts: fc.boolean(),
    startEqual: fc.boolean(),
    conditional: fc.boolean(),
    times: fc.constantFrom(true, true, false),
    concurrency: fc.constantFrom(1, 2, 8),
  }),
  steps: fc.array(step, { minLength: STEPS, maxLength: STEPS }),
})

export interface ModelResult {
  readonly failures: readonly string[]
  readonly steps: number
  /** Requests of all clients. */
  readonly requests: number
  /** Texts that were overwritten while a request was under way, which only a condition can prevent. */
  readonly inFlight: number
}

export async function runModel(seed: number, last = STEPS): Promise<ModelResult> {
  const [{ settings, steps }] = fc.sample(program, { seed, numRuns: 1 }) as [{ settings: Settings; steps: Step[] }]
  const world = await createWorld(settings)
  let done = 0
  try {
    for (const one of steps.slice(0, last)) {
      await world.step(one)
      done++
      if (world.failures.length > 0) break
    }
    if (world.failures.length === 0) await world.rest()
    return { failures: world.failures.map((line) => `step ${done}: ${line}`), steps: done, ...world.figures() }
  } finally {
    await world.end()
  }
}

async function createWorld({ write, sorts, startEqual, conditional, times, concurrency }: Settings) {
  const memory = '/dev/shm'
  const root = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), 'localization-model-'))
  const service = createFakeService({ languages: LANGUAGES, ids: IDS, sorts, conditional, times })
  const clock = createManualClock()
  let counter = 0
  let inFlight = 0
  const fileOf = ({ language, namespace }: FakeId) => join(root, 'locales', language, `${namespace}.json`)
  const broken = new Map<string, string>()
  /** What the files had when they were looked at last, or as the user left them. */
  const before = new Map<string, string | undefined>()
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
    before.set(nameOf(of), value)
  }

  const sets = () => new Map<string, Set<string>>()
  /** Every text each side ever had, what the user typed or decided for, what translators wrote, and what the user was shown or decided over. */
  const [hadLocal, hadService, typed, translated, shown] = [sets(), sets(), sets(), sets(), sets()]
  const note = (where: Map<string, Set<string>>, of: FakeId, value: string | undefined) => {
    const known = where.get(nameOf(of)) ?? new Set<string>()
    where.set(nameOf(of), known)
    if (value) known.add(value)
  }
  /** The user's last text of each, once a running engine has taken it in. */
  const accepted = new Map<string, string>()
  const lastScanned = new Map<string, string | undefined>()
  const emptied = new Set<string>()
  /** Texts that have a base, which a person has not decided against. */
  let synced = new Set<string>()
  const madeKeys = new Set<string>()
  let brokenFromStart = new Set<string>()
  /** The command that runs. */
  let command: keyof typeof COMMANDS | undefined
  const failures: string[] = []

  const isKnownHere = (name: string, value: string) => hadLocal.get(name)?.has(value) || shown.get(name)?.has(value)
  service.onCreateKey = ({ namespace, key }) => madeKeys.add(JSON.stringify([namespace, key]))
  service.onWrite = ({ id: of, text: value, before, read, isFresh }) => {
    const name = nameOf(of)
    const isInFlight = !conditional && isFresh && (read || undefined) !== (before || undefined)
    if (value === '') failures.push(`emptied ${name}`)
    if (!conditional && !isFresh) failures.push(`wrote ${name} without reading it just before: ${before} by ${value}`)
    if (isInFlight) inFlight += before ? 1 : 0
    else {
      if (value === before) failures.push(`sent ${name} twice: ${value}`)
      const isDecided = command === 'ours' && read === before
      if (before && !isKnownHere(name, before) && !isDecided)
        failures.push(`overwrote ${name} unseen: ${before} by ${value}`)
    }
    if (!typed.get(name)?.has(value)) failures.push(`echo of ${name}: ${value}`)
    if (synced.has(name) && madeKeys.has(JSON.stringify([of.namespace, of.key])) && before === undefined)
      failures.push(`brought back ${name}, which the service deleted`)
    note(hadService, of, value)
  }
  service.onDelete = ({ id: of, before, read, isFresh }) => {
    const name = nameOf(of)
    if (command !== 'prune') failures.push(`deleted ${name}`)
    if (!isFresh) failures.push(`deleted ${name} without reading it just before`)
    else if (read === before && before && !hadLocal.get(name)?.has(before)) failures.push(`deleted ${name} unseen`)
    if (local(of) && !broken.has(fileOf(of))) failures.push(`deleted ${name}, which is in its file`)
  }

  const config = resolveConfig(
    {
      source: 'files',
      service: { baseUrl: 'http://127.0.0.1:1', apiKey: 'model', retries: 0 },
      push: { concurrency },
      pull: { intervalMs: 30_000, write },
    },
    { root, ci: false },
  )
  const open = () =>
    createSyncEngine({ config, openClient: service.open, logger: silentLogger, clock, watch: false, random: () => 0.5 })

  let engine: SyncEngine = open()
  const remember = () => {
    for (const one of IDS) before.set(nameOf(one), local(one))
  }
  /** What was written into files must have replaced texts that the service has had. */
  const checkFiles = () => {
    const isDecision = command === 'theirs' || command === 'ask'
    for (const one of IDS) {
      const name = nameOf(one)
      const [old, now] = [before.get(name), local(one)]
      if (old === now) continue
      if (!now && !isDecision) failures.push(`deleted ${name} from its file`)
      if (now && !hadService.get(name)?.has(now)) failures.push(`wrote ${now} for ${name}, which the service never had`)
      if (old && !hadService.get(name)?.has(old) && !isDecision)
        failures.push(`overwrote ${name} in its file: ${old} by ${now}`)
      note(hadLocal, one, now)
      lastScanned.set(name, now || undefined)
      accepted.delete(name)
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

  const basesOnDisk = () => {
    const path = join(syncFolder(config), 'base.jsonl')
    const names = new Set<string>()
    for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(1) : []) {
      if (line === '') continue
      const [of, value] = JSON.parse(line.slice(9)) as [string, string | null]
      if (value === null) names.delete(of)
      else names.add(of)
    }
    return names
  }

  const edit = (isLocal: boolean, what: { readonly id: number; readonly text: TextKind }) => {
    const one = IDS[what.id] as FakeId
    const side = isLocal ? hadLocal : hadService
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

  let turns: { left: number; readonly id: number; readonly text: TextKind | 'gone' }[] = []
  service.onTurn = () => {
    const due = turns.filter((one) => one.left-- <= 0)
    turns = turns.filter((one) => !due.includes(one))
    for (const { id: at, text: kind } of due) {
      if (kind === 'gone') service.edit(IDS[at] as FakeId, undefined)
      else edit(false, { id: at, text: kind })
    }
  }

  /** Until it ends, whatever waits on the clock of the engine. */
  const settle = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false
    const end = () => {
      isOver = true
    }
    work.then(end, end)
    while (!isOver) {
      clock.advance(0)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return work
  }

  const runCommand = async (name: keyof typeof COMMANDS) => {
    command = name
    const told: string[] = []
    const plain = (_tone: unknown, line: string) => line
    const client = service.open()
    const { signal } = new AbortController()
    setMaxListeners(0, signal)
    const context = {
      io: {
        canAsk: true,
        ask: async () => {
          // What was said until now is what the person knows.
          for (const one of IDS) for (const word of told.join(' ').match(/[LST]\d+/g) ?? []) note(shown, one, word)
          service.onTurn?.()
          return ['o', 't', 's'][counter % 3] as string
        },
      },
      out: {
        paint: plain,
        talk: plain,
        say: (line: string) => told.push(line),
        warn: () => {},
        bar: () => ({ update() {}, end() {} }),
        logger: silentLogger,
      },
      globals: { json: false, quiet: false, verbose: true, color: false, root, configFile: undefined },
      signal,
      config: async () => config,
      client: async () => client,
    } as unknown as CommandContext
    // A person may decide for what the file has, where the service has it no longer too.
    if (name === 'ours' || name === 'ask') {
      for (const one of IDS) note(typed, one, local(one))
      synced.clear()
    }
    const act: Act =
      (work) =>
      async (...given) =>
        void (await work(context, given.at(-2) as never, ...(given.slice(0, -2) as never)))
    const cli = new Command().exitOverride()
    for (const add of [addPush, addPull, addResolve] as AddCommand[]) add(cli, act)
    const run = cli.parseAsync(COMMANDS[name] as unknown as string[], { from: 'user' })
    // What a command says of faults and refusals is not looked at here.
    await settle(run.catch(() => undefined))
    // What a person decided over and could not be sent yet is sent later.
    if (name === 'ours') for (const one of IDS) note(shown, one, service.text(one))
    checkFiles()
    command = undefined
  }

  const act = async (what: Step) => {
    switch (what.do) {
      case 'edit':
      case 'edit-service':
        edit(what.do === 'edit', what)
        break
      case 'translators':
        turns = what.edits.map(({ turns: left, ...one }) => ({ left, ...one }))
        break
      case 'edit-while-pushing': {
        await engine.rescan()
        scanned()
        service.faults = [undefined, 'late', 'late']
        const push = engine.push()
        await new Promise((resolve) => setTimeout(resolve, 2))
        checkFiles()
        edit(true, what)
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
        if (what.alone) {
          await engine.close()
          checkFiles()
          await runCommand(what.name)
          engine = open()
          await engine.start()
          scanned(false)
          break
        }
        await engine.rescan()
        scanned()
        if (what.whilePushing) service.faults = ['late', 'late', 'late']
        const push = what.whilePushing ? engine.push() : undefined
        await runCommand(what.name)
        await push
        service.faults = []
        scanned()
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
          writeFileSync(path, content.trimEnd().slice(0, -1))
        }
        break
      }
      case 'remove-file': {
        const path = fileOf(IDS[0] as FakeId)
        rmSync(path, { force: true })
        broken.delete(path)
        for (const one of IDS) if (fileOf(one) === path) before.set(nameOf(one), undefined)
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
      for (const side of [hadLocal, hadService, typed, translated]) note(side, one, value)
      setLocal(one, value)
      service.edit(one, value)
    }
  }
  remember()
  await engine.start()
  scanned(false)

  return {
    failures,
    figures: () => ({ requests: service.requests, inFlight }),
    async step(what: Step) {
      // What was written behind the last step.
      checkFiles()
      madeKeys.clear()
      synced = basesOnDisk()
      await act(what)
      checkFiles()
    },
    /** The faults are over, half-typed files are whole again, everybody goes home. */
    async rest() {
      service.faults = []
      turns = []
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
      const { requests } = service
      await engine.push()
      if (service.requests !== requests) failures.push('asked or sent something at rest')
      checkRest()
    },
    async end() {
      await engine.close()
      rmSync(root, { recursive: true, force: true })
    },
  }

  /** Every difference is listed with both values; texts without a listed difference are equal. */
  function checkRest(): void {
    const { conflicts, holds, outbox } = engine.status()
    const conflictOf = new Map(conflicts.map((conflict) => [nameOf(conflict.ref), conflict]))
    const holdOf = new Map(holds.map((hold) => [nameOf(hold.ref), hold]))
    for (const entry of outbox)
      if (entry.parked?.kind !== 'conflict') failures.push(`left in the outbox: ${entry.id} ${entry.text}`)
    for (const one of IDS) {
      const name = nameOf(one)
      const [ours, theirs] = [local(one) || undefined, service.text(one) || undefined]
      const [conflict, hold] = [conflictOf.get(name), holdOf.get(name)]
      const isOurs = conflict?.ours === ours || hold || outbox.some((entry) => entry.text === conflict?.ours)
      if (conflict && (conflict.theirs !== theirs || !isOurs))
        failures.push(
          `the conflict of ${name} shows ${conflict.ours} and ${conflict.theirs}, not ${ours} and ${theirs}`,
        )
      // An edit that was withdrawn after it may have been sent is forgotten: what became of it shows as a conflict.
      if (conflict?.theirs && !emptied.has(name) && !translated.get(name)?.has(conflict.theirs))
        failures.push(`${name} is in conflict with a text of its own: ${conflict.ours} and ${conflict.theirs}`)
      if (ours === theirs) {
        if (hold) failures.push(`${name} is held though equal`)
        continue
      }
      if (conflict || hold) {
        if (hold && accepted.has(name)) failures.push(`the accepted edit of ${name} is held: ${accepted.get(name)}`)
        continue
      }
      if (ours === undefined || theirs === undefined) {
        // Deletions stay where they are; only a text that neither side ever lost may not be missing.
        if (theirs === undefined && !hadService.get(name)?.size) failures.push(`${name} never arrived: ${ours}`)
        continue
      }
      const shownNow = engine.serviceCatalog().messages(one.language, one.namespace)?.get(one.key)
      if (write || shownNow !== theirs)
        failures.push(`${name} differs at rest: ${ours} and ${theirs}, shown ${shownNow}`)
    }
  }
}
