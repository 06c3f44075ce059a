/** The texts that `load()` fetches in production: made of a state once, whatever the number of outputs. */
import type { LazyTexts } from '../catalog/model.ts'
import type { Logger } from '../logger.ts'
import { createLateFiles, type LateContent, type LateExtension, type LateFiles, lateContent } from '../modules/late.ts'
import { createLayeredJson } from '../modules/layered-json.ts'
import { jsonModule } from '../modules/literal.ts'
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
  const { translations, config } = state
  const isPlain = config.shape === 'flat' && config.compile === false
  const json = createLayeredJson()
  return createLateFiles({
    translations,
    extension,
    async content(language, namespace) {
      const layers = isPlain ? translations.layers(language, namespace) : undefined
      const whole = layers && wholeModule(layers)
      if (whole) return whole
      if (layers) {
        const texts = json(layers.map((layer) => layer.plain()))
        return texts === '{}' ? undefined : lateContent(jsonModule(texts))
      }
      if (translations.messages(language, namespace).size === 0) return undefined
      const { code, warnings } = await generateModule(state, { kind: 'namespace', language, namespace }, undefined)
      for (const warning of warnings) logger.warn(warning)
      return lateContent(code)
    },
  })
}

/** The first layer as it was read, where it has no gap that the others could fill. */
function wholeModule([own, ...others]: readonly LazyTexts[]): LateContent | undefined {
  if (!own?.module || !own.keys || own.count !== own.keys.length) return undefined
  return others.every(({ keys }) => keys === own.keys) ? own.module : undefined
}
