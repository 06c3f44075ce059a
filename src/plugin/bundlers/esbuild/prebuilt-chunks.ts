/** What esbuild leaves to the end of a build: prebuilt chunks, written beside the output, their addresses, and pruned texts. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, posix, relative, resolve } from 'node:path'
import type { BuildOptions, BuildResult, Metafile, OutputFile } from 'esbuild'
import type { ResolvedConfig } from '../../../config/types.ts'
import type { Logger } from '../../../logger.ts'
import { hasPending } from '../../../output/messages.ts'
import {
  ADDRESSES,
  addressesExpression,
  type ChunkExtension,
  type PrebuiltChunk,
} from '../../../output/prebuilt-chunks.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { ModuleUsage } from '../../../usage/model.ts'
import { textsOfPending } from '../../generate.ts'
import { checkMessageFiles } from '../../message-files.ts'
import type { Session } from '../../session.ts'
import type { LoadedState } from '../../state.ts'
import { type CodeEdit, editCode } from './edits.ts'
import { importersOf, type OutputEdit, outputsOf, renameHash } from './output.ts'
import { codeChunks, delaysOf, isScriptOf, perChunkIn } from './per-chunk-messages.ts'

/** Stands for the folder's address, which depends on the file that the manifest ends up in. */
const BASE = '__UNPLUGIN_LOCALIZATION_BASE__'
const QUOTED_BASE = new RegExp(`(["'\`])${BASE}\\1`, 'g')

/** How many files are written at once. */
const BATCH = 64

export interface EsbuildPrebuilt {
  /** `undefined`: texts are modules of the bundle. */
  addresses(state: LoadedState): Promise<string | undefined>
  /** @param entries see `codeChunks`; `isPerChunk`: texts come with chunks */
  finish(
    result: BuildResult,
    parts: { readonly isPerChunk: boolean; readonly entries?: Set<string> | undefined },
  ): Promise<void>
}

export interface EsbuildPrebuiltInput {
  readonly options: BuildOptions
  readonly root: string
  readonly session: Session
  readonly logger: Logger
}

/** Whether other bundlers build the output again. Node runs what is made for it as it is. */
export function isLibrary({ platform, packages, format }: BuildOptions, { library }: ResolvedConfig): boolean {
  return library ?? (platform !== 'node' && (packages === 'external' || format === 'cjs'))
}

/** `undefined` where the output has no folder: texts are modules there. */
export function createEsbuildPrebuilt({
  options,
  root,
  session,
  logger,
}: EsbuildPrebuiltInput): EsbuildPrebuilt | undefined {
  const { outdir, outfile, platform, charset, write = true } = options
  if (outdir === undefined && outfile === undefined) return undefined
  const output = resolve(root, outdir ?? dirname(outfile as string))
  const beside = posix.dirname(options.assetNames ?? 'x')
  const folder = resolve(output, beside.includes('[') ? '.' : beside, 'localization')
  const extension: ChunkExtension = platform === 'node' ? '.mjs' : '.js'
  const isScript = isScriptOf(options, root)

  /** As esbuild writes what is not in ASCII. */
  const spell = (text: string) => (charset === 'utf8' ? text : escapeNonAscii(text))

  const editsOf = async (name: string, code: string, state: LoadedState, outputs: Metafile['outputs'] | undefined) => {
    const base = () => JSON.stringify(addressOf(resolve(root, name), folder))
    const edits: CodeEdit[] = [...code.matchAll(QUOTED_BASE)].map(({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
      text: base(),
    }))
    for (let at = code.indexOf(ADDRESSES); at !== -1; at = code.indexOf(ADDRESSES, at + 1)) {
      const { hashes } = await state.prebuilt(extension)
      const parts = outputs && (await perChunkIn(state, extension, outputs))
      const text = addressesExpression({ extension, hashes, base: base(), perChunk: parts })
      edits.push({ start: at, end: at + ADDRESSES.length, text })
    }
    edits.push(...(await textsOfPending(code, state, logger)))
    for (const { start, end, before, after } of outputs
      ? await delaysOf({ name, code, outputs, state, root, options })
      : []) {
      edits.push({ start, end: start, text: before }, { start: end, end, text: after })
    }
    return edits.map((edit) => ({ ...edit, text: spell(edit.text) }))
  }

  return {
    async addresses({ config, prebuilt }) {
      if (isLibrary(options, config)) return undefined
      // Hashes that are there from the start are in esbuild's own.
      return config.prune === false
        ? addressesExpression({ extension, hashes: (await prebuilt(extension)).hashes, base: JSON.stringify(BASE) })
        : ADDRESSES
    },
    async finish(result, { isPerChunk, entries }) {
      const { metafile } = result
      if (!metafile) return
      const outputs = outputsOf(result, root, write)
      const codes = new Map<string, string>()
      for (const { name, text } of outputs.all) if (isScript(name)) codes.set(name, await text())
      const some = (test: (code: string) => boolean) => [...codes.values()].some(test)
      const place = (name: string) => toPosix(resolve(root, name))
      const checkFiles = (scripts: ReadonlyMap<string, string>, made: readonly string[]) =>
        checkMessageFiles({
          root,
          names: Object.keys(metafile.outputs).map(place),
          scripts: [...scripts].map(([name, code]) => ({ name: place(name), text: () => code })),
          made: made.map(place),
          folder: toPosix(output),
        })
      const hasManifest = some((code) => code.includes(BASE) || code.includes(ADDRESSES))
      if (!hasManifest && !some(hasPending)) return checkFiles(codes, [])
      const { config } = await session.ready()
      const usages = config.prune === false ? [] : await usagesIn(metafile, root, session)
      const chunks = hasManifest && isPerChunk ? codeChunks(metafile.outputs, { root, entries, isScript }) : undefined
      const state = await session.prune(usages, chunks)
      const filled = new Map<string, OutputEdit>()
      const inserted: string[] = []
      for (const [name, code] of codes) {
        const edits = await editsOf(name, code, state, chunks && metafile.outputs)
        if (edits.length === 0) continue
        const map = await outputs.all.find((one) => one.name === `${name}.map`)?.text()
        const edited = editCode({ code, map }, edits)
        filled.set(name, { name, text: edited.code })
        if (edited.map !== undefined) filled.set(`${name}.map`, { name: `${name}.map`, text: edited.map })
        inserted.push(...edits.map(({ text }) => text))
      }
      const edits =
        config.prune === false
          ? filled
          : await renamed(filled, [...filled.keys()].filter(isScript), outputs.all, metafile, inserted.join('\n'))
      await outputs.apply(edits)
      const files = hasManifest ? (await state.prebuilt(extension)).files : []
      const made = files.map(({ name }) => `${toPosix(relative(root, folder))}/${name}`)
      const imports = made.map((path) => ({ path, kind: 'dynamic-import' as const }))
      for (const [name, code] of codes)
        if (code.includes(BASE) || code.includes(ADDRESSES))
          metafile.outputs[edits.get(name)?.name ?? name]?.imports.push(...imports)
      for (const [i, { module }] of files.entries())
        metafile.outputs[made[i] as string] = { bytes: module.size, inputs: {}, imports: [], exports: ['default'] }
      if (write) await writeFiles(folder, files)
      else result.outputFiles?.push(...files.map((file) => outputFile(folder, file)))
      for (const [name, { text }] of filled) if (codes.has(name)) codes.set(name, text)
      checkFiles(codes, made)
    },
  }
}

