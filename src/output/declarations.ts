/** The declaration files of a configuration, with their content. */
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { generateI18nextTypes, generateSelectorTypes, generateVueI18nTypes } from './augmentations.ts'
import { generateTypes, type TypesOptions } from './types.ts'

export interface DeclarationFile {
  /** The absolute path. */
  readonly path: string
  readonly content: string
}

/** Empty if `types` is off. */
export function generateDeclarations(
  translations: Translations,
  {
    types,
    shape,
    keySeparator,
    fallback,
    compile,
    pluralSeparator,
  }: Pick<ResolvedConfig, 'types' | 'shape' | 'keySeparator' | 'fallback' | 'compile' | 'pluralSeparator'>,
): readonly DeclarationFile[] {
  if (!types) return []
  const options: TypesOptions = { shape, keySeparator, gaps: fallback === false, compile, pluralSeparator }
  const beside = (library: string) => types.file.replace(/(?:\.d)?\.ts$/, `.${library}.d.ts`)
  const generateForI18next = types.i18next === 'selector' ? generateSelectorTypes : generateI18nextTypes
  return [
    { path: types.file, content: generateTypes(translations, options) },
    ...(types.i18next ? [{ path: beside('i18next'), content: generateForI18next(translations, options) }] : []),
    ...(types.vueI18n ? [{ path: beside('vue-i18n'), content: generateVueI18nTypes(translations, options) }] : []),
  ]
}
