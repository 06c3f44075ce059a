/** What importing an entry of the built package reads at once, dependencies included. */
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'

const root = join(import.meta.dirname, '..')

/** By entry: each file that static imports and `require()` reach from `dist/ENTRY.js`, relative to the repository. */
export async function readAtImport(entries: readonly string[]): Promise<Record<string, string[]>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => `dist/${entry}.js`),
    outdir: 'unused',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return Object.fromEntries(entries.map((entry) => [entry, reached(metafile.inputs, `dist/${entry}.js`)]))
}

function reached(inputs: Metafile['inputs'], start: string): string[] {
  const found = new Set<string>()
  const queue = [start]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file)) continue
    found.add(file)
    for (const { path, kind, external } of inputs[file]?.imports ?? [])
      if (!external && kind !== 'dynamic-import') queue.push(path)
  }
  return [...found]
}
