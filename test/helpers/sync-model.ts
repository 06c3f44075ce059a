/**
 * Random interleavings of everything that can happen to both sides: edits of files, translators, scans, pushes,
 * readings, commands, faults, restarts and kills; translators also edit while requests are under way. `runModel` gives
 * what does not hold of `sync-model-invariants.ts`.
 */

import { setMaxListeners } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import type { Act, AddCommand, CommandContext } from '../../src/cli/command.ts'
import { addPull } from '../../src/cli/commands/pull.ts'
import { addPush } from '../../src/cli/commands/push.ts'
import { addResolve } from '../../src/cli/commands/resolve.ts'
import { resolveConfig } from '../../src/config/resolve.ts'
import { silentLogger } from '../../src/logger.ts'
import { SyncEngine } from '../../src/sync/engine/engine.ts'
import { syncFolder } from '../../src/sync/state-file.ts'
import { createFakeService, type FakeId } from './fake-service.ts'
import { createManualClock } from './manual-clock.ts'
import { Facts, INVARIANTS, keyOf, violations } from './sync-model-invariants.ts'
import {
  COMMANDS,
  type CommandName,
  IDS,
  LANGUAGES,
  nameOf,
  programOf,
  type Settings,
  SOURCE,
  STEPS,
  type Step,
  type TextKind,
} from './sync-model-steps.ts'

export interface ModelResult {
  readonly failures: readonly string[]
  readonly steps: number
  /** Requests of all clients. */
  readonly requests: number
  /** Translations that were stale at rest. */
  readonly stale: number
  /** Texts that were overwritten while a request was under way, which only a condition can prevent. */
  readonly inFlight: number
}

export async function runModel(seed: number, last = STEPS): Promise<ModelResult> {
  const { settings, steps } = programOf(seed)
  const world = new World(settings)
  let done = 0
  try {
    await world.start()
    for (const one of steps.slice(0, last)) {
      await world.step(one)
      done++
      if (world.failures.length > 0) break
    }
    if (world.failures.length === 0) await world.rest()
    const failures = world.failures.map((line) => `step ${done}: ${line}`)
    return { failures, steps: done, requests: world.service.requests, inFlight: world.inFlight, stale: world.stale }
  } finally {
    await world.end()
  }
}

const sourceOf = (id: FakeId): FakeId => ({ ...id, language: SOURCE })

/** The translation files, as the user and the engine leave them. */
class Files {
  readonly root: string
  /** What half-typed files will be. */
  readonly broken = new Map<string, string>()
  /** What the files had when they were looked at last, or as the user left them. */
  readonly before = new Map<string, string | undefined>()

  constructor(root: string) {
    this.root = root
  }

  pathOf({ language, namespace }: FakeId): string {
    return join(this.root, 'locales', language, `${namespace}.json`)
  }

  isBroken(of: FakeId): boolean {
    return this.broken.has(this.pathOf(of))
  }

  text(of: FakeId): string | undefined {
    return this.#texts(this.pathOf(of))[of.key]
  }

  set(of: FakeId, value: string | undefined): void {
    const path = this.pathOf(of)
    const texts = this.#texts(path)
    if (value === undefined) delete texts[of.key]
    else texts[of.key] = value
    this.broken.delete(path)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(texts, null, 2))
    this.before.set(nameOf(of), value)
  }

  break(of: FakeId): void {
    const path = this.pathOf(of)
    if (!existsSync(path) || this.broken.has(path)) return
    const content = readFileSync(path, 'utf8')
    this.broken.set(path, content)
    writeFileSync(path, content.trimEnd().slice(0, -1))
  }

  mend(): void {
    for (const [path, content] of this.broken) writeFileSync(path, content)
    this.broken.clear()
  }

  remove(of: FakeId): void {
    const path = this.pathOf(of)
    rmSync(path, { force: true })
    this.broken.delete(path)
    for (const one of IDS) if (this.pathOf(one) === path) this.before.set(nameOf(one), undefined)
  }

  remember(): void {
    for (const one of IDS) this.before.set(nameOf(one), this.text(one))
  }

  #texts(path: string): Record<string, string> {
    const content = this.broken.get(path) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '{}')
    return JSON.parse(content) as Record<string, string>
  }
}

class World {
  readonly failures: string[] = []
  readonly service: ReturnType<typeof createFakeService>
  inFlight = 0
  stale = 0
  readonly #settings: Settings
  readonly #facts: Facts
  readonly #files: Files
  readonly #config: ReturnType<typeof resolveConfig>
  readonly #clock = createManualClock()
  readonly #lastScanned = new Map<string, string | undefined>()
  #brokenFromStart = new Set<string>()
  /** Texts that a command wrote into files since the last scan: an edit over them may look like no edit. */
  readonly #writtenUnseen = new Set<string>()
  #turns: { left: number; readonly id: number; readonly text: TextKind | 'gone' }[] = []
  #counter = 0
  #engine: SyncEngine

