/** Generates the modules of `virtual:translations` as files, either once or, like a dev server, after every change. */
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sectionDefaults } from '../config/complete.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError, messageOf } from '../errors.ts'
import { createWarnOnce, type Logger } from '../logger.ts'
import type { HotApi } from '../output/hot.ts'
import { type KnownNames, RUNTIME_ID } from '../output/ids.ts'
import { createConfigNotice } from '../plugin/config-notice.ts'
import type { PluginOptions } from '../plugin/public.ts'
import { findLeak, leakError, secretsToFind } from '../plugin/secret-scan.ts'
import { Session } from '../plugin/session.ts'
import { knownNames, type LoadedState } from '../plugin/state.ts'
import { count, listed } from '../shared/figures.ts'
import { hashOf } from '../shared/hash.ts'
import { displayPath, toPosix } from '../shared/paths.ts'
import { generateLiveFiles, generateModuleFiles } from './module-files.ts'
import { type FolderChanges, writeModules } from './module-folder.ts'

const DEFAULT_OUT = '.localization/modules'

export interface GenerateOptions {
  /** The absolute path of the project's folder. */
  readonly root: string
  /** By default, the options are those of the configuration file. */
  readonly options?: PluginOptions
  /** The configuration, if it has already been loaded. It replaces `options`. */
  readonly config?: ResolvedConfig
  /** The mode, for `.env.<mode>` files. */
  readonly mode?: string | undefined
  /** The folder for the modules, relative to the root. Default: `.localization/modules`. */
  readonly out?: string | undefined
  /**
   * If true, syncs and follows edits until `close` is called, like a dev server. Otherwise, generates the modules once,
   * with the texts of a build.
   */
  readonly watch?: boolean | undefined
  /** The API that the tool uses to replace modules in a running page. Used with `watch`. Default: `module`. */
  readonly hot?: HotApi | undefined
  /** The prefixes of environment variables that the tool exposes to the page. */
  readonly clientPrefixes?: readonly string[] | undefined
  /** Used with `delivery: 'live'`: the folder that the host serves, and its URL. Default: `public` and `/`. */
  readonly served?: { readonly folder?: string | undefined; readonly base?: string | undefined } | undefined
  /** If true, also writes `UNKNOWN_FILE`. */
  readonly unknownFile?: boolean | undefined
  /** If true, writes nothing and only returns the changes. */
  readonly dryRun?: boolean | undefined
  readonly logger: Logger
  /** Stops waiting for the service, or for another run in the same folder. */
  readonly signal?: AbortSignal | undefined
  /** Used with `watch`: called after each later write that has changed files. */
  readonly onWrite?: ((result: Generated) => void) | undefined
  /** Used with `watch`: the name of the program to restart after an edit of the configuration, for messages. */
  readonly program?: string | undefined
  /**
   * Used with `watch`: receives the session before the first load. If set, the caller must serve the editor in the
   * page.
   */
  readonly onSession?: ((session: Session) => Promise<void>) | undefined
}

/** The result of a write. Paths of files are relative to `out`. */
export interface Generated extends FolderChanges, KnownNames {
  /** The absolute path of the folder for the modules. */
  readonly out: string
  readonly root: string
  /** The total number of files, whether or not they changed. */
  readonly files: number
}

export interface Generation {
  readonly first: Generated
  /** Strings that must not appear in the tool's output. */
  readonly secrets: readonly string[]
  /** Stops watching. Resolves after the last write has ended. */
  close(): Promise<void>
}

/**
 * Writes the modules. If `watch` is set, then follows edits in the files and changes in the service.
 *
 * Throws the errors of a build, FILE_WRITE if the folder is not writable or contains other files, and SECRET_EXPOSED.
 */
export async function startGenerate(options: GenerateOptions): Promise<Generation> {
  const { root, config, mode, watch = false, dryRun = false, signal, program = 'localization generate' } = options
  // The report and the pruned modules are generated from the same texts, so each warning would be logged twice.
  const logger = { ...options.logger, warn: createWarnOnce(options.logger) }
  const ending = new AbortController()
  const stop = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal
  const ofSession = watch ? options.logger : logger
  const session = new Session({ options: options.options ?? {}, config, logger: ofSession, fallbackRoot: root, dryRun })
  session.configure({ root, command: watch ? 'dev' : 'build', mode, clientPrefixes: options.clientPrefixes })
  await options.onSession?.(session)
  const write = createWrite(session, options, logger, stop)
  const close = async () => {
    ending.abort(new Error('closed'))
    session.end()
    await session.close()
  }
  try {
    const state = await orAborted(session.begin(), stop)
    const first = await write(watch ? state : await pruneBySources(session, state, logger, stop), state)
    if (watch) {
      session.dev.onChange(async ({ after }) => {
        try {
          const result = await write(after, after)
          if (result.written.length + result.removed.length > 0) options.onWrite?.(result)
        } catch (error) {
          // The next edit may fix the error.
          if (!stop.aborted) logger.error(messageOf(error))
        }
      })
      session.dev.startSync()
      createConfigNotice({ session, logger }, program)(state.config.root)
    }
    return { first, secrets: await secretsToFind(session), close }
  } catch (error) {
    await close()
    throw error
  }
}

