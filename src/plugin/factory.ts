/** Hooks only: what the bundler asks goes to the session, what the session answers goes to the bundler. */
import type { UnpluginContextMeta, UnpluginFactory } from 'unplugin'
import { LocalizationError } from '../errors.ts'
import { createActivity, recording } from '../inspector/activity.ts'
import { createLogger } from '../logger.ts'
import { generateGoneModule } from '../output/hot.ts'
import { formatRequest, type ModuleId, parseRequest, REQUEST_FILTER } from '../output/ids.ts'
import { type KeptKeys, keptWarning } from '../output/texts.ts'
import type { HookContext, Host, HostInput } from './bundler-adapter.ts'
import { esbuildHost } from './bundlers/esbuild/adapter.ts'
import { farmHost } from './bundlers/farm/adapter.ts'
import { rollupHost } from './bundlers/rollup/adapter.ts'
import { viteHost } from './bundlers/vite/adapter.ts'
import { webpackHost } from './bundlers/webpack/adapter.ts'
import { checkModule, generateModule } from './generate.ts'
import { createInspectorMount } from './inspector.ts'
import { wantsPerChunk } from './per-chunk-messages.ts'
import { createSession, type PluginOptions } from './session.ts'
import type { LoadedState } from './state.ts'

const NAME = 'unplugin-localization'

const GATHER_MS = 100

const HOSTS: { readonly [framework in UnpluginContextMeta['framework']]?: (input: HostInput) => Host } = {
  vite: viteHost,
  rollup: rollupHost,
  rolldown: rollupHost,
  webpack: webpackHost,
  rspack: webpackHost,
  esbuild: esbuildHost,
  farm: farmHost,
}

export const factory: UnpluginFactory<PluginOptions | undefined, false> = (options = {}, { framework }) => {
  const activity = createActivity(Date.now)
  const logger = recording(createLogger(), activity)
  const session = createSession({ options, logger, fallbackRoot: process.cwd() })
  const host = (HOSTS[framework] ?? rollupHost)({
    logger,
    session,
    name: NAME,
    inspector: createInspectorMount({ session, activity }),
  })
  const { ids, foreign } = host

  /** In a dev server only: what each module was when its texts were last there. */
  const lastCode = new Map<string, string>()

  /** Modules are asked for one after the other: those that come together are told of together. */
  const keptSoFar: KeptKeys[] = []
  const tellOfKept = (kept: readonly KeptKeys[]) => {
    if (kept.length > 0 && keptSoFar.length === 0)
      setTimeout(() => logger.warn(keptWarning(keptSoFar.splice(0))), GATHER_MS)
    keptSoFar.push(...kept)
  }

  const failWith = (context: HookContext, error: unknown, importer?: string) => {
    if (!(error instanceof LocalizationError)) throw error
    host.fail(context, { message: error.message, importer })
  }

  return {
    name: NAME,
    enforce: 'pre',
    resolveId: {
      filter: { id: REQUEST_FILTER },
      async handler(request, importer) {
        const id = parseRequest(request)
        if (!id) return undefined
        const { translations } = await session.ready()
        try {
          checkModule(translations, id)
        } catch (error) {
          failWith(this, importedBy(error, id, importer), importer)
        }
        return ids.format(id)
      },
    },
    load: {
      filter: { id: [ids.filter, ...(foreign?.filter ?? [])] },
      async handler(resolved) {
        if (!ids.filter.test(resolved)) {
          foreign?.beforeLoad(this, resolved)
          return undefined
        }
        const state = await session.ready()
        const id = ids.parse(resolved, knownNames(state))
        const hot = host.hotApi(this)
        try {
          if (!id) throw new LocalizationError(`unknown module ${JSON.stringify(resolved)}`, { code: 'UNKNOWN_MODULE' })
          checkModule(state.translations, id)
        } catch (error) {
          // A page that runs keeps what it shows when a language or namespace goes: a failure would cost its state. A page that asks
          // for it before it heard of that gets no texts.
          if (hot && id) return { code: lastCode.get(resolved) ?? generateGoneModule(id, hot), map: null }
          failWith(this, error)
          return { code: 'export default {}', map: null }
        }
        const used = id.kind === 'namespace' && !hot ? host.usedTexts?.(this, state) : undefined
        const how = {
          isPending: used === 'pending',
          isPerChunk: wantsPerChunk(state.config) && host.hasPerChunk?.(this) === true,
          ...(id.kind === 'manifest' &&
            (hot
              ? { isServed: host.servesAddresses?.(this) }
              : {
                  chunkAddresses: await host.chunkAddresses?.(this, state),
                  isInline: host.textPlace?.(this, state) === 'inline',
                })),
        }
        const from = used === 'pending' || used === undefined ? state : used
        const { code, files, warnings, kept = [] } = await generateModule(from, id, hot, how)
        if (hot) lastCode.set(resolved, code)
        for (const warning of warnings) logger.warn(warning)
        tellOfKept(kept)
        await host.depend(this, { id, state, files })
        // Read by Rollup, Rolldown and Vite: what is imported and not used leaves nothing behind. An update needs its module.
        const module = { code, map: null, moduleSideEffects: hot !== undefined }
        return module
      },
    },
    ...host.hooks,
  }
}

function knownNames({ translations }: LoadedState) {
  return {
    languages: translations.languages.map(({ key }) => key),
    namespaces: translations.namespaces,
    customers: translations.customers,
  }
}

/** Says who asked: a name is mistyped where it is imported. */
function importedBy(error: unknown, id: ModuleId, importer: string | undefined): unknown {
  if (!(error instanceof LocalizationError) || importer === undefined) return error
  return new LocalizationError(`${error.message} (${JSON.stringify(formatRequest(id))} is imported by ${importer})`, {
    code: error.code,
    cause: error,
  })
}
