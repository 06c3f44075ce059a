/** The option `prune`: the state of a load with the used texts only, and the report about it. */
import { type Logger, silentLogger } from '../logger.ts'
import { count } from '../shared/figures.ts'
import type { ModuleUsage } from '../usage/model.ts'
import type { CodeChunk } from '../usage/parts.ts'
import type { UsedKeys } from '../usage/used-keys.ts'
import { createBuildReport, writeBuildReport } from './build-report.ts'
import { writeLeftOut } from './left-out.ts'
import { createPrebuiltGenerator } from './prebuilt-chunks.ts'
import { type Pruner, pruneTranslations } from './prune.ts'
import type { LoadedState } from './state.ts'

export interface PruneInput {
  readonly pruner: Pruner
  readonly logger: Logger
  readonly mode: string | undefined
  readonly chunks: Iterable<CodeChunk> | undefined
}

export async function prunedState(
  full: LoadedState,
  modules: readonly (readonly [string, ModuleUsage])[],
  { pruner, logger, mode, chunks: given }: PruneInput,
): Promise<LoadedState> {
  const chunks = given && [...given]
  const labels = chunks && new Map(chunks.map(({ name, label = name }) => [name, label]))
  const perChunk = chunks && (await pruner.perChunkKeys(full, modules, chunks))
  const used = perChunk?.used ?? (await pruner.usedKeys(full, modules))
  const translationsWith = (keys: UsedKeys) => pruneTranslations(full.translations, keys, full.config)
  const state: LoadedState = {
    ...full,
    translations: translationsWith(used),
    ...(mode === 'development' && { unpruned: full.translations }),
    ...(perChunk && { perChunk: { base: translationsWith(perChunk.base), chunks: perChunk.chunks } }),
    prebuilt: (extension) => prebuilt(extension),
  }
  if (mode !== 'development') await writeLeftOut(full, state, logger)
  await reportRecorded(full, logger)
  const prebuilt = createPrebuiltGenerator(state, logger, async (files, writeMs) => {
    const whole = await bytesOf(full)
    const named =
      used.unknownCalls.length === 0
        ? files.namespaceBytes
        : await bytesOf({ ...full, translations: translationsWith(await pruner.usedKeys(full, modules, 'named')) })
    const figures = { used, whole, named, labels, kept: await keptKeys(full, used) }
    await writeBuildReport(createBuildReport(state, files, writeMs, figures), state, logger)
  })
  return state
}

async function keptKeys({ translations: { catalog }, config }: LoadedState, used: UsedKeys) {
  const { keysOf, unusedKeys } = await import('../usage/unused.ts')
  const all = keysOf(catalog)
  const unused = new Set(unusedKeys(catalog, all, used, config.keySeparator))
  const kept = all.filter((name) => !unused.has(name))
  return kept.map((name) => ({ ...name, reason: used.reasonOf(name.namespace, name.key) }))
}

async function reportRecorded({ config }: LoadedState, logger: Logger): Promise<void> {
  if (config.report === false) return
  const { readRecordedKeys } = await import('../usage/recorded/recorded-keys.ts')
  const { used } = await readRecordedKeys(config)
  if (used.length > 0) logger.info(`${count(used.length, 'recorded key')} of ${config.usage.recorded} count as used`)
}

/** Bytes of each namespace. */
async function bytesOf(state: LoadedState): Promise<ReadonlyMap<string, number>> {
  return (await createPrebuiltGenerator(state, silentLogger)('.js')).namespaceBytes
}
