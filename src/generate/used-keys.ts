/** The option `prune` without a bundler: the files of the option `usage.files` stand for the app's modules. */
import { sectionDefaults } from '../config/complete.ts'
import { LocalizationError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Session } from '../plugin/session.ts'
import type { LoadedState } from '../plugin/state.ts'
import { count } from '../shared/figures.ts'

/** The state with the texts that the sources use; as it is where nothing is pruned. Errors: CONFIG_INVALID. */
export async function pruneBySources(
  session: Session,
  state: LoadedState,
  logger: Logger,
  signal: AbortSignal,
): Promise<LoadedState> {
  const { config } = state
  if (config.prune === false) return state
  const modules = await readModules(state, logger, signal)
  if (config.prune.perChunk) logger.warn('prune.perChunk has no effect here: without a bundler there are no chunks')
  const pruned = await session.prune(modules)
  // Reports unknown calls, and what was pruned.
  await pruned.prebuilt('.js')
  return pruned
}

async function readModules({ config, translations }: LoadedState, logger: Logger, signal: AbortSignal) {
  const { files: patterns } = config.usage
  const isDefault = patterns.join('\n') === sectionDefaults.usage().files.join('\n')
  const { listSources } = await import('../usage/sources/list.ts')
  if ((await listSources(config.root, patterns)).length === 0)
    throw new LocalizationError(`prune: no source file matches usage.files (${patterns.join(', ')})`, {
      code: 'CONFIG_INVALID',
      hint: 'Set the option usage.files to the sources of the app: without a bundler, only they show the used keys.',
    })
  const { readSourcesUsage } = await import('../usage/sources/read.ts')
  const { files, modules, problems } = await readSourcesUsage(config, { namespaces: translations.namespaces }, signal)
  if (isDefault)
    logger.warn(
      `prune: the keys are those of ${count(files.length, 'source file')} that the default of usage.files matches; ` +
        'texts that other files use are missing. Set usage.files to the sources of the app.',
    )
  for (const { file, message, hint } of problems)
    logger.warn(
      `${file}: ${[`${message}: every key counts as used`, ...(hint === undefined ? [] : [hint])].join('. ')}`,
    )
  return modules
}
