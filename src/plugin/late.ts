/** The texts that `load()` fetches in production: made of a state once, whatever the number of outputs. */
import type { LazyTexts } from '../catalog/model.ts'
import type { Translations } from '../catalog/translations.ts'
import type { Logger } from '../logger.ts'
import { createLateFiles, type LateContent, type LateExtension, type LateFiles, lateContent } from '../modules/late.ts'
import { createLayeredJson } from '../modules/layered-json.ts'
import { jsonModule, jsonParseLiteral, messagesJson } from '../modules/literal.ts'
import { hintingModule } from '../modules/pruned-hint.ts'
import { generateModule } from './generate.ts'
import type { LateGenerator, LoadedState } from './state.ts'

export function createLateGenerator(
  state: LoadedState,
  logger: Logger,
  onMade: (files: LateFiles, tookMs: number) => unknown = () => {},
): LateGenerator {
  const made = new Map<LateExtension, Promise<LateFiles>>()
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

function makeFiles(state: LoadedState, extension: LateExtension, logger: Logger): Promise<LateFiles> {
  const { translations, config, unpruned } = state
  const isPlain = config.shape === 'flat' && config.compile === false
  const json = createLayeredJson()
  return createLateFiles({
    translations,
    extension,
    async content(language, namespace) {
      const layers = isPlain ? translations.layers(language, namespace) : undefined
      const whole = layers && wholeModule(layers)
      if (whole) return whole
      if (isPlain) {
        const texts = layers
          ? json(layers.map((layer) => layer.plain()))
          : messagesJson(translations.messages(language, namespace))
        if (unpruned) return lateContent(hinting(texts, unpruned, language, namespace))
        return texts === '{}' ? undefined : lateContent(jsonModule(texts))
      }
      if (translations.messages(language, namespace).size === 0) return undefined
      const { code, warnings } = await generateModule(state, { kind: 'namespace', language, namespace }, undefined)
      for (const warning of warnings) logger.warn(warning)
      return lateContent(code)
    },
  })
}

function hinting(texts: string, unpruned: Translations, language: string, namespace: string): string {
  const left = JSON.parse(texts) as object
  const pruned = [...unpruned.messages(language, namespace).keys()].filter((key) => !Object.hasOwn(left, key))
  return hintingModule(jsonParseLiteral(texts), { language, namespace, pruned })
}

/** The first layer as it was read, where it has no gap that the others could fill. */
function wholeModule([own, ...others]: readonly LazyTexts[]): LateContent | undefined {
  if (!own?.module || !own.keys || own.count !== own.keys.length) return undefined
  return others.every(({ keys }) => keys === own.keys) ? own.module : undefined
}
