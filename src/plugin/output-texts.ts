/**
 * Puts the texts into a build's outputs in the same way for every bundler: finds the used keys, emits the message
 * files, and replaces placeholders in scripts with URLs and texts. Each bundler has an `OutputPort`. The bundler's
 * hooks call `OutputTexts` as soon as the port's members can return their results.
 */
import type { ResolvedConfig } from '../config/types.ts'
import { jsonParseLiteral } from '../output/literal.ts'
import { hasPending, pendingIn } from '../output/messages.ts'
import {
  ADDRESSES,
  addressesExpression,
  type ChunkExtension,
  inlineAddressesExpression,
  liveExpression,
  type PrebuiltChunk,
  type PrebuiltChunks,
} from '../output/prebuilt-chunks.ts'
import type { CodePlan } from '../usage/parts.ts'
import type { AdapterInput, TextPlace } from './bundler-adapter.ts'
import { wantsPerChunk } from './per-chunk-messages.ts'
import type { ModuleUsages } from './pruned-state.ts'
import type { LoadedState } from './state.ts'

export interface OutputPort {
  readonly place: TextPlace
  /**
   * True if the output is a single file. Such a file may be moved without other files, or opened from disk, where it
   * cannot fetch anything.
   */
  readonly isOneFile: boolean
  readonly extension: ChunkExtension
  /** A comment that makes the bundler ignore an `import()`. It is inserted before the URL. */
  readonly comment?: string
  /**
   * Returns the output's chunks and how they load each other, for `prune.perChunk`. Returns `undefined` if the chunks
   * cannot wait for texts.
   */
  chunks?(): CodePlan | undefined
  /**
   * Returns the code of the properties that `PerChunkAddresses` adds. Returns `undefined` if `prune.perChunk` is off.
   */
  perChunk?(prebuilt: PrebuiltChunks | undefined): string | undefined
  /**
   * Returns a JavaScript expression for the URL of the message folder. The expression must work in the given script.
   */
  baseIn(script: string, files: readonly PrebuiltChunk[]): string
  /**
   * Converts an expression from `baseIn` to one for an absolute URL. Must exist if `baseIn` may return a relative URL.
   */
  absolute?(base: string): string
  emit(files: readonly PrebuiltChunk[]): unknown
}

/** Returns true if `delivery: 'live'` has no effect because the output's texts are in its scripts. */
export function isLiveInVain(
  { place, isOneFile }: OutputPort,
  { delivery }: Pick<ResolvedConfig, 'delivery'>,
): boolean {
  return delivery === 'live' && (place !== 'files' || isOneFile)
}

/** A replacement in a script. `text` is a single line and not empty. */
export interface CodeEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Returns true if the code contains placeholders. Most scripts have none, and this check is fast. */
export function hasPlaceholders(code: string): boolean {
  return code.includes(ADDRESSES) || hasPending(code)
}

/** The texts of all outputs that a bundler generates from the same modules. */
export class OutputTexts {
  readonly #split = new WeakMap<OutputPort, Promise<LoadedState>>()
  readonly #emitted = new WeakSet<OutputPort>()
  #used: Promise<LoadedState> | undefined

  /** @param modules returns the modules of the outputs and what they use; called after tree shaking */
  constructor(
    private readonly input: Pick<AdapterInput, 'session' | 'logger'>,
    private readonly modules: () => ModuleUsages | Promise<ModuleUsages>,
  ) {}

  /** Returns the texts that the modules use in all outputs together. */
  used(): Promise<LoadedState> {
    this.#used ??= this.#prune()
    return this.#used
  }

  /** Returns the texts of one output. If `prune.perChunk` is on, the texts of lazy chunks are separate. */
  of(port: OutputPort): Promise<LoadedState> {
    const known = this.#split.get(port) ?? this.#splitFor(port)
    this.#split.set(port, known)
    return known
  }

  /** Emits an output's message files. Later calls for the same output do nothing. */
  async emit(port: OutputPort): Promise<void> {
    if (port.place !== 'files' || port.isOneFile || this.#emitted.has(port)) return
    this.#emitted.add(port)
    const { prebuilt } = await this.of(port)
    const { files, live } = await prebuilt(port.extension)
    await port.emit(live ? [...files, ...live.files] : files)
  }

  /** Returns the edits that replace a script's placeholders. */
  async editsIn(port: OutputPort, script: string, code: string): Promise<CodeEdit[]> {
    const edits: CodeEdit[] = []
    const state = await this.of(port)
    for (let start = code.indexOf(ADDRESSES); start !== -1; start = code.indexOf(ADDRESSES, start + 1))
      edits.push({ start, end: start + ADDRESSES.length, text: await addressesIn(port, script, state) })
    return hasPending(code) ? [...edits, ...(await this.#messagesIn(code, state))] : edits
  }

  async #prune(plan?: CodePlan): Promise<LoadedState> {
    const { session } = this.input
    const state = await session.ready()
    return state.config.prune === false ? state : session.prune(await this.modules(), plan)
  }

  async #splitFor(port: OutputPort): Promise<LoadedState> {
    const used = await this.used()
    const plan = port.place === 'files' && wantsPerChunk(used.config) ? port.chunks?.() : undefined
    return plan ? this.#prune(plan) : used
  }

  /** Returns the edits that insert the texts of modules that were loaded before the used keys were known. */
  async #messagesIn(code: string, state: LoadedState): Promise<CodeEdit[]> {
    const { generateTexts } = await import('../output/texts.ts')
    return Promise.all(
      pendingIn(code).map(async ({ id, start, end }) => {
        const { json, warnings } = await generateTexts(state.translations, state.config, id)
        for (const warning of warnings) this.input.logger.warn(warning)
        return { start, end, text: jsonParseLiteral(json) }
      }),
    )
  }
}

/** @param state `undefined` if the hashes of the message files are not known yet, or do not belong in the script */
export async function addressesIn(port: OutputPort, script: string, state: LoadedState | undefined): Promise<string> {
  const { extension, isOneFile } = port
  const prebuilt = await state?.prebuilt(extension)
  const { files = [], hashes = '' } = prebuilt ?? {}
  const live = prebuilt && liveExpression(prebuilt, isOneFile)
  const added = [port.perChunk?.(prebuilt), live].filter((each) => each !== undefined)
  if (isOneFile) return inlineAddressesExpression({ files, hashes }, extension, added)
  const folder = port.baseIn(script, files)
  const base = live === undefined ? folder : (port.absolute?.(folder) ?? folder)
  return addressesExpression(port, hashes, base, added)
}
