/** Files that only generated modules need: their declarations, and the module for unknown names. */
import type { Translations } from '../catalog/translations.ts'
import type { KnownNames, ModuleId } from './ids.ts'
import { stringLiteral } from './literal.ts'
import { type ModulePath, relativeSpecifier } from './module-paths.ts'
import { FORMATTED, GENERATED_MARK, generateRegister, type TypesOptions } from './types.ts'

export interface ModuleTypesInput {
  readonly translations: Translations
  readonly options: TypesOptions
  readonly pathOf: ModulePath
  /** The content of `virtual-strict.d.ts`, which declares the manifest for every project. */
  readonly strict: string
  /** The specifier by which a file in the output folder imports `unplugin-localization/runtime`. */
  readonly runtime: string
}

export function generateModuleTypes(input: ModuleTypesInput, id: ModuleId): string {
  return [GENERATED_MARK, ...FORMATTED, ...linesOf(input, id), ''].join('\n')
}

function linesOf(
  { translations, options, pathOf, strict, runtime }: ModuleTypesInput,
  id: ModuleId,
): readonly string[] {
  switch (id.kind) {
    case 'runtime':
      return [`export * from ${stringLiteral(runtime)}`]
    case 'manifest':
      return manifestLines(strict, pathOf({ kind: 'runtime' }), generateRegister(translations, options))
    case 'language':
      return messagesLines(pathOf, id, 'LanguageMessages')
    case 'namespace':
      return messagesLines(pathOf, id, `MessagesOf<${stringLiteral(id.namespace)}>`)
  }
}

function messagesLines(pathOf: ModulePath, id: ModuleId, type: string): readonly string[] {
  const manifest = stringLiteral(relativeSpecifier(pathOf(id), pathOf({ kind: 'manifest' })))
  return [`declare const messages: import(${manifest}).${type}`, 'export default messages']
}

const AMBIENT = /declare module 'virtual:translations' \{\n([\s\S]*)\n\}\n*$/
const EMPTY_REGISTER = '  export interface Register {}'

/**
 * The manifest's declaration. The file is a separate module, because its content would otherwise conflict with the
 * ambient declaration that the option `types` generates.
 */
function manifestLines(strict: string, runtimePath: string, register: readonly string[]): readonly string[] {
  const body = AMBIENT.exec(strict)?.[1]
  if (!body?.includes(EMPTY_REGISTER)) throw new Error('virtual-strict.d.ts has a different form')
  const indented = register.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')
  return body
    .replace(EMPTY_REGISTER, () => indented)
    .replaceAll("'unplugin-localization/runtime'", stringLiteral(`./${runtimePath}`))
    .split('\n')
    .map((line) => line.replace(/^ {2}/, ''))
}

const SHOWN = 20

/**
 * Returns a module that no tool can build. Tools print its failing import, the lines around that import, and the
 * importing file. The module has no default export, so tools also print the line that imports it.
 */
export function generateUnknownModule({ languages, namespaces, customers }: KnownNames): string {
  return [
    GENERATED_MARK,
    '// A file imports a language, namespace or customer of virtual:translations that does not exist. These exist:',
    listLine('languages', languages),
    listLine('namespaces', namespaces),
    ...(customers.length > 0 ? [listLine('customers', customers)] : []),
    "import './unknown-language-or-namespace.js'",
    '',
  ].join('\n')
}

function listLine(what: string, names: readonly string[]): string {
  const more = names.length > SHOWN ? `, and ${names.length - SHOWN} more` : ''
  return `// ${what}: ${names.slice(0, SHOWN).map(stringLiteral).join(', ')}${more}`
}
