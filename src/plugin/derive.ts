/** Derives from a load what is not a module: the pseudo-language and the type declarations. */
import { assertPrefix, createTranslations, type Translations } from '../catalog/translations.ts'
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
 * The languages, namespaces and texts of a load as the app gets them. Texts that contradict the options
 * `namespacePrefix` and `pseudo` fail a build (`strict`). In dev servers and watch modes, the error is a diagnostic
 * instead, and a real language keeps its texts if the pseudo-language has the same code.
 */
export async function deriveTranslations(
  config: ResolvedConfig,
  loaded: LoadedCatalog,
  { strict }: { readonly strict: boolean },
): Promise<Derived> {
  const diagnostics: Diagnostic[] = []
  const attempt = (derive: () => Translations, otherwise: Translations): Translations => {
    try {
      return derive()
    } catch (error) {
      if (strict || !(error instanceof LocalizationError)) throw error
      diagnostics.push({ severity: 'error', code: error.code, message: error.message })
      return otherwise
    }
  }
  const { pseudo } = config
  let translations = createTranslations(loaded.catalog, config)
  translations = attempt(() => assertPrefix(translations), translations)
  if (pseudo !== false) {
    const { withPseudoLanguage } = await import('../catalog/pseudo.ts')
    translations = attempt(() => withPseudoLanguage(translations, pseudo), translations)
  }
  if (diagnostics.length === 0) return { translations, loaded }
  return { translations, loaded: { ...loaded, diagnostics: [...loaded.diagnostics, ...diagnostics] } }
}

/** Keeps the declarations current. If they cannot be written, a build does not fail: it logs a warning. */
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
