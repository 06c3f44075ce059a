/** The option `prune`. Creates the state of a load with only the used texts, and its report. */
import { type Logger, silentLogger } from '../logger.ts'
import type { ModuleUsage } from '../usage/model.ts'
import type { CodePlan } from '../usage/parts.ts'
import type { KeyName } from '../usage/unused.ts'
import type { UsedKeys } from '../usage/used-keys.ts'
import { createBuildReport } from './build-report.ts'
import { createPrebuiltGenerator } from './prebuilt-chunks.ts'
import { type Pruner, pruneTranslations } from './prune.ts'
import { publishReport } from './publish-report.ts'
import type { LoadedState } from './state.ts'

export interface PruneInput {
  readonly pruner: Pruner
  readonly logger: Logger
  readonly warnOnce: (message: string) => void
  readonly plan: CodePlan | undefined
}

export async function prunedState(
  full: LoadedState,
  given: readonly (readonly [string, ModuleUsage])[],
  { pruner, logger, warnOnce, plan }: PruneInput,
): Promise<LoadedState> {
  const { readNamedTexts } = await import('../usage/sources/read.ts')
  const named = await readNamedTexts(full.config)
  const modules = [...given, ...named.modules]
  for (const warning of named.warnings) warnOnce(warning)
  for (const { file, message } of named.problems) warnOnce(`${file}: ${message}: every key counts as used`)
  await warnOfIgnored(full, modules, warnOnce)
  const perChunk = plan && (await pruner.perChunkKeys(full, modules, plan))
  const used = perChunk?.used ?? (await pruner.usedKeys(full, modules))
  const translationsWith = (keys: UsedKeys) => pruneTranslations(full.translations, keys, full.config)
  const state: LoadedState = {
    ...full,
    translations: translationsWith(used),
    ...(perChunk && { perChunk: { base: translationsWith(perChunk.base), chunks: perChunk.chunks } }),
    prebuilt: (extension) => prebuilt(extension),
  }
  const prebuilt = createPrebuiltGenerator(state, logger, async (files, writeMs) => {
    const whole = await bytesOf(full)
    const spelled =
      used.unknownCalls.length === 0
        ? files.namespaceBytes
        : await bytesOf({ ...full, translations: translationsWith(await pruner.usedKeys(full, modules, 'named')) })
    const keysOf = await keptBy(full)
    const kept = keysOf(used)
    const inBase = perChunk && new Set(keysOf(perChunk.base, kept))
    const loads = perChunk?.loads.map(({ load, used: own }) => {
      const keys = own ? keysOf(own, kept) : []
      return { load, used: own, keys: load.isEntry ? keys : keys.filter((key) => !inBase?.has(key)) }
    })
    const uses = [used, ...(loads ?? []).flatMap((load) => load.used ?? [])]
    const placeOf = await sourcePlaces(full, full.config.report === 'json' ? kept : [], uses)
    const report = createBuildReport(state, files, writeMs, { used, whole, named: spelled, loads, kept, placeOf })
    await publishReport(report, full.config, logger)
  })
  return state
}

/** Warns of globs in `ignoreIn` that match no module and that begin with a missing folder. */
async function warnOfIgnored(
  { config: { root, prune } }: LoadedState,
  modules: readonly (readonly [string, ModuleUsage])[],
  warnOnce: (message: string) => void,
) {
  if (prune === false || prune.ignoreIn.length === 0) return
  const [{ resolveIgnored }, { fileFilter }] = await Promise.all([
    import('../usage/sources/list.ts'),
    import('../usage/named.ts'),
  ])
  for (const glob of resolveIgnored(root, prune.ignoreIn).missing) {
    const isIgnored = fileFilter([glob])
    if (!modules.some(([file]) => isIgnored(file))) warnOnce(`prune.ignoreIn: ${JSON.stringify(glob)} matches no file`)
  }
}

/** The locations in the source files of the keys, and of all calls with unknown keys. */
async function sourcePlaces(
  { config, translations: { namespaces } }: LoadedState,
  kept: readonly KeyName[],
  uses: readonly UsedKeys[],
) {
  const { readSourcePlaces } = await import('../usage/sources/read.ts')
  const files = uses.flatMap(({ unknownCalls, reasonOf }) => [
    ...unknownCalls.map(({ file }) => file),
    ...kept.map(({ namespace, key }) => reasonOf(namespace, key)?.file),
  ])
  return readSourcePlaces(files, namespaces, config)
}

/** The keys that are kept if the code uses these. */
async function keptBy({ translations: { catalog }, config }: LoadedState) {
  const { keysOf, unusedKeys } = await import('../usage/unused.ts')
  const every = keysOf(catalog)
  return (used: UsedKeys, among: readonly KeyName[] = every): readonly KeyName[] => {
    const unused = new Set(unusedKeys(catalog, among, used, config.keySeparator))
    return among.filter((name) => !unused.has(name))
  }
}

/** The bytes of each namespace. */
async function bytesOf(state: LoadedState): Promise<ReadonlyMap<string, number>> {
  return (await createPrebuiltGenerator(state, silentLogger)('.js')).namespaceBytes
}
