/** The texts that `load()` fetches in production: made of a state once, whatever the number of outputs. */
import type { LazyTexts, Messages, TextModule } from '../catalog/model.ts'
import type { Translations } from '../catalog/translations.ts'
import type { Logger } from '../logger.ts'
import { createLayeredJson } from '../output/layered-json.ts'
import { jsonModule, jsonParseLiteral, messagesJson } from '../output/literal.ts'
import {
  type ChunkExtension,
  createPrebuiltChunks,
  moduleContent,
  type PrebuiltChunks,
} from '../output/prebuilt-chunks.ts'
import { hintingModule } from '../output/pruned-hint.ts'
import { generateTexts, type KeptKeys, keptWarning } from './generate.ts'
import { createJoinedTexts, type JoinedTexts } from './joined-texts.ts'
import { pruneTranslations } from './prune.ts'
import type { LoadedState, PrebuiltGenerator } from './state.ts'

export function createPrebuiltGenerator(
  state: LoadedState,
  logger: Logger,
  onMade: (files: PrebuiltChunks, tookMs: number) => unknown = () => {},
): PrebuiltGenerator {
  const made = new Map<ChunkExtension, Promise<PrebuiltChunks>>()
  return (extension) => {
    const known = made.get(extension)
    if (known) return known
    const startedAt = performance.now()
    const isFirst = made.size === 0
    const files = makeFiles(state, extension, logger).then(async (result) => {
      if (isFirst) await onMade(result, performance.now() - startedAt)
      return result
    })
    made.set(extension, files)
    return files
  }
}

async function makeFiles(state: LoadedState, extension: ChunkExtension, logger: Logger): Promise<PrebuiltChunks> {
  const { translations, perChunk, config } = state
  const joined = createJoinedTexts(config.root)
  const allKept: KeptKeys[] = []
  const context = { joined, logger, allKept }
  const lastMessages = keepingLast(translations)
  const files = await createPrebuiltChunks({
    translations,
    extension,
    content: contentOf(perChunk ? { ...state, translations: perChunk.base } : state, translations, context),
    parts: perChunk?.parts.map(({ chunk, keys }) => ({
      chunk,
      namespaces: [...keys.keys()],
      content: contentOf(
        { ...state, unpruned: undefined, translations: pruneTranslations(lastMessages, onlyKeys(keys), state.config) },
        translations,
        context,
      ),
    })),
  })
  joined.save()
  if (allKept.length > 0) logger.warn(keptWarning(allKept))
  return files
}

interface MakeContext {
  readonly joined: JoinedTexts
  readonly logger: Logger
  readonly allKept: KeptKeys[]
}

/** @param all with every used key: what is missing there was pruned */
function contentOf(
  state: Pick<LoadedState, 'translations' | 'config' | 'unpruned'>,
  all: Translations,
  { joined, logger, allKept }: MakeContext,
): (language: string, namespace: string) => Promise<TextModule | undefined> {
  const { translations, config, unpruned } = state
  const isPlain = config.shape === 'flat' && config.compile === false
  const json = createLayeredJson()
  return async (language, namespace) => {
    const layers = isPlain ? translations.layers(language, namespace) : undefined
    const whole = layers && wholeModule(layers)
    if (whole) return whole
    if (isPlain) {
      const texts = () =>
        layers ? json(layers.map((layer) => layer.plain())) : messagesJson(translations.messages(language, namespace))
      if (unpruned)
        return moduleContent(hinting(texts(), prunedKeys(unpruned, all, language, namespace), language, namespace))
      return layers ? joined.of(layers, () => plainContent(texts())) : plainContent(texts())
    }
    if (translations.messages(language, namespace).size === 0) return undefined
    const { code, warnings, kept } = await generateTexts(state, { kind: 'namespace', language, namespace })
    for (const warning of warnings) logger.warn(warning)
    allKept.push(...kept)
    return moduleContent(code)
  }
}

function plainContent(texts: string): TextModule | undefined {
  return texts === '{}' ? undefined : moduleContent(jsonModule(texts))
}

/** Chunks share languages and namespaces: the messages of each are put together once. */
function keepingLast(translations: Translations): Translations {
  let last: { readonly id: string; readonly messages: Messages } | undefined
  return {
    ...translations,
    layers: () => undefined,
    messages(language, namespace, customer) {
      const id = JSON.stringify([language, namespace, customer])
      if (last?.id !== id) last = { id, messages: translations.messages(language, namespace, customer) }
      return last.messages
    },
  }
}

function onlyKeys(keys: ReadonlyMap<string, ReadonlySet<string>>) {
  return {
    isWhole: () => false,
    isUsed: (namespace: string, key: string) => keys.get(namespace)?.has(key) === true,
  }
}

function prunedKeys(unpruned: Translations, all: Translations, language: string, namespace: string): string[] {
  const left = all.messages(language, namespace)
  return [...unpruned.messages(language, namespace).keys()].filter((key) => !left.has(key))
}

function hinting(texts: string, pruned: readonly string[], language: string, namespace: string): string {
  return hintingModule(jsonParseLiteral(texts), { language, namespace, pruned })
}

/** The first layer as it was read, where it has no gap that the others could fill. */
function wholeModule([own, ...others]: readonly LazyTexts[]): TextModule | undefined {
  if (!own?.module || !own.keys || own.count !== own.keys.length) return undefined
  return others.every(({ keys }) => keys === own.keys) ? own.module : undefined
}
