// Bundles the inspector's page, with what it uses, into static files beside the built package. Run by the package's
// build.
import { copyFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

export async function buildInspector(outdir = `${root}dist/inspector`): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: { page: 'src/inspector/page/app.tsx', edit: 'src/inspector/page/edit/main.ts' },
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  })
  await copyFile(`${root}src/inspector/page/index.html`, `${outdir}/index.html`)
}
