/** Adds the inspector to the dev servers of webpack and Rspack. */
import type { Compiler } from 'webpack'
import { createWarnOnce } from '../../../logger.ts'
import type { AdapterInput } from '../../bundler-adapter.ts'
import { refusePrivateFiles } from '../../private-files.ts'

interface DevServerOptions {
  readonly host?: unknown
  readonly allowedHosts?: unknown
  readonly client?: { overlay?: unknown } | boolean
  readonly server?: unknown
  readonly onListening?: (server: { readonly server?: { address(): unknown } | null | undefined }) => void
  readonly setupMiddlewares?: (middlewares: unknown[], server: unknown) => unknown[]
}

/**
 * Adds the inspector to the dev server. This works only through the compiler's options. If the dev server was created
 * through its API with other options, a warning is logged.
 */
export function mountInDevServer(compiler: Compiler, { name, inspector, logger }: AdapterInput): void {
  const holder = compiler.options as { devServer?: DevServerOptions | false }
  const { devServer = {} } = holder
  if (devServer === false) return
  const { host, allowedHosts, client, setupMiddlewares, onListening } = devServer
  let isMounted = false
  holder.devServer = {
    ...devServer,
    onListening(server) {
      onListening?.(server)
      const { port, address = '' } = (server.server?.address() ?? {}) as { port?: number; address?: string }
      const { type = devServer.server } = (devServer.server ?? {}) as { readonly type?: unknown }
      const isSecure = typeof type === 'string' && type !== 'http'
      // Links contain a hostname, so loopback, wildcard and IPv6 addresses become `localhost`.
      const hostname = /^(?:0\.|127\.|.*:)/.test(address) ? 'localhost' : address
      if (port === undefined) return
      inspector.announce(`http${isSecure ? 's' : ''}://${hostname}:${port}/`, (address) =>
        compiler.getInfrastructureLogger(name).info(`Inspector: ${address}`),
      )
    },
    setupMiddlewares(middlewares, server) {
      isMounted = true
      if (typeof client !== 'object' || client.overlay === undefined) showOwnWarnings(server)
      const middleware = inspector([host, allowedHosts])
      const all = setupMiddlewares?.(middlewares, server) ?? middlewares
      // Must come before proxies, static folders, and the fallback that serves the app for every URL.
      return [
        { name: `${name}-private`, middleware: refusePrivateFiles([compiler.context]) },
        { name, middleware },
        ...all,
      ]
    },
  }
  const warnOnce = createWarnOnce(logger)
  compiler.hooks.done.tap(name, () => {
    // A dev server sets up its middlewares before the first compilation is done.
    if (!isMounted && compiler.hooks.done.taps.some((tap) => DEV_SERVER.test(tap.name))) warnOnce(NOT_MOUNTED)
  })
}

/**
 * Makes the overlay show this plugin's warnings. A broken file causes a warning instead of an error, because the page
 * would reload after an error is fixed. By default, the overlay of Rspack's CLI shows only errors. The project's own
 * setting takes precedence. Pages receive this option when they connect.
 */
function showOwnWarnings(server: unknown): void {
  const { options } = (server ?? {}) as { readonly options?: Pick<DevServerOptions, 'client'> }
  if (typeof options?.client !== 'object') return
  const { overlay } = options.client
  if (typeof overlay !== 'object' || overlay === null || !('warnings' in overlay) || overlay.warnings !== false) return
  options.client.overlay = { ...overlay, warnings: isOwnWarning }
}

/**
 * Returns true for this plugin's warnings. The dev server sends this function's source to the page, so the function
 * cannot use anything else in this file.
 */
const isOwnWarning = (warning: unknown): boolean => JSON.stringify(warning).includes('%00localization%2F')

const NOT_MOUNTED =
  'the dev server ignores compiler.options.devServer: the inspector is not available, and a static folder with ' +
  '.localization in it would be served'

/** Matches the names under which the dev servers of webpack and Rspack tap into hooks. */
const DEV_SERVER = /^(?:webpack|rspack)-dev-server$/
