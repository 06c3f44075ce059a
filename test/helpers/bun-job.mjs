// One build with Bun, in Bun.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export async function work({ root, entries, options, others = [], pluginFile, ...more }) {
  const { sourcemap, outDir, minify, define } = more
  const { default: localization } = await import(pathToFileURL(pluginFile).href)
  // Bun names outputs after their sources.
  const names = new Map(Object.entries(entries).map(([name, path]) => [join(root, path), name]))
  const changed = [...names].filter(([path, name]) => !path.endsWith(`/${name}.js`))
  if (changed.length > 0) throw new Error(`Bun cannot name the outputs of ${changed.map(([path]) => path).join(', ')}`)
  const built = Bun.build({
    entrypoints: [...names.keys()],
    outdir: outDir,
    target: 'node',
    splitting: true,
    naming: { entry: '[name].mjs', chunk: 'chunks/[name]-[hash].mjs' },
    sourcemap: sourcemap ? 'linked' : 'none',
    minify,
    define,
    plugins: [options, ...others].map((one) => localization(one)),
  })
  await built.catch((error) => {
    throw new Error([error.message, ...(error.errors ?? []).map(({ message }) => message)].join('\n'))
  })
}
