/** Generates the declaration files for a configuration. */
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { generateI18nextTypes, generateSelectorTypes, generateVueI18nTypes } from './augmentations.ts'
import { type DeclaredKey, declarationMapLine, KeyMarks } from './declared-keys.ts'
import { generateTypes, type TypesOptions } from './types.ts'

export interface DeclarationFile {
  /** The absolute path. */
  readonly path: string
  readonly content: string
  /** The declared keys, for the file's declaration map. */
  readonly keys: readonly DeclaredKey[]
}

/** Returns no files if `types` is off. */
export function generateDeclarations(
  translations: Translations,
  config: Pick<ResolvedConfig, 'types' | 'fallback' | 'pseudo' | keyof Omit<TypesOptions, 'gaps'>>,
): readonly DeclarationFile[] {
  const { types } = config
  if (!types) return []
  const options: TypesOptions = { ...config, gaps: config.fallback === false }
  const beside = (library: string) => types.file.replace(/(?:\.d)?\.ts$/, `.${library}.d.ts`)
  const marks = new KeyMarks(translations, config)
  /** Removes the marks, and adds the comment that refers to the declaration map. */
  const withKeys = (path: string, marked: string): DeclarationFile => {
    const { content, keys } = marks.finish(marked)
    return { path, content: `${content}${declarationMapLine(path)}\n`, keys }
  }
  const forI18next = (path: string): DeclarationFile =>
    types.i18next === 'selector'
      ? withKeys(path, generateSelectorTypes(translations, options, marks))
      : { path, content: generateI18nextTypes(translations, options), keys: [] }
  const forVueI18n = (path: string) => ({ path, content: generateVueI18nTypes(translations, options), keys: [] })
  return [
    withKeys(types.file, generateTypes(translations, options, marks)),
    ...(types.i18next ? [forI18next(beside('i18next'))] : []),
    ...(types.vueI18n ? [forVueI18n(beside('vue-i18n'))] : []),
  ]
}
