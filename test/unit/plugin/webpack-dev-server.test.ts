/** What the plugin sets in the option `devServer` of webpack and Rspack. In a real server: `test/dev/page-updates.test.ts`. */

import { describe, expect, test } from 'vitest'
import type { Compiler } from 'webpack'
import { silentLogger } from '../../../src/logger.ts'
import type { AdapterInput } from '../../../src/plugin/bundler-adapter.ts'
import { mountInDevServer } from '../../../src/plugin/bundlers/webpack/dev-server.ts'

interface DevServerOptions {
  readonly setupMiddlewares: (middlewares: object[], server: object) => { readonly name?: string }[]
  readonly onListening: (server: object) => void
}

function mount(devServer?: object | false) {
  const compiler = { context: '/app', options: { devServer }, hooks: { done: { tap: () => {}, taps: [] } } }
  const announced: string[] = []
  const inspector = Object.assign(() => () => {}, { announce: (address: string) => announced.push(address) })
  const input = { name: 'plugin', inspector, logger: silentLogger } as unknown as AdapterInput
  mountInDevServer(compiler as unknown as Compiler, input)
  return { announced, devServer: compiler.options.devServer as unknown as DevServerOptions }
}

describe('the overlay', () => {
  /** `project`: the project's own options; `command`: what the server has in the end. */
  const overlayOf = (project: object | undefined, command: unknown) => {
    const server = { options: { client: command } }
    mount(project).devServer.setupMiddlewares([], server)
    return (server.options.client as { overlay?: unknown })?.overlay
  }

  test.each([
    ['by default it shows warnings already', undefined, true],
    ['switched off by the command', undefined, false],
    ['with warnings', undefined, { errors: true, warnings: true }],
    ['with a choice of warnings', undefined, { warnings: String }],
    [
      'set by the project',
      { client: { overlay: { errors: true, warnings: false } } },
      { errors: true, warnings: false },
    ],
    ['switched off by the project', { client: { overlay: false } }, false],
  ])('stays: %s', (_, project, overlay) => {
    expect(overlayOf(project, { overlay })).toEqual(overlay)
  })

  test('without a client nothing is set', () => {
    expect(overlayOf(undefined, false)).toBeUndefined()
  })

  test.each([undefined, {}, { client: true }, { client: { logging: 'none' } }])(
    "shows this plugin's warnings where a command, with %o of the project, shows errors alone",
    (project) => {
      const overlay = overlayOf(project, { overlay: { errors: true, warnings: false } }) as {
        readonly errors: boolean
        readonly warnings: (warning: object) => boolean
      }
      expect(overlay.errors).toBe(true)
      // The page gets its source.
      const isShown = new Function(`return ${overlay.warnings}`)() as typeof overlay.warnings
      expect(isShown({ moduleIdentifier: '/app/%00localization%2Fnamespace%2Fen.common', message: 'broken' })).toBe(
        true,
      )
      expect(isShown({ moduleIdentifier: '/app/main.js', message: 'localization' })).toBe(false)
    },
  )
})

test("the project's own hooks run too, behind what refuses private files and the inspector", () => {
  const heard: object[] = []
  const own = { name: 'own' }
  const { devServer } = mount({
    onListening: (server: object) => heard.push(server),
    setupMiddlewares: (middlewares: object[]) => [...middlewares, own],
  })
  expect(devServer.setupMiddlewares([{ name: 'first' }], {}).map(({ name }) => name)).toEqual([
    'plugin-private',
    'plugin',
    'first',
    'own',
  ])
  const server = {}
  devServer.onListening(server)
  expect(heard).toEqual([server])
})

test.each([
  [{}, '127.0.0.1', 'http://localhost:80/'],
  [{}, '::', 'http://localhost:80/'],
  [{}, '0.0.0.0', 'http://localhost:80/'],
  [{}, '192.0.2.1', 'http://192.0.2.1:80/'],
  [{ server: 'https' }, '127.0.0.1', 'https://localhost:80/'],
  [{ server: { type: 'spdy' } }, '127.0.0.1', 'https://localhost:80/'],
  [{ server: { type: 'http' } }, '127.0.0.1', 'http://localhost:80/'],
])('with %o it announces the inspector on %s as %s', (devServer, address, announced) => {
  const mounted = mount(devServer)
  mounted.devServer.onListening({ server: { address: () => ({ port: 80, address }) } })
  expect(mounted.announced).toEqual([announced])
})

test('no dev server stays none', () => {
  expect(mount(false).devServer).toBe(false)
})
