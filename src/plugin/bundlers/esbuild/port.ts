/** The port for esbuild's output. The plugin edits the output after the build, and adds the message files. */

import { readFile } from 'node:fs/promises'
import { dirname, posix, relative, resolve } from 'node:path'
import type { BuildOptions, BuildResult, Metafile } from 'esbuild'
import type { ResolvedConfig } from '../../../config/types.ts'
import { ADDRESSES, type ChunkExtension } from '../../../output/prebuilt-chunks.ts'
import { toPosix } from '../../../shared/paths.ts'
import { type ModuleUsage, unreadableUsage } from '../../../usage/model.ts'
import { type AdapterInput, LIVE_WARNING } from '../../bundler-adapter.ts'
import {
  addressesIn,
  type CodeEdit,
  hasPlaceholders,
  isLiveInVain,
  type OutputPort,
  OutputTexts,
} from '../../output-texts.ts'
import type { Session } from '../../session.ts'
import type { LoadedState } from '../../state.ts'
import { EsbuildOutput, editCode } from './output.ts'

const NO_SCRIPT = /\.(?:css|scss|sass|less|txt|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|eot|wasm|html)$/i

/** Matches this plugin's modules, and modules that esbuild replaced with empty ones. */
const NO_SOURCE = /^[^/]*:\0localization|^\(disabled\):/

/** Returns the usage of each module that contributes code to the output. */
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
    // A module of another plugin may not be a file. It may use any key.
    const usage = code === undefined ? unreadableUsage('cannot be read') : await session.analyze(code, path, NO_FILE)
    if (usage) usages.push([path, usage])
  }
  return usages
}

/** The analyzed code is the file itself, so there is no original to read. */
const NO_FILE = async () => undefined

/** A placeholder for the URL of the message folder. That URL depends on the output file that contains the manifest. */
const BASE = '__UNPLUGIN_LOCALIZATION_BASE__'
const QUOTED_BASE = new RegExp(`(["'\`])${BASE}\\1`, 'g')

/**
 * Returns true if another bundler will process the output. By default, this is never the case for Node outputs, which
 * Node runs directly.
 */
function isLibrary({ platform, packages, format }: BuildOptions, { library }: ResolvedConfig): boolean {
  return library ?? (platform !== 'node' && (packages === 'external' || format === 'cjs'))
}

/**
 * Returns true for a browser output without `splitting`. Such an output is a single file, which cannot fetch anything
 * if it is opened from disk.
 */
function isOneFile({ platform, splitting }: BuildOptions, { library }: ResolvedConfig): boolean {
  return library !== false && platform !== 'node' && splitting !== true
}

function isScriptOf({ outExtension, outfile }: BuildOptions, root: string): (name: string) => boolean {
  const extension = outExtension?.['.js'] ?? '.js'
  const only = outfile === undefined ? undefined : toPosix(relative(root, resolve(root, outfile)))
  return (name) => name.endsWith(extension) || name === only
}

/** Returns `undefined` if the build has no output folder. Texts are then bundled as modules. */
export function createEsbuildTexts(options: BuildOptions, root: string, input: AdapterInput): EsbuildTexts | undefined {
  const { outdir, outfile } = options
  const folder = outdir ?? (outfile === undefined ? undefined : dirname(outfile))
  return folder === undefined ? undefined : new EsbuildTexts(options, root, input, resolve(root, folder))
}

export class EsbuildTexts {
  readonly isScript: (name: string) => boolean
  /** The absolute path of the message folder. */
  readonly #folder: string
  readonly #extension: ChunkExtension

  constructor(
    private readonly options: BuildOptions,
    private readonly root: string,
    private readonly input: AdapterInput,
    readonly outputFolder: string,
  ) {
    const beside = posix.dirname(options.assetNames ?? 'x')
    this.isScript = isScriptOf(options, root)
    this.#folder = resolve(outputFolder, beside.includes('[') ? '.' : beside, 'localization')
    this.#extension = options.platform === 'node' ? '.mjs' : '.js'
  }

  /** Returns false if texts are bundled as modules. */
  isFiles(config: ResolvedConfig): boolean {
    return !isLibrary(this.options, config)
  }

