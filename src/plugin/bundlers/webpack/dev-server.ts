/** The dev servers of webpack and Rspack: the option `devServer`, which their commands pass to the server. */
import type { Compiler } from 'webpack'
import type { AdapterInput } from '../../bundler-adapter.ts'
import { refusePrivateFiles } from '../../private-files.ts'
import { createWarnOnce } from '../../warn-once.ts'

interface DevServerOptions {
  readonly host?: unknown
  readonly allowedHosts?: unknown
  readonly client?: ClientOptions | boolean
  readonly server?: unknown
  readonly onListening?: (server: ListeningServer) => void
  readonly setupMiddlewares?: (middlewares: unknown[], server: unknown) => unknown[]
}

interface ListeningServer {
  readonly server?: { address(): unknown } | null | undefined
}

interface ClientOptions {
  overlay?: unknown
}

/** A server made by hand with other options than the compiler's is not reached: the logger says so. */
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
      // Every address, and IPv6, have no name that a link could hold.
      const name = /^(?:0\.|127\.|.*:)/.test(address) ? 'localhost' : address
      if (port !== undefined) inspector.announce(`http${isSecure ? 's' : ''}://${name}:${port}/`)
    },
    setupMiddlewares(middlewares, server) {
      isMounted = true
      if (typeof client !== 'object' || client.overlay === undefined) showOwnWarnings(server)
      const middleware = inspector({ hosts: [host, allowedHosts] })
      const all = setupMiddlewares?.(middlewares, server) ?? middlewares
      // In front of proxies, of folders that are served, and of what answers every address with the app.
      return [
        { name: `${name}-private`, middleware: refusePrivateFiles([compiler.context]) },
        { name, middleware },
        ...all,
      ]
    },
  }
  const warnOnce = createWarnOnce(logger)
  compiler.hooks.done.tap(name, () => {
    // Servers mount everything before they wait for the first compilation.
    if (!isMounted && compiler.hooks.done.taps.some((tap) => DEV_SERVER.test(tap.name))) warnOnce(NOT_MOUNTED)
  })
}

/**
 * A broken file is a warning (an error would cost a reload after the mend), and Rspack's command shows only errors in
 * the overlay. An option of the project itself stays. Pages get the option when they connect.
 */
function showOwnWarnings(server: unknown): void {
  const { options } = (server ?? {}) as { readonly options?: { readonly client?: ClientOptions | boolean } }
  if (typeof options?.client !== 'object') return
  const { overlay } = options.client as { readonly overlay?: unknown }
  if (typeof overlay !== 'object' || overlay === null || !('warnings' in overlay) || overlay.warnings !== false) return
  options.client.overlay = { ...overlay, warnings: isOwnWarning }
}

/** Runs in the page, which is sent its source: it may use nothing from here. */
const isOwnWarning = (warning: unknown): boolean => JSON.stringify(warning).includes('%00localization%2F')

const NOT_MOUNTED =
  'the dev server does not take its options from compiler.options.devServer: it shows no inspector, and would serve ' +
  '.localization from a static folder that holds it'

/** The names under which the dev servers of webpack and Rspack tap the compiler. */
const DEV_SERVER = /^(?:webpack|rspack)-dev-server$/
