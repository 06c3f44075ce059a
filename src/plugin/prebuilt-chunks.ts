/** Generates the message files of a state once, even if several outputs need them. */
import type { Messages } from '../catalog/model.ts'
import type { Translations } from '../catalog/translations.ts'
import type { Logger } from '../logger.ts'
import { JsonFrames, jsonModule } from '../output/literal.ts'
import {
  type ChunkExtension,
  createPrebuiltChunks,
  type GenerateContent,
  moduleContent,
  type PrebuiltChunks,
  type TextModule,
} from '../output/prebuilt-chunks.ts'
import { generateTexts, type KeptKeys, keptWarning } from '../output/texts.ts'
import { onlyKeys, pruneTranslations } from './prune.ts'
import type { LoadedState, PrebuiltGenerator, StateTexts } from './state.ts'

/** See `GenerateContent` for `at` and `path`. */
export type MadeModules = (namespace: string) => ((at: number, path: string) => TextModule | undefined) | undefined

type LoadedTexts = StateTexts & Pick<LoadedState, 'loaded'>

/** @param onFirst called with the result of the first generation, before it is returned */
export function createPrebuiltGenerator(
  texts: LoadedTexts,
  logger: Logger,
  onFirst: (chunks: PrebuiltChunks, tookMs: number) => unknown = () => {},
): PrebuiltGenerator {
  const generated = new Map<ChunkExtension, Promise<PrebuiltChunks>>()
  const generate = async (extension: ChunkExtension, isFirst: boolean) => {
    const startedAt = performance.now()
    const chunks = await generateChunks(texts, extension, logger)
    if (isFirst) await onFirst(chunks, performance.now() - startedAt)
    return chunks
  }
  return (extension) => {
    const chunks = generated.get(extension) ?? generate(extension, generated.size === 0)
    generated.set(extension, chunks)
    return chunks
  }
}

async function generateChunks(texts: LoadedTexts, extension: ChunkExtension, logger: Logger): Promise<PrebuiltChunks> {
  const chunks = await generateMessageFiles(texts, extension, logger)
  return texts.config.delivery === 'live' ? { ...chunks, live: await liveFiles(texts, extension, chunks) } : chunks
}

/** @param made returns modules from an earlier build or release, for a namespace whose inputs have not changed */
export async function generateMessageFiles(
  texts: StateTexts,
  extension: ChunkExtension,
  logger: Logger,
  made?: MadeModules,
): Promise<PrebuiltChunks> {
  const { translations, perChunk, config } = texts
  const allKept: KeptKeys[] = []
  const contentOf = (own: Translations): GenerateContent => {
    const frames = new JsonFrames()
    return async (language, namespace, at, path) => {
      const madeAt = made?.(namespace)
      if (madeAt) return madeAt(at, path)
      const { json, warnings, kept } = await generateTexts(
        own,
        config,
        { kind: 'namespace', language, namespace },
        frames,
      )
      for (const warning of warnings) logger.warn(warning)
      allKept.push(...kept)
      return json === '{}' ? undefined : moduleContent(jsonModule(json))
    }
  }
  const lastMessages = keepingLast(translations)
  const chunks = await createPrebuiltChunks(
    translations,
    extension,
    contentOf(perChunk?.base ?? translations),
    perChunk?.chunks.map(({ chunk, keys }) => ({
      chunk,
      namespaces: [...keys.keys()],
      content: contentOf(pruneTranslations(lastMessages, onlyKeys(keys), config)),
    })),
  )
  if (allKept.length > 0) logger.warn(keptWarning(allKept))
  return chunks
}

async function liveFiles(
  { translations, perChunk, config, loaded }: LoadedTexts,
  extension: ChunkExtension,
  chunks: PrebuiltChunks,
) {
  const [{ createLiveFiles, keysOf }, { ageOf }] = await Promise.all([
    import('../output/live-table.ts'),
    import('./age.ts'),
  ])
  const listsOf = (keys: ReadonlyMap<string, ReadonlySet<string>>) =>
    [...keys].map(([namespace, names]) => [namespace, [...names]] as const)
  const split = perChunk && {
    base: keysOf(perChunk.base),
    chunks: perChunk.chunks.map(({ keys }) => listsOf(keys)),
  }
  const asOf = await ageOf(loaded.remote, config, () => new Date())
  return createLiveFiles({ translations, perChunk: split, config, extension, inputs: loaded.inputs, asOf }, chunks)
}

/** Caches the last messages, because consecutive chunks need the messages of the same language and namespace. */
function keepingLast(translations: Translations): Translations {
  let last: { readonly id: string; readonly messages: Messages } | undefined
  return {
    ...translations,
    messages(language, namespace, customer) {
      const id = JSON.stringify([language, namespace, customer])
      if (last?.id !== id) last = { id, messages: translations.messages(language, namespace, customer) }
      return last.messages
    },
  }
}
