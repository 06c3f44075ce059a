/** Generates modules that give a library's own functions the project's keys: only a module can augment another one. */
import type { Translations } from '../catalog/translations.ts'
import { nestStrings } from '../shared/flatten.ts'
import { MANIFEST_ID } from './ids.ts'
import { stringLiteral } from './literal.ts'
import { nestedLines, propertyTypes } from './property-types.ts'
import { FORMATTED, GENERATED_MARK, statement, type TypesOptions } from './types.ts'

/** i18next's `CustomTypeOptions`: its own `t` then knows namespaces and keys. */
export function generateI18nextTypes(
  { namespaces, defaultNamespace }: Translations,
  { shape, keySeparator }: TypesOptions,
): string {
  // Without the default namespace the app names another one to i18next: a key of any namespace is then right.
  const defaultNames = namespaces.includes(defaultNamespace) ? [defaultNamespace] : namespaces
  return moduleFile(
    'i18next',
    ['// prettier-ignore', `import type { LanguageMessages } from ${stringLiteral(MANIFEST_ID)}`],
    [
      'export interface CustomTypeOptions {',
      `  defaultNS: ${defaultNames.map(stringLiteral).join(' | ') || 'never'}`,
      ...(shape === 'nested' && keySeparator !== '.' ? [`  keySeparator: ${stringLiteral(keySeparator)}`] : []),
      '  resources: LanguageMessages',
      '}',
    ],
  )
}

/** vue-i18n's `DefineLocaleMessage`: one tree of messages as in this package's glue, with a branch per namespace. */
export function generateVueI18nTypes(translations: Translations, { shape, keySeparator }: TypesOptions): string {
  const paths = new Map<string, string>()
  for (const namespace of translations.namespaces) {
    for (const [key, type] of propertyTypes(translations, namespace, { keySeparator, mark: '', type: 'string' })) {
      const path = shape === 'nested' && keySeparator !== '' ? key.replaceAll(keySeparator, '.') : key
      paths.set(translations.namespacePrefix ? `${namespace}.${path}` : path, type)
    }
  }
  const lines = nestedLines(nestStrings(paths, '.').value)
  return moduleFile(
    'vue-i18n',
    ['// prettier-ignore', 'export {}'],
    ['export interface DefineLocaleMessage {', ...lines.map((line) => `  ${line}`), '}'],
  )
}

/** `head` imports or exports something: that makes the file a module. */
function moduleFile(library: string, head: readonly string[], lines: readonly string[]): string {
  return [
    GENERATED_MARK,
    ...FORMATTED,
    ...head,
    '',
    ...statement(`declare module ${stringLiteral(library)}`, lines),
    '',
  ].join('\n')
}
