/**
 * Random interleavings of everything that can happen to both sides: edits of files, translators, scans, pushes,
 * readings, commands, faults, restarts and kills; translators also edit while requests are under way. `runModel` gives
 * what does not hold of `invariants.ts`.
 */

import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileIndex } from '../../../src/files/file-index.ts'
import { silentLogger } from '../../../src/logger.ts'
import { SyncEngine } from '../../../src/sync/engine.ts'
import { journalPath } from '../../../src/sync/journal.ts'
import { runHere } from '../../helpers/command-here.ts'
import { createManualClock } from '../../helpers/manual-clock.ts'
import { resolveConfig } from '../../helpers/resolve-config.ts'
import { FakeService } from './fake-service.ts'
import { ModelFiles } from './files.ts'
import { Facts, INVARIANTS, violations } from './invariants.ts'
import {
  COMMANDS,
  type CommandName,
  IDS,
  keyOf,
  LANGUAGES,
  nameOf,
  programOf,
  type Settings,
  SOURCE,
  type Step,
  type TextKind,
  type TextPlace,
} from './steps.ts'

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

/** `plain`: see `programOf`. */
export async function runModel(seed: number, plain = false): Promise<ModelResult> {
  const { settings, steps, apart } = programOf(seed, plain)
  const world = new World(settings)
  let done = 0
  try {
    await world.start(apart)
    for (const step of steps) {
      await world.step(step)
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

/** Readings that may be due when the work ends, and one try that sends nothing. */
const DUE_READINGS = 3

const sourceOf = (id: TextPlace): TextPlace => ({ ...id, language: SOURCE })

/** Both sides, everybody who edits them, and what the invariants have to know of that. */
class World {
  readonly failures: string[] = []
  readonly service: FakeService
  inFlight = 0
  stale = 0
  readonly #settings: Settings
  readonly #facts: Facts
  readonly #files: ModelFiles
  readonly #config: ReturnType<typeof resolveConfig>
  readonly #clock = createManualClock()
  /** Without the clock; see `#driven`. */
  #itself!: SyncEngine
  /** Each file's text as the last scan took it in. */
  readonly #lastScanned = new Map<string, string | undefined>()
  /** Files that were half-typed when the engine started: what appears in them was there before. */
  #brokenFromStart = new Set<string>()
  /** Texts that a command wrote into files since the last scan: an edit over them may look like no edit. */
  readonly #writtenUnseen = new Set<string>()
  /** Edits of translators that wait for so many requests and answers. */
  #translatorEdits: { turnsLeft: number; readonly id: number; readonly text: TextKind | 'gone' }[] = []
  /** Numbers the texts: no two are the same. `L` is typed here, `S` by a translator, `T` on both sides at first. */
  #counter = 0
  /** The last command ended without an error. */
  #isCommandDone = false
  readonly #copies = new Map<string, string | undefined>()
  #engine: SyncEngine

  constructor(settings: Settings) {
    this.#settings = settings
    const { write, conditional, concurrency } = settings
    const memory = '/dev/shm'
    const root = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'localization-model-'))
    this.#files = new ModelFiles(root)
    this.#facts = new Facts(conditional)
    this.service = new FakeService(settings)
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

  async start(apart: readonly number[]): Promise<void> {
    for (const [at, id] of IDS.entries()) {
      const isApart = apart.includes(at)
      if (!isApart && !this.#settings.startEqual) continue
      const text = `T${++this.#counter}`
      const other = isApart ? `S${++this.#counter}` : text
      const { inFile, onService, typed, translated } = this.#facts
      for (const texts of [inFile, typed]) texts.add(id, text)
      for (const texts of [onService, translated]) texts.add(id, other)
      this.#files.set(id, text)
      this.service.edit(id, other)
    }
    this.#files.remember()
    await this.#engine.start()
    this.#noteScan(false)
  }

  async step(step: Step): Promise<void> {
    // What was written behind the last step.
    this.#checkFiles()
    this.#facts.madeKeys.clear()
    this.#facts.based = new Set(this.#basesOnDisk().keys())
    const before = this.#sides()
    await this.#act(step)
    this.#checkFiles()
    this.#noteMeetings(step, before)
  }

  /** Of each text the file's and the service's. */
  #sides(): readonly (readonly (string | undefined)[])[] {
    return IDS.map((id) => [
      this.#files.isBroken(id) ? undefined : this.#files.text(id) || undefined,
      this.service.text(id) || undefined,
    ])
  }

  /** After such a step everything was scanned and read, so texts that both sides had before and after it have met. */
  #noteMeetings(step: Step, before: readonly (readonly (string | undefined)[])[]): void {
    const isRead = step.do === 'pull' || (step.do === 'command' && this.#isCommandDone)
    const now = this.#sides()
    for (const [at, id] of IDS.entries()) {
      const [ours, theirs] = now[at] ?? []
      const isSteady = ours === before[at]?.[0] && theirs === before[at]?.[1]
      if (ours !== undefined) this.#facts.besideOurs.add(id, theirs)
      // A reading does not scan the files.
      const isScanned = step.do === 'command' || this.#lastScanned.get(nameOf(id)) === ours
      // The command may know more than the engine.
      const isHeard = this.#engine.serviceText(id).text === theirs
      if (isRead && isScanned && isHeard && isSteady && ours !== undefined && theirs !== undefined)
        this.#facts.meet(id, ours, theirs)
    }
    this.#noteLaterBases()
    this.#noteGone()
  }

  /** A text that both sides had later replaces what they had before. */
  #noteLaterBases(): void {
    const bases = this.#basesOnDisk()
    for (const id of IDS) {
      const [known, base] = [this.#facts.met.get(nameOf(id)), bases.get(nameOf(id))]
      if (known && typeof base === 'string' && base !== known.ours) this.#facts.meet(id, base, base)
    }
  }

  #noteGone(): void {
    for (const [at, [ours, theirs]] of this.#sides().entries()) {
      const known = this.#facts.met.get(nameOf(IDS[at] as TextPlace))
      if (known && ours === undefined) known.gone.ours = true
      if (known && theirs === undefined) known.gone.theirs = true
    }
  }

  /** The faults are over, half-typed files are whole again, everybody goes home. */
  async rest(): Promise<void> {
    const engine = this.#engine
    this.service.faults = []
    this.#translatorEdits = []
    this.#files.mend()
    this.#files.remember()
    for (let i = 0; i < 3; i++) {
      this.#facts.madeKeys.clear()
      this.#facts.based = new Set(this.#basesOnDisk().keys())
      await engine.rescan({ everything: true })
      this.#noteScan()
      await engine.push()
      await engine.refresh()
      await engine.push()
    }
    this.#checkFiles()
    // No time passes now. A reading may have become due before: on a slow disk, the work above takes many turns.
    let requests = -1
    for (let tries = 0; tries < DUE_READINGS && requests !== this.service.requests; tries++) {
      requests = this.service.requests
      await this.#itself.push()
    }
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
    this.service.onCreateKey = (key) => {
      facts.madeKeys.add(keyOf(key))
      // Both sides may have been without the text since the step began.
      const now = this.#basesOnDisk()
      facts.based = new Set([...facts.based].filter((name) => now.has(name)))
    }
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
      const due = this.#translatorEdits.filter((edit) => edit.turnsLeft-- <= 0)
      this.#translatorEdits = this.#translatorEdits.filter((edit) => !due.includes(edit))
      for (const { id, text } of due) {
        if (text === 'gone') this.#delete(false, IDS[id] as TextPlace)
        else this.#edit(false, { id, text })
      }
    }
  }

  #open(): SyncEngine {
    const index = new FileIndex(this.#config, this.#clock)
    const shared = {
      config: this.#config,
      openClient: () => this.service.open(),
      logger: silentLogger,
      clock: this.#clock,
      files: { index, seen: index.snapshot },
    }
    this.#itself = new SyncEngine({ ...shared, watch: false, random: () => 0.5 })
    return this.#driven(this.#itself)
  }

  /** The engine, for which time passes while it works: a scan waits until files that changed are calm. */
  #driven(engine: SyncEngine): SyncEngine {
    return new Proxy(engine, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          const result: unknown = value.apply(target, given)
          return result instanceof Promise ? this.#settle(result) : result
        }
      },
    })
  }

  async #reopen(): Promise<void> {
    this.#engine = this.#open()
    await this.#engine.start()
    this.#noteScan(false)
    this.#writtenUnseen.clear()
  }

  /** Whatever the engine or a command wrote into files. */
  #checkFiles(): void {
    const texts = this.#files.all()
    for (const id of IDS) {
      const [before, now] = [this.#files.before.get(nameOf(id)), texts.get(nameOf(id))]
      if (before === now) continue
      this.failures.push(...violations(INVARIANTS.FILE_CHANGES, { id, before, now }, this.#facts))
      this.#facts.inFile.add(id, now)
      this.#lastScanned.set(nameOf(id), now || undefined)
      this.#facts.accepted.delete(nameOf(id))
      if (this.#facts.command) this.#writtenUnseen.add(nameOf(id))
    }
    this.#files.before = texts
  }

  /** A scan has come by: the edits since the one before are accepted, or, when nobody ran to see them, may be held. */
  #noteScan(isLive = true): void {
    const { accepted, emptied } = this.#facts
    if (!isLive) this.#brokenFromStart = new Set(this.#files.broken.keys())
    const texts = this.#files.all()
    for (const id of IDS) {
      const name = nameOf(id)
      const text = texts.get(name) || undefined
      if (this.#files.isBroken(id) || this.#lastScanned.get(name) === text) continue
      this.#lastScanned.set(name, text)
      if (text === undefined) emptied.add(name)
      const isFound = this.#brokenFromStart.has(this.#files.pathOf(id)) || this.#writtenUnseen.has(name)
      if (isLive && text !== undefined && !isFound) accepted.set(name, text)
      else accepted.delete(name)
    }
    for (const path of this.#brokenFromStart) if (!this.#files.broken.has(path)) this.#brokenFromStart.delete(path)
  }

  async #scan(): Promise<void> {
    await this.#engine.rescan()
    this.#noteScan()
    this.#noteGone()
    this.#writtenUnseen.clear()
  }

  /** The names of texts that the next start of the engine will know a base of. */
  #basesOnDisk(): Map<string, string | object> {
    const path = journalPath(this.#config)
    const names = new Map<string, string | object>()
    for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(1) : []) {
      if (line === '') continue
      // A checksum stands before the entry.
      const [what, name, text] = JSON.parse(line.slice(9)) as [string, string, string | object | null]
      if (what !== 'base') continue
      if (text === null || (typeof text === 'object' && 'gone' in text)) names.delete(name)
      else names.set(name, text)
    }
    return names
  }

  /** Somebody types a text: the user in the file, or a translator on the service. */
  #edit(isLocal: boolean, { id: at, text: kind }: { readonly id: number; readonly text: TextKind }): void {
    const id = IDS[at] as TextPlace
    const { inFile, onService, typed, translated } = this.#facts
    const old = (isLocal ? inFile : onService).first(id)
    const fresh = () => `${isLocal ? 'L' : 'S'}${++this.#counter}`
    const text = kind === 'empty' ? '' : kind === 'old' && old ? old : fresh()
    for (const texts of isLocal ? [inFile, typed] : [onService, translated]) texts.add(id, text)
    this.#noteBeside(id)
    const source = (isLocal ? this.#files : this.service).text(sourceOf(id))
    // An old text once more may look like no edit.
    if (id.language !== SOURCE && source && kind === 'new') this.#facts.beside.set(nameOf(id), { text, source })
    if (isLocal) this.#files.set(id, text)
    else this.service.edit(id, text)
  }

  #delete(isLocal: boolean, id: TextPlace): void {
    this.#noteBeside(id)
    if (isLocal) this.#files.set(id, undefined)
    else this.service.edit(id, undefined)
    this.#noteGone()
  }

  /** Somebody changes this text: what was written beside it is so no longer. */
  #noteBeside({ namespace, key }: TextPlace): void {
    for (const language of LANGUAGES) this.#facts.beside.delete(nameOf({ language, namespace, key }))
  }

  async #runCommand(name: CommandName): Promise<void> {
    const { typed, shown, based, met } = this.#facts
    this.#facts.command = name
    this.#isCommandDone = false
    // A person may decide for what the file has, where the service has it no longer too.
    if (name === 'ours' || name === 'ask') {
      for (const id of IDS) typed.add(id, this.#files.text(id))
      based.clear()
    }
    if (name === 'ours' || name === 'theirs' || name === 'ask') met.clear()
    if (name === 'ours') for (const id of IDS) shown.add(id, this.service.text(id))
    const ask = (said: readonly string[]) => {
      // What was said until now is what the person knows.
      const texts = said.join(' ').match(/[LST]\d+/g) ?? []
      for (const id of IDS) for (const text of texts) shown.add(id, text)
      this.service.onTurn()
      return ['f', 's', 'k'][this.#counter % 3] ?? 'k'
    }
    const session = { root: this.#files.root, config: this.#config, client: this.service.open(), ask, verbose: true }
    // What it says of faults and refusals is not looked at.
    const ran = runHere(COMMANDS[name], session).then(
      () => true,
      () => false,
    )
    await this.#settle(ran)
    this.#isCommandDone = await ran
    // What a person decided over and could not be sent yet is sent later.
    if (name === 'ours') for (const id of IDS) shown.add(id, this.service.text(id))
    this.#checkFiles()
    this.#facts.command = undefined
  }

  /** Resolves when the work ends; whatever waits on the engine's clock is woken until then. */
  async #settle<T>(work: Promise<T>): Promise<T> {
    let isOver = false
    const end = () => {
      isOver = true
    }
    work.then(end, end)
    for (let turn = 1; !isOver; turn++) {
      this.#clock.advance(turn % 10 === 0 ? 50 : 0)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return work
  }

  async #act(step: Step): Promise<void> {
    const engine = this.#engine
    switch (step.do) {
      case 'edit':
      case 'edit-service':
        return this.#edit(step.do === 'edit', step)
      case 'translators':
        this.#translatorEdits = step.edits.map(({ turns, ...edit }) => ({ turnsLeft: turns, ...edit }))
        return
      case 'edit-while-pushing':
        return this.#editWhilePushing(step)
      case 'pull-while-pushing':
        this.service.faults = step.late.map((late) => (late ? 'late' : undefined))
        await Promise.allSettled([engine.push(), engine.refresh()])
        this.service.faults = []
        return
      case 'command':
        return step.alone ? this.#commandAlone(step.name) : this.#commandBeside(step.name, step.whilePushing)
      case 'delete':
        return this.#delete(true, IDS[step.id] as TextPlace)
      case 'delete-service':
        return this.#delete(false, IDS[step.id] as TextPlace)
      case 'break':
        return this.#files.break(IDS[0] as TextPlace)
      case 'remove-file':
        this.#facts.beside.clear()
        return this.#files.remove(IDS[0] as TextPlace)
      case 'rewrite-file':
        return this.#rewriteFile(step.seen)
      case 'keep-copy':
        this.#copies.set(this.#files.pathOf(IDS[step.id] as TextPlace), this.#files.content(IDS[step.id] as TextPlace))
        return
      case 'restore-copy':
        return this.#restoreCopy(IDS[step.id] as TextPlace)
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
        return this.#crash(step)
      case 'faults':
        this.service.faults = [...step.faults]
        return
      case 'clock':
        this.#clock.jump(step.wall)
        this.#clock.advance(step.ms)
        // What woke up runs now; pushing and scanning join it.
        await engine.push()
        return this.#scan()
    }
  }

  async #rewriteFile(isSeen: boolean): Promise<void> {
    const id = IDS[0] as TextPlace
    const content = this.#files.content(id)
    this.#facts.beside.clear()
    this.#files.remove(id)
    if (isSeen) await this.#scan()
    this.#checkFiles()
    this.#putBack(id, content)
  }

  #restoreCopy(id: TextPlace): void {
    const path = this.#files.pathOf(id)
    if (!this.#copies.has(path)) return
    this.#facts.beside.clear()
    this.#putBack(id, this.#copies.get(path))
  }

  #putBack(id: TextPlace, content: string | undefined): void {
    for (const restored of this.#files.restore(id, content)) {
      const text = this.#files.text(restored)
      for (const texts of [this.#facts.inFile, this.#facts.typed]) texts.add(restored, text)
    }
  }

  async #editWhilePushing(step: Step & { readonly do: 'edit-while-pushing' }): Promise<void> {
    await this.#scan()
    this.service.faults = [undefined, 'late', 'late']
    const push = this.#engine.push()
    await new Promise((resolve) => setTimeout(resolve, 2))
    this.#checkFiles()
    this.#edit(true, step)
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
    const texts = this.#files.all()
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
    // Of a text that was written into its file right before the end, the journal may not have the source.
    const now = this.#files.all()
    for (const id of IDS) if (texts.get(nameOf(id)) !== now.get(nameOf(id))) this.#noteBeside(id)
    await this.#reopen()
  }
}
