/** What the modules of an esbuild build use. esbuild shows no module's code: sources are read from the disk. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Metafile } from 'esbuild'
import type { ModuleUsage } from '../../../usage/model.ts'
import type { Session } from '../../session.ts'

/** Files that hold no call. */
const NO_SCRIPT = /\.(?:css|scss|sass|less|txt|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|eot|wasm|html)$/i

/** This plugin's modules, and modules that esbuild left out. */
const NO_SOURCE = /^[^/]*:\0localization|^\(disabled\):/

/** Only modules of which something is in the output. */
export async function usagesIn(metafile: Metafile, root: string, session: Session): Promise<[string, ModuleUsage][]> {
  const inputs = new Set<string>()
  for (const output of Object.values(metafile.outputs)) {
    for (const [name, { bytesInOutput }] of Object.entries(output.inputs)) if (bytesInOutput > 0) inputs.add(name)
  }
  const usages: [string, ModuleUsage][] = []
  for (const name of inputs) {
    if (NO_SCRIPT.test(name) || NO_SOURCE.test(name)) continue
    const path = resolve(root, name)
    const code = await readFile(path, 'utf8').catch(() => undefined)
    const usage = code === undefined ? anyUsage(name) : await session.analyze(code, path)
    if (usage) usages.push([path, usage])
  }
  return usages
}

/** Another plugin's module, which cannot be read: it may use any key. */
function anyUsage(name: string): ModuleUsage {
  return {
    uses: [],
    unknown: [{ namespaces: 'any', code: name, reason: 'syntax', place: { line: 1, column: 1 } }],
  }
}
