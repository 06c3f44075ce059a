/** The end of an esbuild build: prunes keys, puts addresses and texts into the output, and adds the prebuilt chunks. */

import { readFile } from 'node:fs/promises'
import { dirname, posix, relative, resolve } from 'node:path'
import type { BuildOptions, BuildResult, Metafile } from 'esbuild'
import type { ResolvedConfig } from '../../../config/types.ts'
import { hasPending } from '../../../output/messages.ts'
import {
  ADDRESSES,
  addressesExpression,
  type ChunkExtension,
  inlineAddressesExpression,
} from '../../../output/prebuilt-chunks.ts'
import { toPosix } from '../../../shared/paths.ts'
import { type ModuleUsage, unreadableUsage } from '../../../usage/model.ts'
import type { AdapterInput } from '../../bundler-adapter.ts'
import { checkMessageFiles } from '../../message-files.ts'
import type { Session } from '../../session.ts'
import type { LoadedState } from '../../state.ts'
import { type CodeEdit, editCode } from './edits.ts'
import { EsbuildOutput } from './output.ts'

/** Files without code. */
const NO_SCRIPT = /\.(?:css|scss|sass|less|txt|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|eot|wasm|html)$/i

/** This plugin's modules, and modules that esbuild disabled. */
const NO_SOURCE = /^[^/]*:\0localization|^\(disabled\):/

/** Only modules that contribute to the output. */
async function usagesIn(metafile: Metafile, root: string, session: Session): Promise<[string, ModuleUsage][]> {
  const inputs = new Set<string>()
  for (const output of Object.values(metafile.outputs)) {
    for (const [name, { bytesInOutput }] of Object.entries(output.inputs)) if (bytesInOutput > 0) inputs.add(name)
  }
  const usages: [string, ModuleUsage][] = []
  for (const name of inputs) {
    if (NO_SCRIPT.test(name) || NO_SOURCE.test(name)) continue
    const path = resolve(root, name)
    const code = await readFile(path, 'utf8').catch(() => undefined)
    // A module of another plugin, which cannot be read, may use any key.
    const usage = code === undefined ? unreadableUsage('cannot be read') : await session.analyze(code, path, NO_FILE)
    if (usage) usages.push([path, usage])
  }
  return usages
}

/** The code is already that of the file: there is no original to read. */
const NO_FILE = async () => undefined

/** Placeholder of the folder's address, which depends on the file that contains the manifest. */
const BASE = '__UNPLUGIN_LOCALIZATION_BASE__'
const QUOTED_BASE = new RegExp(`(["'\`])${BASE}\\1`, 'g')

export interface OutputTextsInput extends Pick<AdapterInput, 'session' | 'logger'> {
  readonly options: BuildOptions
  readonly root: string
}

/** True if other bundlers build the output again. Node runs an output for Node directly. */
function isLibrary({ platform, packages, format }: BuildOptions, { library }: ResolvedConfig): boolean {
  return library ?? (platform !== 'node' && (packages === 'external' || format === 'cjs'))
}

/**
 * True for browser outputs without `splitting`: a single file that may be opened from disk, where nothing can be
 * fetched.
 */
function isOneFile({ platform, splitting }: BuildOptions, { library }: ResolvedConfig): boolean {
  return library !== false && platform !== 'node' && splitting !== true
}

/** Returns a test for outputs that are JavaScript. */
function isScriptOf({ outExtension, outfile }: BuildOptions, root: string): (name: string) => boolean {
  const extension = outExtension?.['.js'] ?? '.js'
  const only = outfile === undefined ? undefined : toPosix(relative(root, resolve(root, outfile)))
  return (name) => name.endsWith(extension) || name === only
}

/** `undefined` if the output has no folder: texts are modules there. */
export function createOutputTexts(input: OutputTextsInput): OutputTexts | undefined {
  const { outdir, outfile } = input.options
  const folder = outdir ?? (outfile === undefined ? undefined : dirname(outfile))
  return folder === undefined ? undefined : new OutputTexts(input, resolve(input.root, folder))
}

export class OutputTexts {
  readonly #input: OutputTextsInput
  /** Absolute. */
  readonly #output: string
  /** The absolute folder of the message files. */
  readonly #folder: string
  readonly #extension: ChunkExtension
  readonly #isScript: (name: string) => boolean

  constructor(input: OutputTextsInput, output: string) {
    const { options, root } = input
    const beside = posix.dirname(options.assetNames ?? 'x')
    this.#input = input
    this.#output = output
    this.#folder = resolve(output, beside.includes('[') ? '.' : beside, 'localization')
    this.#extension = options.platform === 'node' ? '.mjs' : '.js'
    this.#isScript = isScriptOf(options, root)
  }

