/** Builds with esbuild and the plugin, one for each message: its folder, and what the output must contain. */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import localization from '../../dist/esbuild.js'

const { service } = JSON.parse(process.argv[2])

process.on('message', async ({ id, root, cache, keep, expected }) => {
  try {
    await mkdir(root, { recursive: true })
    await writeFile(join(root, 'main.js'), "import { load } from 'virtual:translations'\nglobalThis.show = load\n")
    // What a CI system restores before the build.
    if (cache) await cp(join(cache, '.localization'), join(root, '.localization'), { recursive: true })
    const startedAt = performance.now()
    const { outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: [join(root, 'main.js')],
      outdir: join(root, 'dist'),
      bundle: true,
      splitting: true,
      format: 'esm',
      write: false,
      logLevel: 'silent',
      plugins: [
        localization({ root, configFile: false, source: 'hosting', environment: '_latest', report: false, service }),
      ],
    })
    const ms = performance.now() - startedAt
    const isRight = outputFiles.some(({ text }) => text.includes(expected))
    if (!keep) await rm(root, { recursive: true })
    process.send({ id, ms, error: isRight ? undefined : 'the output lacks a text' })
  } catch (error) {
    process.send({ id, ms: Number.NaN, error: String(error?.message ?? error) })
  }
})
console.log('{}')
