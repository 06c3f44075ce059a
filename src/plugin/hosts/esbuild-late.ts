/** Late files in esbuild: written when it has ended, and the one place that knows their folder filled in. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, posix, relative, resolve } from 'node:path'
import type { BuildOptions, BuildResult, Metafile, OutputFile } from 'esbuild'
import { LocalizationError } from '../../errors.ts'
import { addressesExpression, type LateExtension, type LateFile } from '../../modules/late.ts'
import { toPosix } from '../../shared/paths.ts'
import type { LoadedState } from '../state.ts'

/**
 * Stands for the folder's address, which depends on the file that the manifest ends up in. As long as any address may be: it is replaced
 * at equal length, so that source maps stay right.
 */
const BASE = `__UNPLUGIN_LOCALIZATION_BASE_${'_'.repeat(170)}`
const QUOTED_BASE = new RegExp(`(["'\`])${BASE}\\1`, 'g')

/** How many files are written at once. */
const BATCH = 64

export interface EsbuildLate {
  addresses(state: LoadedState): Promise<string>
  emit(state: LoadedState, result: BuildResult): Promise<void>
}

/** `undefined` where the output has no folder: texts are modules there. */
export function createEsbuildLate(options: BuildOptions, root: string): EsbuildLate | undefined {
  const { outdir, outfile, platform, write = true } = options
  if (outdir === undefined && outfile === undefined) return undefined
  const output = resolve(root, outdir ?? dirname(outfile as string))
  const beside = posix.dirname(options.assetNames ?? 'x')
  const folder = resolve(output, beside.includes('[') ? '.' : beside, 'localization')
  const extension: LateExtension = platform === 'node' ? '.mjs' : '.js'

  return {
    async addresses({ late }) {
      const { hashes } = await late(extension)
      return addressesExpression({ extension, hashes, base: JSON.stringify(BASE) })
    },
    async emit({ late }, result) {
      const holders = await fillIn(result, root, folder, write)
      if (holders === 0) return
      const { files } = await late(extension)
      const outputs: Metafile['outputs'] = result.metafile?.outputs ?? {}
      for (const { name, content } of files) {
        const path = toPosix(relative(root, resolve(folder, name)))
        outputs[path] = { bytes: content.length, inputs: {}, imports: [], exports: ['default'] }
      }
      if (write) await writeFiles(folder, files)
      else result.outputFiles?.push(...files.map((file) => outputFile(folder, file)))
    },
  }
}

/** How many outputs held the manifest. */
async function fillIn(result: BuildResult, root: string, folder: string, write: boolean): Promise<number> {
  const filled = (path: string, code: string) =>
    code.replace(QUOTED_BASE, (found) => {
      const steps = toPosix(relative(dirname(path), folder))
      const address = JSON.stringify(`${steps.startsWith('.') ? steps : `./${steps}`}/`)
      if (address.length <= found.length) return address.padEnd(found.length)
      throw new LocalizationError(`the folder ${folder} is too far from ${path}`, {
        code: 'CONFIG_INVALID',
        hint: 'Choose shorter output paths.',
      })
    })
  let holders = 0
  if (!write) {
    for (const file of result.outputFiles ?? []) {
      if (!/\.[cm]?js$/.test(file.path) || !file.text.includes(BASE)) continue
      file.contents = Buffer.from(filled(file.path, file.text))
      holders++
    }
    return holders
  }
  for (const name of Object.keys(result.metafile?.outputs ?? {})) {
    if (!/\.[cm]?js$/.test(name)) continue
    const path = resolve(root, name)
    const code = await readFile(path, 'utf8')
    if (!code.includes(BASE)) continue
    await writeFile(path, filled(path, code))
    holders++
  }
  return holders
}

/** What has the name and the size is the same file: names hold the content's hash. */
async function writeFiles(folder: string, files: readonly LateFile[]): Promise<void> {
  for (const path of new Set(files.map(({ name }) => dirname(resolve(folder, name))))) {
    await mkdir(path, { recursive: true })
  }
  for (let at = 0; at < files.length; at += BATCH) {
    await Promise.all(
      files.slice(at, at + BATCH).map(async ({ name, content }) => {
        const path = resolve(folder, name)
        const known = await stat(path).catch(() => undefined)
        if (known?.size !== content.length) await writeFile(path, content)
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