  /** False if texts are modules of the bundle. */
  isFiles(config: ResolvedConfig): boolean {
    return !isLibrary(this.#input.options, config)
  }

  /** `undefined` if texts are modules of the bundle. */
  async addresses({ config, prebuilt }: LoadedState): Promise<string | undefined> {
    if (!this.isFiles(config)) return undefined
    if (config.prune !== false) return ADDRESSES
    // Hashes that exist from the start are included in esbuild's own hashes.
    const texts = await prebuilt(this.#extension)
    if (isOneFile(this.#input.options, config)) return inlineAddressesExpression(texts, { extension: this.#extension })
    const { hashes } = texts
    return addressesExpression({ extension: this.#extension, hashes, base: JSON.stringify(BASE) })
  }

  async finish(result: BuildResult): Promise<void> {
    const { metafile } = result
    if (!metafile) return
    const { root, session } = this.#input
    const output = new EsbuildOutput({ ...result, metafile }, root)
    const codes = new Map<string, string>()
    for (const name of output.names.filter(this.#isScript)) codes.set(name, await output.text(name))
    const manifests = [...codes].filter(([, code]) => hasAddresses(code)).map(([name]) => name)
    if (manifests.length === 0 && ![...codes.values()].some(hasPending)) return this.#check(metafile, codes, [])
    const { config } = await session.ready()
    const usages = config.prune === false ? [] : await usagesIn(metafile, root, session)
    const state = await session.prune(usages)
    const { texts, inserted } = await this.#edit(output, codes, state)
    // With `prune`, esbuild named the files before their texts were known.
    const nameOf = await output.apply(texts, config.prune === false ? undefined : inserted)
    const hasFiles = manifests.length > 0 && !isOneFile(this.#input.options, config)
    const files = hasFiles ? (await state.prebuilt(this.#extension)).files : []
    await output.add(this.#folder, files, manifests.map(nameOf))
    for (const [name, text] of texts) if (codes.has(name)) codes.set(name, text)
    const made = files.map(({ name }) => resolve(this.#folder, name))
    this.#check(metafile, codes, made)
  }

  /** The changed files and their source maps, and the inserted code. */
  async #edit(output: EsbuildOutput, codes: ReadonlyMap<string, string>, state: LoadedState) {
    const texts = new Map<string, string>()
    const inserted: string[] = []
    for (const [name, code] of codes) {
      const changes = await this.#changesOf(name, code, state)
      if (changes.length === 0) continue
      const edited = editCode({ code, map: await output.mapOf(name) }, changes)
      texts.set(name, edited.code)
      if (edited.map !== undefined) texts.set(`${name}.map`, edited.map)
      inserted.push(...changes.map(({ text }) => text))
    }
    return { texts, inserted: inserted.join('\n') }
  }

  async #changesOf(name: string, code: string, state: LoadedState): Promise<CodeEdit[]> {
    const { options, root, logger } = this.#input
    const base = JSON.stringify(addressOf(resolve(root, name), this.#folder))
    const edits: CodeEdit[] = [...code.matchAll(QUOTED_BASE)].map(({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
      text: base,
    }))
    for (let at = code.indexOf(ADDRESSES); at !== -1; at = code.indexOf(ADDRESSES, at + 1)) {
      const extension = this.#extension
      const prebuilt = await state.prebuilt(extension)
      const text = isOneFile(options, state.config)
        ? inlineAddressesExpression(prebuilt, { extension })
        : addressesExpression({ extension, hashes: prebuilt.hashes, base })
      edits.push({ start: at, end: at + ADDRESSES.length, text })
    }
    const { textsOfPending } = await import('../../generate.ts')
    edits.push(...(await textsOfPending(code, state, logger)))
    return options.charset === 'utf8' ? edits : edits.map((edit) => ({ ...edit, text: escapeNonAscii(edit.text) }))
  }

  #check(metafile: Metafile, codes: ReadonlyMap<string, string>, made: readonly string[]): void {
    const { root } = this.#input
    const place = (name: string) => toPosix(resolve(root, name))
    checkMessageFiles({
      root,
      names: Object.keys(metafile.outputs).map(place),
      scripts: [...codes].map(([name, code]) => ({ name: place(name), text: () => code })),
      made: made.map(toPosix),
      folder: toPosix(this.#output),
    })
  }
}

function hasAddresses(code: string): boolean {
  return code.includes(BASE) || code.includes(ADDRESSES)
}

function addressOf(path: string, folder: string): string {
  const steps = toPosix(relative(dirname(path), folder))
  return `${steps.startsWith('.') ? steps : `./${steps}`}/`
}

/** Escapes like esbuild does: only strings in the inserted code can contain such characters. */
function escapeNonAscii(code: string): string {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
