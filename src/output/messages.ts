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
  /** The expression of the messages. */
  readonly value: string
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
  return { code: hot ? hotMessagesCode(hot, id, value, { edit }) : constantModule(value), value, kept }
}

/** `value` is a call: marked pure, it leaves nothing behind where the import is not used. */
function constantModule(value: string): string {
  // A named constant: Farm's library targets turn an anonymous default into `var default`.
  return `const messages = /* #__PURE__ */ ${value}\nexport default messages\n`
}

/**
 * Stands for the messages of a module as long as it is not known which of them the code uses. A call of a free name: no bundler renames
 * it, and what is not used leaves nothing behind.
 */
export function generatePendingModule(id: NamespaceId): string {
  const name = Buffer.from(JSON.stringify([id.language, id.namespace, id.customer])).toString('hex')
  return constantModule(`${PENDING}${name}__()`)
}

const PENDING = '__UNPLUGIN_LOCALIZATION_TEXTS_'

/** Whether a code holds modules whose messages are pending. Cheap. */
export function hasPending(code: string): boolean {
  return code.includes(PENDING)
}

export interface PendingMessages {
  readonly id: NamespaceId
  /** Where the call stands. */
  readonly start: number
  readonly end: number
}

export function pendingIn(code: string): PendingMessages[] {
  return [...code.matchAll(new RegExp(`${PENDING}([0-9a-f]+)__\\(\\)`, 'g'))].map(
    ({ 0: call, 1: name = '', index }) => {
      const [language, namespace, customer] = JSON.parse(Buffer.from(name, 'hex').toString()) as [
        string,
        string,
        string?,
      ]
      return {
        id: { kind: 'namespace', language, namespace, customer: customer ?? undefined },
        start: index,
        end: index + call.length,
      }
    },
  )
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
