/** Generates files that give a library's own functions the project's keys. Modules, because only a module can augment another one. */
import type { Translations } from '../catalog/translations.ts'
import { MANIFEST_ID } from './ids.ts'
import { stringLiteral } from './literal.ts'
import { GENERATED_MARK, type TypesOptions } from './types.ts'

/** i18next's `CustomTypeOptions`: its own `t` then knows namespaces and keys. */
export function generateI18nextTypes(
  { namespaces, defaultNamespace }: Translations,
  { shape, keySeparator }: TypesOptions,
): string {
  return moduleFile('i18next', [
    'interface CustomTypeOptions {',
    ...(namespaces.includes(defaultNamespace) ? [`  defaultNS: ${stringLiteral(defaultNamespace)}`] : []),
    ...(shape === 'nested' && keySeparator !== '.' ? [`  keySeparator: ${stringLiteral(keySeparator)}`] : []),
    '  resources: LanguageMessages',
    '}',
  ])
}

/** vue-i18n's `DefineLocaleMessage`: messages by namespace. */
export function generateVueI18nTypes(): string {
  return moduleFile('vue-i18n', ['export interface DefineLocaleMessage extends LanguageMessages {}'])
}

function moduleFile(library: string, lines: readonly string[]): string {
  return [
    GENERATED_MARK,
    '/* eslint-disable */',
    `import type { LanguageMessages } from ${stringLiteral(MANIFEST_ID)}`,
    '',
    `declare module ${stringLiteral(library)} {`,
    ...lines.map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n')
}
