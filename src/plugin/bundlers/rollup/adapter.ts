/** Rollup; Rolldown and Vite share its hooks. */
import { existsSync } from 'node:fs'
import type { NormalizedOutputOptions, OutputBundle, RenderedChunk } from 'rollup'
import { NULL_SPELLING } from '../../../output/ids.ts'
import { ADDRESSES } from '../../../output/prebuilt-chunks.ts'
import type { AdapterInput, BundlerAdapter, CreateAdapter, Dependencies, HookContext } from '../../bundler-adapter.ts'
import { createConfigNotice } from '../../config-notice.ts'
import { wantsPerChunk } from '../../per-chunk-messages.ts'
import { isFirstInBuild } from '../../same-configuration.ts'
import type { OutputContext } from './output.ts'
import { OutputChecks } from './output-checks.ts'
import { OutputTexts, type OutputTextsOptions, type PlaceOf, type RenderMeta } from './prebuilt-chunks.ts'

export const createAdapter: CreateAdapter = (input) => createRollupAdapter(input, 'rollup')

/** The output is not known yet when modules are loaded. */
const placeByOption: PlaceOf = (_context, { library }) => (library === true ? 'chunks' : 'files')

/** The common part of the adapters of Rollup, Rolldown and Vite, without the hooks. */
export function createRollupPort({ session }: AdapterInput, placeOf: PlaceOf): Omit<BundlerAdapter, 'hooks'> {
  return {
    ids: NULL_SPELLING,
    // Throws, with the importer as the location of the error.
    fail: (context, { message, importer }) =>
      context.error({ message, ...(importer !== undefined && { id: importer }) }),
    hotApi: () => undefined,
    depend: watchFilesAndFolders,
    delivery(context, _id, { config }) {
      const place = placeOf(context, config)
      return {
        chunkAddresses: place === 'files' ? ADDRESSES : undefined,
        isInline: place === 'inline',
        isProvided: place === 'files',
        isPerChunk: wantsPerChunk(config),
        isPending: session.command === 'build' && config.prune !== false,
      }
    },
  }
}

export function createRollupAdapter(input: AdapterInput, framework: 'rollup' | 'rolldown'): BundlerAdapter {
  const { session } = input
  const watchConfig = createConfigNotice(input)
  let isFirst = true
  return {
    ...createRollupPort(input, placeByOption),
    hooks: {
      async buildStart(options: { readonly plugins?: object } = {}) {
        const state = session.begin()
        if (isWatching(this)) watchConfig(process.cwd())
        const { config } = await state
        isFirst = isFirstInBuild(options.plugins ?? options, session, config)
      },
      buildEnd: () => session.end(),
      [framework]: createOutputHooks(input, { placeOf: placeByOption, isFirst: () => isFirst }),
    },
  }
}

/** New files are detected through their folder, which bundlers watch only in watch mode. */
export function watchFilesAndFolders(context: HookContext, { id, state, files }: Dependencies): void {
  for (const file of files) context.addWatchFile(file)
  if (isWatching(context)) watchFolders(context, { id, state })
}

export function watchFolders(context: HookContext, { id, state }: Pick<Dependencies, 'id' | 'state'>): void {
  if (id.kind !== 'manifest') return
  for (const folder of state.loaded.files.patterns.bases) if (existsSync(folder)) context.addWatchFile(folder)
}

export function isWatching(context: object): boolean {
  return (context as { readonly meta?: { readonly watchMode?: boolean } }).meta?.watchMode === true
}

/** Prebuilt chunks and checks: they run after all other plugins, on the final output. */
export function createOutputHooks({ session, logger }: AdapterInput, options: OutputTextsOptions) {
  const checks = new OutputChecks(session)
  const texts = new OutputTexts({ session, logger, ...options, onEmit: (...file) => checks.noteMessageFile(...file) })
  return {
    transform: {
      // After all transforms: templates, TypeScript and JSX are JavaScript here.
      order: 'post' as const,
      handler(this: OutputContext, code: string, id: string) {
        return texts.transform(this, code, id)
      },
    },
    async renderStart(this: OutputContext, output: NormalizedOutputOptions) {
      if (session.command === 'dev') return
      checks.begin(this)
      await texts.renderStart(this, output)
    },
    renderChunk: {
      // Before minification, because minifiers rewrite the addresses like other code.
      order: 'pre' as const,
      handler(
        this: OutputContext,
        code: string,
        chunk: RenderedChunk,
        output: NormalizedOutputOptions,
        meta?: RenderMeta,
      ) {
        return texts.renderChunk(this, code, chunk, output, meta)
      },
    },
    generateBundle: {
      order: 'post' as const,
      handler(this: OutputContext, output: NormalizedOutputOptions, bundle: OutputBundle) {
        return checks.add(this, output, bundle)
      },
    },
    closeBundle(this: OutputContext) {
      if (session.command === 'build') checks.finish(this)
    },
  }
}
