/** The plugin's hooks. They connect the bundler to the session. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UnpluginFactory } from 'unplugin'
import { LocalizationError } from '../errors.ts'
import { createActivity, recording } from '../inspector/activity.ts'
import { createLogger, type Logger } from '../logger.ts'
import { generateGoneModule } from '../output/hot.ts'
import { formatRequest, type ModuleId, parseRequest, REQUEST_FILTER } from '../output/ids.ts'
import { IMPORTS_ID, isHashedRequest, parseImportsRequest } from '../output/module-paths.ts'
import type { KeptKeys } from '../output/texts.ts'
import {
  type AdapterInput,
  type BundlerAdapter,
  type CreateAdapter,
  DEFAULT_ADAPTER,
  type Delivery,
  type HookContext,
} from './bundler-adapter.ts'
import { BUNDLER_NAMES } from './bundlers.ts'
import { createInspectorMiddleware } from './inspector.ts'
import type { PluginOptions } from './public.ts'
import { Session } from './session.ts'
import { knownNames } from './state.ts'

/** Matches paths in the default output folder of `localization generate`, which dev servers must not serve. */
const GENERATED = /^\.\/\.localization\//

/**
 * Maps an import of `#translations` to a virtual module. Returns `undefined` for other imports, and if package.json
 * maps `#translations` to a path outside `.localization`.
 */
async function parseImports(request: string, session: Session): Promise<ModuleId | undefined> {
  const id = isHashedRequest(request) ? undefined : parseImportsRequest(request)
  return id && (await leadsToGenerated(await session.root())) ? id : undefined
}

async function leadsToGenerated(root: string): Promise<boolean> {
  try {
    const { imports = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      imports?: Readonly<Record<string, unknown>>
    }
    const target = imports[IMPORTS_ID]
    return typeof target === 'string' && GENERATED.test(target)
  } catch {
    // Without a readable package.json, there are no such imports.
    return false
  }
}

/**
 * A source map without mappings, because generated code has no source. If the map were `null`, Vite's dev server would
 * compute one that maps the code to itself.
 */
const UNMAPPED = { mappings: '' } as const
const NAME = 'unplugin-localization'

export type Factory = UnpluginFactory<PluginOptions | undefined, false>

export type Adapters = Readonly<Record<string, CreateAdapter | undefined>>

/**
 * Creates the plugin. `adapters` contains only the adapters of its entry point, so that no entry point loads the code
 * for other bundlers.
 */
export const createFactory =
  (adapters: Adapters): Factory =>
  (options = {}, { framework }) => {
    const activity = createActivity(Date.now)
    const logger = recording(createLogger(), activity)
    const session = new Session({ options, logger, fallbackRoot: process.cwd() })
    const inspector = createInspectorMiddleware(session, activity)
    const adapter = createAdapterFor(adapters[framework], framework, { logger, session, name: NAME, inspector })
    const { ids, foreign } = adapter
    const requested = new RegExp(`${REQUEST_FILTER.source}|${ids.filter.source}`)
    const warnOfKept = createKeptWarnings(logger)
    /** Dev only: the code that was last generated for each module. */
    const lastCode = new Map<string, string>()

    return {
      name: NAME,
      enforce: 'pre',
      resolveId: {
        filter: { id: requested },
        async handler(request, importer) {
          // Vite's bundled dev mode imports a lazily loaded module by its resolved id.
          if (ids.filter.test(request)) return request
          // Vite before 6.3 and Rollup before 4.38 ignore the filter and call the hook for every import.
          if (!REQUEST_FILTER.test(request)) return undefined
          const id = parseRequest(request) ?? (await parseImports(request, session))
          if (!id) return undefined
          const [state, { checkNames }] = await Promise.all([session.ready(), import('./generate.ts')])
          try {
            checkNames(knownNames(state), id)
          } catch (error) {
            failWith(adapter, this, withImporter(error, id, importer), importer)
          }
          return ids.format(id)
        },
      },
      load: {
        filter: { id: [ids.filter, ...(foreign?.filter ?? [])] },
        async handler(resolved) {
          if (!ids.filter.test(resolved)) {
            if (foreign?.filter.some((filter) => filter.test(resolved))) foreign.beforeLoad(this, resolved)
            return undefined
          }
          const [state, { checkNames, generateModule }] = await Promise.all([
            session.ready(),
            // Imported at the first request, so that a dev server starts sooner.
            import('./generate.ts'),
          ])
          const known = knownNames(state)
          const id = ids.parse(resolved, known)
          const hot = adapter.hotApi(this)
          try {
            if (!id)
              throw new LocalizationError(`unknown module ${JSON.stringify(resolved)}`, { code: 'UNKNOWN_MODULE' })
            checkNames(known, id)
          } catch (error) {
            // If a language or namespace was removed, an error here would reload the page. An open page therefore keeps
            // its texts, and a page that requests the module later gets one without texts.
            if (hot && id) return { code: lastCode.get(resolved) ?? generateGoneModule(id, hot), map: null }
            failWith(adapter, this, error)
            return { code: 'export default {}', map: null }
          }
          const delivery: Delivery = hot
            ? (adapter.devDelivery?.(this) ?? {})
            : ((await adapter.delivery?.(this, id, state)) ?? {})
          const { code, files, warnings, kept } = await generateModule(delivery.state ?? state, id, hot, delivery)
          if (hot) lastCode.set(resolved, code)
          for (const warning of warnings) logger.warn(warning)
          warnOfKept(kept)
          await adapter.depend(this, { id, state, files: [...files, ...(await session.namedFiles())] })
          // Rollup, Rolldown and Vite drop an unused import if its module has no side effects. Hot updates need the
          // module.
          const module = { code, map: hot === 'vite' ? UNMAPPED : null, moduleSideEffects: hot !== undefined }
          return module
        },
      },
      ...adapter.hooks,
    }
  }

/**
 * Throws CONFIG_INVALID if the entry point is for another bundler. The build would otherwise succeed with wrong output.
 */
function createAdapterFor(
  createAdapter: CreateAdapter | undefined,
  framework: string,
  input: AdapterInput,
): BundlerAdapter & typeof DEFAULT_ADAPTER {
  if (createAdapter) return { ...DEFAULT_ADAPTER, ...createAdapter(input) }
  throw new LocalizationError(`unsupported bundler ${framework}`, {
    code: 'CONFIG_INVALID',
    hint: `Supported bundlers: ${BUNDLER_NAMES.join(', ')}.`,
  })
}

function failWith({ fail }: typeof DEFAULT_ADAPTER, context: HookContext, error: unknown, importer?: string): void {
  if (!(error instanceof LocalizationError)) throw error
  fail(context, error.message, importer)
}

/** Adds the importing module to the error, because the wrong name is in that module. */
function withImporter(error: unknown, id: ModuleId, importer: string | undefined): unknown {
  if (!(error instanceof LocalizationError) || importer === undefined) return error
  return new LocalizationError(`${error.message} (${JSON.stringify(formatRequest(id))} is imported by ${importer})`, {
    code: error.code,
    cause: error,
  })
}

const GATHER_MS = 100

/** Bundlers load modules one after another, so modules that are loaded within a short time share a warning. */
function createKeptWarnings(logger: Logger): (kept: readonly KeptKeys[]) => void {
  const gathered: KeptKeys[] = []
  const warn = async () => {
    const { keptWarning } = await import('../output/texts.ts')
    logger.warn(keptWarning(gathered.splice(0)))
  }
  return (kept) => {
    if (kept.length > 0 && gathered.length === 0) setTimeout(warn, GATHER_MS)
    gathered.push(...kept)
  }
}
