/** Rollup and Rolldown; the part of Vite's build that is the same. */
import { existsSync } from 'node:fs'
import { dirname, posix, resolve } from 'node:path'
import { LocalizationError } from '../../../errors.ts'
import { NULL_SPELLING } from '../../../output/ids.ts'
import { ADDRESSES } from '../../../output/prebuilt-chunks.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { Dependencies, HookContext, Host, HostInput } from '../../bundler-adapter.ts'
import { createConfigNotice } from '../../config-notice.ts'
import { createMessageFileCheck, type MessageFileCheck } from '../../message-files.ts'
import { isFirstInBuild } from '../../same-configuration.ts'
import { findLeak, leakError, type OutputFile } from '../../secret-scan.ts'
import { secretsToFind } from '../../secrets.ts'
import type { Session } from '../../session.ts'
import {
  createPrebuiltHooks,
  type OutputContext,
  type OutputOptions,
  type PlaceOf,
  type PrebuiltHooksInput,
} from './prebuilt-chunks.ts'

/** The output is not known when modules are loaded. */
const placeByOption: PlaceOf = (_context, { library }) => (library === true ? 'chunks' : 'files')

export function rollupHost(input: HostInput, placeOf: PlaceOf = placeByOption): Host {
  const { session } = input
  const notice = createConfigNotice(input)
  let isFirst = true
  const hooks = outputHooks(input, { placeOf, isFirst: () => isFirst }) as never
  return {
    ids: NULL_SPELLING,
    // Throws here, with the importer as its place.
    fail: (context, { message, importer }) =>
      context.error({ message, ...(importer !== undefined && { id: importer }) }),
    hotApi: () => undefined,
    depend: watchFilesAndFolders,
    chunkAddresses: async (context, { config }) => (placeOf(context, config) === 'files' ? ADDRESSES : undefined),
    textPlace: (context, { config }) => placeOf(context, config),
    hasPerChunk: () => true,
    usedTexts: (_context, { config }) =>
      session.command === 'build' && config.prune !== false ? 'pending' : undefined,
    hooks: {
      async buildStart(options: { readonly plugins?: object } = {}) {
        const state = session.begin()
        if (isWatching(this)) notice.watch(process.cwd())
        const { config } = await state
        isFirst = isFirstInBuild(options.plugins ?? options, session, config)
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

export type OutputInput = Pick<PrebuiltHooksInput, 'placeOf' | 'folderUrl' | 'isFirst'>

/** Prebuilt chunks, and the secret scan: it runs after every other plugin, on everything that will be written. */
export function outputHooks({ session, logger }: HostInput, how: OutputInput) {
  const files = createOutputChecks()
  const prebuilt = createPrebuiltHooks({ session, logger, ...how, onEmit: files.onEmit })
  return {
    ...prebuilt,
    async renderStart(this: OutputContext, output: OutputOptions) {
      if (session.command === 'dev') return
      files.begin(this)
      await prebuilt.renderStart.call(this, output)
    },
    generateBundle: scanBundle(session, files),
    closeBundle(this: OutputContext & ErrorContext) {
      if (session.command === 'build') failing(this, () => files.finish(this))
    },
  }
}

interface ErrorContext {
  error(failure: { readonly message: string; readonly pluginCode?: string }): never
}

/** With the stable code, where the bundler has a place for it. */
function failing(context: ErrorContext, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof LocalizationError)) throw error
    context.error({ message: error.message, pluginCode: error.code })
  }
}

/** Outputs of one build may share a folder, where a plugin removes the files that are there twice: checked together. */
function createOutputChecks() {
  const ofEnvironment = new Map<string | undefined, OutputChecks>()
  const of = ({ environment }: OutputContext): OutputChecks => {
    const known = ofEnvironment.get(environment?.name) ?? { check: createMessageFileCheck(), made: new Map(), open: 0 }
    ofEnvironment.set(environment?.name, known)
    return known
  }
  return {
    begin: (context: OutputContext) => void of(context).open++,
    onEmit(context: OutputContext, output: OutputOptions, fileName: string) {
      const { made } = of(context)
      const folder = outputFolder(output)
      const files = made.get(folder) ?? []
      made.set(folder, files)
      files.push(posix.join(folder, fileName))
    },
    add(context: OutputContext, root: string, output: OutputOptions, bundle: EmittedBundle) {
      const checks = of(context)
      const folder = outputFolder(output)
      const place = (name: string) => posix.join(folder, name)
      checks.open--
      checks.check.add({
        root,
        names: Object.keys(bundle).map(place),
        scripts: Object.values(bundle).flatMap((one) =>
          one.type === 'chunk' ? [{ name: place(one.fileName), text: () => one.code }] : [],
        ),
        made: checks.made.get(folder) ?? [],
        folder,
      })
    },
    finish(context: OutputContext) {
      const { check, open } = of(context)
      ofEnvironment.delete(context.environment?.name)
      // An output that has failed has an error of its own, which this one would hide.
      if (open === 0) check.finish()
    },
  }
}

interface OutputChecks {
  readonly check: MessageFileCheck
  /** The message files made for each output folder. */
  readonly made: Map<string, string[]>
  /** How many outputs have begun and not ended. */
  open: number
}

function outputFolder({ dir = '', file }: OutputOptions): string {
  return toPosix(resolve(file === undefined ? dir : dirname(file)))
}

function scanBundle(session: Session, files: ReturnType<typeof createOutputChecks>) {
  return {
    order: 'post' as const,
    async handler(this: OutputContext & ErrorContext, output: OutputOptions, bundle: EmittedBundle): Promise<void> {
      const leak = findLeak(outputFiles(bundle), await secretsToFind(session))
      if (leak)
        failing(this, () => {
          throw leakError(leak)
        })
      const { config } = await session.ready()
      files.add(this, config.root, output, bundle)
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
