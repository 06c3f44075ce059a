/** The adapter for Rollup. Rolldown and Vite share its hooks. */
import { existsSync } from 'node:fs'
import { ADDRESSES } from '../../../output/prebuilt-chunks.ts'
import {
  type AdapterInput,
  type BundlerAdapter,
  type CreateAdapter,
  type Dependencies,
  type HookContext,
  isFirstInBuild,
} from '../../bundler-adapter.ts'
import { createConfigNotice } from '../../config-notice.ts'
import { wantsPerChunk } from '../../per-chunk-messages.ts'
import { createOutputHooks } from './output-hooks.ts'
import type { PlaceOf } from './port.ts'

export const createAdapter: CreateAdapter = (input) => createRollupAdapter(input, 'rollup')

/** Decides from the option alone, because the output is not known yet when modules are loaded. */
const placeByOption: PlaceOf = (_context, { library }) => (library === true ? 'chunks' : 'files')

/** The module hooks that Rollup, Rolldown and Vite share. */
export function createModuleHooks({ session }: AdapterInput, placeOf: PlaceOf): Omit<BundlerAdapter, 'hooks'> {
  return {
    // Sets the importing module as the error's location.
    fail: (context, message, importer) => context.error({ message, ...(importer !== undefined && { id: importer }) }),
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
    ...createModuleHooks(input, placeByOption),
    hooks: {
      async buildStart(options: { readonly plugins?: object } = {}) {
        const state = session.begin()
        if (isWatching(this)) watchConfig(process.cwd())
        const { config } = await state
        isFirst = isFirstInBuild(options.plugins ?? options, session, config)
      },
      buildEnd: () => session.end(),
      [framework]: createOutputHooks(input, { placeOf: placeByOption }, () => isFirst),
    },
  }
}

/** Watches the module's files, and the folders in which new files may appear. Bundlers do this only in watch mode. */
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