  /** Returns the expression for the manifest's addresses, or `undefined` if texts are bundled as modules. */
  async addresses(state: LoadedState): Promise<string | undefined> {
    const { config } = state
    if (!this.isFiles(config)) return undefined
    // If the hashes are known from the start, they are in the code when esbuild computes its own hashes for file names.
    return config.prune === false ? addressesIn(this.#port(config), BASE, state) : ADDRESSES
  }

  /** Adds the texts to the output. Returns the absolute paths of the message files. */
  async finish(result: BuildResult & { readonly metafile: Metafile }): Promise<readonly string[]> {
    const { metafile } = result
    const { session, logger } = this.input
    const output = new EsbuildOutput(result, this.root, this.options)
    const codes = new Map<string, string>()
    for (const name of output.names.filter(this.isScript)) codes.set(name, await output.text(name))
    const isUnfinished = (code: string) => code.includes(BASE) || hasPlaceholders(code)
    if (![...codes.values()].some(isUnfinished)) return []
    const { config } = await session.ready()
    const texts = new OutputTexts(this.input, () => usagesIn(metafile, this.root, session))
    const manifests = [...codes].filter(([, code]) => code.includes(BASE) || code.includes(ADDRESSES))
    const made: string[] = []
    let nameOf = (name: string) => name
    const port: OutputPort = {
      ...this.#port(config),
      emit: (files) => {
        made.push(...files.map(({ name }) => toPosix(resolve(this.#folder, name))))
        const importers = manifests.map(([name]) => nameOf(name))
        return output.add(this.#folder, files, importers)
      },
    }
    if (manifests.length > 0 && isLiveInVain(port, config)) logger.warn(LIVE_WARNING)
    const edits = (name: string, code: string) => texts.editsIn(port, name, code)
    const { changed, inserted } = await this.#edit(output, codes, edits)
    // If `prune` is on, esbuild computed the names of the files before it knew their texts, so they get new names.
    nameOf = await output.apply(changed, config.prune === false ? undefined : inserted)
    if (manifests.length > 0) await texts.emit(port)
    return made
  }

  #port(config: ResolvedConfig): OutputPort {
    const options = this.options
    return {
      place: this.isFiles(config) ? 'files' : 'chunks',
      isOneFile: isOneFile(options, config),
      extension: this.#extension,
      baseIn: (script) => JSON.stringify(script === BASE ? BASE : addressOf(resolve(this.root, script), this.#folder)),
      absolute: (base) => {
        const isCommonJs = options.format === 'cjs' || (options.format === undefined && options.platform === 'node')
        return `new URL(${base}, ${isCommonJs ? "require('node:url').pathToFileURL(__filename)" : 'import.meta.url'}).href`
      },
      emit: () => {},
    }
  }

  async #edit(
    output: EsbuildOutput,
    codes: ReadonlyMap<string, string>,
    editsIn: (name: string, code: string) => Promise<readonly CodeEdit[]>,
  ) {
    const changed = new Map<string, string>()
    const inserted: string[] = []
    for (const [name, code] of codes) {
      const base = JSON.stringify(addressOf(resolve(this.root, name), this.#folder))
      const bases = [...code.matchAll(QUOTED_BASE)].map(({ 0: found, index }) => {
        return { start: index, end: index + found.length, text: base }
      })
      const ofTexts = [...bases, ...(await editsIn(name, code))]
      if (ofTexts.length === 0) continue
      const isPlain = this.options.charset === 'utf8'
      const edits = isPlain ? ofTexts : ofTexts.map((edit) => ({ ...edit, text: escapeNonAscii(edit.text) }))
      const edited = editCode({ code, map: await output.mapOf(name) }, edits)
      changed.set(name, edited.code)
      if (edited.map !== undefined) changed.set(`${name}.map`, edited.map)
      inserted.push(...edits.map(({ text }) => text))
    }
    return { changed, inserted: inserted.join('\n') }
  }
}

function addressOf(path: string, folder: string): string {
  const steps = toPosix(relative(dirname(path), folder))
  return `${steps.startsWith('.') ? steps : `./${steps}`}/`
}

/**
 * Escapes non-ASCII characters in the same way as esbuild. This is safe because only strings in the inserted code
 * contain such characters.
 */
function escapeNonAscii(code: string): string {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
