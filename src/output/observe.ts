/** The generated code that observes keys: exports of the runtime module, and their calls in other modules. */
import type { ObserverSettings } from '../observed/observer.ts'
import type { NamespaceId } from './ids.ts'
import { jsonParseLiteral, stringLiteral } from './literal.ts'

/**
 * What the runtime module also exports: `observeMessages` and `observeManifest`.
 *
 * @param observer the built text of `observed/observer.ts`
 */
export function observerCode(observer: string, settings: ObserverSettings): string {
  return [
    observer,
    `const observer = localizationObserver.createObserver(${jsonParseLiteral(JSON.stringify(settings))})`,
    'export const { observeMessages, observeManifest } = observer',
    '',
  ].join('\n')
}

/** @param messages an expression */
export function observedMessages(messages: string, { namespace }: NamespaceId): string {
  return `observeMessages(${messages}, ${stringLiteral(namespace)})`
}
