/** What a load gives beside the modules: the pseudo-language and the type declarations. */
import { createTranslations, type Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, LocalizationError, messageOf } from '../errors.ts'
import { displayPath } from '../files/patterns.ts'
import type { Logger } from '../logger.ts'
import { writeGenerated } from '../shared/generated-file.ts'
import type { LoadedCatalog } from '../sources/load.ts'

export interface Derived {
  readonly translations: Translations
  /** With what was found here. */
  readonly loaded: LoadedCatalog
}

/**
 * What the app sees of a load. A pseudo-language whose code a real language has fails a build; where a running page or
 * a watch would end by that, the real language stays and it is among the diagnostics.
 */
export async function deriveTranslations(
  config: ResolvedConfig,
  loaded: LoadedCatalog,
  { strict }: { readonly strict: boolean },
): Promise<Derived> {
  const translations = createTranslations(loaded.catalog, config)
  if (config.pseudo === false) return { translations, loaded }
  const { withPseudoLanguage } = await import('../catalog/pseudo.ts')
  try {
    return { translations: withPseudoLanguage(translations, config.pseudo), loaded }
  } catch (error) {
    if (strict || !(error instanceof LocalizationError)) throw error
    const diagnostic: Diagnostic = { severity: 'error', code: error.code, message: error.message }
    return { translations, loaded: { ...loaded, diagnostics: [...loaded.diagnostics, diagnostic] } }
  }
}

/** Keeps the declarations current. A build does not fail where they cannot be written: the logger says why. */
export async function writeDeclarations(
  config: ResolvedConfig,
  translations: Translations,
  logger: Logger,
): Promise<void> {
  if (config.types === false) return
  const [{ generateDeclarations }, { GENERATED_MARK }] = await Promise.all([
    import('../output/declarations.ts'),
    import('../output/types.ts'),
  ])
  for (const { path, content } of generateDeclarations(translations, config)) {
    try {
      if (await writeGenerated(path, content, GENERATED_MARK)) logger.info(`wrote ${displayPath(config.root, path)}`)
    } catch (error) {
      logger.warn(messageOf(error))
    }
  }
}
