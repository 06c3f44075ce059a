/** Generates the table and the message files for `delivery: 'live'`, in a folder that the host serves. */
import { relative, resolve } from 'node:path'
import { silentLogger } from '../logger.ts'
import type { LiveFolder } from '../output/hot.ts'
import { createPrebuiltGenerator } from '../plugin/prebuilt-chunks.ts'
import type { LoadedState } from '../plugin/state.ts'
import { toPosix } from '../shared/paths.ts'
import type { GeneratedFile } from './module-files.ts'

/** `localization release` finds builds by this folder name. */
const FOLDER = 'localization'

export interface LiveFiles {
  readonly folder: string
  readonly files: readonly GeneratedFile[]
  readonly how: LiveFolder
}

export async function generateLiveFiles(
  state: LoadedState,
  {
    folder: served = 'public',
    base = '/',
  }: { readonly folder?: string | undefined; readonly base?: string | undefined } = {},
): Promise<LiveFiles> {
  const { root } = state.config
  // Warnings are not logged here, because generating the modules logs the same ones.
  const chunks = await createPrebuiltGenerator(state, silentLogger)('.js')
  const folder = resolve(root, served, FOLDER)
  // The table must be written last.
  const files = [...chunks.files, ...(chunks.live?.files ?? []).toReversed()]
  return {
    folder,
    files: files.map(({ name, module }) => ({ path: name, content: module.bytes.toString() })),
    how: { chunks, base: `${base.replace(/\/$/, '')}/${FOLDER}/`, folder: toPosix(relative(root, folder)) },
  }
}
