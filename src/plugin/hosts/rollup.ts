/** Rollup and Rolldown; the part of Vite's build that is the same. */
import { existsSync } from 'node:fs'
import { NULL_SPELLING } from '../../modules/ids.ts'
import { ADDRESSES } from '../../modules/late.ts'
import { createConfigNotice } from '../config-notice.ts'
import { findLeak, leakError, type OutputFile } from '../guard.ts'
import type { Dependencies, HookContext, Host, HostInput } from '../host.ts'
import { secretsToFind } from '../secrets.ts'
import type { Session } from '../session.ts'
import { createLateHooks, type FolderUrl, type PlaceOf } from './rollup-late.ts'

/** The output is not known when modules are loaded. */
const placeByOption: PlaceOf = (_context, { library }) => (library === true ? 'chunks' : 'files')

export function rollupHost(input: HostInput, placeOf: PlaceOf = placeByOption): Host {
  const { session } = input
  const notice = createConfigNotice(input)
  const hooks = outputHooks(input, placeOf) as never
  return {
    ids: NULL_SPELLING,
    // Throws here, with the importer as its place.
    fail: (context, { message, importer }) =>
      context.error({ message, ...(importer !== undefined && { id: importer }) }),
    hotApi: () => undefined,
    depend: watchFilesAndFolders,
    lateAddresses: async (context, { config }) => (placeOf(context, config) === 'files' ? ADDRESSES : undefined),
    textPlace: (context, { config }) => placeOf(context, config),
    hasParts: () => true,
    usedTexts: (_context, { config }) =>
      session.command === 'build' && config.prune !== false ? 'pending' : undefined,
    hooks: {
      async buildStart() {
        const state = session.begin()
        if (isWatching(this)) notice.watch(process.cwd())
        await state
      },
      buildEnd: () => session.end(),
      rollup: hooks,
      rolldown: hooks,
    },
  }
}

/** New files are seen through their folder, which only watch modes take. */
export function watchFilesAndFolders(context: HookContext, { id, state, files }: Dependencies): void {
  for (const file of files) context.addWatchFile(file)
  if (!isWatching(context) || id.kind !== 'manifest') return
  for (const folder of state.loaded.files.patterns.bases) if (existsSync(folder)) context.addWatchFile(folder)
}

export function isWatching(context: object): boolean {
  return (context as { readonly meta?: { readonly watchMode?: boolean } }).meta?.watchMode === true
}

interface EmittedChunk {
  readonly type: 'chunk'
  readonly fileName: string
  readonly code: string
  readonly map?: { toString(): string } | null
}

interface EmittedAsset {
  readonly type: 'asset'
  readonly fileName: string
  readonly source: string | Uint8Array
}

interface EmittedBundle {
  readonly [name: string]: EmittedChunk | EmittedAsset
}

/** Late files, and the guard: it runs after every other plugin, on everything that will be written. */
export function outputHooks({ session, logger }: HostInput, placeOf: PlaceOf, folderUrl?: FolderUrl) {
  return { ...createLateHooks({ session, logger, placeOf, folderUrl }), generateBundle: guardBundle(session) }
}

function guardBundle(session: Session) {
  return {
    order: 'post' as const,
    async handler(this: { error(message: string): never }, _output: unknown, bundle: EmittedBundle): Promise<void> {
      const leak = findLeak(outputFiles(bundle), await secretsToFind(session))
      if (leak) this.error(leakError(leak).message)
    },
  }
}

function* outputFiles(bundle: EmittedBundle): Iterable<OutputFile> {
  for (const output of Object.values(bundle)) {
    if (output.type === 'asset') yield { name: output.fileName, content: output.source }
    else {
      yield { name: output.fileName, content: output.code }
      if (output.map) yield { name: `${output.fileName}.map`, content: output.map.toString() }
    }
  }
}
