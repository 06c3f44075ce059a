/** Late files in esbuild: written when it has ended, and the one place that knows their folder and their hashes filled in. */
import { statSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, posix, relative, resolve } from 'node:path'
import type { BuildOptions, BuildResult, Metafile, OutputFile } from 'esbuild'
import { LocalizationError } from '../../errors.ts'
import { addressesExpression, hashesLength, type LateExtension, type LateFile } from '../../modules/late.ts'
import { toPosix } from '../../shared/paths.ts'
import { createSlowness } from '../../shared/slowness.ts'
import type { ModuleUsage } from '../../usage/model.ts'
import type { Session } from '../session.ts'
import type { LoadedState } from '../state.ts'
import { importersOf, type OutputEdit, outputsOf, renameHash } from './esbuild-output.ts'

/**
 * Stands for the folder's address, which depends on the file that the manifest ends up in. As long as any address may be: it is replaced
 * at equal length, so that source maps stay right.
 */
const BASE = `__UNPLUGIN_LOCALIZATION_BASE_${'_'.repeat(170)}`
const QUOTED_BASE = new RegExp(`(["'\`])${BASE}\\1`, 'g')

/** Stands for the hashes of a pruned build, as long as they will be. */
const HASHES = '__UNPLUGIN_LOCALIZATION_HASHES_'
const QUOTED_HASHES = new RegExp(`(["'\`])${HASHES}_*\\1`, 'g')

const SCRIPT = /\.[cm]?js$/

/** How many files are written at once. */
const BATCH = 64

export interface EsbuildLate {
  addresses(state: LoadedState): Promise<string>
  emit(result: BuildResult): Promise<void>
}

export interface EsbuildLateInput {
  readonly options: BuildOptions
  readonly root: string
  readonly session: Session
}

/** `undefined` where the output has no folder: texts are modules there. */
export function createEsbuildLate({ options, root, session }: EsbuildLateInput): EsbuildLate | undefined {
  const { outdir, outfile, platform, write = true } = options
  if (outdir === undefined && outfile === undefined) return undefined
  const output = resolve(root, outdir ?? dirname(outfile as string))
  const beside = posix.dirname(options.assetNames ?? 'x')
  const folder = resolve(output, beside.includes('[') ? '.' : beside, 'localization')
  const extension: LateExtension = platform === 'node' ? '.mjs' : '.js'

  return {
    async addresses({ config, late, translations }) {
      const hashes =
        config.prune === false ? (await late(extension)).hashes : HASHES.padEnd(hashesLength(translations), '_')
      return addressesExpression({ extension, hashes, base: JSON.stringify(BASE) })
    },
    async emit(result) {
      const { metafile } = result
      if (!metafile) return
      const outputs = outputsOf(result, root, write)
      const holders = new Map<string, string>()
      for (const { name, text } of outputs.all) {
        const code = SCRIPT.test(name) ? await text() : ''
        if (code.includes(BASE)) holders.set(name, code)
      }
      if (holders.size === 0) return
      const { config } = await session.ready()
      const { late } = await session.prune(config.prune === false ? [] : await usagesIn(metafile, root, session))
      const { files, hashes } = await late(extension)
      const filled = new Map<string, OutputEdit>()
      for (const [name, code] of holders) {
        const text = code
          .replace(QUOTED_BASE, (found) => addressOf(resolve(root, name), folder).padEnd(found.length))
          .replace(QUOTED_HASHES, (found) => JSON.stringify(hashes.padEnd(found.length - 2)))
        filled.set(name, { name, text })
      }
      // Hashes that were there from the start are in esbuild's own.
      const edits = config.prune === false ? filled : await renamed(filled, outputs.all, metafile, hashes)
      await outputs.apply(edits)
      for (const { name, size } of files) {
        const path = toPosix(relative(root, resolve(folder, name)))
        metafile.outputs[path] = { bytes: size, inputs: {}, imports: [], exports: ['default'] }
      }
      if (write) await writeFiles(folder, files)
      else result.outputFiles?.push(...files.map((file) => outputFile(folder, file)))
    },
  }
}

function addressOf(path: string, folder: string): string {
  const steps = toPosix(relative(dirname(path), folder))
  const address = JSON.stringify(`${steps.startsWith('.') ? steps : `./${steps}`}/`)
  if (address.length <= BASE.length + 2) return address
  throw new LocalizationError(`the folder ${folder} is too far from ${path}`, {
    code: 'CONFIG_INVALID',
    hint: 'Choose shorter output paths.',
  })
}

/** esbuild named its files before the hashes were known: those that hold them get new names, and so does whatever leads there. */
async function renamed(
  filled: ReadonlyMap<string, OutputEdit>,
  all: readonly { readonly name: string; text(): Promise<string> }[],
  metafile: Metafile,
  hashes: string,
): Promise<Map<string, OutputEdit>> {
  const affected = importersOf(metafile, [...filled.keys()])
  const names = [...affected].map((name) => [name, renameHash(name, hashes)] as const)
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
  loads: [],
  unknown: [{ namespaces: 'any', code: name, reason: 'syntax', place: { line: 1, column: 1 } }],
})

/** What has the name and the size is the same file: names hold the content's hash. */
async function writeFiles(folder: string, files: readonly LateFile[]): Promise<void> {
  for (const path of new Set(files.map(({ name }) => dirname(resolve(folder, name))))) {
    await mkdir(path, { recursive: true })
  }
  const slowness = createSlowness()
  const isThere = (known: number | undefined, { size }: LateFile) => known === size
  const inParallel: LateFile[] = []
  for (const file of files) {
    const path = resolve(folder, file.name)
    if (slowness.now) inParallel.push(file)
    else
      slowness.time(() => {
        if (!isThere(statSync(path, { throwIfNoEntry: false })?.size, file)) writeFileSync(path, file.content)
      })
  }
  for (let at = 0; at < inParallel.length; at += BATCH) {
    await Promise.all(
      inParallel.slice(at, at + BATCH).map(async (file) => {
        const path = resolve(folder, file.name)
        const known = await stat(path).catch(() => undefined)
        if (!isThere(known?.size, file)) await writeFile(path, file.content)
      }),
    )
  }
}

function outputFile(folder: string, { name, content }: LateFile): OutputFile {
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
