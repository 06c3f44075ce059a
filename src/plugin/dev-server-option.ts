/** webpack-dev-server and Rspack's: the option `devServer`, which their commands hand to the server they start. */
import type { Compiler } from 'webpack'
import type { InspectorMount } from './inspector.ts'

interface DevServerOptions {
  readonly host?: unknown
  readonly allowedHosts?: unknown
  readonly setupMiddlewares?: (middlewares: unknown[], server: unknown) => unknown[]
}

/** A server that is made by hand with other options than the compiler's is not reached. */
export function mountInDevServer(compiler: Compiler, inspector: InspectorMount): void {
  const holder = compiler.options as { devServer?: DevServerOptions | false }
  const { devServer = {} } = holder
  if (devServer === false) return
  const { host, allowedHosts, setupMiddlewares } = devServer
  holder.devServer = {
    ...devServer,
    setupMiddlewares(middlewares, server) {
      const middleware = inspector.middleware({ hosts: [host, allowedHosts] })
      const all = setupMiddlewares?.(middlewares, server) ?? middlewares
      // In front of proxies and of what answers every address with the app.
      return [{ name: 'unplugin-localization', middleware }, ...all]
    },
  }
}