type Write = (state: LoadedState, whole: LoadedState) => Promise<Generated>

/**
 * Returns a function that writes the modules. Its argument `whole` contains the texts before pruning, for the types.
 */
function createWrite(session: Session, options: GenerateOptions, logger: Logger, signal: AbortSignal): Write {
  const { watch = false, hot = 'module', unknownFile = false, dryRun = false } = options
  const searched = new Set<string>()
  let trustList = false
  return async (state, whole) => {
    const { root } = state.config
    const out = resolve(root, options.out ?? DEFAULT_OUT)
    const live = !watch && state.config.delivery === 'live' ? await generateLiveFiles(state, options.served) : undefined
    const files = await generateModuleFiles(state, {
      hot: watch ? hot : undefined,
      whole: whole.translations,
      runtimeTypes: runtimeTypes(out),
      unknownFile,
      hasInspector: options.onSession !== undefined,
      live: live?.how,
      logger,
    })
    const nameOf = (path: string) => displayPath(root, join(out, path))
    const fresh = files.map((file) => ({ ...file, name: nameOf(file.path), digest: hashOf(file.content, 32) }))
    const leak = findLeak(
      fresh.filter(({ digest }) => !searched.has(digest)),
      await secretsToFind(session),
    )
    if (leak) throw leakError(leak, '. Nothing was written')
    for (const { digest } of fresh) searched.add(digest)
    if (live) {
      // The message files are written first, because the modules load them.
      const { written: own } = await writeModules(live.folder, live.files, signal, { dryRun })
      const done = dryRun ? 'would write' : 'wrote'
      logger.info(`${displayPath(root, live.folder)}: ${done} ${own.length} of ${count(live.files.length, 'file')}`)
    }
    const changes = await writeModules(out, files, signal, { dryRun, trustList })
    trustList = true
    if (changes.edited.length > 0) logger.warn(editedWarning(changes.edited.map(nameOf), dryRun))
    const { written, removed, edited } = changes
    return { root, out, ...knownNames(state), files: files.length, written, removed, edited }
  }
}

/**
 * Returns the package's specifier if it can be resolved from the folder. Otherwise, returns the path of the running
 * package.
 */
function runtimeTypes(out: string): string {
  try {
    createRequire(join(out, 'index.js')).resolve(RUNTIME_ID)
    return RUNTIME_ID
  } catch {
    const path = toPosix(relative(out, fileURLToPath(new URL('./runtime.js', import.meta.url))))
    return path.startsWith('.') ? path : `./${path}`
  }
}

function editedWarning(names: readonly string[], dryRun: boolean): string {
  const done = dryRun ? 'would overwrite' : 'overwrote'
  return `${done} manual edits in ${listed(names)}. Edit the translation files instead`
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, aborted])
}

/** If `prune` is on, keeps only the texts that the source files use. Throws CONFIG_INVALID. */
async function pruneBySources(
  session: Session,
  state: LoadedState,
  logger: Logger,
  signal: AbortSignal,
): Promise<LoadedState> {
  const { config } = state
  if (config.prune === false) return state
  const modules = await readModules(state, logger, signal)
  if (config.prune.perChunk) logger.warn('prune.perChunk has no effect: there are no chunks without a bundler')
  const pruned = await session.prune(modules)
  // This reports calls with unknown keys, and pruned keys.
  await pruned.prebuilt('.js')
  return pruned
}

async function readModules({ config, translations }: LoadedState, logger: Logger, signal: AbortSignal) {
  const { files: patterns } = config.usage
  const isDefault = patterns.join('\n') === sectionDefaults.usage().files.join('\n')
  const { listFiles } = await import('../usage/sources/list.ts')
  if ((await listFiles(config.root, patterns)).files.length === 0)
    throw new LocalizationError(`prune: no source file matches usage.files (${patterns.join(', ')})`, {
      code: 'CONFIG_INVALID',
      hint: 'Set usage.files to the source files of the app. Without a bundler, the used keys are read from them.',
    })
  const { readSourcesUsage } = await import('../usage/sources/read.ts')
  const { files, modules, problems, warnings } = await readSourcesUsage(
    config,
    { namespaces: translations.namespaces },
    signal,
  )
  if (isDefault)
    logger.warn(
      `prune: keeps only the keys used in ${count(files.length, 'source file')} matched by the default usage.files. ` +
        'Set usage.files if other files use keys too.',
    )
  for (const warning of warnings) logger.warn(warning)
  for (const { file, line, column, message, hint } of problems)
    logger.warn(
      `${file}:${line}:${column}: ${[`${message}: every key counts as used`, ...(hint === undefined ? [] : [hint])].join('. ')}`,
    )
  return modules
}
