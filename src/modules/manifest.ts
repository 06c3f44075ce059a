/** Generates `virtual:translations`: what there is, and lazy access to it. */
import type { Translations } from '../catalog/translations.ts'
import { type HotApi, hotManifestCode, previousManifestExpression } from './hot.ts'
import { formatRequest, RUNTIME_ID } from './ids.ts'
import { stringLiteral } from './literal.ts'

export interface ManifestOptions {
  /** The bundler's way to replace a module in a running page; `undefined` in production. */
  readonly hot?: HotApi | undefined
}

/** Behaviour is in the runtime; this text holds data and one `import()` per language and namespace. */
export function generateManifestModule(translations: Translations, { hot }: ManifestOptions = {}): string {
  const languages = translations.languages.map(
    ({ key, name, isDefault }) =>
      `  { key: ${stringLiteral(key)}, name: ${stringLiteral(name)}, isDefault: ${String(isDefault)} },`,
  )
  const loaders = translations.languages.flatMap(({ key: language }) => [
    `  [${stringLiteral(language)}]: {`,
    ...translations.namespaces.map((namespace) => {
      const request = formatRequest({ kind: 'namespace', language, namespace })
      return `    [${stringLiteral(namespace)}]: () => import(${stringLiteral(request)}),`
    }),
    '  },',
  ])
  return [
    `import { createManifest } from ${stringLiteral(RUNTIME_ID)}`,
    'const manifest = /* #__PURE__ */ createManifest({',
    'languages: [',
    ...languages,
    '],',
    `defaultLanguage: ${stringLiteral(translations.defaultLanguage)},`,
    `namespaces: [${translations.namespaces.map(stringLiteral).join(', ')}],`,
    `defaultNamespace: ${stringLiteral(translations.defaultNamespace)},`,
    // Computed keys define own properties, whatever their name; a plain `__proto__:` would not.
    'loaders: {',
    ...loaders,
    '},',
    hot ? `}, ${previousManifestExpression(hot)})` : '})',
    'export const { languages, defaultLanguage, namespaces, load, loadLanguage, has, onUpdate } = manifest',
    ...(hot ? [hotManifestCode(hot)] : []),
    '',
  ].join('\n')
}
