/** Generates the module of one language and namespace, and the one of a whole language. */
import type { Translations } from '../catalog/translations.ts'
import type { MessageShape } from '../config/types.ts'
import { type HotApi, hotMessagesCode } from './hot.ts'
import { formatRequest, type ModuleId } from './ids.ts'
import { jsonParseLiteral, messagesJson, nestedMessagesJson, stringLiteral, type TextEncoding } from './literal.ts'

export interface MessagesOptions {
  readonly shape: MessageShape
  readonly keySeparator: string
  /** The bundler's way to replace a module in a running page; `undefined` in production. */
  readonly hot?: HotApi | undefined
  /** In development: see `HotOptions`. */
  readonly edit?: boolean | undefined
  /** Default: texts are strings. */
  readonly encode?: TextEncoding | undefined
}

type NamespaceId = Extract<ModuleId, { kind: 'namespace' }>
type LanguageId = Extract<ModuleId, { kind: 'language' }>

export interface GeneratedMessages {
  readonly code: string
  /** Keys that the nested shape could not split: they are in the module, under their whole name. */
  readonly kept: readonly string[]
}

/** `export default` of one namespace's messages. The call is marked pure, so an unused import leaves nothing behind. */
export function generateNamespaceModule(
  translations: Translations,
  id: NamespaceId,
  { shape, keySeparator, hot, edit, encode }: MessagesOptions,
): GeneratedMessages {
  const messages = translations.messages(id.language, id.namespace, id.customer)
  const { json, kept } =
    shape === 'nested'
      ? nestedMessagesJson(messages, keySeparator, encode)
      : { json: messagesJson(messages, encode), kept: [] }
  const value = jsonParseLiteral(json)
  // A named constant: Farm's library targets turn an anonymous default into `var default`.
  const code = `const messages = /* #__PURE__ */ ${value}\nexport default messages\n`
  return { code: hot ? hotMessagesCode(hot, id, value, { edit }) : code, kept }
}

/** `export default {[namespace]: messages}` of one language. */
export function generateLanguageModule(translations: Translations, id: LanguageId): string {
  const { namespaces } = translations
  const lines = namespaces.map((namespace, i) => {
    const request = formatRequest({ kind: 'namespace', language: id.language, namespace, customer: id.customer })
    return `import m${i} from ${stringLiteral(request)}`
  })
  // Computed keys define own properties, whatever their name; a plain `__proto__:` would not.
  const properties = namespaces.map((namespace, i) => `  [${stringLiteral(namespace)}]: m${i},`)
  return [...lines, 'const messages = {', ...properties, '}', 'export default messages', ''].join('\n')
}
