/** webpack-dev-server and Rspack's: the option `devServer`, which their commands hand to the server they start. */
import type { Compiler } from 'webpack'
import type { Logger } from '../logger.ts'
import type { InspectorMount } from './inspector.ts'
import { refusePrivateFiles } from './private-files.ts'

interface DevServerOptions {
  readonly host?: unknown
  readonly allowedHosts?: unknown
  readonly client?: ClientOptions | boolean
  readonly setupMiddlewares?: (middlewares: unknown[], server: unknown) => unknown[]
}

interface ClientOptions {
  overlay?: unknown
}

export interface DevServerMount {
  readonly name: string
  readonly inspector: InspectorMount
  readonly logger: Logger
}

/** A server that is made by hand with other options than the compiler's is not reached: the logger says so. */
export function mountInDevServer(compiler: Compiler, { name, inspector, logger }: DevServerMount): void {
  const holder = compiler.options as { devServer?: DevServerOptions | false }
  const { devServer = {} } = holder
  if (devServer === false) return
  const { host, allowedHosts, client, setupMiddlewares } = devServer
  let isMounted = false
  holder.devServer = {
    ...devServer,
    setupMiddlewares(middlewares, server) {
      isMounted = true
      if (typeof client !== 'object' || client.overlay === undefined) showOwnWarnings(server)
      const middleware = inspector.middleware({ hosts: [host, allowedHosts] })
      const all = setupMiddlewares?.(middlewares, server) ?? middlewares
      // In front of proxies, of folders that are served, and of what answers every address with the app.
      return [
        { name: `${name}-private`, middleware: refusePrivateFiles([compiler.context]) },
        { name, middleware },
        ...all,
      ]
    },
  }
  let isTold = false
  compiler.hooks.done.tap(name, () => {
    // Servers mount everything before they wait for the first compilation.
    if (isTold || isMounted || !compiler.hooks.done.taps.some((tap) => DEV_SERVER.test(tap.name))) return
    isTold = true
    logger.warn(
      'the dev server does not take its options from compiler.options.devServer: it shows no inspector, and would serve .localization from a static folder that holds it',
    )
  })
}

/**
 * A broken file is a warning (an error would cost a reload after the mend), and Rspack's command shows errors alone in the overlay. What
 * the project itself has set stays. Pages are told of this option when they connect.
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

/** What webpack-dev-server and Rspack's listen as. */
const DEV_SERVER = /^(?:webpack|rspack)-dev-server$/
