/**
 * The adapter for Rsbuild. It uses Rspack's adapter in each compiler, and also supports Rsbuild's own dev server and
 * its `public` folder.
 */
import { resolve } from 'node:path'
import type { EnvironmentContext, RsbuildPluginAPI } from '@rsbuild/core'
import type { Compiler } from 'webpack'
import type { CreateAdapter } from '../../bundler-adapter.ts'
import { tone } from '../../inspector.ts'
import { refusePrivateFiles } from '../../private-files.ts'
import { checkCopiedFolder, secretsToFind } from '../../secret-scan.ts'
import { createCompilerAdapter } from '../webpack/adapter.ts'

export const createAdapter: CreateAdapter = (input) => {
  const { session, inspector } = input
  const { apply, ...adapter } = createCompilerAdapter({ ...input, isTargetEdition: true })
  return {
    ...adapter,
    hooks: {
      rsbuild: {
        setup(api) {
          api.onAfterStartDevServer(({ port }) => {
            const { https } = api.getNormalizedConfig().server
            inspector.announce(`http${https ? 's' : ''}://localhost:${port}/`, (address) =>
              api.logger.log(`  ➜  ${tone('dim', 'Inspector:')} ${tone('cyan', address)}`),
            )
          })
          // unplugin calls the `rspack` hook only in Rspack itself.
          api.modifyRspackConfig(({ plugins, output }, { isDev }) => {
            plugins.push({ apply: (compiler: unknown) => apply(compiler as Compiler) })
            // Rsbuild 2.3 deletes a hot update after two more builds. If a page has not fetched the update by then, the
            // page reloads.
            if (isDev && Number.parseInt(api.context.version, 10) >= 2) output.clean ??= { keep: /./ }
          })
          api.onBeforeBuild({
            // This runs before Rsbuild copies the folders, because there is no hook for the copying itself.
            order: 'pre',
            async handler({ isFirstCompile, environments }) {
              if (!isFirstCompile) return
              const root = api.context.rootPath
              session.configure({ root, command: 'build', mode: api.getNormalizedConfig().mode })
              const folders = copiedFolders(api, Object.values(environments))
              if (folders.length === 0) return
              const secrets = await secretsToFind(session)
              for (const folder of folders) await checkCopiedFolder(folder, await session.root(), secrets)
            },
          })
          api.onBeforeStartDevServer(({ server: { middlewares } }) => {
            const { host, allowedHosts } = api.getNormalizedConfig().server
            // Must come before proxies, static folders, and the fallback that serves the app for every other URL.
            middlewares.use(refusePrivateFiles([api.context.rootPath]))
            middlewares.use(inspector([host, allowedHosts]))
          })
        },
      },
    },
  }
}

interface PublicFolder {
  readonly name?: string
  /** `auto` means that the folder is copied unless every output is for Node. */
  readonly copyOnBuild?: boolean | 'auto'
}

function copiedFolders(api: RsbuildPluginAPI, environments: readonly EnvironmentContext[]): string[] {
  const hasPage = environments.some(({ config }) => config.output.target !== 'node')
  // In Rsbuild 1, this option is not normalized.
  const given = api.getNormalizedConfig().server.publicDir as PublicFolder | readonly PublicFolder[] | false | undefined
  if (given === false) return []
  return [given ?? {}]
    .flat()
    .filter(({ copyOnBuild = 'auto' }) => (copyOnBuild === 'auto' ? hasPage : copyOnBuild))
    .map(({ name = 'public' }) => resolve(api.context.rootPath, name))
}
