import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import localization from 'unplugin-localization/esbuild'
import { pageFiles } from './page-files.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** Bundles the page with esbuild. `outdir` is relative to the playground. */
export async function buildPage(outdir = 'dist-esbuild') {
  const output = join(folder, outdir)
  await rm(output, { recursive: true, force: true })
  await build({
    absWorkingDir: folder,
    entryPoints: { main: 'src/main.ts' },
    outdir: output,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    sourcemap: true,
    chunkNames: 'chunks/[hash]',
    plugins: [localization()],
  })
  await mkdir(output, { recursive: true })
  for (const [name, text] of await pageFiles()) await writeFile(join(output, name), text)
}