function addressOf(path: string, folder: string): string {
  const steps = toPosix(relative(dirname(path), folder))
  return `${steps.startsWith('.') ? steps : `./${steps}`}/`
}

/** What is inserted stands in strings where it is not in ASCII. */
function escapeNonAscii(code: string): string {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** esbuild named its files before it was known what they hold: those that were changed get new names, and so does whatever leads there. */
async function renamed(
  filled: ReadonlyMap<string, OutputEdit>,
  changed: readonly string[],
  all: readonly { readonly name: string; text(): Promise<string> }[],
  metafile: Metafile,
  content: string,
): Promise<Map<string, OutputEdit>> {
  const affected = importersOf(metafile, changed)
  const names = [...affected].map((name) => [name, renameHash(name, content)] as const)
  const nameOf = new Map(names)
  const replaceNames = (text: string) =>
    names.reduce((code, [old, name]) => (old === name ? code : code.replaceAll(basename(old), basename(name))), text)
  const edits = new Map<string, OutputEdit>()
  for (const { name, text } of all) {
    const owner = name.endsWith('.map') ? name.slice(0, -4) : name
    if (!affected.has(owner)) continue
    const code = filled.get(name)?.text ?? (await text())
    const next = nameOf.get(owner) ?? owner
    edits.set(name, { name: owner === name ? next : `${next}.map`, text: replaceNames(code) })
  }
  return edits
}

/** Files that no call can be in. */
const NO_SCRIPT = /\.(?:css|scss|sass|less|json|txt|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|eot|wasm|html)$/i

/** esbuild shows no module's code: sources are read from the disk, those that are in the output. */
async function usagesIn(metafile: Metafile, root: string, session: Session): Promise<[string, ModuleUsage][]> {
  const inputs = new Set<string>()
  for (const output of Object.values(metafile.outputs)) {
    for (const [name, { bytesInOutput }] of Object.entries(output.inputs)) if (bytesInOutput > 0) inputs.add(name)
  }
  const usages: [string, ModuleUsage][] = []
  for (const name of inputs) {
    if (NO_SCRIPT.test(name) || /^[^/]*:\0localization|^\(disabled\):/.test(name)) continue
    const path = resolve(root, name)
    const code = await readFile(path, 'utf8').catch(() => undefined)
    const usage = code === undefined ? UNREADABLE(name) : await session.analyze(code, path)
    if (usage) usages.push([path, usage])
  }
  return usages
}

/** Another plugin's module, which is nowhere to be read: it may use anything. */
const UNREADABLE = (name: string): ModuleUsage => ({
  uses: [],
  unknown: [{ namespaces: 'any', code: name, reason: 'syntax', place: { line: 1, column: 1 } }],
})

/** What has the name and the size is the same file: names hold the content's hash. */
async function writeFiles(folder: string, files: readonly PrebuiltChunk[]): Promise<void> {
  const folders = new Set(files.map(({ name }) => name.slice(0, Math.max(0, name.lastIndexOf('/')))))
  for (const below of folders) await mkdir(join(folder, below), { recursive: true })
  for (let at = 0; at < files.length; at += BATCH) {
    await Promise.all(
      files.slice(at, at + BATCH).map(async ({ name, module }) => {
        const path = `${folder}/${name}`
        const known = await stat(path).catch(() => undefined)
        if (known?.size !== module.size) await writeFile(path, module.bytes)
      }),
    )
  }
}

function outputFile(folder: string, { name, module }: PrebuiltChunk): OutputFile {
  const content = module.bytes
  const hash = name.split('.').at(-2) ?? ''
  return {
    path: resolve(folder, name),
    contents: content,
    hash,
    get text() {
      return content.toString('utf8')
    },
  }
}
