/** The packed package, installed by each package manager, builds a page from files, and the output runs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { covers } from '../helpers/compatibility.ts'
import { packageManagers, registryAddress, startRegistry, Unavailable } from '../helpers/package-managers.ts'
import { packTarball, runNode } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const { devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  devDependencies: Readonly<Record<string, string>>
}

const FILES = {
  'index.html': '<script type="module" src="/main.js"></script>\n',
  'main.js': `import { languages, load } from 'virtual:translations'
const { title } = await load('pl', 'common')
console.log(JSON.stringify([languages.map(({ key }) => key), title]))
`,
  'vite.config.js': `import localization from 'unplugin-localization/vite'
import { defineConfig } from 'vite'

const rollupOptions = { input: 'main.js', output: { entryFileNames: 'main.mjs' } }
export default defineConfig({ base: './', plugins: [localization()], build: { ssr: true, rollupOptions } })
`,
  'localization.config.ts': `import { defineConfig } from 'unplugin-localization'

export default defineConfig({ defaultLanguage: 'en' })
`,
  'locales/en/common.json': { title: 'Welcome' },
  'locales/pl/common.json': { title: 'Witamy' },
}

/** What the machine says about its network; everything else of the developer's own stays out. */
function networkSettings(): Record<string, string> {
  const names = /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|DENO_(?:CERT|TLS_CA_STORE)|(?:https?|all|no)_proxy)$/i
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && names.test(name) ? [[name, value]] : [],
    ),
  )
}

covers({ tool: 'npm, pnpm, Yarn Plug’n’Play, Bun, Deno', setting: 'install, build, `check`', bundlers: ['vite'] })

test.each(packageManagers)('$name', async (manager) => {
  const command = await manager.command().catch((error: Error) => {
    if (process.env.CI || !(error instanceof Unavailable)) throw error
    console.warn(`${manager.name} is not tested: ${error.message}`)
    return undefined
  })
  if (!command) return
  const [program = '', ...first] = command
  const [root, tarball, upstream] = await Promise.all([tempFolder(), packTarball(), registryAddress()])
  const dependencies = { 'unplugin-localization': manager.specifier(tarball), vite: devDependencies.vite }
  const registry = manager.needsRegistry ? await startRegistry(tarball, upstream) : upstream
  await writeTree(root, {
    ...FILES,
    ...manager.files?.(registry),
    'package.json': { private: true, type: 'module', dependencies },
  })
  const env = { ...networkSettings(), npm_config_registry: registry, NPM_CONFIG_REGISTRY: registry }
  const run = async (...args: readonly string[]) => {
    const { code, output, stdout } = await runNode(program, [...first, ...args], { cwd: root, env })
    expect([code, output]).toEqual([0, output])
    return stdout
  }
  await run(...manager.install)
  await run(...manager.execute('vite', 'vite'), 'build')
  const { stdout, output } = await runNode(process.execPath, [join(root, 'dist/main.mjs')], { cwd: root })
  expect([stdout, output]).toEqual(['[["en","pl"],"Witamy"]\n', stdout])
  expect(await run(...manager.execute('unplugin-localization', 'localization'), 'check')).toContain('ok: 0 errors')
})
