/**
 * Ambient types of the virtual modules. Add `"types": ["unplugin-localization/virtual"]` to `compilerOptions`, or let
 * the option `types` write a declaration of the project's own languages, namespaces, keys and placeholders, and leave
 * this one out.
 */

/// <reference path="./virtual-strict.d.ts" />

/**
 * One namespace: its messages. One language: its messages by namespace. Generated declarations name longer prefixes,
 * and so win over this one wherever they stand; what they do not declare is then `never`.
 */
declare module 'virtual:translations*' {
  import type { Register } from 'virtual:translations'

  const messages: Register extends { readonly languages: string }
    ? never
    : { readonly [key: string]: string } & { readonly [key: string]: unknown }
  export default messages
}
