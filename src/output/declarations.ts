/** The declaration files of a configuration, with their content. */
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { generateI18nextTypes, generateVueI18nTypes } from './augmentations.ts'
import { generateTypes, type TypesOptions } from './types.ts'

export interface DeclarationFile {
  /** Absolute. */
  readonly path: string
  readonly content: string
}

/** None where `types` is off. */
export function generateDeclarations(
  translations: Translations,
  {
    types,
    shape,
    keySeparator,
    fallback,
    compile,
  }: Pick<ResolvedConfig, 'types' | 'shape' | 'keySeparator' | 'fallback' | 'compile'>,
): readonly DeclarationFile[] {
  if (!types) return []
  const options: TypesOptions = { shape, keySeparator, gaps: fallback === false, compile }
  const beside = (library: string) => types.file.replace(/(?:\.d)?\.ts$/, `.${library}.d.ts`)
  return [
    { path: types.file, content: generateTypes(translations, options) },
    ...(types.i18next ? [{ path: beside('i18next'), content: generateI18nextTypes(translations, options) }] : []),
    ...(types.vueI18n ? [{ path: beside('vue-i18n'), content: generateVueI18nTypes(translations, options) }] : []),
  ]
}