  constructor(settings: Settings) {
    this.#settings = settings
    const { write, sorts, conditional, times, concurrency } = settings
    const memory = '/dev/shm'
    const root = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'localization-model-'))
    this.#files = new Files(root)
    this.#facts = new Facts(conditional)
    this.service = createFakeService({ languages: LANGUAGES, ids: IDS, sorts, conditional, times })
    this.#config = resolveConfig(
      {
        source: 'files',
        service: { baseUrl: 'http://127.0.0.1:1', apiKey: 'model', retries: 0 },
        push: { concurrency },
        pull: { intervalMs: 30_000, write },
      },
      { root, ci: false },
    )
    this.#engine = this.#open()
    this.#watchService()
  }

  async start(): Promise<void> {
    for (const one of this.#settings.startEqual ? IDS : []) {
      const value = `T${++this.#counter}`
      const { inFile, onService, typed, translated } = this.#facts
      for (const texts of [inFile, onService, typed, translated]) texts.add(one, value)
      this.#files.set(one, value)
      this.service.edit(one, value)
    }
    this.#files.remember()
    await this.#engine.start()
    this.#noteScan(false)
  }

  async step(what: Step): Promise<void> {
    // What was written behind the last step.
    this.#checkFiles()
    this.#facts.madeKeys.clear()
    this.#facts.based = this.#basesOnDisk()
    await this.#act(what)
    this.#checkFiles()
  }

  /** The faults are over, half-typed files are whole again, everybody goes home. */
  async rest(): Promise<void> {
    const engine = this.#engine
    this.service.faults = []
    this.#turns = []
    this.#files.mend()
    this.#files.remember()
    for (let i = 0; i < 3; i++) {
      this.#facts.madeKeys.clear()
      this.#facts.based = this.#basesOnDisk()
      await engine.rescan({ everything: true })
      this.#noteScan()
      await engine.push()
      await engine.refresh()
      await engine.push()
    }
    this.#checkFiles()
    const { requests } = this.service
    await engine.push()
    if (this.service.requests !== requests) this.failures.push('asked or sent something at rest')
    const status = engine.status()
    const staleTexts = engine.staleTexts('en')
    this.stale = staleTexts.length
    for (const id of IDS) {
      const [ours, theirs] = [this.#files.text(id) || undefined, this.service.text(id) || undefined]
      const shown = engine.serviceCatalog().messages(id.language, id.namespace)?.get(id.key)
      const stale = staleTexts.find(({ ref }) => nameOf(ref) === nameOf(id))
      const source = { id: sourceOf(id), text: this.#files.text(sourceOf(id)) }
      const text = { id, ours, theirs, status, shown, stale, source, writes: this.#settings.write }
      for (const invariants of [INVARIANTS.REST, INVARIANTS.STALE])
        this.failures.push(...violations(invariants, text, this.#facts))
    }
  }

  async end(): Promise<void> {
    await this.#engine.close()
    rmSync(this.#files.root, { recursive: true, force: true })
  }

  #watchService(): void {
    const facts = this.#facts
    const { WRITES, DELETIONS } = INVARIANTS
    this.service.onCreateKey = (key) => facts.madeKeys.add(keyOf(key))
    this.service.onWrite = (write) => {
      if (facts.isInFlight(write) && write.before) this.inFlight++
      this.failures.push(...violations(WRITES, write, facts))
      facts.onService.add(write.id, write.text)
    }
    this.service.onDelete = (deletion) => {
      const ours = this.#files.isBroken(deletion.id) ? undefined : this.#files.text(deletion.id)
      this.failures.push(...violations(DELETIONS, { ...deletion, text: '', ours }, facts))
    }
    this.service.onTurn = () => {
      const due = this.#turns.filter((one) => one.left-- <= 0)
      this.#turns = this.#turns.filter((one) => !due.includes(one))
      for (const { id, text } of due) {
        if (text === 'gone') this.#delete(false, IDS[id] as FakeId)
        else this.#edit(false, { id, text })
      }
    }
  }

  #open(): SyncEngine {
    const shared = { config: this.#config, openClient: this.service.open, logger: silentLogger, clock: this.#clock }
    return new SyncEngine({ ...shared, watch: false, random: () => 0.5 })
  }

  async #reopen(): Promise<void> {
    this.#engine = this.#open()
    await this.#engine.start()
    this.#noteScan(false)
    this.#writtenUnseen.clear()
  }

  /** Whatever the engine or a command wrote into files. */
  #checkFiles(): void {
    for (const id of IDS) {
      const [before, now] = [this.#files.before.get(nameOf(id)), this.#files.text(id)]
      if (before === now) continue
      this.failures.push(...violations(INVARIANTS.FILE_CHANGES, { id, before, now }, this.#facts))
      this.#facts.inFile.add(id, now)
      this.#lastScanned.set(nameOf(id), now || undefined)
      this.#facts.accepted.delete(nameOf(id))
      if (this.#facts.command) this.#writtenUnseen.add(nameOf(id))
    }
    this.#files.remember()
  }

  /** A scan has come by: the edits since the one before are accepted, or, when nobody ran to see them, may be held. */
  #noteScan(isLive = true): void {
    const { accepted, emptied } = this.#facts
    if (!isLive) this.#brokenFromStart = new Set(this.#files.broken.keys())
    for (const one of IDS) {
      const name = nameOf(one)
      const value = this.#files.text(one) || undefined
      if (this.#files.isBroken(one) || this.#lastScanned.get(name) === value) continue
      this.#lastScanned.set(name, value)
      if (value === undefined) emptied.add(name)
      const isFound = this.#brokenFromStart.has(this.#files.pathOf(one)) || this.#writtenUnseen.has(name)
      if (isLive && value !== undefined && !isFound) accepted.set(name, value)
      else accepted.delete(name)
    }
    for (const path of this.#brokenFromStart) if (!this.#files.broken.has(path)) this.#brokenFromStart.delete(path)
  }

  async #scan(): Promise<void> {
    await this.#engine.rescan()
    this.#noteScan()
    this.#writtenUnseen.clear()
  }

  #basesOnDisk(): Set<string> {
    const path = join(syncFolder(this.#config), 'base.jsonl')
    const names = new Set<string>()
    for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(1) : []) {
      if (line === '') continue
      const [of, value] = JSON.parse(line.slice(9)) as [string, string | null]
      if (value === null) names.delete(of)
      else names.add(of)
    }
    return names
  }

  #edit(isLocal: boolean, what: { readonly id: number; readonly text: TextKind }): void {
    const one = IDS[what.id] as FakeId
    const { inFile, onService, typed, translated } = this.#facts
    const old = (isLocal ? inFile : onService).first(one)
    const fresh = () => `${isLocal ? 'L' : 'S'}${++this.#counter}`
    const value = what.text === 'empty' ? '' : what.text === 'old' && old ? old : fresh()
    for (const texts of isLocal ? [inFile, typed] : [onService, translated]) texts.add(one, value)
    this.#noteBeside(one)
    const source = (isLocal ? this.#files : this.service).text(sourceOf(one))
    // An old text once more may look like no edit.
    if (one.language !== SOURCE && source && what.text === 'new')
      this.#facts.beside.set(nameOf(one), { text: value, source })
    if (isLocal) this.#files.set(one, value)
    else this.service.edit(one, value)
  }

  #delete(isLocal: boolean, one: FakeId): void {
    this.#noteBeside(one)
    if (isLocal) this.#files.set(one, undefined)
    else this.service.edit(one, undefined)
  }

  /** Somebody changes this text: what was written beside it is so no longer. */
  #noteBeside({ namespace, key }: FakeId): void {
    for (const language of LANGUAGES) this.#facts.beside.delete(nameOf({ language, namespace, key }))
  }

  /** Until the work ends, whatever waits on the clock of the engine. */
  async #settle(work: Promise<unknown>): Promise<void> {
    let isOver = false
    const end = () => {
      isOver = true
    }
    work.then(end, end)
    while (!isOver) {
      this.#clock.advance(0)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async #runCommand(name: CommandName): Promise<void> {
    const { typed, shown, based } = this.#facts
    this.#facts.command = name
    // A person may decide for what the file has, where the service has it no longer too.
    if (name === 'ours' || name === 'ask') {
      for (const one of IDS) typed.add(one, this.#files.text(one))
      based.clear()
    }
    const context = this.#commandContext()
    const act: Act =
      (work) =>
      async (...given) =>
        void (await work(context, given.at(-2) as never, ...(given.slice(0, -2) as never)))
    const cli = new Command().exitOverride()
    for (const add of [addPush, addPull, addResolve] as AddCommand[]) add(cli, act)
    const run = cli.parseAsync(COMMANDS[name] as unknown as string[], { from: 'user' })
    // What a command says of faults and refusals is not looked at here.
    await this.#settle(run.catch(() => undefined))
    // What a person decided over and could not be sent yet is sent later.
    if (name === 'ours') for (const one of IDS) shown.add(one, this.service.text(one))
    this.#checkFiles()
    this.#facts.command = undefined
  }

  #commandContext(): CommandContext {
    const said: string[] = []
    const plain = (_tone: unknown, line: string) => line
    const client = this.service.open()
    const { signal } = new AbortController()
    setMaxListeners(0, signal)
    const ask = async () => {
      // What was said until now is what the person knows.
      const words = said.join(' ').match(/[LST]\d+/g) ?? []
      for (const one of IDS) for (const word of words) this.#facts.shown.add(one, word)
      this.service.onTurn?.()
      return ['o', 't', 's'][this.#counter % 3] as string
    }
    const root = this.#files.root
    return {
      io: { canAsk: true, ask },
      out: {
        paint: plain,
        talk: plain,
        say: (line: string) => said.push(line),
        warn: () => {},
        bar: () => ({ update() {}, end() {} }),
        logger: silentLogger,
      },
      globals: { json: false, quiet: false, verbose: true, color: false, root, configFile: undefined },
      signal,
      config: async () => this.#config,
      client: async () => client,
    } as unknown as CommandContext
  }

  async #act(what: Step): Promise<void> {
    const engine = this.#engine
    switch (what.do) {
      case 'edit':
      case 'edit-service':
        return this.#edit(what.do === 'edit', what)
      case 'translators':
        this.#turns = what.edits.map(({ turns: left, ...one }) => ({ left, ...one }))
        return
      case 'edit-while-pushing':
        return this.#editWhilePushing(what)
      case 'pull-while-pushing':
        this.service.faults = what.late.map((late) => (late ? 'late' : undefined))
        await Promise.allSettled([engine.push(), engine.refresh()])
        this.service.faults = []
        return
      case 'command':
        return what.alone ? this.#commandAlone(what.name) : this.#commandBeside(what.name, what.whilePushing)
      case 'delete':
        return this.#delete(true, IDS[what.id] as FakeId)
      case 'delete-service':
        return this.#delete(false, IDS[what.id] as FakeId)
      case 'break':
        return this.#files.break(IDS[0] as FakeId)
      case 'remove-file':
        this.#facts.beside.clear()
        return this.#files.remove(IDS[0] as FakeId)
      case 'scan':
        return this.#scan()
      case 'push':
        await engine.push()
        return
      case 'pull':
        return engine.refresh().catch(() => undefined)
      case 'release':
        await engine.release()
        return
      case 'restart':
        await engine.close()
        return this.#reopen()
      case 'crash':
        return this.#crash(what)
      case 'faults':
        this.service.faults = [...what.faults]
        return
      case 'clock':
        this.#clock.jump(what.wall)
        this.#clock.advance(what.ms)
        // What woke up runs now; pushing and scanning join it.
        await engine.push()
        return this.#scan()
    }
  }

  async #editWhilePushing(what: Step & { readonly do: 'edit-while-pushing' }): Promise<void> {
    await this.#scan()
    this.service.faults = [undefined, 'late', 'late']
    const push = this.#engine.push()
    await new Promise((resolve) => setTimeout(resolve, 2))
    this.#checkFiles()
    this.#edit(true, what)
    await this.#scan()
    await push
    this.service.faults = []
  }

  async #commandAlone(name: CommandName): Promise<void> {
    await this.#engine.close()
    this.#checkFiles()
    await this.#runCommand(name)
    await this.#reopen()
  }

  async #commandBeside(name: CommandName, whilePushing: boolean): Promise<void> {
    await this.#scan()
    if (whilePushing) this.service.faults = ['late', 'late', 'late']
    const push = whilePushing ? this.#engine.push() : undefined
    await this.#runCommand(name)
    await push
    this.service.faults = []
    this.#noteScan()
  }

  /** The process dies in the middle of a push: what is on the disk by then is all that the next one knows. */
  async #crash({ after, how }: Step & { readonly do: 'crash' }): Promise<void> {
    await this.#scan()
    this.service.faults = [...Array.from({ length: after }, () => undefined), how]
    const push = this.#engine.push()
    await Promise.race([this.service.hanging, push])
    const [folder, kept] = ['.localization', 'kept'].map((name) => join(this.#files.root, name)) as [string, string]
    if (existsSync(folder)) cpSync(folder, kept, { recursive: true })
    await this.#engine.close()
    await push
    rmSync(folder, { recursive: true, force: true })
    if (existsSync(kept)) {
      cpSync(kept, folder, { recursive: true })
      rmSync(kept, { recursive: true })
    }
    this.service.faults = []
    await this.#reopen()
  }
}
