/** Generates the modules for one namespace in one language, and for a whole language. */
import type { Translations } from '../catalog/translations.ts'
import { hotMessagesCode, type ModuleHow } from './hot.ts'
import { encodeName, type FormatSpecifier, formatRequest, type LanguageId, type NamespaceId } from './ids.ts'
import { jsonParseLiteral, propertyName, stringLiteral } from './literal.ts'

/** A module whose default export is the namespace's messages. */
export function generateNamespaceModule(id: NamespaceId, json: string, how: ModuleHow): string {
  const value = jsonParseLiteral(json)
  return how.hot ? hotMessagesCode(how.hot, id, value, how) : constantModule(id, value, how)
}

/**
 * A module that exports a constant. If the export is unused, bundlers remove `value`, because it is a call that is
 * marked as pure.
 */
function constantModule(
  { language, namespace, customer }: NamespaceId,
  value: string,
  { isProvided = false, specifier = formatRequest }: ModuleHow,
): string {
  // The export has a name, because Farm's library targets turn an anonymous default export into `var default`. It is a
  // `var`, because the code must be ES5.
  const constant = (pure: string) => `var messages = /* #__PURE__ */ ${pure}\nexport default messages\n`
  // `load()` does not support customers, so it needs no messages from these modules.
  if (!isProvided || customer !== undefined) return constant(value)
  const path = stringLiteral(`${encodeName(language)}/${encodeName(namespace)}`)
  const runtime = stringLiteral(specifier({ kind: 'runtime' }))
  return [
    `import { provideMessages } from ${runtime}`,
    constant(`provideMessages(${path}, /* #__PURE__ */ ${value})`),
  ].join('\n')
}

const PENDING = '__UNPLUGIN_LOCALIZATION_TEXTS_'

/**
 * A module that has a placeholder for its messages until the used keys are known. The placeholder is a call to an
 * undefined name. Bundlers do not rename it, and they remove the call if it is unused.
 */
export function generatePendingModule(id: NamespaceId, how: ModuleHow): string {
  const name = Buffer.from(JSON.stringify([id.language, id.namespace, id.customer])).toString('hex')
  return constantModule(id, `${PENDING}${name}__()`, how)
}

/** Returns true if the code contains placeholders. This is faster than `pendingIn`. */
export function hasPending(code: string): boolean {
  return code.includes(PENDING)
}

export interface PendingMessages {
  readonly id: NamespaceId
  readonly start: number
  readonly end: number
}

export function pendingIn(code: string): PendingMessages[] {
  return [...code.matchAll(new RegExp(`${PENDING}([0-9a-f]+)__\\(\\)`, 'g'))].map(({ 0: call, 1: name, index }) => {
    const names = JSON.parse(Buffer.from(name as string, 'hex').toString()) as [string, string, string | null]
    const [language, namespace, customer] = names
    return {
      id: { kind: 'namespace', language, namespace, customer: customer ?? undefined },
      start: index,
      end: index + call.length,
    }
  })
}

/** Generates a language's module: `export default { [namespace]: messages }`. */
export function generateLanguageModule(
  { namespaces }: Translations,
  { language, customer }: LanguageId,
  specifier: FormatSpecifier = formatRequest,
): string {
  const lines = namespaces.map(
    (namespace, i) =>
      `import m${i} from ${stringLiteral(specifier({ kind: 'namespace', language, namespace, customer }))}`,
  )
  const properties = namespaces.map((namespace, i) => `  ${propertyName(namespace)}: m${i},`)
  return [...lines, 'var messages = {', ...properties, '}', 'export default messages', ''].join('\n')
}
