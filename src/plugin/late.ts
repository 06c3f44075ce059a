/** The texts that `load()` fetches in production: made of a state once, whatever the number of outputs. */
import { createLateFiles, type LateExtension, type LateFiles, lateContent } from '../modules/late.ts'
import { generateModule } from './generate.ts'
import type { LateGenerator, LoadedState } from './state.ts'

export function createLateGenerator(state: LoadedState): LateGenerator {
  const made = new Map<LateExtension, Promise<LateFiles>>()
  const make = (extension: LateExtension) =>
    createLateFiles({
      translations: state.translations,
      extension,
      async content(language, namespace) {
        const { code } = await generateModule(state, { kind: 'namespace', language, namespace }, undefined)
        return lateContent(code)
      },
    })
  return (extension) => {
    const known = made.get(extension)
    if (known) return known
    const files = make(extension)
    made.set(extension, files)
    return files
  }
}
